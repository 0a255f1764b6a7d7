package typus_test

import (
	"testing"
	"time"

	"typus"
)

// Tokens that were sealed yesterday must open tomorrow.
func TestASealedTokenIsTiedToItsRowByTheSameWords(t *testing.T) {
	c := typus.Candidate{ID: 100000000000001, AccountID: 7, TokenHash: "5d41402abc4b2a76b9719d911017c592"}
	if got, want := c.TokenAAD(), "candidate_token|5d41402abc4b2a76b9719d911017c592"; got != want {
		t.Errorf("TokenAAD() = %q, want %q", got, want)
	}
}

func TestATestStandsWhereTheFirstOfAllThatIsTrueOfItPutsIt(t *testing.T) {
	const no, yes = false, true
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		status                       typus.Status
		withdrawn, expired, declined bool
		want                         typus.Stand
	}{
		{typus.StatusOpen, no, no, no, typus.StandOpen},
		{typus.StatusOpen, no, no, yes, typus.StandDeclined},
		{typus.StatusOpen, no, yes, no, typus.StandExpired},
		{typus.StatusOpen, no, yes, yes, typus.StandExpired},
		{typus.StatusOpen, yes, no, no, typus.StandWithdrawn},
		{typus.StatusOpen, yes, no, yes, typus.StandWithdrawn},
		{typus.StatusOpen, yes, yes, no, typus.StandWithdrawn},
		{typus.StatusOpen, yes, yes, yes, typus.StandWithdrawn},
		{typus.StatusStarted, no, no, no, typus.StandBegun},
		{typus.StatusStarted, no, no, yes, typus.StandDeclined},
		{typus.StatusStarted, no, yes, no, typus.StandExpired},
		{typus.StatusStarted, no, yes, yes, typus.StandExpired},
		{typus.StatusStarted, yes, no, no, typus.StandWithdrawn},
		{typus.StatusStarted, yes, no, yes, typus.StandWithdrawn},
		{typus.StatusStarted, yes, yes, no, typus.StandWithdrawn},
		{typus.StatusStarted, yes, yes, yes, typus.StandWithdrawn},
		{typus.StatusFinished, no, no, no, typus.StandFinished},
		{typus.StatusFinished, no, no, yes, typus.StandFinished},
		{typus.StatusFinished, no, yes, no, typus.StandFinished},
		{typus.StatusFinished, no, yes, yes, typus.StandFinished},
		{typus.StatusFinished, yes, no, no, typus.StandFinished},
		{typus.StatusFinished, yes, no, yes, typus.StandFinished},
		{typus.StatusFinished, yes, yes, no, typus.StandFinished},
		{typus.StatusFinished, yes, yes, yes, typus.StandFinished},
	} {
		c := typus.Candidate{Status: row.status, ExpiresAt: at.Add(time.Millisecond)}
		if row.withdrawn {
			c.CancelledAt = at
		}
		if row.expired {
			c.ExpiresAt = at // at its end an invitation has run out
		}
		if row.declined {
			c.DeclinedAt = at
		}
		if got := c.Stand(at); got != row.want {
			t.Errorf("%s, withdrawn %t, expired %t, declined %t: stands %q, want %q", row.status, row.withdrawn, row.expired, row.declined, got, row.want)
		}
	}
}
