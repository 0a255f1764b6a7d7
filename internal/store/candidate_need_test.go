package store_test

import (
	"slices"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// inNeed is an account with candidates who need something, by need, each beside one who does
// not any more, and a user who has seen one of the results.
func inNeed(t *testing.T, s *store.Store, account, user int64) map[store.Need][]int64 {
	t.Helper()
	invite := func(ends time.Duration, change func(c *store.NewCandidate)) int64 {
		return newCandidate(t, s, account, func(c *store.NewCandidate) {
			c.CreatedAt, c.ExpiresAt = noon.AddDate(0, 0, -20), noon.Add(ends)
			if change != nil {
				change(c)
			}
		})
	}
	const month = 30 * 24 * time.Hour
	refuse := func(id int64, state string) {
		run(t, s, `insert into letters (account_id, candidate_id, kind, language, recipient, state, created_at, next_attempt_at) values (%d, %d, 'invitation', 'de', 'x', '`+state+`', 1, 1)`, account, id)
	}
	note := func(id, user int64, action typus.AuditAction, at time.Time) {
		write(t, s, func(tx *store.Tx) error {
			return tx.AddAudit(t.Context(), typus.AuditEntry{AccountID: account, CandidateID: id, UserID: user, Action: action, CreatedAt: at})
		})
	}
	done := func(warnings ...typus.Warning) int64 {
		id := invite(month, nil)
		begin(t, s, account, id)
		write(t, s, func(tx *store.Tx) error {
			sc := scores()
			sc.Warnings = warnings
			_, err := tx.FinishCandidate(t.Context(), account, id, sc, noon.Add(-time.Hour))
			return err
		})
		return id
	}
	doubt := typus.Warning{Key: typus.DoubtfulAnswers, Severity: typus.SeverityCaution}

	bounced, again := invite(month, nil), invite(month, nil)
	refuse(bounced, "failed")
	refuse(again, "failed")
	refuse(again, "sent")
	asked, answered, erased := invite(-time.Hour, nil), invite(month, nil), invite(-time.Hour, nil)
	for _, id := range []int64{asked, answered, erased} {
		note(id, 0, typus.AuditCandidateLinkRequested, noon.Add(-time.Minute))
	}
	write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, erased, noon) })
	soon, sooner := invite(48*time.Hour, nil), invite(time.Hour, nil)
	// Nobody who has not begun is given more time for a position that is closed.
	closed := must[int64](t)(closedPosition(t, s, account))
	in := func(c *store.NewCandidate) { c.PositionID = closed }
	late, begun := invite(-time.Hour, in), invite(50*time.Hour, in)
	invite(time.Hour, in)
	note(late, 0, typus.AuditCandidateLinkRequested, noon.Add(-time.Minute))
	begin(t, s, account, begun)
	withdrawn := invite(time.Hour, nil)
	write(t, s, func(tx *store.Tx) error {
		_, err := tx.CancelCandidate(t.Context(), account, withdrawn, noon)
		return err
	})
	fresh, careful, opened := done(), done(doubt), done()
	note(opened, user, typus.AuditReportViewed, noon)
	note(fresh, user+1, typus.AuditReportViewed, noon)
	return map[store.Need][]int64{
		store.NeedAddress: {bounced}, store.NeedLink: {asked}, store.NeedTime: {sooner, soon, begun}, store.NeedCare: {careful}, store.NeedLook: {fresh},
	}
}

// closedPosition is a position to which nobody is invited any more.
func closedPosition(t *testing.T, s *store.Store, account int64) (int64, error) {
	var id int64
	err := s.InTx(t.Context(), func(tx *store.Tx) error {
		var err error
		id, err = tx.AddPosition(t.Context(), typus.Position{AccountID: account, Name: "Nord", State: typus.PositionClosed, ClosedAt: noon, Reminders: typus.RemindersOfAccount, CreatedAt: noon})
		return err
	})
	return id, err
}

// What one tab has marked as read is not new again by an older one, and a mark from a clock
// that was ahead holds nobody up.
func TestWhatIsReadStaysRead(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		user := newUser(t, s, typus.User{AccountID: account, Email: "ada@example.com", Role: typus.RoleOwner, CreatedAt: noon}, "x")
		for _, step := range []struct{ to, want time.Duration }{{-2, -2}, {-1, -1}, {-3, -1}, {48, 48}, {0, 0}} {
			write(t, s, func(tx *store.Tx) error {
				return tx.SetResultsRead(t.Context(), account, user, noon.Add(step.to*time.Hour), noon)
			})
			u := must[typus.User](t)(s.User(t.Context(), account, user))
			if want := noon.Add(step.want * time.Hour); !u.ResultsReadAt.Equal(want) {
				t.Errorf("read up to %s, want %s", u.ResultsReadAt, want)
			}
		}
	})
}

func TestWhoNeedsSomethingIsNamedUntilItIsDone(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		user := newUser(t, s, typus.User{AccountID: account, Email: "ada@example.com", Role: typus.RoleOwner, CreatedAt: noon}, "x")
		want := inNeed(t, s, account, user)
		reader := store.Reader{AccountID: account, UserID: user, Role: typus.RoleOwner, Positions: store.Positions{Everything: true}}
		check := func(reader store.Reader, want map[store.Need][]int64) {
			t.Helper()
			got := must[[]store.Needing](t)(s.Needing(t.Context(), reader, store.Needs(), noon, noon.AddDate(0, 0, -1)))
			for _, n := range got {
				var ids []int64
				for _, row := range n.Rows {
					ids = append(ids, row.ID)
				}
				if !slices.Equal(ids, want[n.Need]) || n.All != len(ids) {
					t.Errorf("%s: %d of %d, want %d", n.Need, ids, n.All, want[n.Need])
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d needs, want %d", len(got), len(want))
			}
			for _, need := range store.Needs() {
				var listed []int64
				page := must[store.CandidatePage](t)(s.CandidatePage(t.Context(), reader, store.CandidateQuery{Need: need, Now: noon, ReadTo: noon.AddDate(0, 0, -1)}))
				for _, row := range page.Rows {
					listed = append(listed, row.ID)
				}
				slices.Sort(listed)
				sorted := slices.Sorted(slices.Values(want[need]))
				if !slices.Equal(listed, sorted) || page.Counts.All.N != len(sorted) {
					t.Errorf("%s: the list has %d, want %d", need, listed, sorted)
				}
			}
		}
		check(reader, want)

		// Whoever is blind, or is to leave a result to the candidate's page, does not
		// learn that it is doubtful.
		fresh := []int64{want[store.NeedCare][0], want[store.NeedLook][0]}
		blind := map[store.Need][]int64{store.NeedLook: {max(fresh[0], fresh[1]), min(fresh[0], fresh[1])}}
		for _, n := range []store.Need{store.NeedAddress, store.NeedLink, store.NeedTime} {
			blind[n] = want[n]
		}
		write(t, s, func(tx *store.Tx) error {
			p, err := tx.LockStandardPosition(t.Context(), account, noon)
			if err != nil {
				return err
			}
			p.Blind = true
			return tx.SetPositionSecrecy(t.Context(), p)
		})
		judge := reader
		judge.Role, judge.Blind = typus.RoleMember, store.Blind{Somewhere: true, Standard: true}
		check(judge, blind)
		exempt := reader
		exempt.Blind.Others = true
		check(exempt, blind)

		// Read is read, and whoever reads nothing is told nothing.
		if got := must[[]store.Needing](t)(s.Needing(t.Context(), reader, []store.Need{store.NeedCare, store.NeedLook}, noon, noon)); len(got) > 0 {
			t.Errorf("what is read is new: %+v", got)
		}
		check(store.Reader{AccountID: account, UserID: user}, nil)
	})
}
