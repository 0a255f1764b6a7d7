package assess_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/store"
)

func (w *world) lastLetter(candidate int64) typus.Letter {
	w.Helper()
	l, err := w.Store.LastLetter(w.Ctx, w.Account, candidate, typus.LetterInvitation)
	w.Must(err)
	return l
}

func postingOf(l typus.Letter) typus.Posting {
	return typus.Posting{AccountID: l.AccountID, LetterID: l.ID, Attempt: l.Attempts}
}

func (w *world) comesBack(p typus.Posting, news bool) {
	w.Helper()
	got, err := w.Assess.ReturnLetter(w.Ctx, p, 550, "550 5.1.1 no such user")
	if err != nil || got != news {
		w.Errorf("news: %t, %v; want %t", got, err, news)
	}
}

func TestAReturnedLetterIsMarkedOnceWithTheWordsOfTheServer(t *testing.T) {
	run(t, func(w *world) {
		out := w.invite(jana)
		w.deliver(typus.LetterSent)
		sent := w.lastLetter(out.Candidate.ID)
		w.comesBack(postingOf(sent), true)
		w.comesBack(postingOf(sent), false)
		l := w.lastLetter(out.Candidate.ID)
		if l.State != typus.LetterFailed || l.LastCode != 550 || l.LastError != typus.FailedReturned+": 550 5.1.1 no such user" {
			w.Errorf("%+v", l)
		}
		entries, err := w.Store.AuditOf(w.Ctx, w.Account, out.Candidate.ID)
		w.Must(err)
		noted := 0
		for _, e := range entries {
			if e.Action == typus.AuditLetterReturned {
				noted++
				if e.Actor != typus.ActorServer || e.Detail != string(typus.LetterInvitation) {
					w.Errorf("%+v", e)
				}
			}
		}
		if noted != 1 {
			w.Errorf("noted %d times", noted)
		}
	})
}

// Whoever corrects the address and sends again is not told that the new letter came back
// because of the old one, however late its reports come.
func TestALateReportDoesNotMarkWhatWasSentSince(t *testing.T) {
	run(t, func(w *world) {
		out := w.invite(jana)
		w.deliver(typus.LetterSent)
		old := postingOf(w.lastLetter(out.Candidate.ID))
		w.comesBack(old, true)
		w.Must(w.Assess.RetryLetter(w.Ctx, store.WholeAccount(w.Account), old.LetterID, ada))
		w.comesBack(old, false) // while it waits
		claimed, err := w.Store.ClaimLetters(w.Ctx, store.Claim{Owner: "me", Lease: time.Minute, Limit: 1})
		w.Must(err)
		again := claimed[0]
		w.comesBack(old, false) // while it is being sent
		again.State = typus.LetterSent
		_, err = w.Store.FinishLetter(w.Ctx, "me", again, 0)
		w.Must(err)
		w.comesBack(old, false)
		if l := w.lastLetter(out.Candidate.ID); l.State != typus.LetterSent {
			w.Errorf("the letter that was sent since is %+v", l)
		}
		w.comesBack(postingOf(again), true)
	})
}

// A mail server may return a letter before its answer to us is noted.
func TestAReportAboutALetterThatIsBeingSentIsTriedAgain(t *testing.T) {
	run(t, func(w *world) {
		w.invite(jana)
		claimed, err := w.Store.ClaimLetters(w.Ctx, store.Claim{Owner: "me", Lease: time.Minute, Limit: 1})
		w.Must(err)
		l := claimed[0]
		_, err = w.Assess.ReturnLetter(w.Ctx, postingOf(l), 550, "no")
		w.WantKind(err, typus.Unavailable)
		l.State = typus.LetterSent
		_, err = w.Store.FinishLetter(w.Ctx, "me", l, 0)
		w.Must(err)
		w.comesBack(postingOf(l), true)
	})
}

// Whoever signs up or enrols belongs to no account, in whose log it would stand.
func TestALetterToAStrangerComesBackToNoLog(t *testing.T) {
	run(t, func(w *world) {
		var id int64
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			err := tx.AddServerAccount(w.Ctx, w.Now())
			if err != nil {
				return err
			}
			id, err = tx.AddLetter(w.Ctx, typus.Letter{Kind: typus.LetterSignUp, Language: "de", To: "kim@example.com", CreatedAt: w.Now()})
			return err
		}))
		w.deliver(typus.LetterSent)
		l, err := w.Store.Letter(w.Ctx, 0, id)
		w.Must(err)
		w.comesBack(postingOf(l), true)
		if l, err = w.Store.Letter(w.Ctx, 0, id); err != nil || l.State != typus.LetterFailed {
			w.Errorf("%+v, %v", l, err)
		}
	})
}

func TestNothingComesBackToWhoIsErased(t *testing.T) {
	run(t, func(w *world) {
		out := w.invite(jana)
		w.deliver(typus.LetterSent)
		l := w.lastLetter(out.Candidate.ID)
		w.comesBack(typus.Posting{AccountID: w.Account + 1000, LetterID: l.ID, Attempt: l.Attempts}, false)
		w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, ada))
		w.comesBack(postingOf(l), false)
	})
}
