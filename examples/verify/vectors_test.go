package verify

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestVectors(t *testing.T) {
	files, _ := filepath.Glob("../vectors/*.json")
	for _, file := range files {
		var v struct {
			Name, Decision, Method, URL string
			Time                        int64
			Headers                     map[string]string
			Body                        []byte
			Keys                        []Key
		}
		text, _ := os.ReadFile(file)
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatal(file, err)
		}
		target, _ := url.ParseRequestURI(v.URL)
		request := &http.Request{Method: v.Method, URL: target, Host: v.Headers["host"], Header: http.Header{}}
		for name, value := range v.Headers {
			request.Header.Set(name, value)
		}
		said := IsGenuine(request, v.Body, v.Keys, time.Unix(v.Time, 0))
		if v.Decision != "either" && said != (v.Decision == "accept") {
			t.Error(v.Decision, v.Name)
		}
	}
	t.Log(len(files), "vectors")
}
