// Starts momock, makes a deposit and receives its callback. Run it in a folder with the package:
// go run deposit.go
package main

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	received := make(chan map[string]any, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(listener, http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		var callback map[string]any
		json.NewDecoder(request.Body).Decode(&callback)
		received <- callback
	}))

	momock := exec.Command("node_modules/.bin/momock", "--port", "0", "--db", ":memory:",
		"--callback-url", fmt.Sprintf("http://%s/callbacks", listener.Addr()))
	output, err := momock.StdoutPipe()
	if err != nil {
		return err
	}
	if err := momock.Start(); err != nil {
		return err
	}
	defer momock.Wait()
	defer momock.Process.Signal(syscall.SIGTERM)

	// The first line says where the mock is.
	line, err := bufio.NewReader(output).ReadBytes('\n')
	if err != nil {
		return err
	}
	var mock struct{ Url, Token string }
	if err := json.Unmarshal(line, &mock); err != nil {
		return err
	}

	id := newUUID()
	request, err := http.NewRequest("POST", mock.Url+"/v2/deposits", strings.NewReader(fmt.Sprintf(`{
		"depositId": %q, "amount": "15.00", "currency": "ZMW",
		"payer": { "type": "MMO",
			"accountDetails": { "phoneNumber": "260763456789", "provider": "MTN_MOMO_ZMB" } }
	}`, id)))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+mock.Token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct{ Status string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	fmt.Println("answer:", answer.Status)

	select {
	case callback := <-received:
		if callback["depositId"] != id {
			return fmt.Errorf("a callback of %v", callback["depositId"])
		}
		fmt.Println("callback:", callback["status"])
	case <-time.After(30 * time.Second):
		return fmt.Errorf("no callback")
	}
	return nil
}

func newUUID() string {
	b := make([]byte, 16)
	rand.Read(b)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
