// Package verify tells genuine callbacks from others.
package verify

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	_ "crypto/sha256"
	_ "crypto/sha512"
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
	algorithm     = regexp.MustCompile(`;alg="([^"]+)"`)
	digestForm    = regexp.MustCompile(`([\w-]+)=:([^:]*):`)
	digests       = map[string]crypto.Hash{"sha-256": crypto.SHA256, "sha-512": crypto.SHA512}
	hashes        = map[string]crypto.Hash{"ecdsa-p256-sha256": crypto.SHA256, "ecdsa-p384-sha384": crypto.SHA384,
		"rsa-v1_5-sha256": crypto.SHA256, "rsa-pss-sha512": crypto.SHA512}
)

// IsGenuine says whether a callback is genuine; body holds the bytes as they arrived.
func IsGenuine(request *http.Request, body []byte, keys []Key, now time.Time) bool {
	signed := inputForm.FindStringSubmatch(request.Header.Get("Signature-Input"))
	signature := valueForm.FindStringSubmatch(request.Header.Get("Signature"))
	if signed == nil || signature == nil || signed[1] != signature[1] {
		return false
	}
	input, list := signed[2], signed[3]

	values := map[string]string{"@method": request.Method, "@authority": strings.ToLower(request.Host), "@path": request.URL.EscapedPath()}
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
	if !isDigestOf(body, request.Header.Get("Content-Digest")) {
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
		public, err := x509.ParsePKIXPublicKey(block.Bytes)
		named := algorithm.FindStringSubmatch(input)
		return err == nil && named != nil && verifies(named[1], public, base, value)
	}
	return false
}

func verifies(name string, key interface{}, base string, value []byte) bool {
	hash, known := hashes[name]
	if !known {
		return false
	}
	digest := hash.New()
	digest.Write([]byte(base))
	sum := digest.Sum(nil)
	switch public := key.(type) {
	case *ecdsa.PublicKey:
		return strings.HasPrefix(name, "ecdsa-") && ecdsa.VerifyASN1(public, sum, value)
	case *rsa.PublicKey:
		if name == "rsa-pss-sha512" {
			return rsa.VerifyPSS(public, hash, sum, value, &rsa.PSSOptions{SaltLength: 64}) == nil
		}
		return name == "rsa-v1_5-sha256" && rsa.VerifyPKCS1v15(public, hash, sum, value) == nil
	}
	return false
}

// Every known digest must fit the body, and there must be one.
func isDigestOf(body []byte, header string) bool {
	known := 0
	for _, found := range digestForm.FindAllStringSubmatch(header, -1) {
		hash, ok := digests[found[1]]
		if !ok {
			continue
		}
		digest := hash.New()
		digest.Write(body)
		if base64.StdEncoding.EncodeToString(digest.Sum(nil)) != found[2] {
			return false
		}
		known++
	}
	return known > 0
}
