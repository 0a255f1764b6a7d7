package assess_test

import (
	"fmt"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// The test has not begun: what the invitation names again counts, and what it does not
// name stays.
func TestARepeatThatDiffersIsTakenOverWhileTheTestIsOpen(t *testing.T) {
	run(t, func(w *world) {
		first := w.invite(jana)
		other := jana
		other.Language, other.RoleProfile = "en", "hunter"
		for n, i := range []assess.Invitation{other, jana, other} {
			out := w.invite(i)
			c := w.candidate(first.Candidate.ID)
			if !out.Repeat || out.Link != first.Link || out.Candidate.Language != "en" || out.Candidate.RoleProfile != "hunter" {
				w.Errorf("call %d is answered with %+v", n, out)
			}
			if c.Language != "en" || !c.ChoseLanguage || c.RoleProfile != "hunter" {
				w.Errorf("after call %d the candidate is %+v", n, c)
			}
		}
		letters, err := w.Store.LettersOf(w.Ctx, w.Account, first.Candidate.ID)
		if err != nil || len(letters) != 1 || letters[0].Language != "en" {
			w.Errorf("the letters are %+v, %v", letters, err)
		}
		w.begin(first.Token)
		if _, err := w.Assess.Answer(w.Ctx, first.Token, w.all()); err != nil {
			w.Fatal(err)
		}
		if err := w.Assess.Finish(w.Ctx, first.Token); err != nil {
			w.Fatal(err)
		}
		if r, err := w.Store.Result(w.Ctx, w.Account, first.Candidate.ID); err != nil || r.RoleProfile != "hunter@1" {
			w.Errorf("the result is matched with %q, %v", r.RoleProfile, err)
		}
	})
}

// The account's own language is not a choice; naming it is one.
func TestARepeatThatNamesTheLanguageOfTheAccountChoosesIt(t *testing.T) {
	run(t, func(w *world) {
		id := w.invite(jana).Candidate.ID
		named := jana
		named.Language = "de"
		w.invite(named)
		if c := w.candidate(id); c.Language != "de" || !c.ChoseLanguage {
			w.Errorf("the candidate is %+v", c)
		}
	})
}

func TestARepeatThatDiffersIsRefusedOnceTheTestHasBegun(t *testing.T) {
	run(t, func(w *world) {
		key := w.key()
		first := w.invite(assess.Invitation{Name: jana.Name, Email: jana.Email, ExternalID: jana.ExternalID})
		w.begin(first.Token)
		other := jana
		other.Name, other.RoleProfile, other.Language = "Jana Neu", "hunter", "en"
		idem := &assess.Idempotency{APIKeyID: key, Key: "k", RequestSHA256: "a"}
		for range 2 { // a refusal is not replayed but found again
			_, _, err := w.Assess.Invite(w.Ctx, w.Account, other, idem)
			w.wantCode(err, typus.CodeAlreadyBegun)
			if c, begun := assess.BegunAs(err); !begun || c.ID != first.Candidate.ID {
				w.Errorf("it is said to be %+v", c)
			}
		}
		_, err := w.Assess.InviteByForm(w.Ctx, store.WholeAccount(w.Account), other, true, ada)
		w.wantCode(err, typus.CodeAlreadyBegun)
		if c := w.candidate(first.Candidate.ID); c.Name != jana.Name || c.RoleProfile != "general_sales" || w.letterKinds() != "" {
			w.Errorf("a refused repeat changed %+v, letters %q", c, w.letterKinds())
		}
		other.RoleProfile = "general_sales" // equal; the language is the candidate's
		if out := w.invite(other); !out.Repeat || out.Candidate.Language != "de" || out.Candidate.Name != "Jana Neu" || out.Mail != typus.LetterQueued {
			w.Errorf("an equal role profile is answered with %+v", out)
		}
		if c := w.candidate(first.Candidate.ID); c.Language != "de" || !c.ChoseLanguage { // of the notice that was read
			w.Errorf("the language became %+v", c)
		}
		other.ExternalID, other.RoleProfile = "crm-2", "hunter"
		if out := w.invite(other); out.Repeat || out.Candidate.RoleProfile != "hunter" {
			w.Errorf("a new external_id is answered with %+v", out)
		}
	})
}

func TestALetterThatIsWantedAfterAllGoesOutAndIsFollowedByReminders(t *testing.T) {
	run(t, func(w *world) {
		quiet := jana
		quiet.SendEmail = false
		first := w.invite(quiet)
		w.Later(10 * aDay)
		if out := w.invite(jana); !out.Repeat || out.Mail != typus.LetterQueued {
			w.Errorf("the repeat is answered with %+v", out)
		}
		if out := w.invite(quiet); out.Mail != typus.LetterQueued {
			w.Errorf("the letter was taken back: %+v", out)
		}
		r, err := w.Store.Reminding(w.Ctx, w.Account, first.Candidate.ID)
		if err != nil || !r.Next.Equal(w.Now().Add(2*aDay)) || r.Sent != 0 {
			w.Errorf("the reminder is %+v, %v", r, err)
		}
	})
}

// The form and the list invite somebody known only if told to; then they do as the API.
func TestAFormThatRepeatsAnInvitationTakesOverWhatItNames(t *testing.T) {
	run(t, func(w *world) {
		id := w.invite(jana).Candidate.ID
		w.invite(assess.Invitation{Name: "Jana", Email: jana.Email}) // a newer one of the same address
		other := jana
		other.Language, other.RoleProfile = "en", "hunter"
		if c, err := w.Assess.OpenInvitation(w.Ctx, store.WholeAccount(w.Account), other); err != nil || c.ID != id {
			w.Errorf("the form is told of %d, want the one it repeats, %d, %v", c.ID, id, err)
		}
		out, err := w.Assess.InviteByForm(w.Ctx, store.WholeAccount(w.Account), other, true, ada)
		if c := w.candidate(id); err != nil || out.Candidate.ID != id || c.Language != "en" || c.RoleProfile != "hunter" {
			w.Errorf("it is answered with %+v, %v; the candidate is %+v", out, err, c)
		}
	})
}

// A row may come upon an invitation that was made since its address was looked up.
func TestAListSaysOfWhomItCannotInviteAsItShould(t *testing.T) {
	runAt(t, func(w *world, dsn string) {
		if w.Store.Dialect() == "sqlite" {
			return // nobody writes between a look and its write
		}
		rows := people(3)
		id := w.started(rows)
		var begun int64
		err := w.meets(dsn, func(tx *store.Tx) error {
			c := store.NewCandidate{
				Candidate: typus.Candidate{AccountID: w.Account, Name: "Kim 1", Email: "kim1@example.com", ExternalID: "crm-1", Language: "de", RoleProfile: "general_sales",
					CreatedAt: w.Now(), ExpiresAt: w.Now().Add(aDay), TokenHash: "x", SealedToken: []byte("x")},
				OpenRef: fmt.Sprintf("%d\u001fcrm-1\u001fkim1@example.com", w.Account),
			}
			var err error
			if begun, _, err = tx.AddCandidate(w.Ctx, c); err != nil {
				return err
			}
			_, err = tx.BeginCandidate(w.Ctx, w.Account, begun, typus.Notice{}, "x", w.Now())
			return err
		}, func() error { return w.Assess.RunImports(w.Ctx, "me") })
		if err != nil {
			w.Error(err)
		}
		got := w.rowsOf(id)
		if i := w.imported(id); i.State != typus.ImportDone || i.Invited() != 2 || got[1].State != typus.RowFailed || got[1].CandidateID != begun ||
			fmt.Sprint(got[1].Reasons) != "[role_profile_already_begun]" {
			w.Errorf("the import is %+v, its rows %+v", i, got)
		}
	})
}

// A replay is what came of the call, as it is by now.
func TestAReplayTellsWhatBecameOfTheCandidate(t *testing.T) {
	run(t, func(w *world) {
		idem := &assess.Idempotency{APIKeyID: w.key(), Key: "k", RequestSHA256: "a"}
		for n, id := range []string{"", "crm-9", "crm-9"} {
			i := jana
			i.ExternalID = id
			idem.Key = fmt.Sprint("k", n)
			out, replay, err := w.Assess.Invite(w.Ctx, w.Account, i, idem)
			if err != nil || replay || out.Repeat != (n == 2) {
				w.Fatalf("call %d: %+v, %t, %v", n, out, replay, err)
			}
			w.Later(time.Minute)
			again, replay, err := w.Assess.Invite(w.Ctx, w.Account, i, idem)
			if err != nil || !replay || again.Link != out.Link || again.Repeat != out.Repeat || again.Candidate.ID != out.Candidate.ID || again.Mail != typus.LetterQueued {
				w.Errorf("call %d is replayed as %+v, %t, %v; it was %+v", n, again, replay, err, out)
			}
		}
	})
}
