package assess_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/assess"
	"typus/internal/db/dbtest"
	"typus/internal/instrument"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

var ada = typus.Actor{Name: "ada@example.com", UserID: 7, IP: "192.0.2.7", RequestID: "r1"}

func people(n int) []typus.ImportRow {
	var rows []typus.ImportRow
	for i := range n {
		rows = append(rows, typus.ImportRow{N: i + 2, Name: fmt.Sprint("Kim ", i), Email: fmt.Sprintf("kim%d@example.com", i), ExternalID: fmt.Sprint("crm-", i)})
	}
	return rows
}

// preview stores an import whose rows are looked at.
func (w *world) preview(rows []typus.ImportRow) int64 {
	w.Helper()
	id, err := w.Assess.AddImport(w.Ctx, store.WholeAccount(w.Account), typus.Import{FileName: "Liste.csv", SendEmail: true, RoleProfile: "hunter"}, []byte("x"), ada)
	if err == nil {
		err = w.Assess.PreviewImport(w.Ctx, store.WholeAccount(w.Account), id, assess.List{Rows: rows, Blank: 1})
	}
	if err != nil {
		w.Fatal(err)
	}
	return id
}

// started is preview, confirmed.
func (w *world) started(rows []typus.ImportRow) int64 {
	w.Helper()
	id := w.preview(rows)
	if err := w.Assess.StartImport(w.Ctx, store.WholeAccount(w.Account), id, ada); err != nil {
		w.Fatal(err)
	}
	return id
}

func (w *world) imported(id int64) typus.Import {
	w.Helper()
	i, err := w.Store.Import(w.Ctx, w.Account, id)
	if err != nil {
		w.Fatal(err)
	}
	return i
}

func (w *world) rowsOf(id int64) []typus.ImportRow {
	w.Helper()
	rows, err := w.Store.ImportRows(w.Ctx, w.Account, id, "", 0, 100_000)
	if err != nil {
		w.Fatal(err)
	}
	return rows
}

func (w *world) everybody() int {
	w.Helper()
	n := 0
	for f := (store.CandidateFilter{Limit: 100}); ; {
		list, next, err := w.Store.Candidates(w.Ctx, w.Account, f)
		if err != nil {
			w.Fatal(err)
		}
		n += len(list)
		if next == (store.Cursor{}) {
			return n
		}
		f.After = next
	}
}

func TestAPreviewSaysOfEveryRowWhatBecomesOfIt(t *testing.T) {
	run(t, func(w *world) {
		open := w.invite(assess.Invitation{Name: "Offen", Email: "Offen@Example.com"})
		rows := []typus.ImportRow{
			{N: 2, Name: " Jana Öztürk ", Email: "jana@example.com "},
			{N: 3, Name: "Jana wieder", Email: "JANA@example.com"},
			{N: 4, Name: "Offen", Email: "offen@example.com"},
			{N: 5, Name: "", Email: "kaputt", Language: "fr"},
			{N: 6, Name: "a\x00b\u202e", Email: "nul@example.com"},
			{N: 7, Name: strings.Repeat("x", 100_000), Email: "lang@example.com", ExternalID: strings.Repeat("y", 256)},
			{N: 8, Name: "Kim", Email: "kim@example.com", Reasons: []string{"columns_more"}},
			{N: 9, Name: "Kim \ufffd", Email: "kaputt@example.com"},
			{N: 10, Name: "=1+1", Email: "formel@example.com", ExternalID: "@x"},
		}
		id := w.preview(rows)
		i := w.imported(id)
		if i.State != typus.ImportPreview || i.Total != 9 || i.Valid != 2 || i.Blank != 1 || w.everybody() != 1 {
			w.Errorf("import %+v", i)
		}
		want := map[int]string{
			2: "ready", 3: "duplicate row 2", 4: "duplicate open", 5: "faulty email_invalid language_invalid name_required", 6: "faulty name_invalid",
			7: "faulty external_id_too_long name_too_long", 8: "faulty columns_more", 9: "faulty name_invalid", 10: "ready",
		}
		got := w.rowsOf(id)
		for _, r := range got {
			if said := strings.TrimSpace(string(r.State) + " " + strings.Join(r.Reasons, " ")); said != want[r.N] {
				w.Errorf("row %d: %s, want %s", r.N, said, want[r.N])
			}
		}
		if got[0].Name != "Jana Öztürk" || got[2].CandidateID != open.Candidate.ID || len([]rune(got[5].Name)) > 301 || strings.ContainsRune(got[4].Name, 0) {
			w.Errorf("rows %+v", got)
		}
	})
}

func TestAnImportInvitesEachPersonOnceWithALetter(t *testing.T) {
	run(t, func(w *world) {
		rows := people(450)
		rows[3].Language = "en"
		id := w.started(rows)
		if err := w.Assess.RunImports(w.Ctx, "a"); err != nil {
			w.Fatal(err)
		}
		i := w.imported(id)
		if i.State != typus.ImportDone || i.Done != 450 || i.Failed != 0 || i.DropAt.Sub(i.FinishedAt) != 30*24*time.Hour || w.everybody() != 450 {
			w.Errorf("import %+v, %d candidates", i, w.everybody())
		}
		done := w.rowsOf(id)
		c := w.candidate(done[3].CandidateID)
		if done[3].State != typus.RowInvited || c.Email != "kim3@example.com" || c.Language != "en" || !c.ChoseLanguage || c.RoleProfile != "hunter" || c.InvitedBy != 7 {
			w.Errorf("row %+v, candidate %+v", done[3], c)
		}
		if l, err := w.Store.LastLetter(w.Ctx, w.Account, c.ID, typus.LetterInvitation); err != nil || l.State != typus.LetterQueued {
			w.Errorf("letter %+v, %v", l, err)
		}
		log, _ := w.Store.Audit(w.Ctx, w.Account, 10)
		if len(log) < 2 || log[0].Action != "import.finished" || log[1].Action != "import.started" || log[1].UserID != 7 || log[1].IP != "192.0.2.7" {
			w.Errorf("audit log %+v", log)
		}
		if err := w.Assess.RunImports(w.Ctx, "a"); err != nil || w.everybody() != 450 {
			w.Errorf("running again changed something: %v", err)
		}
		w.WantKind(w.Assess.StartImport(w.Ctx, store.WholeAccount(w.Account), id, ada), typus.Conflict)
	})
}

func TestAnImportInvitesAgainWhoseInvitationHasRunOut(t *testing.T) {
	run(t, func(w *world) {
		old := w.invite(jana)
		w.Later(200 * 24 * time.Hour)
		id := w.started(append(people(100), typus.ImportRow{N: 200, Name: jana.Name, Email: jana.Email, ExternalID: jana.ExternalID}))
		if err := w.Assess.RunImports(w.Ctx, "a"); err != nil {
			w.Fatal(err)
		}
		last := w.rowsOf(id)[100]
		if last.State != typus.RowInvited || last.CandidateID == old.Candidate.ID || w.candidate(last.CandidateID).Email != jana.Email || w.imported(id).Invited() != 101 {
			w.Errorf("row %+v, import %+v", last, w.imported(id))
		}
		if l, err := w.Store.LastLetter(w.Ctx, w.Account, last.CandidateID, typus.LetterInvitation); err != nil || l.To != jana.Email {
			w.Errorf("letter %+v, %v", l, err)
		}
	})
}

func TestTwoInstancesAndTwoListsInviteEachPersonOnce(t *testing.T) {
	run(t, func(w *world) {
		a, b := w.preview(people(500)), w.preview(people(500)) // the same file twice
		for _, id := range []int64{a, b} {
			if err := w.Assess.StartImport(w.Ctx, store.WholeAccount(w.Account), id, ada); err != nil {
				w.Fatal(err)
			}
		}
		for _, err := range parallel(4, func(i int) error { return w.Assess.RunImports(w.Ctx, fmt.Sprint("instance ", i)) }) {
			if err != nil {
				w.Error(err)
			}
		}
		one, two := w.imported(a), w.imported(b)
		if one.State != typus.ImportDone || two.State != typus.ImportDone || one.Invited()+two.Invited() != 500 || one.Failed+two.Failed != 500 || w.everybody() != 500 {
			w.Errorf("%+v and %+v, %d candidates", one, two, w.everybody())
		}
	})
}

// stops ends a context after some batches: each batch asks for the time.
func (w *world) stopsAfter(calls int64) (*assess.Steps, context.Context) {
	ctx, cancel := context.WithCancel(w.Ctx)
	w.Cleanup(cancel)
	var n atomic.Int64
	return w.withClock(func() {
		if n.Add(1) == calls {
			cancel()
		}
	}), ctx
}

func TestAnImportGoesOnWhereAStoppedInstanceLeftIt(t *testing.T) {
	run(t, func(w *world) {
		id := w.started(people(1000))
		steps, ctx := w.stopsAfter(10)
		if err := steps.RunImports(ctx, "a"); err != nil && typus.KindOf(err) != typus.Unavailable {
			w.Fatal(err)
		}
		i := w.imported(id)
		if i.State != typus.ImportRunning || i.Done == 0 || i.Done == 1000 || i.Done != w.everybody() {
			w.Fatalf("stopped at %+v with %d candidates", i, w.everybody())
		}
		if err := w.Assess.RunImports(w.Ctx, "b"); err != nil {
			w.Fatal(err)
		}
		if i := w.imported(id); i.State != typus.ImportDone || i.Invited() != 1000 || w.everybody() != 1000 {
			w.Errorf("then %+v with %d candidates", i, w.everybody())
		}
	})
}

// A process that is killed gives nothing back: its lease has to run out.
func TestAKilledInstanceIsReplacedOnceItsLeaseHasRunOut(t *testing.T) {
	run(t, func(w *world) {
		id := w.started(people(10))
		if _, found, err := w.Store.ClaimImport(w.Ctx, "killed", 25*time.Second); !found || err != nil {
			w.Fatal(err)
		}
		if err := w.Assess.RunImports(w.Ctx, "b"); err != nil || w.imported(id).Done != 0 {
			w.Errorf("somebody else took it: %+v, %v", w.imported(id), err)
		}
		if err := w.Store.ReleaseImports(w.Ctx, "killed"); err != nil {
			w.Fatal(err)
		}
		if _, found, err := w.Store.ClaimImport(w.Ctx, "killed", -time.Second); !found || err != nil {
			w.Fatal(err)
		}
		if err := w.Assess.RunImports(w.Ctx, "b"); err != nil || w.imported(id).Invited() != 10 {
			w.Errorf("nobody took it over: %+v, %v", w.imported(id), err)
		}
	})
}

func TestACancelledImportStopsAndKeepsWhoIsInvited(t *testing.T) {
	run(t, func(w *world) {
		id := w.started(people(1000))
		steps, ctx := w.stopsAfter(10)
		if err := steps.RunImports(ctx, "a"); err != nil && typus.KindOf(err) != typus.Unavailable {
			w.Fatal(err)
		}
		if err := w.Assess.CancelImport(w.Ctx, store.WholeAccount(w.Account), id, ada); err != nil {
			w.Fatal(err)
		}
		if err := w.Assess.RunImports(w.Ctx, "b"); err != nil {
			w.Fatal(err)
		}
		i := w.imported(id)
		if i.State != typus.ImportCancelled || i.Done != w.everybody() || i.Done == 1000 || i.FinishedAt.IsZero() {
			w.Errorf("%+v with %d candidates", i, w.everybody())
		}
		if err := w.Assess.CancelImport(w.Ctx, store.WholeAccount(w.Account), id, ada); err != nil || !reflect.DeepEqual(w.imported(id), i) {
			w.Errorf("cancelled again: %+v, %v", w.imported(id), err)
		}
		w.WantKind(w.Assess.CancelImport(w.Ctx, store.WholeAccount(w.Account+1), id, ada), typus.NotFound)
	})
}

func TestADiscardedPreviewLeavesNoRowsBehind(t *testing.T) {
	run(t, func(w *world) {
		id := w.preview(people(600))
		w.WantKind(w.Assess.CancelImport(w.Ctx, store.WholeAccount(w.Account+1), id, ada), typus.NotFound)
		if err := w.Assess.CancelImport(w.Ctx, store.WholeAccount(w.Account), id, ada); err != nil {
			w.Fatal(err)
		}
		if rows := w.rowsOf(id); len(rows) > 0 {
			w.Errorf("%d rows are left", len(rows))
		}
		if i := w.imported(id); i.State != typus.ImportCancelled || i.DropAt.After(w.Now()) {
			w.Errorf("it is %+v", i)
		}
		if err := w.Assess.ForgetImports(w.Ctx, w.Now()); err != nil || w.imported(id).FileName != "" {
			w.Errorf("then %+v, %v", w.imported(id), err)
		}
	})
}

func TestAnImportThatWaitedTooLongCannotBeConfirmed(t *testing.T) {
	run(t, func(w *world) {
		id := w.preview(people(3))
		w.Later(7 * 24 * time.Hour)
		w.WantKind(w.Assess.StartImport(w.Ctx, store.WholeAccount(w.Account), id, ada), typus.Conflict)
	})
}

func TestSoManyImportsMayWaitAndNoMore(t *testing.T) {
	run(t, func(w *world) {
		add := func(account int64) error {
			_, err := w.Assess.AddImport(w.Ctx, store.WholeAccount(account), typus.Import{}, []byte("x"), ada)
			return err
		}
		first := w.preview(people(1))
		for range assess.MaxOpenImports - 4 {
			if err := add(w.Account); err != nil {
				w.Fatal(err)
			}
		}
		refused := 0
		for _, err := range parallel(6, func(int) error { return add(w.Account) }) {
			if err != nil {
				w.WantKind(err, typus.Conflict)
				refused++
			}
		}
		if refused != 3 {
			w.Errorf("%d of 6 were refused, want 3", refused)
		}
		if err := add(w.NewAccount(typus.Account{Name: "Andere"}, 0)); err != nil {
			w.Errorf("another account: %v", err)
		}
		if err := w.Assess.CancelImport(w.Ctx, store.WholeAccount(w.Account), first, ada); err != nil {
			w.Fatal(err)
		}
		if err := add(w.Account); err != nil {
			w.Errorf("after one was discarded: %v", err)
		}
	})
}

func TestAnImportInvitesOnlyWhileThereAreCredits(t *testing.T) {
	run(t, func(w *world) {
		spend := func(n int64) {
			w.Helper()
			err := w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
				_, err := tx.BookCredit(w.Ctx, typus.CreditEntry{AccountID: w.Account, Delta: n, Reason: typus.ReasonGrant, Actor: "operator", CreatedAt: w.Now()})
				return err
			})
			if err != nil {
				w.Fatal(err)
			}
		}
		id := w.started(people(500))
		steps, ctx := w.stopsAfter(10)
		if err := steps.RunImports(ctx, "a"); err != nil && typus.KindOf(err) != typus.Unavailable {
			w.Fatal(err)
		}
		spend(-10)
		if err := w.Assess.RunImports(w.Ctx, "b"); err != nil {
			w.Fatal(err)
		}
		i := w.imported(id)
		if i.State != typus.ImportDone || i.Done != 500 || i.Failed == 0 || i.Invited() != w.everybody() {
			w.Errorf("%+v with %d candidates", i, w.everybody())
		}
		last := w.rowsOf(id)[499]
		if last.State != typus.RowFailed || !slices.Equal(last.Reasons, []string{"credits"}) {
			w.Errorf("the last row is %+v", last)
		}
		if told, err := w.Store.AccountLetterSince(w.Ctx, w.Account, typus.LetterCreditsRefused, w.Now().Add(-time.Hour), w.Now()); !told || err != nil {
			w.Errorf("nobody was told (%v)", err)
		}
		again := w.preview([]typus.ImportRow{{N: 2, Name: "Neu", Email: "neu@example.com"}})
		w.WantKind(w.Assess.StartImport(w.Ctx, store.WholeAccount(w.Account), again, ada), typus.NoCredit)
	})
}

func TestTheSameFormInvitesOnceHoweverOftenItIsSent(t *testing.T) {
	run(t, func(w *world) {
		form := ada
		form.Form = "jana"
		ids := make([]int64, 20)
		for _, err := range parallel(20, func(i int) error {
			out, err := w.Assess.InviteByForm(w.Ctx, store.WholeAccount(w.Account), jana, false, form)
			ids[i] = out.Candidate.ID
			return err
		}) {
			if err != nil {
				w.Error(err)
			}
		}
		slices.Sort(ids)
		letters, _ := w.Store.Letters(w.Ctx, w.Account, 10)
		if len(slices.Compact(ids)) != 1 || w.everybody() != 1 || len(letters) != 1 || w.candidate(ids[0]).InvitedBy != 7 {
			w.Errorf("candidates %v, %d letters", ids, len(letters))
		}
		log, _ := w.Store.AuditOf(w.Ctx, w.Account, ids[0])
		if len(log) != 1 || log[0].Action != "candidate.invited" || log[0].UserID != 7 || log[0].RequestID != "r1" {
			w.Errorf("audit log %+v", log)
		}
		// Without a name it is another form each time.
		other := assess.Invitation{Name: "Bob", Email: "bob@example.com"}
		for range 2 {
			if _, err := w.Assess.InviteByForm(w.Ctx, store.WholeAccount(w.Account), other, true, ada); err != nil {
				w.Error(err)
			}
		}
		if w.everybody() != 3 {
			w.Errorf("%d candidates", w.everybody())
		}
		if err := w.Clerk.ForgetForms(w.Ctx, w.Now()); err != nil {
			w.Error(err)
		}
	})
}

func TestAnAddressWithAnOpenInvitationIsInvitedAgainOnlyKnowingly(t *testing.T) {
	run(t, func(w *world) {
		first := w.invite(assess.Invitation{Name: "Jana", Email: "Jana@Example.com"})
		again := assess.Invitation{Name: "Jana", Email: "jana@example.com"}
		_, err := w.Assess.InviteByForm(w.Ctx, store.WholeAccount(w.Account), again, false, ada)
		w.WantKind(err, typus.Conflict)
		if c, err := w.Assess.OpenInvitation(w.Ctx, store.WholeAccount(w.Account), assess.Invitation{Email: "JANA@example.com"}); c.ID != first.Candidate.ID || err != nil {
			w.Errorf("open is %d, %v", c.ID, err)
		}
		out, err := w.Assess.InviteByForm(w.Ctx, store.WholeAccount(w.Account), again, true, ada)
		if err != nil || out.Candidate.ID == first.Candidate.ID || w.everybody() != 2 {
			w.Errorf("invited %+v, %v", out, err)
		}
		_, err = w.Assess.InviteByForm(w.Ctx, store.WholeAccount(w.NewAccount(typus.Account{Name: "Leer"}, 0)), again, false, ada)
		w.WantKind(err, typus.NoCredit)
		_, err = w.Assess.InviteByForm(w.Ctx, store.WholeAccount(w.Account), assess.Invitation{}, false, ada)
		w.WantKind(err, typus.Invalid)
	})
}

func TestTheRetentionErasesWhoseTimeIsOverAndNobodyElse(t *testing.T) {
	clocked(t, func(w *world, _ string) {
		old := w.answered(assess.Invitation{Name: "Alt", Email: "alt@example.com"})
		if err := w.Assess.Finish(w.Ctx, old.Token); err != nil {
			w.Fatal(err)
		}
		lapsed := w.invite(assess.Invitation{Name: "Nie", Email: "nie@example.com"})
		w.Later(100 * 24 * time.Hour)
		recent := w.answered(assess.Invitation{Name: "Neu", Email: "neu@example.com"})
		if err := w.Assess.Finish(w.Ctx, recent.Token); err != nil {
			w.Fatal(err)
		}
		open := w.invite(assess.Invitation{Name: "Offen", Email: "offen@example.com"})
		gone := func(id int64) bool {
			_, err := w.Store.Candidate(w.Ctx, w.Account, id)
			return err != nil && typus.KindOf(err) == typus.NotFound
		}
		if err := w.Assess.Retain(w.Ctx, w.Now()); err != nil || gone(old.Candidate.ID) || gone(lapsed.Candidate.ID) {
			w.Errorf("without a retention somebody was erased (%v)", err)
		}
		err := w.Accounts.Change(w.Ctx, w.Account, ada, func(a *typus.Account) { a.KeepFinishedDays, a.KeepUnfinishedDays = 90, 60 })
		if err == nil {
			err = w.Assess.Retain(w.Ctx, w.Now())
		}
		if err != nil {
			w.Fatal(err)
		}
		if !gone(old.Candidate.ID) || !gone(lapsed.Candidate.ID) || gone(recent.Candidate.ID) || gone(open.Candidate.ID) {
			w.Errorf("gone: %v %v %v %v", gone(old.Candidate.ID), gone(lapsed.Candidate.ID), gone(recent.Candidate.ID), gone(open.Candidate.ID))
		}
		a, _ := w.Store.Account(w.Ctx, w.Account)
		if a.Credits != 8 {
			w.Errorf("%d credits, want 8: what is booked stays booked", a.Credits)
		}
	})
}

// BenchmarkTenThousandPeople is the time from the confirmation to the last invitation.
func BenchmarkTenThousandPeople(b *testing.B) {
	for name, open := range map[string]func(b *testing.B) *store.Store{
		"sqlite":   func(b *testing.B) *store.Store { return storetest.OpenSQLite(b) },
		"postgres": func(b *testing.B) *store.Store { return storetest.Open(b, storetest.Postgres(b)) },
	} {
		b.Run(name, func(b *testing.B) {
			s := open(b)
			box, err := seal.New([]byte(strings.Repeat("k", 32)))
			if err != nil {
				b.Fatal(err)
			}
			steps := assess.New(assess.Options{Store: s, Box: box, Instrument: instrument.Own(), BaseURL: "https://typus.example.com"})
			ways := access.New(access.Options{Store: s, Box: box, Instrument: instrument.Own(), BaseURL: "https://typus.example.com"})
			for b.Loop() {
				b.StopTimer()
				account, err := ways.CreateAccount(b.Context(), typus.Account{Name: "Muster GmbH"}, 10)
				if err != nil {
					b.Fatal(err)
				}
				id, err := steps.AddImport(b.Context(), store.WholeAccount(account), typus.Import{SendEmail: true}, nil, ada)
				if err == nil {
					err = steps.PreviewImport(b.Context(), store.WholeAccount(account), id, assess.List{Rows: people(10_000)})
				}
				if err == nil {
					err = steps.StartImport(b.Context(), store.WholeAccount(account), id, ada)
				}
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if err := steps.RunImports(b.Context(), "a"); err != nil {
					b.Fatal(err)
				}
				if i, err := s.Import(b.Context(), account, id); err != nil || i.Invited() != 10_000 {
					b.Fatalf("%+v, %v", i, err)
				}
			}
		})
	}
}

// A row whose invitation nobody has confirmed is looked at again; it says itself
// whether it was invited.
func TestARowWithoutAnAnswerIsNotSaidToHaveFailed(t *testing.T) {
	cut := dbtest.CutAtCommit(t, storetest.Postgres(t), true)
	w := newWorld(t, storetest.Open(t, cut.DSN))
	id := w.started(people(3))
	var once sync.Once
	steps := w.withClock(func() { once.Do(cut.TwoCuts) }) // the batch, and its first row by itself
	_ = steps.RunImports(w.Ctx, "a")                      // which may leave something for later
	if err := w.Assess.RunImports(w.Ctx, "a"); err != nil {
		t.Fatal(err)
	}
	for _, r := range w.rowsOf(id) {
		if r.State != typus.RowInvited {
			t.Errorf("row %d is %s (%v)", r.N, r.State, r.Reasons)
		}
	}
	if n := w.everybody(); n != 3 {
		t.Errorf("%d people are invited", n)
	}
}
