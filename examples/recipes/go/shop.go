// Package shop is the application under test: it takes mobile money and believes genuine callbacks
// only.
package shop

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"shop/verify"
)

// Shop has the state of each order. Goods leave once for each order.
type Shop struct {
	url, token string
	keys       []verify.Key
	server     *httptest.Server
	lock       sync.Mutex
	orders     map[string]string
	shipped    []string
}

// Open starts a shop that uses a payments API.
func Open(url, token string) (*Shop, error) {
	shop := &Shop{url: url, token: token, orders: map[string]string{}}
	if err := shop.ask("GET", "/v2/public-key/http", nil, &shop.keys); err != nil {
		return nil, err
	}
	shop.server = httptest.NewServer(http.HandlerFunc(shop.hear))
	return shop, nil
}

// Pay asks a customer for money, and gives the number of the order.
func (shop *Shop) Pay() string {
	order := newUUID()
	shop.set(order, "OPEN")
	details := map[string]any{"phoneNumber": "260763456789", "provider": "MTN_MOMO_ZMB"}
	var answer struct{ Status string }
	err := shop.ask("POST", "/v2/deposits", map[string]any{
		"depositId": order, "amount": "15.00", "currency": "ZMW",
		"payer": map[string]any{"type": "MMO", "accountDetails": details},
	}, &answer)
	// Without an answer nobody knows whether there is a deposit: the order stays open.
	if err == nil && answer.Status != "ACCEPTED" {
		shop.settle(order, answer.Status)
	}
	return order
}

// State is the state of an order.
func (shop *Shop) State(order string) string {
	shop.lock.Lock()
	defer shop.lock.Unlock()
	return shop.orders[order]
}

func (shop *Shop) set(order, state string) {
	shop.lock.Lock()
	defer shop.lock.Unlock()
	shop.orders[order] = state
}

// settle gives an open order its end.
func (shop *Shop) settle(order, state string) {
	shop.lock.Lock()
	defer shop.lock.Unlock()
	if shop.orders[order] != "OPEN" {
		return
	}
	shop.orders[order] = state
	if state == "COMPLETED" {
		shop.shipped = append(shop.shipped, order)
	}
}

// hear is told how a payment went.
func (shop *Shop) hear(response http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	if !verify.IsGenuine(request, body, shop.keys, time.Now()) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	var callback struct {
		DepositId, Status string
		FailureReason     struct{ FailureCode string }
	}
	if json.Unmarshal(body, &callback) != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	state := callback.Status
	if code := callback.FailureReason.FailureCode; code != "" {
		state = code
	}
	shop.settle(callback.DepositId, state)
}

func (shop *Shop) ask(method, path string, body, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, shop.url+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+shop.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return json.NewDecoder(response.Body).Decode(answer)
}

func newUUID() string {
	b := make([]byte, 16)
	rand.Read(b)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
