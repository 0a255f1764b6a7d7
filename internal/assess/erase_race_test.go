package assess_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/db/dbtest"
	"typus/internal/store"
)

// kim is a person whose words must be nowhere after the erasure.
var kim = assess.Invitation{Name: "Kim Kanarienname", Email: "kanarienmail@example.com", ExternalID: "kanarienref", SendEmail: true}

// erasing is the erasure of a candidate.
func (w *world) erasing(id int64) func(tx *store.Tx) error {
	return func(tx *store.Tx) error { return tx.EraseCandidate(w.Ctx, w.Account, id, w.Now()) }
}

// inviting is a new invitation that can be repeated.
func (w *world) inviting(i assess.Invitation) func(tx *store.Tx) error {
	return func(tx *store.Tx) error {
		_, _, err := tx.AddCandidate(w.Ctx, store.NewCandidate{
			Candidate: typus.Candidate{
				AccountID: w.Account, Name: i.Name, Email: i.Email, ExternalID: i.ExternalID, CreatedAt: w.Now(), ExpiresAt: w.Now().Add(aDay),
				TokenHash: "x", SealedToken: []byte("x"),
			},
			OpenRef: fmt.Sprintf("%d\u001f%s\u001f%s", w.Account, i.ExternalID, i.Email),
		})
		return err
	}
}

// nothingOfKim fails for each table that still holds a word of kim.
func (w *world) nothingOfKim(dsn string) {
	w.Helper()
	for table, rows := range dbtest.Contents(w, dsn)() {
		for _, row := range rows {
			if strings.Contains(strings.ToLower(row), "kanarien") {
				w.Errorf("%s holds %s", table, row)
			}
		}
	}
}

func (w *world) key() int64 {
	w.Helper()
	id, _, err := w.Access.CreateKey(w.Ctx, w.Account, "crm", typus.Actor{Name: "operator"})
	if err != nil {
		w.Fatal(err)
	}
	return id
}

func (w *world) wantCode(err error, code string) {
	w.Helper()
	e, ok := err.(*typus.Error)
	if !ok || e.Kind != typus.Conflict || len(e.Fields) != 1 || e.Fields[0].Code != code || e.Fields[0].Msg == "" {
		w.Errorf("error is %+v, want a conflict with the code %s", err, code)
	}
}

func TestAKeyDoesNotInviteAgainWhoIsErased(t *testing.T) {
	runAt(t, func(w *world, dsn string) {
		idem := assess.Idempotency{APIKeyID: w.key(), Key: "kanarienmail@example.com", RequestSHA256: "a"}
		again := func() error {
			_, _, err := w.Assess.Invite(w.Ctx, w.Account, kim, &idem)
			return err
		}
		out, _, err := w.Assess.Invite(w.Ctx, w.Account, kim, &idem)
		if err != nil {
			w.Fatal(err)
		}
		w.wantCode(w.meets(dsn, w.erasing(out.Candidate.ID), again), typus.CodeErased)
		w.wantCode(again(), typus.CodeErased)
		idem.RequestSHA256 = "b"
		w.wantCode(again(), typus.CodeErased)
		w.nothingOfKim(dsn)
		w.Later(24 * time.Hour)
		if err := again(); err != nil || w.everybody() != 1 {
			w.Errorf("a day later: %v, %d candidates", err, w.everybody())
		}
	})
}

func TestARepeatThatMeetsAnErasureIsANewInvitation(t *testing.T) {
	runAt(t, func(w *world, dsn string) {
		old, key := w.invite(kim), w.key()
		var out assess.Invited
		err := w.meets(dsn, w.erasing(old.Candidate.ID), func() error {
			var err error
			out, _, err = w.Assess.Invite(w.Ctx, w.Account, kim, &assess.Idempotency{APIKeyID: key, Key: "k", RequestSHA256: "a"})
			return err
		})
		if err != nil || out.Repeat || out.Candidate.ID == old.Candidate.ID || out.Link == old.Link || w.everybody() != 1 {
			w.Errorf("the repeat made %+v, %v", out, err)
		}
	})
}

func TestARepeatThatMeetsACorrectionIsANewInvitation(t *testing.T) {
	runAt(t, func(w *world, dsn string) {
		old := w.invite(kim)
		moved := kim
		moved.Email = "Neu@example.com"
		var out assess.Invited
		err := w.meets(dsn, func(tx *store.Tx) error {
			ref := fmt.Sprintf("%d\u001f%s\u001fneu@example.com", w.Account, kim.ExternalID)
			return tx.CorrectCandidate(w.Ctx, w.Account, old.Candidate.ID, kim.Name, moved.Email, ref)
		}, func() error {
			var err error
			out, _, err = w.Assess.Invite(w.Ctx, w.Account, kim, nil)
			return err
		})
		if err != nil || out.Repeat || out.Link == old.Link || out.Candidate.Email != kim.Email {
			w.Errorf("the old address got %+v, %v", out, err)
		}
		if again := w.invite(moved); !again.Repeat || again.Link != old.Link {
			w.Errorf("the new address got %+v", again)
		}
	})
}

func TestACorrectionThatMeetsAnInvitationOfTheSameReferenceIsRefused(t *testing.T) {
	runAt(t, func(w *world, dsn string) {
		other := kim
		other.Email = "andere@example.com"
		id := w.invite(other).Candidate.ID
		refused := w.meets(dsn, w.inviting(kim), func() error {
			return w.Assess.Correct(w.Ctx, store.WholeAccount(w.Account), id, kim.Name, kim.Email, ada, nil)
		})
		w.wantRefusal(refused, assess.ObstacleTaken)
	})
}

func TestAnExtensionThatMeetsAnInvitationOfTheSameReferenceIsMade(t *testing.T) {
	runAt(t, func(w *world, dsn string) {
		id := w.invite(kim).Candidate.ID
		w.Later(40 * aDay)
		if err := w.Assess.ExpireDue(w.Ctx, w.Now()); err != nil {
			w.Fatal(err)
		}
		until := w.Now().Add(5 * aDay)
		if err := w.meets(dsn, w.inviting(kim), func() error { return w.Assess.Extend(w.Ctx, store.WholeAccount(w.Account), id, until, ada, nil) }); err != nil {
			w.Error(err)
		}
		if c := w.candidate(id); !c.ExpiresAt.Equal(until) {
			w.Errorf("it ends %v, want %v", c.ExpiresAt, until)
		}
	})
}

// A file is read and checked before its rows are written. An erasure in between takes
// the file away; the rows must not bring the person back.
func TestAPreviewThatMeetsAnErasureWritesNobodyBack(t *testing.T) {
	rows := []typus.ImportRow{{N: 2, Name: kim.Name, Email: kim.Email, ExternalID: kim.ExternalID}, {N: 3, Name: "Jana", Email: "jana@example.com"}}
	runAt(t, func(w *world, dsn string) {
		id := w.preview(rows)
		erased := w.invite(kim).Candidate.ID
		steps := w.withClock(func() {
			if err := w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), erased, ada); err != nil && !typus.Is(err, typus.NotFound) {
				w.Error(err)
			}
		})
		w.WantKind(steps.PreviewImport(w.Ctx, store.WholeAccount(w.Account), id, assess.List{Rows: rows}), typus.Conflict)
		w.nothingOfKim(dsn)
		if i := w.imported(id); i.State != typus.ImportPreview || w.rowsOf(id)[1].Name != "Jana" {
			w.Errorf("of the others is left %+v, %+v", i, w.rowsOf(id))
		}
	})
}

// A row that names whom it came upon is emptied with them, whichever comes first.
func TestAnErasureAndAnImportOfTheSamePersonLeaveNothing(t *testing.T) {
	rows := []typus.ImportRow{{N: 2, Name: kim.Name, Email: kim.Email, ExternalID: kim.ExternalID}}
	runAt(t, func(w *world, dsn string) {
		id := w.started(rows)
		erased := w.invite(kim).Candidate.ID
		i, found, err := w.Store.ClaimImport(w.Ctx, "me", time.Minute)
		if err != nil || !found {
			w.Fatal(found, err)
		}
		err = w.meets(dsn, func(tx *store.Tx) error {
			if mine, err := tx.HoldImport(w.Ctx, "me", w.Account, i.ID, time.Minute); err != nil || !mine {
				return fmt.Errorf("not mine: %w", err)
			}
			known := rows[0]
			known.State, known.Reasons, known.CandidateID = typus.RowKnown, []string{"open"}, erased
			return tx.SettleImportRows(w.Ctx, w.Account, i.ID, []typus.ImportRow{known})
		}, func() error { return w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), erased, ada) })
		if err != nil {
			w.Error(err)
		}
		if r := w.rowsOf(id)[0]; r.State != typus.RowKnown || r.CandidateID != erased {
			w.Errorf("the row is %+v", r)
		}
		w.nothingOfKim(dsn)
	})
	runAt(t, func(w *world, dsn string) {
		id := w.started(rows)
		erased := w.invite(kim).Candidate.ID
		run := func() error { return w.Assess.RunImports(w.Ctx, "me") }
		for _, err := range []error{w.meets(dsn, w.erasing(erased), run), run()} { // one that is locked is left to the next turn
			if err != nil {
				w.Error(err)
			}
		}
		if r := w.rowsOf(id)[0]; r.State != typus.RowFailed || !slices.Contains(r.Reasons, "email_required") || w.everybody() != 0 {
			w.Errorf("the row is %+v, %d candidates", r, w.everybody())
		}
		w.nothingOfKim(dsn)
	})
}

// writers are all who may write about a candidate, with how they find it erased.
var writers = map[string]struct {
	write func(w *world, c typus.Candidate, token string) error
	kind  typus.Kind // -1: no error
}{
	"a note": {func(w *world, c typus.Candidate, _ string) error {
		return w.Assess.AddNote(w.Ctx, store.WholeAccount(w.Account), typus.Note{CandidateID: c.ID, Body: "kanariennotiz"}, ada)
	}, typus.NotFound},
	"a tag": {func(w *world, c typus.Candidate, _ string) error {
		return w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			return tx.TagCandidate(w.Ctx, store.WholeAccount(w.Account), c.ID, "kanarientag")
		})
	}, typus.NotFound},
	"a correction": {func(w *world, c typus.Candidate, _ string) error {
		return w.Assess.Correct(w.Ctx, store.WholeAccount(w.Account), c.ID, "Kanarienvogel", "kanarien@example.com", ada, nil)
	}, typus.NotFound},
	"a reminder": {func(w *world, c typus.Candidate, _ string) error {
		w.Later(3 * aDay)
		return w.Assess.Remind(w.Ctx, store.WholeAccount(w.Account), c.ID, ada)
	}, typus.NotFound},
	"a reminder that is due": {func(w *world, _ typus.Candidate, _ string) error {
		w.Later(3 * aDay)
		return w.Assess.RemindDue(w.Ctx, w.Now())
	}, -1},
	"the invitation again": {func(w *world, c typus.Candidate, _ string) error {
		w.Later(3 * aDay)
		return w.Assess.Resend(w.Ctx, store.WholeAccount(w.Account), c.ID, ada)
	}, typus.NotFound},
	"a letter tried again": {func(w *world, c typus.Candidate, _ string) error {
		letters, err := w.Store.LettersOf(w.Ctx, w.Account, c.ID)
		if err != nil {
			return err
		}
		return w.Assess.RetryLetter(w.Ctx, store.WholeAccount(w.Account), letters[0].ID, ada)
	}, typus.Conflict},
	"a longer time": {func(w *world, c typus.Candidate, _ string) error {
		return w.Assess.Extend(w.Ctx, store.WholeAccount(w.Account), c.ID, w.Now().Add(40*aDay), ada, nil)
	}, typus.NotFound},
	"the end of the time": {func(w *world, _ typus.Candidate, _ string) error {
		w.Later(40 * aDay)
		return w.Assess.ExpireDue(w.Ctx, w.Now())
	}, -1},
	"a language": {func(w *world, _ typus.Candidate, token string) error { return w.Assess.SetLanguage(w.Ctx, token, "en") }, typus.NotFound},
	"a beginning": {func(w *world, _ typus.Candidate, token string) error {
		return w.Assess.Begin(w.Ctx, token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise")
	}, typus.NotFound},
	"a finish": {func(w *world, c typus.Candidate, _ string) error {
		return w.Assess.FinishFor(w.Ctx, w.Account, c.ID, w.all(), "operator")
	}, typus.NotFound},
	"a refusal": {func(w *world, _ typus.Candidate, token string) error { return w.Assess.Decline(w.Ctx, token) }, typus.NotFound},
	"no reminders": {func(w *world, _ typus.Candidate, token string) error {
		return w.Assess.StopReminders(w.Ctx, token)
	}, typus.NotFound},
	"words": {func(w *world, _ typus.Candidate, _ string) error { return w.Assess.IndexCandidates(w.Ctx) }, -1},
}

func TestWhoMeetsAnErasureWritesNothingBack(t *testing.T) {
	for what, writer := range writers {
		t.Run(what, func(t *testing.T) {
			runAt(t, func(w *world, dsn string) {
				out := w.invite(kim)
				if what == "words" {
					exec(w, w.raw(dsn), `update candidates set name_key = null`)
				}
				err := w.meets(dsn, w.erasing(out.Candidate.ID), func() error { return writer.write(w, out.Candidate, out.Token) })
				if writer.kind != -1 || err != nil {
					w.WantKind(err, writer.kind)
				}
				w.nothingOfKim(dsn)
			})
		})
	}
}

// A letter and its outcome are the courier's; both may be under way.
func TestALetterThatMeetsAnErasureForgetsItsRecipient(t *testing.T) {
	claim := func(w *world) ([]typus.Letter, error) {
		return w.Store.ClaimLetters(w.Ctx, store.Claim{Owner: "me", Lease: time.Minute, Limit: 10, PerDay: 5})
	}
	runAt(t, func(w *world, dsn string) {
		out := w.invite(kim)
		err := w.meets(dsn, w.erasing(out.Candidate.ID), func() error {
			claimed, err := claim(w)
			if len(claimed) > 0 {
				w.Errorf("claimed %+v", claimed)
			}
			return err
		})
		if err != nil {
			w.Error(err)
		}
		w.nothingOfKim(dsn)
	})
	runAt(t, func(w *world, dsn string) {
		out := w.invite(kim)
		claimed, err := claim(w)
		if err != nil || len(claimed) != 1 || claimed[0].To != kim.Email {
			w.Fatalf("claimed %+v, %v", claimed, err)
		}
		err = w.meets(dsn, w.erasing(out.Candidate.ID), func() error {
			l := claimed[0]
			l.State, l.LastError = typus.LetterFailed, "no such user kanarienmail"
			mine, err := w.Store.FinishLetter(w.Ctx, "me", l, 0)
			if mine {
				w.Error("the outcome was written back")
			}
			return err
		})
		if err != nil {
			w.Error(err)
		}
		w.nothingOfKim(dsn)
	})
}
