package auth

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
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
	if _, err := CheckPassword(t.Context(), "vier lose Wörter hier", nobody()); err == nil || typus.KindOf(err) != typus.Unavailable {
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

func TestFourPasswordsAreWorkedOnAtOnceAndNoMore(t *testing.T) {
	var running, most atomic.Int64
	var all sync.WaitGroup
	four, arrived := make(chan struct{}), atomic.Int64{}
	for range 50 {
		all.Go(func() {
			err := inTurn(t.Context(), func() {
				now := running.Add(1)
				for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
				}
				if arrived.Add(1) == 4 {
					close(four)
				}
				<-four // nobody leaves before four are here
				for range 100 {
					runtime.Gosched() // a fifth would come in
				}
				running.Add(-1)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most.Load() != 4 {
		t.Errorf("%d passwords were worked on at once, want 4", most.Load())
	}
}
