package auth

import (
	"hash/crc32"
	"strings"
)

// The prefixes of keys, by which people and scanners tell them apart.
const (
	livePrefix = "typ_live_"
	testPrefix = "typ_test_"
)

const (
	keyRandom   = 30
	keyChecksum = 6
)

// NewAPIKey makes a key: "typ_live_", 30 random base62 characters (178 bits)
// and 6 base62 characters of the CRC-32 (IEEE) of all that stands before them,
// most significant first. The checksum lets a scanner tell a key from noise
// and lets a mistyped key be refused without asking the database.
func NewAPIKey() string { return newKey(livePrefix) }

// NewTestKey is NewAPIKey for a key of a test world: it begins with "typ_test_".
func NewTestKey() string { return newKey(testPrefix) }

func newKey(prefix string) string {
	body := prefix + randomBase62(keyRandom)
	return body + checksum(body)
}

// WellFormedAPIKey reports whether key has the form and the checksum of a key, live or of a
// test world. It says nothing about whether the key exists.
func WellFormedAPIKey(key string) bool {
	if len(key) != len(livePrefix)+keyRandom+keyChecksum || !strings.HasPrefix(key, livePrefix) && !strings.HasPrefix(key, testPrefix) {
		return false
	}
	body, sum := key[:len(key)-keyChecksum], key[len(key)-keyChecksum:]
	// Not in constant time: anybody can compute the checksum, it is no secret.
	return isBase62(body[len(livePrefix):]) && sum == checksum(body)
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
