// A client with a hard-coded host. It prints the answer to its deposit.
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	body := fmt.Sprintf(`{"depositId":"%s","amount":"15","currency":"ZMW","payer":{"type":"MMO",
		"accountDetails":{"phoneNumber":"260763456789","provider":"MTN_MOMO_ZMB"}}}`, os.Args[1])
	request, _ := http.NewRequest("POST", "https://api.sandbox.pawapay.io/v2/deposits", strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer test-token")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	text, _ := io.ReadAll(response.Body)
	fmt.Println(response.Proto, string(text))
}
