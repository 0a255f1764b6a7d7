package typus_test

import (
	"testing"

	"typus"
)

// Tokens that were sealed yesterday must open tomorrow.
func TestASealedTokenIsTiedToItsRowByTheSameWords(t *testing.T) {
	c := typus.Candidate{ID: 100000000000001, AccountID: 7, TokenHash: "5d41402abc4b2a76b9719d911017c592"}
	if got, want := c.TokenAAD(), "candidate_token|5d41402abc4b2a76b9719d911017c592"; got != want {
		t.Errorf("TokenAAD() = %q, want %q", got, want)
	}
}
