// Package verify tells genuine callbacks from others.
package verify

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Key is an element of what GET /v2/public-key/http answers.
type Key struct {
	ID  string `json:"id"`
	Key string `json:"key"`
}

var (
	inputForm = regexp.MustCompile(`^([\w.*-]+)=(\(([^)]*)\).*)$`)
	valueForm = regexp.MustCompile(`^([\w.*-]+)=:([^:]+):$`)
	quoted    = regexp.MustCompile(`"([^"]+)"`)
	expiry    = regexp.MustCompile(`;expires=(\d+)`)
	// Without these in it, a signature could be put on another message.
	mustBeCovered = []string{"@method", "@authority", "@path", "content-digest"}
)

// IsGenuine says whether a callback is genuine; body holds the bytes as they arrived.
func IsGenuine(request *http.Request, body []byte, keys []Key, now time.Time) bool {
	signed := inputForm.FindStringSubmatch(request.Header.Get("Signature-Input"))
	signature := valueForm.FindStringSubmatch(request.Header.Get("Signature"))
	if signed == nil || signature == nil || signed[1] != signature[1] {
		return false
	}
	input, list := signed[2], signed[3]

	values := map[string]string{"@method": request.Method, "@authority": request.Host, "@path": request.URL.EscapedPath()}
	covered := map[string]bool{}
	base := ""
	for _, found := range quoted.FindAllStringSubmatch(list, -1) {
		name := found[1]
		value, derived := values[name]
		if !derived {
			value = request.Header.Get(name)
		}
		covered[name] = true
		base += fmt.Sprintf("\"%s\": %s\n", name, value)
	}
	base += `"@signature-params": ` + input
	for _, name := range mustBeCovered {
		if !covered[name] {
			return false
		}
	}
	expires := expiry.FindStringSubmatch(input)
	if expires == nil {
		return false
	}
	if last, err := strconv.ParseInt(expires[1], 10, 64); err != nil || now.Unix() > last {
		return false
	}
	digest := sha512.Sum512(body)
	if request.Header.Get("Content-Digest") != "sha-512=:"+base64.StdEncoding.EncodeToString(digest[:])+":" {
		return false
	}

	value, err := base64.StdEncoding.DecodeString(signature[2])
	if err != nil {
		return false
	}
	for _, key := range keys {
		if !strings.Contains(input, `;keyid="`+key.ID+`"`) {
			continue
		}
		block, _ := pem.Decode([]byte(key.Key))
		if block == nil {
			return false
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		public, ok := parsed.(*ecdsa.PublicKey)
		hash := sha256.Sum256([]byte(base))
		return err == nil && ok && ecdsa.VerifyASN1(public, hash[:], value)
	}
	return false
}
