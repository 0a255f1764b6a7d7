package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"typus"
)

// The headers of Standard Webhooks 1.0.0, written in lower case as there.
const (
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"
)

// Tolerance is how far webhook-timestamp may lie from the receiver's clock.
const Tolerance = 5 * time.Minute

// Sign is the signature of API description 5: "sha256=" and the lower-case hex
// HMAC-SHA256 of the raw body, keyed with the UTF-8 bytes of the secret exactly as
// shown.
func Sign(secret string, body []byte) string {
	return "sha256=" + hex.EncodeToString(mac([]byte(secret), body))
}

// SignStandard is one "v1,<base64>" of Standard Webhooks 1.0.0, over the id,
// the unix time in seconds and the body. Invalid when the secret is not
// base64 or the id holds a dot, which would make the signed text ambiguous.
func SignStandard(secret, id string, timestamp int64, body []byte) (string, error) {
	key, err := secretKey(secret)
	if err != nil {
		return "", err
	}
	if strings.Contains(id, ".") {
		return "", typus.Errorf(typus.Invalid, "the webhook id %q contains a dot", id)
	}
	signed := []byte(id + "." + strconv.FormatInt(timestamp, 10) + ".")
	return "v1," + base64.StdEncoding.EncodeToString(mac(key, signed, body)), nil
}

func mac(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// Verify reports in constant time whether header, the value of
// X-Service-Signature, is the API description's signature of body.
func Verify(secret, header string, body []byte) bool {
	return hmac.Equal([]byte(header), []byte(Sign(secret, body)))
}

// VerifyStandard checks what a receiver got by Standard Webhooks 1.0.0: the
// time within Tolerance of now, and one of the signatures, in constant time.
// The error is of kind Unauthorized and says which of them failed.
func VerifyStandard(secret string, h http.Header, body []byte, now time.Time) error {
	id := field(h, headerID)
	stamp, err := strconv.ParseInt(field(h, headerTimestamp), 10, 64)
	if id == "" || err != nil {
		return typus.Errorf(typus.Unauthorized, "webhook-id or webhook-timestamp is missing or unreadable")
	}
	if age := now.Sub(time.Unix(stamp, 0)); age > Tolerance || age < -Tolerance {
		return typus.Errorf(typus.Unauthorized, "webhook-timestamp is more than %s away from now", Tolerance)
	}
	want, err := SignStandard(secret, id, stamp, body)
	if err != nil {
		return typus.Errorf(typus.Unauthorized, "the webhook cannot be checked with this id and secret").WithCause(err)
	}
	for got := range strings.FieldsSeq(field(h, headerSignature)) {
		if hmac.Equal([]byte(got), []byte(want)) {
			return nil
		}
	}
	return typus.Errorf(typus.Unauthorized, "no signature in webhook-signature matches")
}

// field reads a header in whichever letter case it was stored. A received header is in
// canonical form; one that is to be sent has the lower case of the standard.
func field(h http.Header, name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return h.Get(name)
}
