package store_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// call is one request with an Idempotency-Key: it does its work once and says
// whether it was the one.
func call(s *store.Store, ctx context.Context, key int64, name string, at time.Time, work func(tx *store.Tx) error) (*store.StoredAnswer, bool, error) {
	var replay *store.StoredAnswer
	err := s.InTx(ctx, func(tx *store.Tx) error {
		var err error
		if replay, err = tx.ClaimIdempotencyKey(ctx, key, name, "sha", at); err != nil || replay != nil {
			return err
		}
		if err := work(tx); err != nil {
			return err
		}
		return tx.StoreAnswer(ctx, key, name, store.StoredAnswer{RequestSHA256: "sha", CandidateID: 42})
	})
	return replay, err == nil && replay == nil, err
}

func TestFiftyEqualCallsDoTheWorkOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		key := newKey(t, s, account)
		var first, replayed atomic.Int64
		dbtest.AtOnce(50, func(int) {
			answer, did, err := call(s, t.Context(), key, "abc", noon, func(tx *store.Tx) error {
				_, _, err := tx.AddCandidate(t.Context(), candidateOf(account))
				return err
			})
			if err != nil {
				t.Error(err)
				return
			}
			if did {
				first.Add(1)
				return
			}
			replayed.Add(1)
			if want := (store.StoredAnswer{RequestSHA256: "sha", CandidateID: 42}); !reflect.DeepEqual(*answer, want) {
				t.Errorf("replayed %+v, want %+v", *answer, want)
			}
		})
		list, _, err := s.Candidates(t.Context(), account, store.CandidateFilter{Limit: 100})
		if err != nil || len(list) != 1 || first.Load() != 1 || replayed.Load() != 49 {
			t.Errorf("%d candidates, %d first, %d replayed, %v", len(list), first.Load(), replayed.Load(), err)
		}
	})
}

func TestAKeyWhoseCallFailedRunsAgain(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		key := newKey(t, s, newAccount(t, s))
		refused := errors.New("refused")
		_, _, err := call(s, t.Context(), key, "abc", noon, func(*store.Tx) error { return refused })
		if !errors.Is(err, refused) {
			t.Fatal(err)
		}
		if _, did, err := call(s, t.Context(), key, "abc", noon, func(*store.Tx) error { return nil }); !did || err != nil {
			t.Errorf("the second call did it: %t, %v", did, err)
		}
	})
}

func TestAReservationWithoutAnAnswerIsOpenToTheNext(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		key := newKey(t, s, newAccount(t, s))
		for i := range 2 {
			write(t, s, func(tx *store.Tx) error {
				answer, err := tx.ClaimIdempotencyKey(t.Context(), key, "abc", "sha", noon)
				if answer != nil {
					t.Errorf("call %d replays %+v", i, answer)
				}
				return err
			})
		}
	})
}

func TestAnAnswerIsReplayedForADayAndByItsKeyOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		key, other := newKey(t, s, account), newKey(t, s, account)
		nothing := func(*store.Tx) error { return nil }
		for _, c := range []struct {
			key  int64
			name string
			at   time.Duration
			did  bool
		}{
			{key, "abc", 0, true},
			{key, "abc", 24*time.Hour - time.Millisecond, false},
			{key, "ABC", 0, true},
			{other, "abc", 0, true},
			{key, "abc", 24 * time.Hour, true},
			{key, "abc", 25 * time.Hour, false},
		} {
			if _, did, err := call(s, t.Context(), c.key, c.name, noon.Add(c.at), nothing); did != c.did || err != nil {
				t.Errorf("%+v: did it %t, %v", c, did, err)
			}
		}
	})
}

func TestAnAnswerNeedsAClaim(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		key := newKey(t, s, newAccount(t, s))
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			return tx.StoreAnswer(t.Context(), key, "abc", store.StoredAnswer{})
		})
		hasKind(t, "an answer without a claim", err, typus.NotFound)
	})
}

func TestOldAnswersAreDroppedInBatches(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		key := newKey(t, s, newAccount(t, s))
		write(t, s, func(tx *store.Tx) error {
			for i := range 502 {
				if _, err := tx.ClaimIdempotencyKey(t.Context(), key, unique("k"), "sha", noon.Add(time.Duration(i)*time.Second)); err != nil {
					return err
				}
			}
			return nil
		})
		for i, want := range []int{500, 1, 0} {
			write(t, s, func(tx *store.Tx) error {
				n, err := tx.DropIdempotencyKeys(t.Context(), noon.Add(501*time.Second))
				if n != want {
					t.Errorf("batch %d dropped %d, want %d", i, n, want)
				}
				return err
			})
		}
	})
}

// On SQLite an equal call never waits for a lock: the writer runs one at a time.
func TestACallThatWaitsTooLongForAnEqualOneIsAConflict(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	key := newKey(t, s, newAccount(t, s))
	claimed, finish := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		_, _, err := call(s, t.Context(), key, "abc", noon, func(*store.Tx) error {
			close(claimed)
			<-finish
			return nil
		})
		done <- err
	}()
	<-claimed
	_, _, err := call(s, t.Context(), key, "abc", noon, func(*store.Tx) error { return nil })
	hasKind(t, "the second call", err, typus.Conflict)
	close(finish)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A key may hold a name or an address, and it goes on being taken once its person is
// erased.
func TestAKeyIsStoredAsItsHashAndStaysTakenForItsDay(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		key, id := newKey(t, s, account), newCandidate(t, s, account, nil)
		claim := func(at time.Time) (answer *store.StoredAnswer) {
			t.Helper()
			write(t, s, func(tx *store.Tx) error {
				var err error
				answer, err = tx.ClaimIdempotencyKey(t.Context(), key, "invite kanarienmail@example.com", "sha", at)
				return err
			})
			return answer
		}
		claim(noon)
		write(t, s, func(tx *store.Tx) error {
			return tx.StoreAnswer(t.Context(), key, "invite kanarienmail@example.com", store.StoredAnswer{RequestSHA256: "sha", CandidateID: id, Repeat: true})
		})
		if a := claim(noon); a == nil || !a.Repeat || a.CandidateID != id || a.Erased {
			t.Errorf("the answer is %+v", a)
		}
		if strings.Contains(dump(t, s), "kanarienmail") {
			t.Error("the key lies in the database in the clear")
		}
		write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, id, noon) })
		if a := claim(noon.Add(24*time.Hour - time.Millisecond)); a == nil || !a.Erased || a.CandidateID != 0 || a.RequestSHA256 != "" {
			t.Errorf("after the erasure it is %+v", a)
		}
		if a := claim(noon.Add(24 * time.Hour)); a != nil {
			t.Errorf("a day later it is %+v", a)
		}
	})
}
