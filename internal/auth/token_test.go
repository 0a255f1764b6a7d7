package auth_test

import (
	"strings"
	"testing"

	"typus/internal/auth"
)

func TestTokensAreWellFormedAndNeverRepeat(t *testing.T) {
	seen := make(map[string]bool)
	for range 10_000 {
		token := auth.NewToken()
		if !auth.WellFormedToken(token) || len(token) != 32 || seen[token] {
			t.Fatalf("token %q is malformed or repeated", token)
		}
		seen[token] = true
	}
}

// With a plain remainder of a byte, the first eight characters would come 25 %
// more often than the others; 640,000 draws tell that from chance (about ±1 %).
func TestEveryCharacterOfATokenIsEquallyLikely(t *testing.T) {
	count := make(map[rune]int)
	const tokens = 20_000
	for range tokens {
		for _, c := range auth.NewToken() {
			count[c]++
		}
	}
	if len(count) != 62 {
		t.Fatalf("%d different characters, want 62", len(count))
	}
	const want = tokens * 32.0 / 62
	for c, n := range count {
		if dev := float64(n)/want - 1; dev < -0.08 || dev > 0.08 {
			t.Errorf("%c came %d times, expected about %.0f", c, n, want)
		}
	}
}

func TestOddTokensAreNotWellFormed(t *testing.T) {
	good := auth.NewToken()
	for _, token := range []string{"", good[:31], good + "a", good[:31] + "-", good[:31] + "\n", good[:30] + "é", strings.Repeat("😀", 8)} {
		if auth.WellFormedToken(token) {
			t.Errorf("%q passes", token)
		}
	}
}

func TestHashIsTheLowerCaseHexSHA256(t *testing.T) {
	// printf %s abc | sha256sum
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got := auth.Hash("abc"); got != want {
		t.Fatalf("Hash(abc) = %s, want %s", got, want)
	}
}
