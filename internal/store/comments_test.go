package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestAReadingHasTheAddressOfItsTime(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w, ctx := newReachWorld(t, s), t.Context()
		id := w.candidates["standard"]
		write(t, s, func(tx *store.Tx) error {
			said, err := tx.AddComment(ctx, typus.Comment{CandidateID: id, UserID: 7, Text: "Stimmt.", Confirmed: "email", CreatedAt: noon})
			for i, called := range []string{"bea@example.com", "ada@example.com", "eve@example.com"} {
				if err == nil {
					err = tx.AddAudit(ctx, typus.AuditEntry{AccountID: w.account, CandidateID: id, UserID: 8, Action: typus.AuditCommentRead, Actor: called, Detail: fmt.Sprint(said), CreatedAt: noon.Add(time.Duration(i) * time.Hour)})
				}
			}
			return err
		})
		list := must[[]typus.Comment](t)(s.CommentsOf(ctx, store.WholeAccount(w.account), id))
		want := []typus.CommentRead{{UserID: 8, Reader: "bea@example.com", At: noon}}
		if len(list) != 1 || !slices.Equal(list[0].Reads, want) {
			t.Errorf("got %+v, want %+v", list, want)
		}
	})
}
