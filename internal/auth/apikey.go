package auth

import (
	"hash/crc32"
	"strings"
)

const (
	keyPrefix   = "typ_live_"
	keyRandom   = 30
	keyChecksum = 6
)

// NewAPIKey makes a key: "typ_live_", 30 random base62 characters (178 bits)
// and 6 base62 characters of the CRC-32 (IEEE) of all that stands before them,
// most significant first. The checksum lets a scanner tell a key from noise
// and lets a mistyped key be refused without asking the database.
func NewAPIKey() string {
	body := keyPrefix + randomBase62(keyRandom)
	return body + checksum(body)
}

// WellFormedAPIKey reports whether key has the form and the checksum of a key.
// It says nothing about whether the key exists.
func WellFormedAPIKey(key string) bool {
	if len(key) != len(keyPrefix)+keyRandom+keyChecksum || !strings.HasPrefix(key, keyPrefix) {
		return false
	}
	body, sum := key[:len(key)-keyChecksum], key[len(key)-keyChecksum:]
	// Not in constant time: anybody can compute the checksum, it is no secret.
	return isBase62(body[len(keyPrefix):]) && sum == checksum(body)
}

func checksum(body string) string {
	crc := crc32.ChecksumIEEE([]byte(body))
	var out [keyChecksum]byte
	for i := keyChecksum - 1; i >= 0; i-- {
		out[i] = base62[crc%62]
		crc /= 62
	}
	return string(out[:])
}
