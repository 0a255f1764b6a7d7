package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"

	"typus"
)

const secretPrefix = "whsec_"

// NewSecret makes a secret as it is shown: "whsec_" and base64 of 32 random
// bytes, the form of Standard Webhooks 1.0.0.
func NewSecret() string {
	var key [32]byte
	rand.Read(key[:])
	return secretPrefix + base64.StdEncoding.EncodeToString(key[:])
}

// SecretAAD ties a sealed secret to its row and its endpoint.
func SecretAAD(secretID, endpointID int64) string {
	return fmt.Sprintf("webhook_secret|%d|%d", secretID, endpointID)
}

// secretKey is the key of the Standard Webhooks scheme: the base64-decoded part
// after the prefix. Invalid for anything else.
func secretKey(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil || len(key) == 0 {
		// The cause is left out: it would quote a part of the secret in the log.
		return nil, typus.Errorf(typus.Invalid, "the webhook secret is not whsec_ followed by base64")
	}
	return key, nil
}
