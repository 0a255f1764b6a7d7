package store_test

import (
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestTheFirstCandidateHasTheFirstId(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		for i := range int64(2) {
			if id := newCandidate(t, s, account, nil); id != 100000000000001+i {
				t.Errorf("candidate %d has the id %d", i, id)
			}
		}
	})
}

func TestACandidateIsReadBackInEveryWay(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		c := candidateOf(account)
		c.ExternalID, c.OpenRef, c.TokenHash = "CRM-7/ü", "CRM-7|j.mueller", "tokenhash"
		want := c.Candidate
		want.ID = newCandidate(t, s, account, func(n *store.NewCandidate) { *n = c })
		want.Status = typus.StatusOpen
		for how, read := range map[string]func(account int64) (typus.Candidate, error){
			"id": func(account int64) (typus.Candidate, error) { return s.Candidate(t.Context(), account, want.ID) },
			"open ref": func(account int64) (typus.Candidate, error) {
				return s.CandidateByOpenRef(t.Context(), account, c.OpenRef)
			},
			"ref": func(account int64) (typus.Candidate, error) {
				found, _, err := s.CandidateByRef(t.Context(), account, "CRM-7/ü", store.ByEither, store.AnyPosition)
				return found, err
			},
			"locked": func(account int64) (found typus.Candidate, err error) {
				err = s.InTx(t.Context(), func(tx *store.Tx) error {
					found, err = tx.LockCandidate(t.Context(), account, want.ID)
					return err
				})
				return found, err
			},
		} {
			if got := must[typus.Candidate](t)(read(account)); !reflect.DeepEqual(got, want) {
				t.Errorf("by %s: got %+v, want %+v", how, got, want)
			}
			_, err := read(other)
			hasKind(t, "another account by "+how, err, typus.NotFound)
		}
		if got := must[typus.Candidate](t)(s.CandidateByToken(t.Context(), "tokenhash")); !reflect.DeepEqual(got, want) {
			t.Errorf("by token: got %+v, want %+v", got, want)
		}
		_, err := s.CandidateByToken(t.Context(), "TOKENHASH")
		hasKind(t, "an unknown token", err, typus.NotFound)
		lock := func(tokenHash string) (found typus.Candidate, err error) {
			err = s.InTx(t.Context(), func(tx *store.Tx) error {
				found, err = tx.LockCandidateByToken(t.Context(), tokenHash)
				return err
			})
			return found, err
		}
		if got := must[typus.Candidate](t)(lock("tokenhash")); !reflect.DeepEqual(got, want) {
			t.Errorf("by token, locked: got %+v, want %+v", got, want)
		}
		_, err = lock("TOKENHASH")
		hasKind(t, "an unknown token, locked", err, typus.NotFound)
	})
}

func TestAReferenceIsAnIdFirstAndThenAnExternalId(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		mine, theirs := newAccount(t, s), newAccount(t, s)
		external := func(id string, at time.Time) func(*store.NewCandidate) {
			return func(c *store.NewCandidate) { c.ExternalID, c.CreatedAt = id, at }
		}
		first := newCandidate(t, s, mine, external("7", noon))
		second := newCandidate(t, s, mine, external(fmt.Sprint(first), noon))
		newest := newCandidate(t, s, mine, external("7", noon.Add(time.Hour)))
		newCandidate(t, s, mine, external("7", noon.Add(-time.Hour)))
		foreign := newCandidate(t, s, theirs, external("8", noon))
		firstRef := fmt.Sprint(first)
		for _, c := range []struct {
			ref   string
			by    store.By
			want  int64 // 0: NotFound
			match store.By
		}{
			{firstRef, store.ByEither, first, store.ByID},
			{firstRef, store.ByID, first, store.ByID},
			{firstRef, store.ByExternalID, second, store.ByExternalID},
			{"7", store.ByEither, newest, store.ByExternalID},
			{"7", store.ByID, 0, ""},
			{"07", store.ByEither, 0, ""},
			{"+" + firstRef, store.ByEither, 0, ""},
			{"0" + firstRef, store.ByID, 0, ""},
			{"9223372036854775808", store.ByEither, 0, ""},
			{fmt.Sprint(foreign), store.ByEither, 0, ""},
			{"8", store.ByEither, 0, ""},
			{"", store.ByEither, 0, ""},
			{"a\x00b", store.ByEither, 0, ""},
			{"\xff", store.ByExternalID, 0, ""},
		} {
			got, match, err := s.CandidateByRef(t.Context(), mine, c.ref, c.by, store.AnyPosition)
			switch {
			case c.want == 0:
				hasKind(t, fmt.Sprintf("%q by %q", c.ref, c.by), err, typus.NotFound)
			case err != nil || got.ID != c.want || match != c.match:
				t.Errorf("%q by %q: %d by %q, %v; want %d by %q", c.ref, c.by, got.ID, match, err, c.want, c.match)
			}
		}
	})
}

func TestOneInvitationHoldsAnOpenReference(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		var added atomic.Int64
		invite := func(account int64) bool {
			c := candidateOf(account)
			c.OpenRef = "CRM-7|j.mueller@example.com"
			var ok bool
			err := s.InTx(t.Context(), func(tx *store.Tx) error {
				var err error
				if _, ok, err = tx.AddCandidate(t.Context(), c); err != nil || ok {
					return err
				}
				_, err = tx.CandidateByOpenRef(t.Context(), account, c.OpenRef)
				return err
			})
			if err != nil {
				t.Error(err)
			}
			return ok
		}
		dbtest.AtOnce(50, func(int) {
			if invite(account) {
				added.Add(1)
			}
		})
		if added.Load() != 1 {
			t.Errorf("%d of 50 equal invitations were added", added.Load())
		}
		if !invite(other) {
			t.Error("another account's reference is in the way")
		}
		c := must[typus.Candidate](t)(s.CandidateByOpenRef(t.Context(), account, "CRM-7|j.mueller@example.com"))
		write(t, s, func(tx *store.Tx) error { return tx.ClearOpenRef(t.Context(), account, c.ID) })
		if !invite(account) {
			t.Error("a cleared reference is in the way")
		}
	})
}

func TestManyCandidatesAreAddedAtOnceEachWithTheirWords(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		newCandidate(t, s, account, func(c *store.NewCandidate) { c.OpenRef = "held" })
		list := make([]store.NewCandidate, 75)
		for n := range list {
			list[n] = candidateOf(account)
			list[n].Name, list[n].ExternalID, list[n].OpenRef = fmt.Sprint("Kim ", n), fmt.Sprint("crm-", n), fmt.Sprint("ref ", n)
		}
		list[40].OpenRef, list[70].OpenRef = "held", "ref 3"
		var ids []int64
		write(t, s, func(tx *store.Tx) error {
			var err error
			ids, err = tx.AddCandidates(t.Context(), list)
			return err
		})
		for n, id := range ids {
			found := must[store.CandidatePage](t)(s.CandidatePage(t.Context(), store.WholeAccount(account), store.CandidateQuery{Search: list[n].ExternalID + " " + list[n].Name})).Rows
			switch {
			case n == 40 || n == 70:
				if id != 0 {
					t.Errorf("candidate %d has the id %d, although another one holds its reference", n, id)
				}
			case len(found) == 0 || found[len(found)-1].ID != id || found[len(found)-1].Name != list[n].Name:
				t.Errorf("candidate %d with the id %d is found as %+v", n, id, found)
			}
		}
		if len(ids) != len(list) {
			t.Errorf("%d ids of %d candidates", len(ids), len(list))
		}
	})
}

func TestTheSameTokenIsRefused(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		c := candidateOf(newAccount(t, s))
		newCandidate(t, s, c.AccountID, func(n *store.NewCandidate) { *n = c })
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			_, _, err := tx.AddCandidate(t.Context(), c)
			return err
		})
		hasKind(t, "the same token's hash", err, typus.Conflict)
	})
}

func TestBeginningStoresTheAcknowledgementOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		notice := typus.Notice{Version: "2026-01", Language: "en", At: noon.Add(time.Second)}
		try := func(account int64, at time.Time) (ok bool) {
			write(t, s, func(tx *store.Tx) error {
				var err error
				ok, err = tx.BeginCandidate(t.Context(), account, id, notice, "salespersona@1", at)
				return err
			})
			return ok
		}
		if got := must[typus.Notice](t)(s.Acknowledgement(t.Context(), store.WholeAccount(account), id)); got != (typus.Notice{}) {
			t.Errorf("acknowledged before beginning: %+v", got)
		}
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.DeclineCandidate(t.Context(), account, id, noon)
			return err
		})
		if try(other, noon) {
			t.Error("another account began the test")
		}
		if !try(account, noon.Add(time.Minute)) || try(account, noon.Add(time.Hour)) {
			t.Error("the test does not begin exactly once")
		}
		c := must[typus.Candidate](t)(s.Candidate(t.Context(), account, id))
		if c.Status != typus.StatusStarted || !c.StartedAt.Equal(noon.Add(time.Minute)) || c.Instrument != "salespersona@1" || !c.DeclinedAt.IsZero() {
			t.Errorf("begun: %+v", c)
		}
		if got := must[typus.Notice](t)(s.Acknowledgement(t.Context(), store.WholeAccount(account), id)); got != notice {
			t.Errorf("acknowledged %+v, want %+v", got, notice)
		}
		_, err := s.Acknowledgement(t.Context(), store.WholeAccount(other), id)
		hasKind(t, "another account's candidate", err, typus.NotFound)
	})
}

func TestFiftyWhoFinishAtOnceFinishOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, func(c *store.NewCandidate) { c.OpenRef = "ref" })
		begin(t, s, account, id)
		var won, booked atomic.Int64
		dbtest.AtOnce(50, func(int) {
			err := s.InTx(t.Context(), func(tx *store.Tx) error {
				ok, err := tx.FinishCandidate(t.Context(), account, id, scores(), noon.Add(time.Hour))
				if err != nil || !ok {
					return err
				}
				won.Add(1)
				_, err = tx.BookCredit(t.Context(), typus.CreditEntry{AccountID: account, Delta: -1, Reason: typus.ReasonCompletion,
					CandidateID: id, Actor: "candidate", CreatedAt: noon})
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
		for range must[[]typus.CreditEntry](t)(s.CreditEntries(t.Context(), account, 100)) {
			booked.Add(1)
		}
		c := must[typus.Candidate](t)(s.Candidate(t.Context(), account, id))
		if won.Load() != 1 || booked.Load() != 1 || c.Status != typus.StatusFinished {
			t.Errorf("%d won, %d entries, status %s", won.Load(), booked.Load(), c.Status)
		}
		if want := scores(); !reflect.DeepEqual(*c.Scores, want) || !c.CompletedAt.Equal(noon.Add(time.Hour)) {
			t.Errorf("finished %s with %+v, want %+v", c.CompletedAt, *c.Scores, want)
		}
		_, err := s.CandidateByOpenRef(t.Context(), account, "ref")
		hasKind(t, "the open reference of a finished test", err, typus.NotFound)
	})
}

func TestAnOpenTestCannotBeFinished(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		open, begun := newCandidate(t, s, account, nil), newCandidate(t, s, account, nil)
		begin(t, s, account, begun)
		for _, c := range []struct{ account, id int64 }{{account, open}, {other, begun}} {
			write(t, s, func(tx *store.Tx) error {
				ok, err := tx.FinishCandidate(t.Context(), c.account, c.id, scores(), noon)
				if ok {
					t.Errorf("account %d finished candidate %d", c.account, c.id)
				}
				return err
			})
		}
	})
}

func TestWarningsSurviveTheStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		begin(t, s, account, id)
		want := scores()
		want.Warnings = []typus.Warning{{Key: "too_fast", Severity: typus.SeverityCaution, Message: "Sehr schnell „geklickt“ & <fertig>"}}
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.FinishCandidate(t.Context(), account, id, want, noon)
			return err
		})
		if got := must[typus.Candidate](t)(s.Candidate(t.Context(), account, id)); !reflect.DeepEqual(*got.Scores, want) {
			t.Errorf("got %+v, want %+v", *got.Scores, want)
		}
	})
}

func TestCancellingAndDecliningNeedAnUnfinishedTest(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		for name, change := range map[string]func(tx *store.Tx, account, id int64) (bool, error){
			"cancel": func(tx *store.Tx, account, id int64) (bool, error) {
				return tx.CancelCandidate(t.Context(), account, id, noon)
			},
			"decline": func(tx *store.Tx, account, id int64) (bool, error) {
				return tx.DeclineCandidate(t.Context(), account, id, noon)
			},
		} {
			try := func(account, id int64) (ok bool) {
				write(t, s, func(tx *store.Tx) error {
					var err error
					ok, err = change(tx, account, id)
					return err
				})
				return ok
			}
			open, finished := newCandidate(t, s, account, func(c *store.NewCandidate) { c.OpenRef = name }), newCandidate(t, s, account, nil)
			begin(t, s, account, finished)
			finish(t, s, account, finished, noon)
			if try(other, open) || try(account, finished) {
				t.Errorf("%s: a foreign or finished candidate was changed", name)
			}
			if !try(account, open) || try(account, open) {
				t.Errorf("%s: not exactly once", name)
			}
			c := must[typus.Candidate](t)(s.Candidate(t.Context(), account, open))
			if c.CancelledAt.IsZero() == (name == "cancel") || c.DeclinedAt.Equal(noon) != (name == "decline") || c.Status != typus.StatusOpen {
				t.Errorf("%s: %+v", name, c)
			}
			_, err := s.CandidateByOpenRef(t.Context(), account, name)
			if held := err == nil; held != (name == "decline") {
				t.Errorf("%s: the open reference is held: %t", name, held)
			}
		}
	})
}

func TestSmallChangesReachTheirCandidateOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		id, neighbour := newCandidate(t, s, account, nil), newCandidate(t, s, account, nil)
		before := must[typus.Candidate](t)(s.Candidate(t.Context(), account, neighbour))
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.DeclineCandidate(t.Context(), account, id, noon)
			return err
		})
		later := noon.AddDate(1, 0, 0)
		for name, change := range map[string]func(tx *store.Tx, account int64) error{
			"rename": func(tx *store.Tx, account int64) error {
				return tx.RenameCandidate(t.Context(), account, id, "Jürgen B.")
			},
			"language": func(tx *store.Tx, account int64) error {
				return tx.SetCandidateLanguage(t.Context(), account, id, "en")
			},
			"extend":   func(tx *store.Tx, account int64) error { return tx.ExtendCandidate(t.Context(), account, id, later) },
			"decline":  func(tx *store.Tx, account int64) error { return tx.TakeBackDecline(t.Context(), account, id) },
			"open ref": func(tx *store.Tx, account int64) error { return tx.ClearOpenRef(t.Context(), account, id) },
		} {
			hasKind(t, name+" in another account", s.InTx(t.Context(), func(tx *store.Tx) error { return change(tx, other) }), typus.NotFound)
			write(t, s, func(tx *store.Tx) error { return change(tx, account) })
		}
		c := must[typus.Candidate](t)(s.Candidate(t.Context(), account, id))
		if c.Name != "Jürgen B." || c.Language != "en" || !c.ExpiresAt.Equal(later) || !c.DeclinedAt.IsZero() {
			t.Errorf("changed: %+v", c)
		}
		if after := must[typus.Candidate](t)(s.Candidate(t.Context(), account, neighbour)); !reflect.DeepEqual(before, after) {
			t.Errorf("the neighbour changed from %+v to %+v", before, after)
		}
	})
}
