package assess_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// atMost bounds the people of the account.
func (w *world) atMost(people int) {
	w.Helper()
	w.Must(w.Accounts.Operate(w.Ctx, w.Account, typus.Actor{Name: "operator"}, func(a *typus.Account) { a.MaxPeople = people }))
}

// somebody is an invitation of the person with a number.
func somebody(n int) assess.Invitation {
	return assess.Invitation{Name: fmt.Sprint("Kim ", n), Email: fmt.Sprintf("kim%d@example.com", n), ExternalID: fmt.Sprint("crm-", n), SendEmail: true}
}

// However many invite at once, by whichever way, nobody gets in beyond the bound, and whoever
// is in stays and is invited again, reminded and extended.
func TestAnAccountStoresNoMorePeopleThanItMay(t *testing.T) {
	run(t, func(w *world) {
		all := store.WholeAccount(w.Account)
		w.atMost(5)
		first, key := w.invite(somebody(100)), w.key()
		refused := 0
		for _, err := range parallel(12, func(n int) error {
			if n%2 == 0 {
				_, err := w.Assess.InviteByForm(w.Ctx, all, somebody(n), false, ada)
				return err
			}
			_, _, err := w.Assess.Invite(w.Ctx, w.Account, somebody(n), &assess.Idempotency{APIKeyID: key, Key: fmt.Sprint(n), RequestSHA256: "x"})
			return err
		}) {
			if err != nil {
				w.wantCode(err, typus.CodeAccountFull)
				refused++
			}
		}
		if refused != 8 || w.everybody() != 5 {
			w.Errorf("%d of 12 were refused, %d people are stored", refused, w.everybody())
		}
		if again := w.invite(somebody(100)); !again.Repeat || again.Candidate.ID != first.Candidate.ID {
			w.Errorf("an open invitation is not repeated: %+v", again)
		}
		w.atMost(2)
		if w.everybody() != 5 {
			w.Errorf("a lower bound has deleted somebody")
		}
		w.begin(first.Token)
		w.Must(w.Assess.Erase(w.Ctx, all, first.Candidate.ID, ada))
		_, _, err := w.Assess.Invite(w.Ctx, w.Account, somebody(200), nil)
		w.wantCode(err, typus.CodeAccountFull)
		w.atMost(5) // whoever is erased has left room
		w.invite(somebody(200))
		_, _, err = w.Assess.Invite(w.Ctx, w.Account, somebody(201), nil)
		w.wantCode(err, typus.CodeAccountFull)
		w.atMost(0)
		w.invite(somebody(201))
	})
}

// A list fills the account in order, and each row beyond that says why nobody was invited.
func TestAListFillsAnAccountAndSaysWhoDidNotFit(t *testing.T) {
	run(t, func(w *world) {
		list := people(100)
		open := assess.Invitation{Name: list[99].Name, Email: list[99].Email, ExternalID: list[99].ExternalID}
		w.invite(open)
		id := w.started(append(slices.Clone(list[:99]), typus.ImportRow{N: 200, Name: open.Name, Email: "other@example.com"}))
		w.atMost(71)
		w.Must(w.Assess.RunImports(w.Ctx, "a"))
		i, rows := w.imported(id), w.rowsOf(id)
		if i.State != typus.ImportDone || i.Invited() != 70 || i.Failed != 30 || w.everybody() != 71 {
			w.Errorf("%+v, %d people are stored", i, w.everybody())
		}
		for n, r := range rows {
			if n < 70 && r.State != typus.RowInvited || n >= 70 && (r.State != typus.RowFailed || !slices.Equal(r.Reasons, []string{typus.CodeAccountFull})) {
				w.Errorf("row %d is %s (%v)", n, r.State, r.Reasons)
			}
		}
		again := w.preview([]typus.ImportRow{{N: 2, Name: "Neu", Email: "neu@example.com"}})
		w.wantCode(w.Assess.StartImport(w.Ctx, store.WholeAccount(w.Account), again, ada), typus.CodeAccountFull)
		w.atMost(72)
		w.Must(w.Assess.StartImport(w.Ctx, store.WholeAccount(w.Account), again, ada))
		w.Must(w.Assess.RunImports(w.Ctx, "a"))
		if w.everybody() != 72 {
			w.Errorf("%d people are stored", w.everybody())
		}
	})
}

// A stranger finds no place at the moment, also one who has typed an address before, and gets
// in once there is one.
func TestAPublicLinkOfAFullAccountTakesNobody(t *testing.T) {
	run(t, func(w *world) {
		link := w.published(0, 50, time.Time{})
		kim, mia := w.enrols(link, "Kim", "kim@example.com"), w.enrols(link, "Mia", "mia@example.com")
		w.atMost(1)
		in, crowded := 0, 0
		for _, err := range parallel(2, func(n int) error { _, err := w.Assess.Confirm(w.Ctx, []string{kim, mia}[n]); return err }) {
			switch {
			case err == nil:
				in++
			case assess.Shut(err) == typus.PublicCrowded:
				crowded++
			default:
				w.Error(err)
			}
		}
		if in != 1 || crowded != 1 || w.everybody() != 1 {
			w.Errorf("%d got in, %d found no place, %d people are stored", in, crowded, w.everybody())
		}
		if p, err := w.Assess.PublicLink(w.Ctx, link); err != nil || p.Stand != typus.PublicCrowded {
			w.Errorf("it stands %s, %v", p.Stand, err)
		}
		if err := w.Assess.Enrol(w.Ctx, link, typus.Enrolment{Name: "Bo", Email: "bo@example.com", Language: "de"}, "192.0.2.1"); assess.Shut(err) != typus.PublicCrowded {
			w.Errorf("an address was taken: %v", err)
		}
		w.atMost(2)
		for _, token := range []string{kim, mia} { // who is in already, too
			if _, err := w.Assess.Confirm(w.Ctx, token); err != nil {
				w.Error(err)
			}
		}
		if w.everybody() != 2 {
			w.Errorf("%d people are stored", w.everybody())
		}
	})
}
