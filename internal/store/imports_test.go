package store_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func newImport(t testing.TB, s *store.Store, account int64, rows []typus.ImportRow) int64 {
	t.Helper()
	var id int64
	write(t, s, func(tx *store.Tx) error {
		var err error
		id, err = tx.AddImport(t.Context(), typus.Import{
			AccountID: account, UserID: 3, Actor: "ada@example.com", FileName: "Liste „März“.csv", Language: "de", RoleProfile: "hunter", SendEmail: true,
			CreatedAt: noon, DropAt: noon.AddDate(0, 0, 7),
		}, []byte("Name;E-Mail\x00"))
		if err != nil || rows == nil {
			return err
		}
		return tx.ReplaceImportRows(t.Context(), typus.Import{ID: id, AccountID: account, Total: len(rows), Blank: 1, Valid: len(rows), LeftOut: []string{"Ort", "CRM-Nr"}}, rows)
	})
	return id
}

func ready(n int) []typus.ImportRow {
	var rows []typus.ImportRow
	for i := range n {
		rows = append(rows, typus.ImportRow{N: i + 2, Name: fmt.Sprint("Kim ", i), Email: fmt.Sprintf("kim%d@example.com", i), State: typus.RowReady})
	}
	return rows
}

func startImport(t testing.TB, s *store.Store, account, id int64) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error {
		started, err := tx.StartImport(t.Context(), account, id, noon)
		if err == nil && !started {
			err = fmt.Errorf("import %d was not to be started", id)
		}
		return err
	})
}

func TestAnImportIsReadBackWithItsFileAndRows(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		rows := ready(120)
		rows[7] = typus.ImportRow{N: 9, Name: "<b>", Email: "x", ExternalID: "7", Language: "fr", State: typus.RowFaulty, Reasons: []string{"email_invalid", "language_invalid"}}
		rows[8] = typus.ImportRow{N: 10, Name: "Kim", Email: "k@example.com", State: typus.RowDuplicate, Reasons: []string{"open"}, CandidateID: 5}
		id := newImport(t, s, account, rows)
		got := must[typus.Import](t)(s.Import(t.Context(), account, id))
		want := typus.Import{
			ID: id, AccountID: account, UserID: 3, Actor: "ada@example.com", FileName: "Liste „März“.csv", Language: "de", RoleProfile: "hunter", SendEmail: true,
			State: typus.ImportPreview, Total: 120, Blank: 1, Valid: 120, LeftOut: []string{"Ort", "CRM-Nr"}, CreatedAt: noon, DropAt: noon.AddDate(0, 0, 7),
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
		if file := must[[]byte](t)(s.ImportSource(t.Context(), store.WholeAccount(account), id)); string(file) != "Name;E-Mail\x00" {
			t.Errorf("the file is %q", file)
		}
		var read []typus.ImportRow
		for after := 0; ; after = read[len(read)-1].N {
			page := must[[]typus.ImportRow](t)(s.ImportRows(t.Context(), account, id, "", after, 50))
			if len(page) == 0 {
				break
			}
			read = append(read, page...)
		}
		if len(read) != len(rows) || fmt.Sprint(read) != fmt.Sprint(rows) {
			t.Errorf("read %v", read)
		}
		if faulty := must[[]typus.ImportRow](t)(s.ImportRows(t.Context(), account, id, typus.RowFaulty, 0, 50)); len(faulty) != 1 || faulty[0].N != 9 {
			t.Errorf("faulty rows: %v", faulty)
		}
		same, counts, err := s.ImportAndCounts(t.Context(), store.WholeAccount(account), id)
		if err != nil || !reflect.DeepEqual(same, want) || len(counts) != 3 || counts[typus.RowReady] != 118 || counts[typus.RowFaulty] != 1 || counts[typus.RowDuplicate] != 1 {
			t.Errorf("%+v, counts %v, %v", same, counts, err)
		}
		_, err = s.Import(t.Context(), other, id)
		hasKind(t, "another account's import", err, typus.NotFound)
		_, err = s.ImportSource(t.Context(), store.WholeAccount(other), id)
		hasKind(t, "another account's file", err, typus.NotFound)
		if rows := must[[]typus.ImportRow](t)(s.ImportRows(t.Context(), other, id, "", 0, 50)); len(rows) > 0 {
			t.Errorf("another account sees %d rows", len(rows))
		}
		_, counts, err = s.ImportAndCounts(t.Context(), store.WholeAccount(other), id)
		hasKind(t, "another account's counts", err, typus.NotFound)
		if len(counts) > 0 {
			t.Errorf("another account sees the counts %v", counts)
		}
		err = s.InTx(t.Context(), func(tx *store.Tx) error {
			return tx.ReplaceImportRows(t.Context(), typus.Import{ID: id, AccountID: other}, nil)
		})
		hasKind(t, "replacing another account's rows", err, typus.NotFound)
	})
}

func TestAConfirmedImportLetsGoOfTheFileAndKeepsItsRows(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newImport(t, s, account, ready(3))
		startImport(t, s, account, id)
		_, err := s.ImportSource(t.Context(), store.WholeAccount(account), id)
		hasKind(t, "the file", err, typus.NotFound)
		err = s.InTx(t.Context(), func(tx *store.Tx) error {
			return tx.ReplaceImportRows(t.Context(), typus.Import{ID: id, AccountID: account}, nil)
		})
		hasKind(t, "replacing rows of a running import", err, typus.Conflict)
		write(t, s, func(tx *store.Tx) error {
			if started, err := tx.StartImport(t.Context(), account, id, noon); started || err != nil {
				t.Errorf("started twice: %v, %v", started, err)
			}
			return nil
		})
		if i := must[typus.Import](t)(s.Import(t.Context(), account, id)); i.State != typus.ImportRunning || !i.DropAt.IsZero() || i.StartedAt != noon {
			t.Errorf("import %+v", i)
		}
	})
}

func TestAnImportIsWorkedOnByOneUntilItsLeaseRunsOut(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newImport(t, s, account, ready(3))
		claim := func(owner string, lease time.Duration) bool {
			_, found, err := s.ClaimImport(t.Context(), owner, lease)
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		hold := func(owner string) bool {
			var mine bool
			write(t, s, func(tx *store.Tx) error {
				var err error
				mine, err = tx.HoldImport(t.Context(), owner, account, id, time.Minute)
				return err
			})
			return mine
		}
		if claim("a", time.Minute) {
			t.Error("a preview was claimed")
		}
		startImport(t, s, account, id)
		if !must[bool](t)(s.ImportWaits(t.Context(), time.Minute)) || !claim("a", time.Minute) || claim("b", time.Minute) || must[bool](t)(s.ImportWaits(t.Context(), time.Minute)) {
			t.Error("a running import is claimed by the first and by nobody else")
		}
		if !hold("a") || hold("b") {
			t.Error("only the one who has it holds it")
		}
		if err := s.ReleaseImports(t.Context(), "a"); err != nil || !claim("b", -time.Second) || hold("a") {
			t.Errorf("given back, it is the next one's (%v)", err)
		}
		if !claim("c", time.Minute) {
			t.Error("a lease that has run out is nobody's")
		}
		write(t, s, func(tx *store.Tx) error {
			ended, err := tx.EndImport(t.Context(), account, id, typus.ImportCancelled, noon, noon.AddDate(0, 0, 30))
			if err == nil && !ended {
				t.Error("not cancelled")
			}
			return err
		})
		if hold("c") || claim("d", time.Minute) {
			t.Error("a cancelled import can neither be held nor claimed")
		}
	})
}

func TestOutcomesOfRowsAreStoredAndCounted(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newImport(t, s, account, ready(120))
		bystander := newImport(t, s, account, ready(120))
		startImport(t, s, account, id)
		rows := ready(119)
		for n := range rows {
			rows[n].State, rows[n].CandidateID = typus.RowInvited, int64(n+1)
		}
		rows[60].State, rows[60].Reasons, rows[60].CandidateID = typus.RowFailed, []string{"credits"}, 0
		write(t, s, func(tx *store.Tx) error { return tx.SettleImportRows(t.Context(), account, id, rows) })
		got := must[[]typus.ImportRow](t)(s.ImportRows(t.Context(), account, id, "", 0, 200))
		if fmt.Sprint(got[:119]) != fmt.Sprint(rows) || got[119].State != typus.RowReady {
			t.Errorf("rows %v", got)
		}
		if i := must[typus.Import](t)(s.Import(t.Context(), account, id)); i.Done != 119 || i.Failed != 1 || i.Invited() != 118 {
			t.Errorf("import %+v", i)
		}
		if _, c, err := s.ImportAndCounts(t.Context(), store.WholeAccount(account), bystander); err != nil || c[typus.RowReady] != 120 {
			t.Errorf("another import's rows: %v, %v", c, err)
		}
	})
}

func TestRowsGoWhenTheirTimeHasCome(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		abandoned, kept, ended := newImport(t, s, account, ready(3)), newImport(t, s, account, ready(3)), newImport(t, s, account, ready(700))
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.EndImport(t.Context(), account, ended, typus.ImportDone, noon, noon.AddDate(0, 0, 6))
			return err
		})
		startImport(t, s, account, kept)
		for more := true; more; {
			write(t, s, func(tx *store.Tx) error {
				var err error
				more, err = tx.DropImportRows(t.Context(), noon.AddDate(0, 0, 7))
				return err
			})
		}
		for id, rows := range map[int64]int{abandoned: 0, kept: 3, ended: 0} {
			if got := must[[]typus.ImportRow](t)(s.ImportRows(t.Context(), account, id, "", 0, 1000)); len(got) != rows {
				t.Errorf("import %d keeps %d rows, want %d", id, len(got), rows)
			}
		}
		i := must[typus.Import](t)(s.Import(t.Context(), account, abandoned))
		if i.State != typus.ImportCancelled || i.FileName != "" || !i.DropAt.IsZero() {
			t.Errorf("what nobody confirmed: %+v", i)
		}
		if i := must[typus.Import](t)(s.Import(t.Context(), account, ended)); i.State != typus.ImportDone {
			t.Errorf("what was done: %+v", i)
		}
		_, err := s.ImportSource(t.Context(), store.WholeAccount(account), abandoned)
		hasKind(t, "the file", err, typus.NotFound)
	})
}

// Rows go in parts; what has lost some must not be worked off any more.
func TestAnImportWhoseRowsAreGoingCannotBeStarted(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		late, dropped := newImport(t, s, account, ready(3)), newImport(t, s, account, ready(600))
		due := noon.AddDate(0, 0, 7)
		start := func(id int64, at time.Time) bool {
			var started bool
			write(t, s, func(tx *store.Tx) error {
				var err error
				started, err = tx.StartImport(t.Context(), account, id, at)
				return err
			})
			return started
		}
		if start(late, due) {
			t.Error("an import was started whose time had come")
		}
		write(t, s, func(tx *store.Tx) error {
			if _, err := tx.EndImport(t.Context(), account, late, typus.ImportCancelled, noon, due.Add(time.Second)); err != nil {
				return err
			}
			more, err := tx.DropImportRows(t.Context(), due)
			if !more {
				t.Error("nothing was dropped")
			}
			return err
		})
		if got := must[[]typus.ImportRow](t)(s.ImportRows(t.Context(), account, dropped, "", 0, 1000)); len(got) != 100 {
			t.Fatalf("%d rows are left, want 100", len(got))
		}
		if i := must[typus.Import](t)(s.Import(t.Context(), account, dropped)); i.State != typus.ImportCancelled || start(dropped, noon) {
			t.Errorf("it can still be started: %+v", i)
		}
	})
}

// Whoever comes first has the import; the other leaves it alone.
func TestStartingAnImportAndDroppingItDoNotMeet(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newImport(t, s, account, ready(3))
		started, dropped := make(chan struct{}), make(chan error, 1)
		go func() {
			<-started
			dropped <- s.InTx(t.Context(), func(tx *store.Tx) error {
				_, err := tx.DropImportRows(t.Context(), noon.AddDate(0, 0, 8))
				return err
			})
		}()
		var first error
		write(t, s, func(tx *store.Tx) error {
			begun, err := tx.StartImport(t.Context(), account, id, noon)
			if err != nil || !begun {
				return fmt.Errorf("started %v: %w", begun, err)
			}
			close(started)
			if s.Dialect() == "postgres" {
				first = <-dropped // SQLite lets only one write at a time
			}
			return nil
		})
		if s.Dialect() == "sqlite" {
			first = <-dropped
		}
		if first != nil {
			t.Fatal(first)
		}
		if got := must[[]typus.ImportRow](t)(s.ImportRows(t.Context(), account, id, "", 0, 10)); len(got) != 3 {
			t.Errorf("%d rows are left of what runs", len(got))
		}
	})
}

func TestAnAddressIsFoundWhileItsLinkWorksAlsoIfThePersonDeclined(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		with := func(account int64, email string) int64 {
			return newCandidate(t, s, account, func(c *store.NewCandidate) { c.Email = email })
		}
		open := with(account, "Open@Example.com")
		twice := with(account, "twice@example.com")
		twice = max(twice, with(account, "TWICE@example.com"))
		far := with(account, "Ina.INGRID@MÜLLER.example.com")
		done, gone := with(account, "done@example.com"), with(account, "gone@example.com")
		begin(t, s, account, done)
		finish(t, s, account, done, noon)
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.CancelCandidate(t.Context(), account, gone, noon)
			return err
		})
		no := with(account, "no@example.com")
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.DeclineCandidate(t.Context(), account, no, noon)
			return err
		})
		with(other, "theirs@example.com")
		asked := []string{"no@example.com", "oPEN@example.com", "twice@example.com", "done@example.com", "gone@example.com", "theirs@example.com", "nobody@example.com", "broken\x00", "INA.Ingrid@müller.example.com"}
		got := must[map[string]int64](t)(s.OpenByEmail(t.Context(), account, 0, asked, noon))
		if want := map[string]int64{"no@example.com": no, "open@example.com": open, "twice@example.com": twice, "ina.ingrid@xn--mller-kva.example.com": far}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got := must[map[string]int64](t)(s.OpenByEmail(t.Context(), account, 0, asked, noon.AddDate(0, 0, 30))); len(got) > 0 {
			t.Errorf("after the end of the invitations: %v", got)
		}
		_, err := s.OpenByEmail(t.Context(), account, 0, slices.Repeat([]string{"a@example.com"}, 101), noon)
		hasKind(t, "101 addresses", err, typus.Invalid)
	})
}

func TestAFormIsSentOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		send := func(account int64, candidate int64) bool {
			var first bool
			write(t, s, func(tx *store.Tx) error {
				var err error
				if first, err = tx.ClaimForm(t.Context(), account, "f", noon); err != nil || !first {
					return err
				}
				return tx.SettleForm(t.Context(), account, "f", candidate)
			})
			return first
		}
		if !send(account, 7) || send(account, 8) || !send(other, 9) {
			t.Error("the same form of an account counts once")
		}
		if id, sent, err := s.SentForm(t.Context(), account, "f"); id != 7 || !sent || err != nil {
			t.Errorf("the form brought %d, %v, %v", id, sent, err)
		}
		if _, sent, _ := s.SentForm(t.Context(), account, "g"); sent {
			t.Error("an unsent form was found")
		}
		write(t, s, func(tx *store.Tx) error {
			if n, err := tx.DropSentForms(t.Context(), noon.Add(time.Second)); n != 2 || err != nil {
				t.Errorf("dropped %d, %v", n, err)
			}
			return nil
		})
	})
}

func TestTheLedgerIsReadPageByPageAndShowsItsPace(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		grant(t, s, account, 10)
		grant(t, s, other, 10)
		for range 5 {
			id := newCandidate(t, s, account, nil)
			write(t, s, func(tx *store.Tx) error {
				_, err := tx.BookCredit(t.Context(), completion(account, id))
				return err
			})
		}
		var balances []int64
		for before := int64(0); ; {
			page := must[[]store.LedgerRow](t)(s.Ledger(t.Context(), store.WholeAccount(account), before, 4))
			if len(page) == 0 {
				break
			}
			for _, e := range page {
				balances, before = append(balances, e.BalanceAfter), e.ID
			}
		}
		if want := []int64{5, 6, 7, 8, 9, 10}; !slices.Equal(balances, want) {
			t.Errorf("balances %v, want %v", balances, want)
		}
		for since, want := range map[time.Time]int{noon: 5, noon.Add(time.Millisecond): 0} {
			o, err := s.CreditOutlook(t.Context(), account, noon, since)
			if o.Finished != want || err != nil || (want > 0) != o.First.Equal(noon) || o.LastGrant != 10 {
				t.Errorf("since %v: %+v (%v), want %d", since, o, err, want)
			}
		}
		for at, want := range map[time.Time]int{noon: 5, noon.AddDate(0, 0, 30): 0} {
			if o := must[store.CreditOutlook](t)(s.CreditOutlook(t.Context(), account, at, noon)); o.Open != want {
				t.Errorf("%d open invitations at %v, want %d", o.Open, at, want)
			}
		}
		if o := must[store.CreditOutlook](t)(s.CreditOutlook(t.Context(), newAccount(t, s), noon, noon)); o != (store.CreditOutlook{}) {
			t.Errorf("an account in which nothing happened: %+v", o)
		}
	})
}
