package auth

import (
	"crypto/rand"
	"strings"
)

// RecoveryCodes is how many codes a user gets at once.
const RecoveryCodes = 10

const (
	recoveryBytes = 10 // 80 bits
	recoveryGroup = 4  // characters between two hyphens
)

// NewRecoveryCodes makes codes that stand in for the second factor, once each:
// 16 base32 characters from crypto/rand, 80 bits, in groups of four. They are
// stored as the Hash of what PlainRecoveryCode makes of them.
func NewRecoveryCodes() []string {
	codes := make([]string, RecoveryCodes)
	for i := range codes {
		raw := make([]byte, recoveryBytes)
		rand.Read(raw)
		text := strings.ToLower(base32NoPadding.EncodeToString(raw))
		var groups []string
		for len(text) > 0 {
			groups, text = append(groups, text[:recoveryGroup]), text[recoveryGroup:]
		}
		codes[i] = strings.Join(groups, "-")
	}
	return codes
}

// PlainRecoveryCode is a code as typed, in lower case without hyphens and
// spaces. False: it has not the form of one.
func PlainRecoveryCode(typed string) (string, bool) {
	plain := strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(strings.TrimSpace(typed)))
	raw, err := base32NoPadding.DecodeString(strings.ToUpper(plain))
	return plain, err == nil && len(raw) == recoveryBytes
}
