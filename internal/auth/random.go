// Package auth makes and checks API keys, tokens, passwords and the codes of a second
// factor (TOTP).
package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// randomBase62 gives n characters from crypto/rand, each equally likely: bytes
// above the last multiple of 62 are thrown away, since a plain remainder would
// favour the first eight characters.
func randomBase62(n int) string {
	const fair = 256 / len(base62) * len(base62)
	out := make([]byte, 0, n)
	buf := make([]byte, n+n/4)
	for {
		rand.Read(buf)
		for _, b := range buf {
			if int(b) >= fair {
				continue
			}
			out = append(out, base62[int(b)%len(base62)])
			if len(out) == n {
				return string(out)
			}
		}
	}
}

func isBase62(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z') {
			return false
		}
	}
	return true
}

// Hash is the lower-case hex SHA-256 by which keys and tokens are stored and looked up
// (API description 5.2). A fast hash is right for them, and only for them: they carry
// at least 80 random bits, so there is nothing to guess.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
