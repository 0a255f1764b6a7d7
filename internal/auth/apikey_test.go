package auth_test

import (
	"regexp"
	"strings"
	"testing"

	"typus/internal/auth"
)

func TestANewKeyIsWellFormedAndFoundByScanners(t *testing.T) {
	pattern := regexp.MustCompile(`\btyp_(?:live|test)_[0-9A-Za-z]{36}\b`)
	for n := range 1000 {
		prefix, key := "typ_live_", auth.NewAPIKey()
		if n%2 == 1 {
			prefix, key = "typ_test_", auth.NewTestKey()
		}
		if !auth.WellFormedAPIKey(key) {
			t.Fatalf("%q is not well formed", key)
		}
		if len(key) != 45 || !strings.HasPrefix(key, prefix) {
			t.Fatalf("%q has not the promised form", key)
		}
		if found := pattern.FindString(`Authorization: "Bearer ` + key + `",`); found != key {
			t.Fatalf("a scanner finds %q in place of %q", found, key)
		}
	}
}

// The checksum is part of the published format: a key issued today must be
// well formed in every later version. Computed with Python's zlib.crc32.
func TestTheChecksumIsTheCRC32OfTheRest(t *testing.T) {
	const key = "typ_live_0123456789ABCDEFGHIJKLMNOPQRST0W6Oqc"
	if !auth.WellFormedAPIKey(key) {
		t.Fatalf("%q must be well formed", key)
	}
}

func TestEveryMistypedCharacterOfAKeyIsNoticed(t *testing.T) {
	key := auth.NewAPIKey()
	for i := range key {
		for _, c := range "0Az_-é" {
			typed := key[:i] + string(c) + key[i+1:]
			if typed != key && auth.WellFormedAPIKey(typed) {
				t.Errorf("%q passes for %q", typed, key)
			}
		}
	}
	for _, other := range []string{"", "typ_live_", key[:44], key + "0", " " + key, strings.ToUpper(key), strings.Replace(key, "live", "test", 1)} {
		if auth.WellFormedAPIKey(other) {
			t.Errorf("%q passes", other)
		}
	}
}
