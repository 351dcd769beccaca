package shop

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// Set-up: one mock for all tests, and one account and one shop for each test. MOMOCK names the
// program, such as /app/node_modules/.bin/momock.

var mock struct{ Url string }

func TestMain(m *testing.M) {
	momock := exec.Command(os.Getenv("MOMOCK"), "--port", "0", "--db", ":memory:", "--clock", "frozen")
	output, _ := momock.StdoutPipe()
	if err := momock.Start(); err != nil {
		panic(err)
	}
	line, _ := bufio.NewReader(output).ReadBytes('\n')
	json.Unmarshal(line, &mock)
	code := m.Run()
	momock.Process.Signal(syscall.SIGTERM)
	momock.Wait()
	os.Exit(code)
}

type object map[string]any

func open(t *testing.T) (*Shop, func(method, path string, body object) object) {
	shop, err := Open(mock.Url, "sandbox-"+t.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(shop.server.Close)
	// Makes a call of the admin API: admin("POST", "/clock/advance", object{"by": "1m"}).
	admin := func(method, path string, body object) (answer object) {
		t.Helper()
		if err := shop.ask(method, "/__admin"+path, body, &answer); err != nil || answer["error"] != nil {
			t.Fatal(err, answer)
		}
		return answer
	}
	admin("PATCH", "/account", object{"callbacks": shop.server.URL + "/callbacks"})
	return shop, admin
}

func expect(t *testing.T, found, wanted any) {
	t.Helper()
	if found != wanted {
		t.Errorf("wanted %v, found %v", wanted, found)
	}
}

func TestACustomerPays(t *testing.T) {
	shop, admin := open(t)
	order := shop.Pay()
	admin("POST", "/clock/advance", object{"by": "1m"})
	expect(t, shop.State(order), "COMPLETED")
}

func TestACustomerHasNoMoney(t *testing.T) {
	shop, admin := open(t)
	admin("POST", "/scenarios", object{"fail": "INSUFFICIENT_BALANCE"})
	order := shop.Pay()
	admin("POST", "/clock/advance", object{"by": "1m"})
	expect(t, shop.State(order), "INSUFFICIENT_BALANCE")
}

func TestALostAnswerIsNoLostPayment(t *testing.T) {
	shop, admin := open(t)
	admin("POST", "/scenarios", object{"fault": "lost"})
	order := shop.Pay()
	expect(t, shop.State(order), "OPEN")
	admin("POST", "/clock/advance", object{"by": "1m"})
	expect(t, shop.State(order), "COMPLETED")
	once := object{"payment": object{"kind": "deposit"}, "count": 1}
	expect(t, admin("POST", "/verify", object{"expectations": []any{once}})["passed"], true)
}

func TestGoodsLeaveOnceWhenCallbacksComeTwice(t *testing.T) {
	shop, admin := open(t)
	admin("POST", "/scenarios", object{"callback": object{"duplicates": 1}})
	shop.Pay()
	expect(t, admin("POST", "/clock/advance", object{"by": "1m"})["callbacks"], 2.0)
	expect(t, len(shop.shipped), 1)
}

func TestAForgedCallbackIsNotBelieved(t *testing.T) {
	shop, admin := open(t)
	order := shop.Pay()
	forged := object{"status": "COMPLETED", "wrongKey": true}
	admin("POST", "/payments/deposit/"+order+"/callbacks", forged)
	admin("POST", "/clock/advance", object{"by": 0})
	expect(t, shop.State(order), "OPEN")
	// The genuine one is believed, so it was the forgery that was refused.
	admin("POST", "/clock/advance", object{"by": "1m"})
	expect(t, shop.State(order), "COMPLETED")
}

func TestAnOutageOfTheProviderRejectsThePayment(t *testing.T) {
	shop, admin := open(t)
	admin("PUT", "/providers/MTN_MOMO_ZMB", object{"DEPOSIT": "CLOSED"})
	expect(t, shop.State(shop.Pay()), "REJECTED")
}

func TestACustomerTakesTenMinutes(t *testing.T) {
	shop, admin := open(t)
	steps := []object{{"after": 0, "to": "PROCESSING"}, {"after": "10m", "to": "COMPLETED"}}
	admin("POST", "/scenarios", object{"script": steps})
	order := shop.Pay()
	admin("POST", "/clock/advance", object{"by": "9m"})
	expect(t, shop.State(order), "OPEN")
	admin("POST", "/clock/advance", object{"by": "1m"})
	expect(t, shop.State(order), "COMPLETED")
}
