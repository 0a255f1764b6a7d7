package assess_test

import (
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// However an address is spelled, whoever reads its letters is invited once: by a program, by a
// form, from a list and by a public link. It stays as it was typed first.
func TestAMailboxIsInvitedOnceHoweverItIsSpelled(t *testing.T) {
	run(t, func(w *world) {
		const typed = "Anna@Müller.example"
		all := store.WholeAccount(w.Account)
		anna := w.invite(assess.Invitation{Name: "Anna", Email: typed, ExternalID: "crm-7"}).Candidate
		for _, spelling := range []string{"anna@xn--mller-kva.example", "ANNA@XN--MLLER-KVA.EXAMPLE", "anna@mu\u0308ller.example", "anna@MÜLLER。example"} {
			out, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Anna", Email: spelling, ExternalID: "crm-7"}, nil)
			w.Must(err)
			if !out.Repeat || out.Candidate.ID != anna.ID {
				t.Errorf("%q is candidate %d, repeated: %t", spelling, out.Candidate.ID, out.Repeat)
			}
			byForm := assess.Invitation{Name: "Anna", Email: spelling}
			_, err = w.Assess.InviteByForm(w.Ctx, all, byForm, false, ada)
			w.WantKind(err, typus.Conflict)
			if open, err := w.Assess.OpenInvitation(w.Ctx, all, byForm); err != nil || open.ID != anna.ID {
				t.Errorf("%q has the open invitation %d, %v", spelling, open.ID, err)
			}
			rows := w.rowsOf(w.preview([]typus.ImportRow{{N: 2, Name: "Anna", Email: spelling}, {N: 3, Name: "Lea", Email: "lea@müller.example"}, {N: 4, Name: "Lea", Email: "LEA@xn--mller-kva.example"}}))
			if rows[0].State != typus.RowDuplicate || rows[0].CandidateID != anna.ID || rows[1].State != typus.RowReady || rows[2].State != typus.RowDuplicate {
				t.Errorf("%q in a list: %+v", spelling, rows)
			}
			if found, err := w.Store.CandidateByEmail(w.Ctx, typus.Position{AccountID: w.Account, Standard: true}, spelling); err != nil || found.ID != anna.ID {
				t.Errorf("who confirms %q is candidate %d, %v", spelling, found.ID, err)
			}
		}
		if _, err := w.Assess.InviteByForm(w.Ctx, all, assess.Invitation{Name: "Anna", Email: "anna@mueller.example"}, false, ada); err != nil {
			t.Errorf("another domain: %v", err)
		}
		if c := w.candidate(anna.ID); c.Email != typed {
			t.Errorf("the address is stored as %q", c.Email)
		}
	})
}

// Of two enrolments of one mailbox at a link the later one waits alone.
func TestAMailboxWaitsOnceAtAPublicLink(t *testing.T) {
	run(t, func(w *world) {
		link := w.published(0, 5, time.Time{})
		w.enrols(link, "Kim", "kim@müller.example")
		w.enrols(link, "Kim", "Kim@XN--MLLER-KVA.example")
		if waiting := w.confirmations(); len(waiting) != 1 || waiting["Kim@XN--MLLER-KVA.example"] == "" {
			t.Errorf("letters wait for %v", waiting)
		}
	})
}

// Another spelling of the address is stored, and is no new address: a code stays good, and a
// letter that came back from the one has come back from the other.
func TestAnotherSpellingIsNoNewAddress(t *testing.T) {
	run(t, func(w *world) {
		w.tested(first)
		out := w.invite(again)
		at, kept := w.offered(out), w.proven(out)
		spelling := strings.ToUpper(again.Email)
		w.Must(w.Assess.Correct(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, again.Name, spelling, ada, nil))
		if c := w.candidate(out.Candidate.ID); c.Email != spelling {
			t.Errorf("the address is %q", c.Email)
		}
		_, err := w.Assess.TakeOver(w.Ctx, out.Token, w.choice(kept, at))
		w.Must(err)
	})
	row := store.CandidateRow{Candidate: typus.Candidate{Email: "anna@müller.example"}, Mail: typus.LetterFailed, MailTo: "anna@xn--mller-kva.example"}
	if !row.Bounced() || row.Corrected() {
		t.Error("what came back from one spelling did not from the other")
	}
}

// An address that is changed back, in whatever spelling, is the one that was proven.
func TestAnAddressThatIsChangedBackIsProvenInAnySpelling(t *testing.T) {
	run(t, func(w *world) {
		done := w.tested(first)
		correct := func(email string) {
			w.Must(w.Assess.Correct(w.Ctx, store.WholeAccount(w.Account), done.Candidate.ID, first.Name, email, ada, nil))
		}
		correct("x@example.com")
		correct(strings.ToUpper(first.Email))
		out := w.invite(again)
		_, err := w.Assess.TakeOver(w.Ctx, out.Token, w.choice(w.proven(out), w.offered(out)))
		w.Must(err)
	})
}
