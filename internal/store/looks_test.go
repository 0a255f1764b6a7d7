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

func TestWhatIsNotedOfLooksIsReadForEachCandidate(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		ctx, account, other := t.Context(), newAccount(t, s), newAccount(t, s)
		first, second, gone, foreign := newCandidate(t, s, account, nil), newCandidate(t, s, account, nil), newCandidate(t, s, account, nil), newCandidate(t, s, other, nil)
		var versions []int64
		line := func(candidate, user int64, action typus.AuditAction, detail string, at time.Time) typus.AuditEntry {
			return typus.AuditEntry{AccountID: account, CandidateID: candidate, UserID: user, Action: action, Detail: detail, CreatedAt: at}
		}
		write(t, s, func(tx *store.Tx) error {
			for _, by := range []int64{7, 8, 8, 7} {
				version, err := tx.AddComment(ctx, typus.Comment{CandidateID: first, UserID: by, Text: "Stimmt.", Confirmed: "email", CreatedAt: noon})
				if err != nil {
					return err
				}
				versions = append(versions, version)
			}
			if err := tx.LockCandidates(ctx, account, []int64{second, first, foreign}); err != nil {
				return err
			}
			if err := tx.EraseCandidate(ctx, account, gone, noon); err != nil {
				return err
			}
			return tx.AddAudit(ctx, line(first, 7, typus.AuditReportViewed, "", noon.Add(-time.Second)), line(first, 8, typus.AuditReportViewedBeforeRating, "", noon),
				line(second, 7, typus.AuditReportSaved, "", noon), line(first, 7, typus.AuditCommentRead, fmt.Sprint(versions[1]), noon))
		})
		looks := func(l store.LookQuery) []store.Look {
			l.IDs = []int64{second, first, gone, foreign}
			return must[[]store.Look](t)(s.Looks(ctx, store.WholeAccount(account), l))
		}
		for what, c := range map[string]struct {
			asked store.LookQuery
			want  []store.Look
		}{
			"at noon": {store.LookQuery{UserID: 7, Since: noon, Until: noon, Comment: versions[3]},
				[]store.Look{{CandidateID: first, Comment: versions[2], Read: versions[1]}, {CandidateID: second, Saved: true}}},
			"before noon": {store.LookQuery{UserID: 7, Since: noon.Add(-time.Second), Until: noon.Add(-time.Millisecond), Comment: versions[1]},
				[]store.Look{{CandidateID: first, Viewed: true, Comment: versions[1], Read: versions[1]}, {CandidateID: second}}},
			"of another user": {store.LookQuery{UserID: 8, Since: noon, Until: noon, Comment: versions[2]},
				[]store.Look{{CandidateID: first, Viewed: true, Comment: versions[0]}, {CandidateID: second}}},
			"without a comment": {store.LookQuery{UserID: 9}, []store.Look{{CandidateID: first}, {CandidateID: second}}},
		} {
			if got := looks(c.asked); !slices.Equal(got, c.want) {
				t.Errorf("%s: got %+v, want %+v", what, got, c.want)
			}
		}
	})
}
