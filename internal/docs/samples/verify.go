// Receives webhooks and refuses what is not signed.
// SECRET='whsec_…' go run verify.go
package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func mac(key, message []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(message)
	return h.Sum(nil)
}

// Over the body alone, keyed with the secret as it was shown. The second
// header is there only while the secret is being changed.
func bodySigned(secret string, h http.Header, body []byte) bool {
	want := []byte("sha256=" + hex.EncodeToString(mac([]byte(secret), body)))
	return hmac.Equal([]byte(h.Get("X-Service-Signature")), want) || hmac.Equal([]byte(h.Get("X-Service-Signature-Alt")), want)
}

// Over id, time and body, keyed with the decoded secret; five minutes old at most.
func messageSigned(secret string, h http.Header, body []byte) bool {
	sent, err := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(sent, 0)).Abs() > 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	message := append([]byte(h.Get("webhook-id")+"."+h.Get("webhook-timestamp")+"."), body...)
	want := []byte("v1," + base64.StdEncoding.EncodeToString(mac(key, message)))
	for given := range strings.FieldsSeq(h.Get("webhook-signature")) {
		if hmac.Equal([]byte(given), want) {
			return true
		}
	}
	return false
}

type event struct {
	Data struct {
		Candidate struct {
			Name       string  `json:"name"`
			ExternalID *string `json:"external_id"`
		} `json:"candidate"`
		Scores struct {
			Overall int `json:"overall"`
		} `json:"scores"`
	} `json:"data"`
}

func receive(w http.ResponseWriter, r *http.Request) {
	// The bytes as they came: parse them after the check.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	secret := os.Getenv("SECRET")
	// One of the two is enough.
	if !bodySigned(secret, r.Header, body) || !messageSigned(secret, r.Header, body) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var externalID string
	if e.Data.Candidate.ExternalID != nil {
		externalID = *e.Data.Candidate.ExternalID
	}
	// The same webhook-id may come again: store it together with what you do.
	fmt.Println(r.Header.Get("webhook-id"), externalID, e.Data.Candidate.Name, e.Data.Scores.Overall)
	w.WriteHeader(http.StatusNoContent) // within 15 seconds; slow work is done afterwards
}

func main() {
	if !strings.HasPrefix(os.Getenv("SECRET"), "whsec_") {
		log.Fatal("set SECRET") // an empty key would accept forgeries
	}
	server := http.Server{
		Addr:              "127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "9000"),
		Handler:           http.HandlerFunc(receive),
		ReadHeaderTimeout: 5 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}
