package auth

import (
	"context"
	"testing"

	"typus"
)

func TestWhoGivesUpFreesThePlaceInTheQueue(t *testing.T) {
	for range cap(turns) {
		turns <- struct{}{}
	}
	defer func() {
		for range cap(turns) {
			<-turns
		}
	}()
	ctx, giveUp := context.WithCancel(t.Context())
	ended := make(chan error, maxWaiting)
	for range maxWaiting {
		go func() {
			_, err := HashPassword(ctx, "vier lose Wörter hier")
			ended <- err
		}()
	}
	for waiting.Load() < maxWaiting {
		select {
		case err := <-ended:
			t.Fatalf("one of those who wait was answered: %v", err)
		default:
		}
	}
	before := PasswordWork()
	if _, err := CheckPassword(t.Context(), "vier lose Wörter hier", nobody); err == nil || typus.KindOf(err) != typus.Unavailable {
		t.Errorf("one more than may wait: %v, want unavailable", err)
	}
	giveUp()
	for range maxWaiting {
		if err := <-ended; err == nil || typus.KindOf(err) != typus.Unavailable {
			t.Errorf("whoever gave up: %v, want unavailable", err)
		}
	}
	if waiting.Load() != 0 || PasswordWork() != before {
		t.Errorf("%d still wait, %d passwords were worked on", waiting.Load(), PasswordWork()-before)
	}
}
