package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// canaries are words that must be nowhere once their candidate is erased.
var canaries = []string{"kanarienname", "kanarienmail", "kanarienref", "kanarientoken", "kanarientag", "kanariennotiz", "kanarienantwort", "kanarienergebnis",
	"kanarienrolle", "kanarienpayload", "kanarienkopf", "kanarienkörper", "kanarienfehler", "kanarienbogen", "kanarienzeile",
	"kanarienbewertung", "kanarienabsage", "kanarienwiderspruch", "kanarienschreiberin", "kanarienfreigabe", "kanariencode", "kanarienbitte", "kanarienantwortende", "kanarienverfahren"}

// filled is a finished candidate of whom every table holds something.
func filled(t *testing.T, s *store.Store, account, user int64) (id int64, delivery string) {
	t.Helper()
	newEndpoint(t, s, account)
	id = newCandidate(t, s, account, func(c *store.NewCandidate) {
		c.Name, c.Email, c.ExternalID, c.OpenRef, c.TokenHash, c.SealedToken =
			"Kim Kanarienname", "kanarienmail@example.com", "kanarienref", unique("ref"), "kanarientoken"+unique(""), []byte("kanarientoken")
	})
	begin(t, s, account, id)
	event := unique("evt_")
	write(t, s, func(tx *store.Tx) error {
		sc := scores()
		sc.Persona.Name = "kanarienergebnis"
		_, err := tx.FinishCandidate(t.Context(), account, id, sc, noon)
		for _, do := range []func() error{
			func() error { return tx.TagCandidate(t.Context(), store.WholeAccount(account), id, "kanarientag") },
			func() error {
				_, err := tx.AddNote(t.Context(), typus.Note{AccountID: account, CandidateID: id, UserID: user, Body: "kanariennotiz", CreatedAt: noon})
				return err
			},
			func() error {
				_, err := tx.AddResult(t.Context(), account, store.Result{CandidateID: id, Scores: []byte("kanarienergebnis"), Answers: []byte("kanarienantwort"),
					RoleSnapshot: []byte("kanarienrolle"), CreatedAt: noon})
				return err
			},
			func() error {
				return tx.SaveSheet(t.Context(), account, id, store.Sheet{Body: []byte("kanarienbogen"), Ages: []byte("kanarienalter"), SavedAt: noon})
			},
			func() error {
				return tx.PutRating(t.Context(), id, store.Rating{UserID: user, Question: "co2", Note: "kanarienbewertung", SavedAt: noon})
			},
			func() error {
				_, err := tx.AddDecision(t.Context(), typus.Decision{CandidateID: id, UserID: user, Stage: typus.StageRejection, Text: "kanarienabsage", CreatedAt: noon})
				return err
			},
			func() error {
				_, err := tx.AddComment(t.Context(), typus.Comment{CandidateID: id, UserID: user, Author: "kanarienschreiberin", Text: "kanarienwiderspruch", CreatedAt: noon})
				return err
			},
			func() error { return tx.SetKeep(t.Context(), account, id, noon, "kanarienverfahren") },
			func() error {
				_, err := tx.ReleaseOwn(t.Context(), id, noon, "kanarienfreigabe")
				return err
			},
			func() error { return tx.SetOwnCode(t.Context(), id, typus.OwnCode{Hash: "kanariencode", MadeAt: noon}) },
			func() error {
				return tx.ChangeAddress(t.Context(), typus.Candidate{ID: id, Email: "kanarienadresse@example.com"}, "neu@example.com")
			},
			func() error {
				q := typus.Request{AccountID: account, CandidateID: id, Kind: typus.RequestErasure, Text: "kanarienbitte", CreatedAt: noon}
				var err error
				if q.ID, err = tx.AddRequest(t.Context(), q); err != nil {
					return err
				}
				q.Answer, q.AnsweredBy, q.AnsweredAt = "kanarienantwort", "kanarienantwortende", noon
				_, err = tx.AnswerRequest(t.Context(), q)
				return err
			},
			func() error {
				_, err := tx.BookCredit(t.Context(), completion(account, id))
				return err
			},
			func() error {
				_, err := tx.AddLetter(t.Context(), typus.Letter{AccountID: account, CandidateID: id, Kind: typus.LetterInvitation, To: "kanarienmail@example.com", CreatedAt: noon})
				return err
			},
			func() error {
				return tx.AddAudit(t.Context(), typus.AuditEntry{AccountID: account, CandidateID: id, Actor: "x", Action: "candidate.cancelled", CreatedAt: noon})
			},
			func() error {
				_, err := tx.AddEvent(t.Context(), typus.Event{ID: event, AccountID: account, Type: typus.EventCandidateCompleted, CandidateID: id, OccurredAt: noon,
					Payload: []byte("kanarienpayload")}, func() string { delivery = unique("dlv_"); return delivery })
				return err
			},
			func() error {
				return tx.Exec(t.Context(), fmt.Sprintf(`insert into webhook_attempts (delivery_id, n, started_at, url, response_head, response_body, outcome)
					values ('%s', 1, 0, '', 'kanarienkopf', cast('kanarienkörper' as %s), 'failed')`, delivery, byteType(s)))
			},
			func() error {
				return tx.Exec(t.Context(), fmt.Sprintf(`update letters set last_error = 'kanarienfehler' where candidate_id = %d`, id))
			},
			func() error {
				return tx.Exec(t.Context(), fmt.Sprintf(`insert into imports (account_id, user_id, actor, file_name, language, role_profile, send_email, state, total, valid, created_at)
					values (%d, %d, '', '', '', '', 0, 'done', 1, 1, 0)`, account, user))
			},
			func() error {
				return tx.Exec(t.Context(), fmt.Sprintf(`insert into import_rows (import_id, n, name, email, external_id, language, state, candidate_id)
					select max(id), 2, 'kanarienzeile', 'kanarienmail', 'kanarienref', '', 'invited', %d from imports`, id))
			},
		} {
			if err != nil {
				return err
			}
			err = do()
		}
		return err
	})
	return id, delivery
}

// dump is every column of every row of every table as text.
func dump(t *testing.T, s *store.Store) string {
	t.Helper()
	var all strings.Builder
	for _, table := range tables(t, s) {
		for _, row := range rows(t, s, "select * from "+table) {
			for part := range strings.SplitSeq(row, "|") {
				all.WriteString(readable(part) + "\n")
			}
		}
	}
	return strings.ToLower(all.String())
}

// readable turns the list of bytes that a blob is printed as into its text.
func readable(printed string) string {
	inside, isList := strings.CutPrefix(printed, "[")
	if !isList {
		return printed
	}
	var text []byte
	for _, number := range strings.Fields(strings.TrimSuffix(inside, "]")) {
		var b byte
		if _, err := fmt.Sscan(number, &b); err != nil {
			return printed
		}
		text = append(text, b)
	}
	return string(text)
}

func tables(t *testing.T, s *store.Store) []string {
	t.Helper()
	if s.Dialect() == "sqlite" {
		return rows(t, s, `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`)
	}
	return rows(t, s, `select cast(tablename as text) from pg_tables where schemaname = current_schema`)
}

func TestNothingIsLeftOfAnErasedCandidate(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		var user int64
		write(t, s, func(tx *store.Tx) error {
			var err error
			user, err = tx.AddUser(t.Context(), typus.User{AccountID: account, Email: unique("ada") + "@example.com", Role: typus.RoleOwner, CreatedAt: noon}, "")
			return err
		})
		id, delivery := filled(t, s, account, user)
		before := dump(t, s)
		for _, c := range canaries {
			// What is packed cannot be read in a dump.
			if !strings.Contains(before, c) && !slices.Contains([]string{"kanarienantwort", "kanarienrolle"}, c) {
				t.Errorf("%s is nowhere before", c)
			}
		}
		write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, id, noon) })
		after := dump(t, s)
		for _, c := range canaries {
			if strings.Contains(after, c) {
				t.Errorf("%s is still there", c)
			}
		}
		gone(t, s, account, id)
		for _, d := range must[[]typus.Delivery](t)(s.DeliveriesOf(t.Context(), account, must[typus.Event](t)(s.EventOf(t.Context(), account, id, typus.EventCandidateCompleted)).ID)) {
			if d.ID == delivery && d.State != typus.DeliveryCancelled {
				t.Errorf("the delivery is %s", d.State)
			}
		}
		if l := must[[]typus.Letter](t)(s.LettersOf(t.Context(), account, id)); len(l) != 1 || l[0].State != typus.LetterFailed {
			t.Errorf("the letters are %+v", l)
		}
		entries := must[[]typus.CreditEntry](t)(s.CreditEntries(t.Context(), account, 10))
		if !slices.ContainsFunc(entries, func(e typus.CreditEntry) bool { return e.CandidateID == id && e.Delta == -1 }) {
			t.Error("the ledger entry is gone")
		}
	})
}

// gone fails if a read still finds a candidate.
func gone(t *testing.T, s *store.Store, account, id int64) {
	t.Helper()
	_, err := s.Candidate(t.Context(), account, id)
	hasKind(t, "by id", err, typus.NotFound)
	_, _, err = s.CandidateByRef(t.Context(), account, fmt.Sprint(id), store.ByEither, store.AnyPosition)
	hasKind(t, "by reference", err, typus.NotFound)
	_, _, err = s.CandidateByRef(t.Context(), account, "kanarienref", store.ByEither, store.AnyPosition)
	hasKind(t, "by external_id", err, typus.NotFound)
	_, err = s.CandidateByToken(t.Context(), fmt.Sprint("erased ", id))
	hasKind(t, "by token", err, typus.NotFound)
	err = s.InTx(t.Context(), func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, id, noon) })
	hasKind(t, "erasing again", err, typus.NotFound)
	for _, f := range filters() {
		f.ExternalID, f.After = "", store.Cursor{}
		if list, _, err := s.Candidates(t.Context(), account, f); err != nil || len(list) > 0 {
			t.Errorf("%+v lists %d, %v", f, len(list), err)
		}
	}
	for _, q := range append(queries(), store.CandidateQuery{Search: "kanarienname"}) {
		if page, err := s.CandidatePage(t.Context(), store.WholeAccount(account), q); err != nil || page.Counts.All.N > 0 || len(page.Rows) > 0 {
			t.Errorf("%+v counts %+v and lists %d, %v", q, page.Counts, len(page.Rows), err)
		}
		if page, err := s.WalkedPage(t.Context(), store.WholeAccount(account), q); err != nil || len(page.Rows) > 0 {
			t.Errorf("%+v comes upon %d, %v", q, len(page.Rows), err)
		}
	}
	if list := must[[]store.CandidateRow](t)(s.CandidateRowsOf(t.Context(), store.WholeAccount(account), []int64{id})); len(list) > 0 {
		t.Error("it is still a row")
	}
}

// Whoever adds a table about candidates decides what erasing one does to it.
func TestErasingKnowsEveryTableAboutCandidates(t *testing.T) {
	s := storetest.OpenSQLite(t)
	known := map[string]string{
		"candidate_tags": "deleted", "interviews": "deleted", "decisions": "deleted", "comments": "deleted", "own_results": "deleted", "requests": "deleted", "ratings": "deleted", "candidate_words": "deleted", "notes": "deleted", "results": "deleted", "sheets": "deleted", "world_acts": "deleted",
		"kept_letters": "deleted", "import_rows": "emptied", "letters": "emptied", "webhook_events": "emptied",
		"credit_ledger":    "kept: the account's book, which names nobody",
		"audit_log":        "kept: who did what, without the candidate's name",
		"enrolments":       "deleted",
		"idempotency_keys": "emptied: the hash of the key stays taken",
	}
	for _, table := range tables(t, s) {
		for _, column := range rows(t, s, "select name from pragma_table_info('"+table+"')") {
			if column == "candidate_id" && known[table] == "" {
				t.Errorf("erasing a candidate says nothing about %s", table)
			}
		}
	}
}

func TestNobodyErasesTheCandidateOfAnother(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		err := s.InTx(t.Context(), func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), other, id, noon) })
		hasKind(t, "erasing", err, typus.NotFound)
		must[typus.Candidate](t)(s.Candidate(t.Context(), account, id))
	})
}

func TestNotesAndTagsBelongToOneAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		var note int64
		write(t, s, func(tx *store.Tx) error {
			var err error
			if note, err = tx.AddNote(t.Context(), typus.Note{AccountID: account, CandidateID: id, UserID: 5, Author: "a@example.com", Body: "Zeile\nZeile", CreatedAt: noon}); err != nil {
				return err
			}
			return tx.TagCandidate(t.Context(), store.WholeAccount(account), id, "Messe")
		})
		for what, do := range map[string]func(tx *store.Tx) error{
			"a note": func(tx *store.Tx) error {
				_, err := tx.AddNote(t.Context(), typus.Note{AccountID: other, CandidateID: id})
				return err
			},
			"a tag":              func(tx *store.Tx) error { return tx.TagCandidate(t.Context(), store.WholeAccount(other), id, "x") },
			"dropping a note":    func(tx *store.Tx) error { return tx.DropNote(t.Context(), other, id, note, 5) },
			"a colleague's note": func(tx *store.Tx) error { return tx.DropNote(t.Context(), account, id, note, 6) },
		} {
			hasKind(t, what, s.InTx(t.Context(), do), typus.NotFound)
		}
		write(t, s, func(tx *store.Tx) error {
			return tx.UntagCandidate(t.Context(), store.WholeAccount(other), id, "Messe")
		})
		if n := must[[]typus.Note](t)(s.NotesOf(t.Context(), store.WholeAccount(other), id)); len(n) != 0 {
			t.Error("another account reads the notes")
		}
		if tags := must[[]string](t)(s.TagsOf(t.Context(), other, id)); len(tags) != 0 {
			t.Error("another account reads the tags")
		}
		notes := must[[]typus.Note](t)(s.NotesOf(t.Context(), store.WholeAccount(account), id))
		if len(notes) != 1 || notes[0].Body != "Zeile\nZeile" || !notes[0].CreatedAt.Equal(noon) || notes[0].UserID != 5 {
			t.Errorf("the notes are %+v", notes)
		}
		if tags := must[[]string](t)(s.TagsOf(t.Context(), account, id)); !slices.Equal(tags, []string{"Messe"}) {
			t.Errorf("the tags are %q", tags)
		}
		write(t, s, func(tx *store.Tx) error { return tx.DropNote(t.Context(), account, id, note, 5) })
	})
}

// Lists name people of whom nothing else is known, or no longer.
func TestAnErasedPersonIsInNoListOfTheAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		erased := newCandidate(t, s, account, func(c *store.NewCandidate) { c.Name, c.Email = "Kim", "Kim@example.com" })
		again := newCandidate(t, s, account, func(c *store.NewCandidate) { c.Name, c.Email = "Kim", "kim@example.com" })
		lines := []typus.ImportRow{
			{N: 2, Name: "Kim", Email: "kim@EXAMPLE.com", ExternalID: "crm-1", State: typus.RowDuplicate, Reasons: []string{"row 1"}},
			{N: 3, Name: "Kim", Email: "kim@example.com", State: typus.RowInvited, CandidateID: again},
			{N: 4, Name: "Jana", Email: "jana@example.com", State: typus.RowReady},
		}
		preview, theirs := newImport(t, s, account, lines), newImport(t, s, other, lines[:1])
		mapping := newImport(t, s, account, nil)
		var key int64
		write(t, s, func(tx *store.Tx) error {
			var err error
			if key, err = tx.AddAPIKey(t.Context(), typus.APIKey{AccountID: account, Hash: unique("hash"), CreatedAt: noon}); err != nil {
				return err
			}
			for name, candidate := range map[string]int64{"a": erased, "b": again} {
				if _, err := tx.ClaimIdempotencyKey(t.Context(), key, name, "sha", noon); err != nil {
					return err
				}
				if err := tx.StoreAnswer(t.Context(), key, name, store.StoredAnswer{RequestSHA256: "sha", CandidateID: candidate}); err != nil {
					return err
				}
			}
			return tx.EraseCandidate(t.Context(), account, erased, noon)
		})
		got := must[[]typus.ImportRow](t)(s.ImportRows(t.Context(), account, preview, "", 0, 10))
		if len(got) != 3 || got[0].Name+got[0].Email+got[0].ExternalID != "" || got[1].Email != "kim@example.com" || got[2].Email != "jana@example.com" {
			t.Errorf("the rows are %+v", got)
		}
		if got := must[[]typus.ImportRow](t)(s.ImportRows(t.Context(), other, theirs, "", 0, 10)); got[0].Name != "Kim" {
			t.Errorf("another account lost %+v", got)
		}
		for _, id := range []int64{preview, mapping} {
			_, err := s.ImportSource(t.Context(), store.WholeAccount(account), id)
			hasKind(t, "the file", err, typus.NotFound)
		}
		must[[]byte](t)(s.ImportSource(t.Context(), store.WholeAccount(other), theirs))
		if i := must[typus.Import](t)(s.Import(t.Context(), account, preview)); i.State != typus.ImportPreview {
			t.Errorf("what can still be confirmed is %+v", i)
		}
		if i := must[typus.Import](t)(s.Import(t.Context(), account, mapping)); i.State != typus.ImportCancelled || i.FinishedAt != noon || i.DropAt != noon {
			t.Errorf("what was nothing but its file is %+v", i)
		}
		left := rows(t, s, "select candidate_id, status, request_sha256, created_at from idempotency_keys order by candidate_id")
		if want := []string{fmt.Sprintf("0|410||%d", noon.UnixMilli()), fmt.Sprintf("%d|201|sha|%d", again, noon.UnixMilli())}; !slices.Equal(left, want) {
			t.Errorf("of the keys is left %q, want %q", left, want)
		}
	})
}

// A correction leaves the former address in lists: where it was written twice, and in a
// list that waits to be confirmed.
func TestAnErasedPersonIsInNoListUnderAFormerAddress(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		listed := newCandidate(t, s, account, func(c *store.NewCandidate) { c.Name, c.Email = "Kim", "Kmi@example.com" })
		written := newCandidate(t, s, account, func(c *store.NewCandidate) { c.Name, c.Email = "Ada", "aad@example.com" })
		done := newImport(t, s, account, []typus.ImportRow{
			{N: 2, Name: "Kim", Email: "Kmi@example.com", State: typus.RowInvited, CandidateID: listed},
			{N: 3, Name: "Kim", Email: "kmi@example.com", State: typus.RowDuplicate, Reasons: []string{"row 2"}},
		})
		waiting := newImport(t, s, account, []typus.ImportRow{
			{N: 2, Name: "Ada", Email: "aad@example.com", State: typus.RowReady},
			{N: 3, Name: "Jana", Email: "jana@example.com", State: typus.RowReady},
		})
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.AddLetter(t.Context(), typus.Letter{AccountID: account, CandidateID: written, Kind: typus.LetterInvitation, To: "aad@example.com", CreatedAt: noon})
			return err
		})
		for id, email := range map[int64]string{listed: "kim@example.com", written: "ada@example.com"} {
			write(t, s, func(tx *store.Tx) error { return tx.CorrectCandidate(t.Context(), account, id, "Richtig", email, "") })
			write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, id, noon) })
		}
		var left []string
		for _, id := range []int64{done, waiting} {
			for _, row := range must[[]typus.ImportRow](t)(s.ImportRows(t.Context(), account, id, "", 0, 10)) {
				left = append(left, row.Name+row.Email)
			}
		}
		if want := []string{"", "", "", "Janajana@example.com"}; !slices.Equal(left, want) {
			t.Errorf("the lists name %q, want %q", left, want)
		}
	})
}

func TestOldLettersToAnAccountsPeopleNameNobody(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		candidate := newCandidate(t, s, account, nil)
		var ids []int64
		write(t, s, func(tx *store.Tx) error {
			for _, l := range []typus.Letter{
				{CreatedAt: noon, Detail: []byte("token")}, {CreatedAt: noon, CandidateID: candidate}, {CreatedAt: noon.AddDate(0, 0, 1)},
			} {
				l.AccountID, l.Kind, l.To = account, typus.LetterPasswordReset, "ada@example.com"
				id, err := tx.AddLetter(t.Context(), l)
				if err != nil {
					return err
				}
				ids = append(ids, id)
			}
			for _, want := range []int{1, 0} {
				if n, err := tx.ForgetRecipients(t.Context(), noon.AddDate(0, 0, 1)); n != want || err != nil {
					t.Errorf("emptied %d, want %d, %v", n, want, err)
				}
			}
			return nil
		})
		for n, id := range ids {
			l := must[typus.Letter](t)(s.Letter(t.Context(), account, id))
			if empty := l.To == "" && l.Detail == nil && l.State == typus.LetterFailed; empty != (n == 0) {
				t.Errorf("letter %d is %+v", n, l)
			}
		}
	})
}

// An attempt may be under way while its candidate is erased. What the receiver
// answers to it says whom it was about.
func TestAnAnswerThatComesAfterTheErasureIsNotKept(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		user := newUser(t, s, typus.User{AccountID: account, Email: unique("ada") + "@example.com", Role: typus.RoleOwner}, "")
		for what, result := range map[string]func(typus.Delivery) ending{
			"a success": success,
			"a failure": func(d typus.Delivery) ending { return failure(d, 0) },
		} {
			id, _ := filled(t, s, account, user)
			claimed := claimAs(t, s, "me", 10)
			write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, id, noon) })
			for _, c := range claimed {
				r := result(c.Delivery)
				r.Attempt.ResponseHead, r.Attempt.ResponseBody = "X-Name: Kanarienkopf", []byte("danke, kanarienname")
				if finishAttempt(t, s, "me", c, r) {
					t.Errorf("%s was taken for a timely one", what)
				}
				log := attempts(t, s, c)
				last := log[len(log)-1]
				if last.ResponseHead != "" || len(last.ResponseBody) != 0 || last.Outcome != "late" || last.HTTPStatus != r.Attempt.HTTPStatus {
					t.Errorf("%s left behind %+v", what, last)
				}
				if d := delivery(t, s, c); d.State != typus.DeliveryCancelled {
					t.Errorf("%s: the delivery is %s", what, d.State)
				}
			}
		}
		after := dump(t, s)
		for _, c := range canaries {
			if strings.Contains(after, c) {
				t.Errorf("%s is left", c)
			}
		}
	})
}

// Whichever of the two comes first, nothing is left.
func TestAnAnswerAndTheErasureAtTheSameTimeLeaveNothing(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		user := newUser(t, s, typus.User{AccountID: account, Email: unique("ada") + "@example.com", Role: typus.RoleOwner}, "")
		for round := range 8 {
			id, _ := filled(t, s, account, user)
			claimed := claimAs(t, s, "me", 20)
			if late := round%2 == 1; late {
				run(t, s, `update webhook_deliveries set lease_until = 1 where state = 'sending'`)
				sweep(t, s)
			}
			dbtest.AtOnce(len(claimed)+1, func(i int) {
				if i == len(claimed) {
					if err := s.InTx(t.Context(), func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, id, noon) }); err != nil {
						t.Error(err)
					}
					return
				}
				r := success(claimed[i].Delivery)
				r.Attempt.ResponseHead, r.Attempt.ResponseBody = "X-Name: Kanarienkopf", []byte("danke, kanarienname")
				if _, err := tryFinish(t, s, "me", claimed[i].Delivery, r); err != nil {
					t.Error(err)
				}
			})
		}
		after := dump(t, s)
		for _, c := range canaries {
			if strings.Contains(after, c) {
				t.Errorf("%s is left", c)
			}
		}
	})
}
