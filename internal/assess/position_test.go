package assess_test

import (
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/store"
)

// hiring adds a position to the world's account.
func (w *world) hiring(p typus.Position) int64 {
	w.Helper()
	id, err := w.Accounts.AddPosition(w.Ctx, store.WholeAccount(w.Account), p, nil, ada)
	w.Must(err)
	return id
}

// What a position says of reminders counts for those who are invited to it, and nobody else.
func TestAPositionSaysHowOftenItsPeopleAreReminded(t *testing.T) {
	today(t, func(w *world) {
		silent := w.hiring(typus.Position{Name: "ohne", Reminders: 0})
		twice := w.hiring(typus.Position{Name: "zweimal", Reminders: 2})
		w.set(func(a *typus.Account) { a.Reminders = 1 })
		ids := map[string]int64{}
		for name, position := range map[string]int64{"silent": silent, "twice": twice, "account": 0} {
			out := w.invite(assess.Invitation{Name: name, Email: name + "@example.com", PositionID: position, SendEmail: true})
			ids[name] = out.Candidate.ID
		}
		w.deliver(typus.LetterSent)
		for range 8 {
			w.Later(2 * aDay)
			w.remindDue()
			w.deliver(typus.LetterSent)
		}
		for name, want := range map[string]int{"silent": 0, "twice": 2, "account": 1} {
			if got := w.reminders(ids[name]); got != want {
				t.Errorf("%s: %d reminders, want %d", name, got, want)
			}
		}
	})
}

// A list invites to its position; who has an open invitation to another one is not known
// there. Whoever is still to be invited when it is closed is not, and the list says why.
func TestAListInvitesToItsPositionUntilThatIsClosed(t *testing.T) {
	run(t, func(w *world) {
		all, position := store.WholeAccount(w.Account), w.hiring(typus.Position{Name: "Süd", Reminders: typus.RemindersOfAccount, RoleProfile: "hunter"})
		w.invite(assess.Invitation{Name: "Kim", Email: "kim@example.com"})
		add := func(rows ...typus.ImportRow) int64 {
			id, err := w.Assess.AddImport(w.Ctx, all, typus.Import{PositionID: position}, []byte("x"), ada)
			w.Must(err)
			w.Must(w.Assess.PreviewImport(w.Ctx, all, id, assess.List{Rows: rows}))
			return id
		}
		kim, lou := typus.ImportRow{N: 2, Name: "Kim", Email: "kim@example.com"}, typus.ImportRow{N: 3, Name: "Lou", Email: "lou@example.com"}
		first := add(kim)
		w.Must(w.Assess.StartImport(w.Ctx, all, first, ada))
		w.Must(w.Assess.RunImports(w.Ctx, "me"))
		row := w.rowsOf(first)[0]
		if row.State != typus.RowInvited {
			t.Fatalf("the row is %+v", row)
		}
		if c := w.candidate(row.CandidateID); c.PositionID != position || c.RoleProfile != "hunter" {
			t.Errorf("invited is %+v", c)
		}
		second, third := add(kim, lou), add(lou)
		if rows := w.rowsOf(second); rows[0].State != typus.RowDuplicate || rows[1].State != typus.RowReady {
			t.Errorf("the second list is %+v", rows)
		}
		w.Must(w.Assess.StartImport(w.Ctx, all, second, ada))
		_, err := w.Accounts.ClosePosition(w.Ctx, all, position, accounts.KeepOpen, ada)
		w.Must(err)
		w.Must(w.Assess.RunImports(w.Ctx, "me"))
		if row := w.rowsOf(second)[1]; row.State != typus.RowFailed || strings.Join(row.Reasons, " ") != typus.CodePositionClosed {
			t.Errorf("after the closing the row is %+v", row)
		}
		if err := w.Assess.StartImport(w.Ctx, all, third, ada); !assess.ClosedPosition(err) {
			t.Errorf("a list for a closed position is started: %v", err)
		}
	})
}

// A user invites only to positions whose candidates they read, by a form as by a list.
func TestNobodyInvitesToAPositionOutOfReach(t *testing.T) {
	run(t, func(w *world) {
		secret := w.hiring(typus.Position{Name: "Geheim", Confidential: true})
		some := store.Reader{AccountID: w.Account, UserID: 7, Role: typus.RoleMember, Positions: store.Positions{Open: true, Standard: true}}
		for _, position := range []int64{secret, secret + 99} {
			_, err := w.Assess.InviteByForm(w.Ctx, some, assess.Invitation{Name: "Kim", Email: "kim@example.com", PositionID: position}, false, ada)
			w.WantKind(err, typus.Forbidden)
			_, err = w.Assess.AddImport(w.Ctx, some, typus.Import{PositionID: position}, []byte("x"), ada)
			w.WantKind(err, typus.Forbidden)
		}
		_, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Kim", Email: "kim@example.com", PositionID: secret + 99}, nil)
		w.WantKind(err, typus.NotFound)
		if n := w.everybody(); n != 0 {
			t.Errorf("%d are invited", n)
		}
	})
}

// The form asks whether to invite again only where the address has an open invitation to the
// same position; and an invitation that is corrected or extended stays one to its position.
func TestARepeatIsOneForTheSamePosition(t *testing.T) {
	run(t, func(w *world) {
		all, position := store.WholeAccount(w.Account), w.hiring(typus.Position{Name: "Süd", Reminders: typus.RemindersOfAccount})
		kim := assess.Invitation{Name: "Kim", Email: "kim@example.com", ExternalID: "crm-7"}
		there := kim
		there.PositionID = position
		var invited []assess.Invited
		for _, i := range []assess.Invitation{kim, there} {
			out, err := w.Assess.InviteByForm(w.Ctx, all, i, false, ada)
			w.Must(err)
			invited = append(invited, out)
			_, err = w.Assess.InviteByForm(w.Ctx, all, i, false, ada)
			w.WantKind(err, typus.Conflict)
			if open, err := w.Assess.OpenInvitation(w.Ctx, all, i); err != nil || open.ID != out.Candidate.ID {
				t.Errorf("the open invitation is %d, %v, want %d", open.ID, err, out.Candidate.ID)
			}
		}
		w.Must(w.Assess.Correct(w.Ctx, all, invited[1].Candidate.ID, "Kim", "kim.neu@example.com", ada, nil))
		w.Must(w.Assess.Extend(w.Ctx, all, invited[1].Candidate.ID, w.Now().Add(9*24*time.Hour), ada, nil))
		there.Email = "kim.neu@example.com"
		for _, c := range []struct {
			i    assess.Invitation
			want int64
		}{{there, invited[1].Candidate.ID}, {kim, invited[0].Candidate.ID}} {
			out, _, err := w.Assess.Invite(w.Ctx, w.Account, c.i, nil)
			w.Must(err)
			if !out.Repeat || out.Candidate.ID != c.want {
				t.Errorf("%s repeats %v %d, want %d", c.i.Email, out.Repeat, out.Candidate.ID, c.want)
			}
		}
	})
}

// A closed position gets no live link again: whoever ran out before is cancelled with the
// others, or stays where they are; whoever has begun may still be given time.
func TestNobodyIsInvitedAgainToAClosedPosition(t *testing.T) {
	run(t, func(w *world) {
		all, position := store.WholeAccount(w.Account), w.hiring(typus.Position{Name: "Süd", Reminders: typus.RemindersOfAccount, InviteDays: 3})
		late := w.invite(assess.Invitation{Name: "Kim", Email: "kim@example.com", PositionID: position, SendEmail: true})
		begun := w.invite(assess.Invitation{Name: "Lou", Email: "lou@example.com", PositionID: position})
		w.begin(begun.Token)
		w.deliver(typus.LetterSent)
		w.Later(4 * aDay)
		closing := func(open accounts.OpenInvitations) {
			_, err := w.Accounts.ClosePosition(w.Ctx, all, position, open, ada)
			w.Must(err)
		}
		until := w.Now().Add(9 * aDay)
		closing(accounts.KeepOpen)
		for _, err := range []error{
			w.Assess.Extend(w.Ctx, all, late.Candidate.ID, until, ada, nil), w.Assess.RenewLink(w.Ctx, all, late.Candidate.ID, until, ada, nil),
		} {
			if !assess.ClosedPosition(err) {
				t.Errorf("who has not begun gets time: %v", err)
			}
		}
		w.Must(w.Assess.Extend(w.Ctx, all, begun.Candidate.ID, until, ada, nil))
		closing(accounts.CancelOpen)
		for id, want := range map[int64]typus.Stand{late.Candidate.ID: typus.StandWithdrawn, begun.Candidate.ID: typus.StandBegun} {
			if c := w.candidate(id); c.Stand(w.Now()) != want {
				t.Errorf("%s stands %s, want %s", c.Name, c.Stand(w.Now()), want)
			}
		}
	})
}
