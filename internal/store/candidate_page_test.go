package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/words"
)

// people fills an account with candidates that share names, states and tags.
func people(t *testing.T, s *store.Store, account int64, n int) []store.CandidateRow {
	t.Helper()
	first := []string{"Jana", "Jörg", "Åsa", "Zoë", "jürgen", "ANNA", "Øyvind"}
	last := []string{"Müller", "Mu\u0308ller-Lüdenscheidt", "O'Brien", "Straße", "100%", "a_b", `back\slash`, "Öztürk"}
	var ids []int64
	for i := range n {
		id := newCandidate(t, s, account, func(c *store.NewCandidate) {
			c.Name = first[i%len(first)] + " " + last[i%len(last)]
			c.Email = fmt.Sprintf("%s.%d+crm@mail-%d.example.com", strings.ToLower([]string{"jana", "joerg", "Asa"}[i%3]), i, i%4)
			c.CreatedAt = noon.Add(time.Duration(i/2) * time.Hour)
			if i%3 > 0 {
				c.ExternalID = fmt.Sprintf("CRM-%04d/x", i)
			}
			if i%5 == 0 {
				c.RoleProfile = "hunter"
			}
		})
		ids = append(ids, id)
		if i%4 > 0 {
			begin(t, s, account, id)
			write(t, s, func(tx *store.Tx) error {
				return tx.SaveSheet(t.Context(), account, id, store.Sheet{Body: []byte{byte(i)}, SavedAt: noon})
			})
		}
		if i%4 > 1 {
			write(t, s, func(tx *store.Tx) error {
				sc := scores()
				sc.Overall = (i * 37) % 101
				_, err := tx.FinishCandidate(t.Context(), account, id, sc, noon)
				return err
			})
		}
		if stages := typus.Stages(); i%7 < len(stages) {
			write(t, s, func(tx *store.Tx) error {
				for _, stage := range []typus.Stage{typus.StageOnHold, stages[i%7]} {
					if _, err := tx.AddDecision(t.Context(), typus.Decision{CandidateID: id, Stage: stage, CreatedAt: noon}); err != nil {
						return err
					}
				}
				return nil
			})
		}
		for _, tag := range []string{"Messe", "Köln", "a'b"}[:i%4] {
			write(t, s, func(tx *store.Tx) error { return tx.TagCandidate(t.Context(), store.WholeAccount(account), id, tag) })
		}
	}
	var rows []store.CandidateRow
	for part := range slices.Chunk(ids, 100) {
		rows = append(rows, must[[]store.CandidateRow](t)(s.CandidateRowsOf(t.Context(), store.WholeAccount(account), part))...)
	}
	return rows
}

// wordsOf answers the words of a row, each row's computed once: a test asks for them with every
// query, and they do not change.
func wordsOf() func(store.CandidateRow) []string {
	known := map[int64][]string{}
	return func(r store.CandidateRow) []string {
		list, ok := known[r.ID]
		if !ok {
			list = words.Of(r.Name, r.Email, r.ExternalID)
			known[r.ID] = list
		}
		return list
	}
}

// matching is the list by the words of the query, computed the slow way.
func matching(rows []store.CandidateRow, q store.CandidateQuery, wordsOf func(store.CandidateRow) []string) []int64 {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r store.CandidateRow) bool {
		for _, asked := range strings.Fields(words.Spelled(q.Search)) {
			asked = strings.TrimFunc(asked, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
			if asked == "" && strings.ContainsFunc(q.Search, unicode.IsLetter) {
				continue
			}
			if asked == "" || !slices.ContainsFunc(wordsOf(r), func(w string) bool { return strings.HasPrefix(w, asked) }) {
				return true
			}
		}
		return q.Tag != "" && !slices.Contains(r.Tags, q.Tag) ||
			q.Role != "" && r.RoleProfile != q.Role ||
			q.Position != 0 && r.PositionID != q.Position || q.General && r.PositionID != 0 ||
			q.Stage != "" && r.Stage != q.Stage && (q.Stage != typus.StageNew || r.Stage != "") ||
			q.Status != "" && r.Status != q.Status ||
			!q.From.IsZero() && r.CreatedAt.Before(q.From) || !q.To.IsZero() && !r.CreatedAt.Before(q.To) ||
			q.Sort == store.SortOverall && r.Scores == nil
	})
	slices.SortFunc(rows, func(a, b store.CandidateRow) int {
		switch q.Sort {
		case store.SortName:
			if d := strings.Compare(string(words.SortKey(a.Name)), string(words.SortKey(b.Name))); d != 0 {
				return d
			}
			return int(a.ID - b.ID)
		case store.SortOverall:
			if d := b.Scores.Overall - a.Scores.Overall; d != 0 {
				return d
			}
		default:
			if d := b.CreatedAt.Compare(a.CreatedAt); d != 0 {
				return d
			}
		}
		return int(b.ID - a.ID)
	})
	var ids []int64
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return ids
}

var asked = []string{
	"", "j", "jana", "JANA", "müll", "Mu\u0308ll", "mull", "lüden", "lud", "o'b", "brien", "straß", "strasse", "100%", "%", "_", "a_b", `back\`, `\`,
	"crm-0004", "0004", "4/x", "crm-0004/x", "crm-0004/x,", "Müller, Jana", "jana - brien", "com", "example.com", "@example.com", "EXAMPLE.C", "<jana.0+crm@mail-0.example.com>", "asa.2", "muller-ludenscheidt", "mail-1", "mail-1.example.com", "jana.0+crm@mail", "example com", "jana mul", "öz jo", "j j j", "x y z w v u t", "nobody",
	"a\x00b", "\xff", "'; drop table candidates; --", `" or "1"="1`, "😀", strings.Repeat("langes", 40),
}

func TestTheListForPeopleIsWhatItsFiltersSay(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		rows := people(t, s, account, 120)
		people(t, s, other, 20)
		wordsOf := wordsOf()
		for i, search := range asked {
			for j, status := range []typus.Status{"", typus.StatusOpen, typus.StatusFinished} {
				for k, sort := range []store.CandidateSort{store.SortNewest, store.SortName, store.SortOverall} {
					q := store.CandidateQuery{Search: search, Status: status, Sort: sort}
					if sort == store.SortOverall {
						q.Role = "general_sales"
					}
					if (i+j+k)%2 == 1 {
						q.Tag = []string{"Messe", "Köln", "a'b", "none", "\x00"}[(i+j)%5]
					}
					if (i+j+k)%4 == 3 {
						q.Stage = typus.Stages()[(i+k)%6]
					}
					if (i+j+k)%3 == 1 {
						q.From, q.To = noon.Add(10*time.Hour), noon.Add(45*time.Hour)
					}
					want := matching(rows, q, wordsOf)
					if unstorable(search + q.Tag) {
						want = nil
					}
					counts := checkRows(t, s.CandidatePage, store.WholeAccount(account), q, want)
					checkRows(t, s.WalkedPage, store.WholeAccount(account), q, want)
					all := q
					all.Status, all.Sort = "", ""
					if n := len(matching(rows, all, wordsOf)); counts.All.N != n && !unstorable(search+q.Tag) || counts.All.More {
						t.Errorf("%+v: %+v counted, want %d", q, counts.All, n)
					}
				}
			}
		}
	})
}

// checkRows follows the cursors, compares all pages with want and returns what the first has
// counted.
func checkRows(t *testing.T, read func(context.Context, store.Reader, store.CandidateQuery) (store.CandidatePage, error), reader store.Reader, q store.CandidateQuery, want []int64) store.CandidateCounts {
	t.Helper()
	var got []int64
	var counts store.CandidateCounts
	for first := true; ; first = false {
		page, err := read(t.Context(), reader, q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		if first {
			counts = page.Counts
		}
		for _, r := range page.Rows {
			got = append(got, r.ID)
		}
		if page.Next.ID == 0 {
			break
		}
		if len(page.Rows) != store.RowsOnScreen || len(got) > len(want) {
			t.Fatalf("%+v: a page of %d with a cursor after %d of %d", q, len(page.Rows), len(got), len(want))
		}
		q.After = page.Next
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v\ngot  %d\nwant %d", q, got, want)
	}
	return counts
}

func TestRowsStayInPlaceWhileCandidatesArrive(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		rows := people(t, s, account, 130)
		for _, q := range []store.CandidateQuery{{}, {Search: "m"}, {Search: "m", Sort: store.SortName}} {
			want := matching(rows, q, wordsOf())
			var got []int64
			for {
				page := must[store.CandidatePage](t)(s.CandidatePage(t.Context(), store.WholeAccount(account), q))
				for _, r := range page.Rows {
					if r.Name != "!" {
						got = append(got, r.ID)
					}
				}
				if page.Next.ID == 0 {
					break
				}
				q.After = page.Next
				newCandidate(t, s, account, func(c *store.NewCandidate) { c.Name, c.CreatedAt = "!", noon.AddDate(0, 1, 0) })
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v: got %d, want %d", q, got, want)
			}
		}
	})
}

func TestARowHoldsWhatTheListShows(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		begin(t, s, account, id)
		write(t, s, func(tx *store.Tx) error {
			for _, tag := range []string{"b", "a", "b", "Z", "Ä"} {
				if err := tx.TagCandidate(t.Context(), store.WholeAccount(account), id, tag); err != nil {
					return err
				}
			}
			for _, state := range []typus.LetterState{typus.LetterSent, typus.LetterFailed} {
				if _, err := tx.AddLetter(t.Context(), typus.Letter{AccountID: account, CandidateID: id, Kind: typus.LetterInvitation, State: state, CreatedAt: noon}); err != nil {
					return err
				}
			}
			return tx.SaveSheet(t.Context(), account, id, store.Sheet{Body: []byte{7}, SavedAt: noon})
		})
		rows := must[store.CandidatePage](t)(s.CandidatePage(t.Context(), store.WholeAccount(account), store.CandidateQuery{})).Rows
		if len(rows) != 1 {
			t.Fatal(rows)
		}
		r, inOrder := rows[0], []string{"Z", "a", "b", "Ä"} // whatever the locale of the database
		if r.ID != id || !slices.Equal(r.Tags, inOrder) || r.Mail != typus.LetterFailed || !slices.Equal(r.Sheet, []byte{7}) {
			t.Errorf("the row is %+v", r)
		}
		if got := must[[]string](t)(s.Tags(t.Context(), store.WholeAccount(account))); !slices.Equal(got, inOrder) {
			t.Errorf("the tags are %q", got)
		}
		if got := must[[]string](t)(s.TagsOf(t.Context(), account, id)); !slices.Equal(got, inOrder) {
			t.Errorf("the candidate's tags are %q", got)
		}
	})
}

// many are 10,001 people who are called Mia, eleven of them Kim, too, and five of those
// tagged.
func many(t *testing.T, s *store.Store) int64 {
	t.Helper()
	account, kind := newAccount(t, s), byteType(s)
	write(t, s, func(tx *store.Tx) error {
		for _, statement := range []string{
			`with recursive n (i) as (select 1 union all select i + 1 from n where i < 10001)
				insert into candidates (account_id, name, email, token_hash, token_sealed, language, role_profile, created_at, expires_at, name_key, words)
				select ` + fmt.Sprint(account) + `, 'Mia', 'm@example.com', 'h' || i, cast('x' as ` + kind + `), 'de', 'r', 1700000000000 + i, 1800000000000, cast('mia' as ` + kind + `),
					' mia example.com' || case i % 1000 when 1 then ' kim' else '' end from n`,
			`insert into candidate_words (account_id, word, candidate_id) select account_id, cast('mia' as ` + kind + `), id from candidates`,
			`insert into candidate_words (account_id, word, candidate_id) select account_id, cast('example.com' as ` + kind + `), id from candidates`,
			`insert into candidate_words (account_id, word, candidate_id) select account_id, cast('kim' as ` + kind + `), id from candidates where words like '%kim'`,
			`insert into candidate_tags (account_id, tag, candidate_id) select account_id, 'Messe', id from candidates where words like '%kim' and created_at <= 1700000004001`,
		} {
			if err := tx.Exec(t.Context(), statement); err != nil {
				return err
			}
		}
		return nil
	})
	return account
}

func TestCountsEndWhereTheyAreBound(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := many(t, s)
		c := must[store.CandidatePage](t)(s.CandidatePage(t.Context(), store.WholeAccount(account), store.CandidateQuery{})).Counts
		if c.Open != (store.Count{N: 10_000, More: true}) || c.All != c.Open || c.Finished != (store.Count{}) {
			t.Errorf("counted %+v", c)
		}
		page := must[store.CandidatePage](t)(s.CandidatePage(t.Context(), store.WholeAccount(account), store.CandidateQuery{Search: "m"}))
		if c := page.Counts; !c.All.More || c.All.N < 1000 {
			t.Errorf("a search counted %+v", c)
		}
		if len(page.Rows) != store.RowsOnScreen || page.Next.ID == 0 {
			t.Errorf("%d rows, next %+v", len(page.Rows), page.Next)
		}
	})
}

// What is rare decides, wherever it stands in the search.
func TestFewAreCountedExactlyAmongMany(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := many(t, s)
		for _, of := range []struct {
			q    store.CandidateQuery
			want int
		}{
			{store.CandidateQuery{Search: "kim example.com"}, 11},
			{store.CandidateQuery{Search: "example.com mia k", Sort: store.SortName}, 11},
			{store.CandidateQuery{Search: "example.com", Tag: "Messe"}, 5},
			{store.CandidateQuery{Search: "kim mia", Tag: "Messe", Sort: store.SortName}, 5},
			{store.CandidateQuery{Search: "example.com nobody"}, 0},
		} {
			page := must[store.CandidatePage](t)(s.CandidatePage(t.Context(), store.WholeAccount(account), of.q))
			if page.Counts.All != (store.Count{N: of.want}) || len(page.Rows) != of.want {
				t.Errorf("%+v: %+v counted, %d rows, want %d", of.q, page.Counts.All, len(page.Rows), of.want)
			}
		}
	})
}

func TestACorrectedCandidateIsFoundByTheNewWordsOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, func(c *store.NewCandidate) {
			c.Name, c.Email, c.ExternalID = "Erika Alt", "alt@example.com", "crm-9"
		})
		found := func(search string) int {
			t.Helper()
			q := store.CandidateQuery{Search: search}
			return must[store.CandidatePage](t)(s.CandidatePage(t.Context(), store.WholeAccount(account), q)).Counts.All.N
		}
		write(t, s, func(tx *store.Tx) error {
			return tx.CorrectCandidate(t.Context(), account, id, "Erika Neu", "neu@example.org", "")
		})
		for search, want := range map[string]int{"alt": 0, "neu": 1, "erika": 1, "example.com": 0, "example.org": 1, "crm-9": 1} {
			if n := found(search); n != want {
				t.Errorf("after the correction %q finds %d, want %d", search, n, want)
			}
		}
		write(t, s, func(tx *store.Tx) error { return tx.RenameCandidate(t.Context(), account, id, "Max") })
		if found("erika") != 0 || found("max") != 1 || found("neu@example.org") != 1 {
			t.Error("a rename does not change the words")
		}
		other := newAccount(t, s)
		err := s.InTx(t.Context(), func(tx *store.Tx) error { return tx.RenameCandidate(t.Context(), other, id, "Eve") })
		hasKind(t, "renaming somebody else's", err, typus.NotFound)
		err = s.InTx(t.Context(), func(tx *store.Tx) error {
			return tx.CorrectCandidate(t.Context(), other, id, "Eve", "e@example.com", "")
		})
		hasKind(t, "correcting somebody else's", err, typus.NotFound)
	})
}

func TestCandidatesOfAnEarlierVersionAreIndexedLater(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, func(c *store.NewCandidate) { c.Name = "Zoë Früher" })
		begin(t, s, account, id)
		finish(t, s, account, id, noon)
		write(t, s, func(tx *store.Tx) error {
			if err := tx.Exec(t.Context(), `delete from candidate_words`); err != nil {
				return err
			}
			return tx.Exec(t.Context(), `update candidates set name_key = null, words = '', overall = null`)
		})
		total := 0
		write(t, s, func(tx *store.Tx) error {
			for {
				n, err := tx.IndexCandidates(t.Context())
				if total += n; err != nil || n == 0 {
					return err
				}
			}
		})
		if total != 1 {
			t.Errorf("%d indexed", total)
		}
		for _, q := range []store.CandidateQuery{{Search: "früh"}, {Sort: store.SortName}, {Sort: store.SortOverall, Role: "general_sales"}} {
			page, err := s.CandidatePage(t.Context(), store.WholeAccount(account), q)
			rows := page.Rows
			if err != nil || len(rows) != 1 || rows[0].ID != id {
				t.Errorf("%+v: %d rows, %v", q, len(rows), err)
			}
		}
	})
}

// unstorable reports whether PostgreSQL takes no such text.
func unstorable(text string) bool { return strings.ContainsRune(text, 0) || !utf8.ValidString(text) }

// A place in an order by score would say what the score is.
func TestNobodyIsSortedByAResultThatShouldNotBeInterpreted(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		finished := func(warnings ...typus.Warning) int64 {
			id := newCandidate(t, s, account, nil)
			begin(t, s, account, id)
			write(t, s, func(tx *store.Tx) error {
				sc := scores()
				sc.Warnings = warnings
				_, err := tx.FinishCandidate(t.Context(), account, id, sc, noon)
				return err
			})
			return id
		}
		caution := typus.SeverityCaution
		clear := finished()
		careful := finished(typus.Warning{Key: "too_fast", Severity: caution, Message: "Schnell beantwortet."})
		doubtful := finished(typus.Warning{Key: "too_fast", Severity: caution}, typus.Warning{Key: typus.DoubtfulAnswers, Severity: caution, Message: "Bitte nicht interpretieren – späßchen."})
		check := func(when string) {
			t.Helper()
			page := must[store.CandidatePage](t)(s.CandidatePage(t.Context(), store.WholeAccount(account), store.CandidateQuery{Sort: store.SortOverall, Role: "general_sales"}))
			var ids []int64
			for _, row := range page.Rows {
				ids = append(ids, row.ID)
			}
			if !slices.Equal(ids, []int64{careful, clear}) {
				t.Errorf("%s: %d, %d and %d are sorted as %d", when, clear, careful, doubtful, ids)
			}
			if all := must[store.CandidatePage](t)(s.CandidatePage(t.Context(), store.WholeAccount(account), store.CandidateQuery{})); len(all.Rows) != 3 {
				t.Errorf("%s: %d are listed", when, len(all.Rows))
			}
		}
		check("finished")
		// As an earlier version stored it.
		for _, q := range []string{`update candidates set overall = 81`, `delete from schema_migrations where name = '0008_doubtful.sql'`} {
			write(t, s, func(tx *store.Tx) error { return tx.Exec(t.Context(), q) })
		}
		if names := must[[]string](t)(s.Migrate(t.Context())); len(names) != 1 {
			t.Errorf("migrated by %q", names)
		}
		check("migrated")
		for _, q := range []string{`delete from candidate_words`, `update candidates set name_key = null, words = '', overall = null`} {
			write(t, s, func(tx *store.Tx) error { return tx.Exec(t.Context(), q) })
		}
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.IndexCandidates(t.Context())
			return err
		})
		check("indexed")
	})
}

func TestAPersonIsFoundByWhatPeopleType(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, func(c *store.NewCandidate) {
			c.Name, c.Email, c.ExternalID = "Jana Öztürk-Müller", "Jana.Oeztuerk+job@mail.uni-example.com", "#CRM-4711.a"
		})
		newCandidate(t, s, account, func(c *store.NewCandidate) {
			c.Name, c.Email, c.ExternalID = "Mia Weber", "mia@crm.example.com", "ERP-4711"
		})
		for _, search := range []string{
			"Jana.Oeztuerk+job@mail.uni-example.com", "jana.oeztuerk@", "jana.oez", "oeztuerk", "job jana", "<jana.oeztuerk+job@mail.uni-example.com>,",
			"mail.uni-example.com", "uni-example.com", "@mail.uni-example.com", "uni-exa", "jana uni-example.com", "jana.oeztuerk+job@mail.uni-example.c",
			"öztürk-müller", "ozturk-muller", "muller", "mueller", "oeztuerk-mueller", "janaoeztürk", "JANA ÖZTÜRKMÜLLER", "Öztürk-Müller, Jana", "#CRM-4711.a", "crm-4711", "crm-47",
		} {
			page := must[store.CandidatePage](t)(s.CandidatePage(t.Context(), store.WholeAccount(account), store.CandidateQuery{Search: search}))
			if page.Counts.All.N != 1 || page.Rows[0].ID != id {
				t.Errorf("%q finds %d", search, page.Counts.All.N)
			}
		}
	})
}

// Every row is a page of the log somewhere in a large table.
func TestAnAddressIsIndexedByItsPartsAlone(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, func(c *store.NewCandidate) {
			c.Name, c.Email, c.ExternalID = "Jana Weber", "jana.weber@example.com", "crm-4711"
		})
		stored := func() int { return len(rows(t, s, `select candidate_id from candidate_words`)) }
		if n := stored(); n != 5 {
			t.Errorf("%d rows for janaweber, weber, example, crm and 4711", n)
		}
		old := []string{"jan", "jana", "weber", "crm", "4711", "example", "jana.weber@example.com", "example.com", "com", "crm-4711"}
		rows(t, s, `delete from candidate_words where candidate_id = $1 returning 1`, id)
		for _, w := range old {
			rows(t, s, `insert into candidate_words (account_id, candidate_id, word) values ($1, $2, $3) returning 1`, account, id, []byte(w))
		}
		rows(t, s, `update candidates set name_key = null, words = $1 returning 1`, " "+strings.Join(old, " "))
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.IndexCandidates(t.Context())
			return err
		})
		if n := stored(); n != 5 {
			t.Errorf("%d rows after what an earlier version stored was indexed anew", n)
		}
	})
}
