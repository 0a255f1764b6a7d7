package store_test

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestASheetIsSavedOverAndReadInsideItsAccountOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		if got, err := s.Sheet(t.Context(), account, id); got.Body != nil || got.Ages != nil || !got.SavedAt.IsZero() || err != nil {
			t.Errorf("before saving: %+v, %v", got, err)
		}
		for i, body := range [][]byte{{1, 0, 0xff}, {2}} {
			write(t, s, func(tx *store.Tx) error {
				return tx.SaveSheet(t.Context(), account, id, store.Sheet{Body: body, Ages: []byte{byte(2 + i)}, SavedAt: noon.Add(time.Duration(i) * time.Second)})
			})
		}
		got, err := s.Sheet(t.Context(), account, id)
		if !bytes.Equal(got.Body, []byte{2}) || !bytes.Equal(got.Ages, []byte{3}) || !got.SavedAt.Equal(noon.Add(time.Second)) || err != nil {
			t.Errorf("got %+v, %v", got, err)
		}
		if got, err := s.Sheet(t.Context(), other, id); got.Body != nil || got.Ages != nil || err != nil {
			t.Errorf("another account reads %+v, %v", got, err)
		}
		err = s.InTx(t.Context(), func(tx *store.Tx) error {
			return tx.SaveSheet(t.Context(), other, id, store.Sheet{Body: []byte{3}, SavedAt: noon})
		})
		hasKind(t, "another account saves", err, typus.NotFound)
	})
}

func TestSaversOfOneTestFollowEachOther(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		write(t, s, func(tx *store.Tx) error {
			return tx.SaveSheet(t.Context(), account, id, store.Sheet{Body: []byte{}, SavedAt: noon})
		})
		dbtest.AtOnce(50, func(i int) {
			err := s.InTx(t.Context(), func(tx *store.Tx) error {
				sheet, err := tx.Sheet(t.Context(), account, id)
				if err != nil {
					return err
				}
				return tx.SaveSheet(t.Context(), account, id, store.Sheet{Body: append(sheet.Body, byte(i+1)), SavedAt: noon})
			})
			if err != nil {
				t.Error(err)
			}
		})
		sheet, err := s.Sheet(t.Context(), account, id)
		if err != nil || len(sheet.Body) != 50 {
			t.Errorf("%d of 50 answers are there, %v", len(sheet.Body), err)
		}
	})
}

func TestAResultReplacesTheSheetItWasMadeFrom(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		write(t, s, func(tx *store.Tx) error {
			return tx.SaveSheet(t.Context(), account, id, store.Sheet{Body: []byte{1}, SavedAt: noon})
		})
		_, err := s.Result(t.Context(), account, id)
		hasKind(t, "a result before there is one", err, typus.NotFound)
		want := store.Result{CandidateID: id, Scores: []byte(`{"z":1,"a":2}`), Answers: []byte{0, 1, 2}, Instrument: "salespersona@1", InstrumentHash: "aa",
			Norm: "norm@1", RoleProfile: "general_sales@1", RoleSnapshot: []byte(`{}`), ScoringVersion: "1", CreatedAt: noon}
		for range 2 {
			write(t, s, func(tx *store.Tx) error {
				var err error
				want.ID, err = tx.AddResult(t.Context(), account, want)
				return err
			})
		}
		if got := must[store.Result](t)(s.Result(t.Context(), account, id)); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if sheet, err := s.Sheet(t.Context(), account, id); sheet.Body != nil || err != nil {
			t.Errorf("the sheet is still there: %+v, %v", sheet, err)
		}
		_, err = s.Result(t.Context(), other, id)
		hasKind(t, "another account's result", err, typus.NotFound)
		err = s.InTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.AddResult(t.Context(), other, want)
			return err
		})
		hasKind(t, "a result for another account's candidate", err, typus.NotFound)
	})
}

func TestANoticeTextIsStoredOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for range 2 {
			write(t, s, func(tx *store.Tx) error {
				return tx.AddNotice(t.Context(), "2026-01", "de", "Wer Sie einlädt …", noon)
			})
		}
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			return tx.AddNotice(t.Context(), "2026-01", "de", "Wer etwas anderes liest …", noon)
		})
		hasKind(t, "another text of that version", err, typus.Internal)
	})
}

// A text is there as long as somebody refers to it, and some days longer for whoever
// acknowledges it at the moment.
func TestANoticeGoesAfterTheLastWhoAcknowledgedIt(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		ids := []int64{newCandidate(t, s, account, nil), newCandidate(t, s, account, nil)}
		begins := func(id int64, at time.Time) {
			write(t, s, func(tx *store.Tx) error {
				if err := tx.AddNotice(t.Context(), "v", "de", "Wer Sie einlädt …", at); err != nil {
					return err
				}
				_, err := tx.BeginCandidate(t.Context(), account, id, typus.Notice{Version: "v", Language: "de", At: at}, "salespersona@1", at)
				return err
			})
		}
		dropped := func(before time.Time) (n int) {
			write(t, s, func(tx *store.Tx) error {
				var err error
				n, err = tx.DropNotices(t.Context(), before)
				return err
			})
			return n
		}
		erase := func(id int64) {
			write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, id, noon) })
		}
		later := noon.AddDate(0, 0, 30)
		begins(ids[0], noon)
		if n := dropped(later); n != 0 {
			t.Errorf("%d texts are dropped that somebody refers to", n)
		}
		begins(ids[1], later)
		erase(ids[0])
		erase(ids[1])
		if n := dropped(later.AddDate(0, 0, -1)); n != 0 {
			t.Errorf("%d texts are dropped that were in use since", n)
		}
		if n := dropped(later.AddDate(0, 0, 1)); n != 1 {
			t.Errorf("%d texts are dropped in place of the one that nobody refers to", n)
		}
	})
}

func TestTheTextThatACandidateAcknowledgedIsReadBackByTheirAccountAlone(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		began, waits := newCandidate(t, s, account, nil), newCandidate(t, s, account, nil)
		write(t, s, func(tx *store.Tx) error {
			for _, text := range []struct{ version, language, body string }{{"2026-01", "de", "Wer Sie einlädt …"}, {"2026-01", "en", "Who invites you …"}, {"2026-02", "de", "Wer fragt …"}} {
				if err := tx.AddNotice(t.Context(), text.version, text.language, text.body, noon); err != nil {
					return err
				}
			}
			_, err := tx.BeginCandidate(t.Context(), account, began, typus.Notice{Version: "2026-01", Language: "de", At: noon}, "salespersona@1", noon)
			return err
		})
		for id, want := range map[int64]string{began: "Wer Sie einlädt …", waits: ""} {
			if got := must[string](t)(s.NoticeText(t.Context(), store.WholeAccount(account), id)); got != want {
				t.Errorf("candidate %d acknowledged %q, want %q", id, got, want)
			}
		}
		_, err := s.NoticeText(t.Context(), store.WholeAccount(other), began)
		hasKind(t, "another account's candidate", err, typus.NotFound)
	})
}
