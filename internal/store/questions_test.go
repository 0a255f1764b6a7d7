package store_test

import (
	"slices"
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// Ratings are about questions, so that an own one keeps its key and its words whatever is
// asked later, and gets the key back when it is asked again.
func TestAnOwnQuestionStaysWhatItIsWhenOthersAreAsked(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		ctx, account, other := t.Context(), newAccount(t, s), newAccount(t, s)
		first := typus.CoreQuestion{Ask: typus.OwnWords{DE: "Was war \"schwer\"?", EN: "What was hard?"}, High: typus.OwnWords{DE: "viel"}}
		second := typus.CoreQuestion{Ask: typus.OwnWords{EN: "Anything else?"}, Low: typus.OwnWords{EN: "little"}}
		set := func(account int64, list ...typus.CoreQuestion) []typus.CoreQuestion {
			t.Helper()
			var p typus.Position
			write(t, s, func(tx *store.Tx) error {
				var err error
				if p, err = tx.LockStandardPosition(ctx, account, noon); err != nil {
					return err
				}
				return tx.SetCoreQuestions(ctx, p, list)
			})
			all := must[[]typus.CoreQuestion](t)(s.CoreQuestions(ctx, account))
			if core := typus.CoreOf(all, 0); !slices.EqualFunc(core, list, typus.CoreQuestion.Same) || len(typus.CoreOf(all, p.ID)) != len(list) || typus.CoreOf(all, p.ID+1) != nil {
				t.Errorf("asked are %+v, not %+v", core, list)
			}
			return all
		}
		set(other, first)
		key := set(account, typus.CoreQuestion{Key: "so1"}, first, typus.CoreQuestion{Key: "co2"})[1].Key
		all := set(account, second, typus.CoreQuestion{Key: "so1"})
		kept := slices.IndexFunc(all, func(q typus.CoreQuestion) bool { return q.Key == key })
		if kept < 0 || all[kept].Place != 0 || !all[kept].Same(first) || len(all) != 3 {
			t.Errorf("%s is no longer what it was: %+v", key, all)
		}
		again := set(account, second, first)
		if len(again) != 2 || again[1].Key != key {
			t.Errorf("asked again it is another one: %+v", again)
		}
		if set(account); len(must[[]typus.CoreQuestion](t)(s.CoreQuestions(ctx, other))) != 1 {
			t.Error("another account's questions have changed")
		}
	})
}
