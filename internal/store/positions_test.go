package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// reachWorld is an account with an open, a named and a confidential position beside the
// default one, each with a candidate, and a user of each role.
type reachWorld struct {
	*testing.T
	s          *store.Store
	account    int64
	positions  map[string]int64 // by name, 0 for "standard"
	candidates map[string]int64 // by the name of their position
}

func newReachWorld(t *testing.T, s *store.Store) *reachWorld {
	w := &reachWorld{t, s, newAccount(t, s), map[string]int64{"standard": 0}, map[string]int64{}}
	write(t, s, func(tx *store.Tx) error {
		for _, name := range []string{"named", "other", "secret"} {
			id, err := tx.AddPosition(t.Context(), typus.Position{
				AccountID: w.account, Name: name, State: typus.PositionOpen, Confidential: name == "secret", CreatedAt: noon,
			})
			if err != nil {
				return err
			}
			w.positions[name] = id
		}
		return nil
	})
	for name, position := range w.positions {
		w.candidates[name] = newCandidate(t, s, w.account, func(c *store.NewCandidate) {
			c.PositionID, c.Name, c.Email = position, "Kim "+name, name+"@example.com"
		})
	}
	return w
}

// reader makes a user and reads what they read. only: they read named positions only.
func (w *reachWorld) reader(role typus.UserRole, only bool, named ...string) store.Reader {
	w.Helper()
	hash := unique("session")
	user := newUser(w.T, w.s, typus.User{AccountID: w.account, Email: unique("user") + "@example.com", Role: role}, "$argon2id$")
	newSession(w.T, w.s, w.account, user, hash)
	write(w.T, w.s, func(tx *store.Tx) error {
		for _, name := range named {
			position := w.positions[name]
			if position == 0 {
				standard, err := tx.LockStandardPosition(w.Context(), w.account, noon)
				if err != nil {
					return err
				}
				position = standard.ID
			}
			if err := tx.NameInPosition(w.Context(), w.account, position, user); err != nil {
				return err
			}
		}
		return tx.SetOnlyNamed(w.Context(), w.account, user, only)
	})
	return must[store.Visit](w.T)(w.s.SessionByToken(w.Context(), hash)).Reader
}

func TestWhoReadsWhichPosition(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newReachWorld(t, s)
		for _, c := range []struct {
			role  typus.UserRole
			only  bool
			named []string
			want  string
		}{
			{typus.RoleOwner, false, nil, "named other secret standard"},
			{typus.RoleOwner, true, nil, "named other secret standard"},
			{typus.RoleAdmin, false, nil, "named other standard"},
			{typus.RoleAdmin, true, nil, "named other standard"},
			{typus.RoleAdmin, false, []string{"secret"}, "named other secret standard"},
			{typus.RoleMember, false, nil, "named other standard"},
			{typus.RoleMember, false, []string{"named"}, "named other standard"},
			{typus.RoleMember, true, nil, ""},
			{typus.RoleMember, true, []string{"named", "secret"}, "named secret"},
			{typus.RoleViewer, true, []string{"standard"}, "standard"},
			{typus.RoleInterviewer, false, nil, "named other standard"},
			{typus.RoleInterviewer, true, []string{"named"}, "named"},
			{"", false, nil, "named other standard"},
		} {
			reader := w.reader(c.role, c.only, c.named...)
			var seen []string
			for name, id := range w.candidates {
				if _, err := s.CandidateFor(t.Context(), reader, id); err == nil {
					seen = append(seen, name)
				}
			}
			slices.Sort(seen)
			if got := strings.Join(seen, " "); got != c.want {
				t.Errorf("%s, only named %v, named in %v: reads %q, want %q", c.role, c.only, c.named, got, c.want)
			}
		}
		if r := (store.Reader{AccountID: w.account}); len(must[store.CandidatePage](t)(s.CandidatePage(t.Context(), r, store.CandidateQuery{})).Rows) > 0 {
			t.Error("the zero reader reads somebody")
		}
		write(t, s, func(tx *store.Tx) error {
			standard, err := tx.LockStandardPosition(t.Context(), w.account, noon)
			standard.Confidential = true
			if err == nil {
				err = tx.SetPositionSecrecy(t.Context(), standard)
			}
			return err
		})
		for role, want := range map[typus.UserRole]bool{typus.RoleOwner: true, typus.RoleAdmin: false, typus.RoleMember: false} {
			if _, err := s.CandidateFor(t.Context(), w.reader(role, false), w.candidates["standard"]); (err == nil) != want {
				t.Errorf("a confidential default position is read by a %s: %v", role, err)
			}
		}
	})
}

// Of a candidate out of reach there is nothing, by whatever call a user reads.
func TestNothingIsReadOfACandidateOutOfReach(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w, ctx := newReachWorld(t, s), t.Context()
		var letter, list int64
		for _, id := range w.candidates {
			begin(t, s, w.account, id)
			finish(t, s, w.account, id, noon)
			write(t, s, func(tx *store.Tx) error {
				for _, err := range []error{
					tx.TagCandidate(ctx, store.WholeAccount(w.account), id, fmt.Sprint("tag", id)),
					tx.AddAudit(ctx, typus.AuditEntry{AccountID: w.account, CandidateID: id, Action: "report.viewed", Actor: "ada@example.com", CreatedAt: noon}),
				} {
					if err != nil {
						return err
					}
				}
				if _, err := tx.AddNote(ctx, typus.Note{AccountID: w.account, CandidateID: id, UserID: 7, Body: "Notiz", CreatedAt: noon}); err != nil {
					return err
				}
				if _, err := tx.AddResult(ctx, w.account, store.Result{CandidateID: id, Scores: []byte{1}, Answers: []byte{1}, RoleSnapshot: []byte{1}, CreatedAt: noon}); err != nil {
					return err
				}
				if _, err := tx.BookCredit(ctx, completion(w.account, id)); err != nil {
					return err
				}
				if _, err := tx.AddEvent(ctx, typus.Event{ID: unique("evt_"), AccountID: w.account, Type: typus.EventCandidateCompleted, CandidateID: id, OccurredAt: noon,
					Payload: []byte("{}")}, func() string { return unique("dlv_") }); err != nil {
					return err
				}
				if _, err := tx.OpenUnrated(ctx, id, 7, "Grund", noon); err != nil {
					return err
				}
				if _, err := tx.AddComment(ctx, typus.Comment{CandidateID: id, Text: "Stimmt.", CreatedAt: noon}); err != nil {
					return err
				}
				if _, err := tx.AddDecision(ctx, typus.Decision{CandidateID: id, UserID: 7, Stage: typus.StageInterview, CreatedAt: noon}); err != nil {
					return err
				}
				n, err := tx.AddLetter(ctx, typus.Letter{AccountID: w.account, CandidateID: id, Kind: typus.LetterInvitation, To: "kim@example.com", CreatedAt: noon})
				if id == w.candidates["secret"] {
					letter = n
				}
				return err
			})
		}
		write(t, s, func(tx *store.Tx) error {
			var err error
			list, err = tx.AddImport(ctx, typus.Import{AccountID: w.account, CreatedAt: noon}, []byte{1})
			return err
		})
		secret := w.candidates["secret"]
		for _, reader := range []store.Reader{w.reader(typus.RoleAdmin, false), w.reader(typus.RoleMember, true, "named"), w.reader(typus.RoleInterviewer, true)} {
			gone := func(what string, _ any, err error) {
				t.Helper()
				hasKind(t, what+" for a "+string(reader.Role), err, typus.NotFound)
			}
			c, err := s.CandidateFor(ctx, reader, secret)
			gone("a candidate", c, err)
			res, err := s.ResultFor(ctx, reader, secret)
			gone("a result", res, err)
			ack, err := s.Acknowledgement(ctx, reader, secret)
			gone("an acknowledgement", ack, err)
			text, err := s.NoticeText(ctx, reader, secret)
			gone("the text of a notice", text, err)
			l, err := s.LetterFor(ctx, reader, letter)
			gone("a letter", l, err)
			l, err = s.LastLetterFor(ctx, reader, secret, typus.LetterInvitation)
			gone("the last letter", l, err)
			write(t, s, func(tx *store.Tx) error {
				_, err := tx.LockCandidateFor(ctx, reader, secret)
				gone("a candidate to be locked", nil, err)
				gone("a candidate to be tagged", nil, tx.TagCandidate(ctx, reader, secret, "neu"))
				return tx.UntagCandidate(ctx, reader, secret, fmt.Sprint("tag", secret))
			})
			if tags := must[[]string](t)(s.TagsOf(ctx, w.account, secret)); len(tags) != 1 {
				t.Errorf("a %s takes a tag away", reader.Role)
			}
			for what, n := range map[string]int{
				"rows":       len(must[[]store.CandidateRow](t)(s.CandidateRowsOf(ctx, reader, []int64{secret}))),
				"notes":      len(must[[]typus.Note](t)(s.NotesOf(ctx, reader, secret))),
				"letters":    len(must[[]typus.Letter](t)(s.LettersFor(ctx, reader, secret))),
				"audit":      len(must[[]typus.AuditEntry](t)(s.AuditFor(ctx, reader, secret))),
				"deliveries": len(must[[]store.DeliveryTo](t)(s.DeliveriesAbout(ctx, reader, secret, typus.EventCandidateCompleted))),
				"interviews": len(must[[]store.Interview](t)(s.InterviewsOf(ctx, reader, secret))),
				"comments":   len(must[[]typus.Comment](t)(s.CommentsOf(ctx, reader, secret))),
				"decisions":  len(must[[]typus.Decision](t)(s.DecisionsOf(ctx, reader, secret))),
				"standings":  len(must[map[int64]store.Standing](t)(s.Standings(ctx, reader, []int64{secret}))),
				"ratings":    len(must[[]store.Rating](t)(s.RatingsOf(ctx, reader, secret))) + len(must[[]store.Rating](t)(s.RatingsFor(ctx, reader, []int64{secret}))),
				"results":    len(must[[]store.Result](t)(s.ResultsFor(ctx, reader, []int64{secret}))),
				"tags":       len(must[[]string](t)(s.Tags(ctx, reader))),
			} {
				if n > 0 {
					t.Errorf("a %s reads %d %s of a candidate out of reach", reader.Role, n, what)
				}
			}
			w.readsOnlyTheirs(reader)
			if reader.AtStandard() {
				continue
			}
			_, err = s.ImportFor(ctx, reader, list)
			gone("an import", nil, err)
			_, err = s.ImportSource(ctx, reader, list)
			gone("the file of an import", nil, err)
			_, _, err = s.ImportAndCounts(ctx, reader, list)
			gone("an import with its counts", nil, err)
			if n := len(must[[]typus.Import](t)(s.Imports(ctx, reader, 10))); n > 0 {
				t.Errorf("a %s reads %d imports", reader.Role, n)
			}
		}
	})
}

// readsOnlyTheirs walks the lists that are not about one candidate.
func (w *reachWorld) readsOnlyTheirs(reader store.Reader) {
	w.Helper()
	ctx, theirs := w.Context(), map[int64]bool{0: true}
	for _, id := range w.candidates {
		_, err := w.s.CandidateFor(ctx, reader, id)
		theirs[id] = err == nil
	}
	check := func(where string, id int64) {
		w.Helper()
		if !theirs[id] {
			w.Errorf("a %s reads of candidate %d in %s", reader.Role, id, where)
		}
	}
	for _, q := range queries() {
		for _, read := range []func() (store.CandidatePage, error){
			func() (store.CandidatePage, error) { return w.s.CandidatePage(ctx, reader, q) },
			func() (store.CandidatePage, error) { return w.s.WalkedPage(ctx, reader, q) },
		} {
			for _, row := range must[store.CandidatePage](w.T)(read()).Rows {
				check("the list", row.ID)
			}
		}
	}
	all := must[store.CandidatePage](w.T)(w.s.CandidatePage(ctx, reader, store.CandidateQuery{}))
	for _, tag := range all.Counts.Tags {
		if tag == fmt.Sprint("tag", w.candidates["secret"]) {
			w.Errorf("a %s is offered the tag of a candidate out of reach", reader.Role)
		}
	}
	if all.Counts.All.N != len(all.Rows) || len(all.Counts.Tags) != len(all.Rows) {
		w.Errorf("a %s has %d rows of %d, and %d tags", reader.Role, len(all.Rows), all.Counts.All.N, len(all.Counts.Tags))
	}
	for _, l := range must[[]typus.Letter](w.T)(w.s.LetterLog(ctx, reader, "", 0, 100)) {
		check("the letters", l.CandidateID)
	}
	for _, a := range must[[]store.AuditLine](w.T)(w.s.AuditLines(ctx, reader, store.AuditFilter{Limit: 100})) {
		check("the audit log", a.CandidateID)
	}
	for _, a := range must[[]typus.AuditEntry](w.T)(w.s.AuditLog(ctx, reader, store.AuditFilter{Action: "report.viewed", Limit: 100})) {
		check("the audit log", a.CandidateID)
	}
	ledger := must[[]store.LedgerRow](w.T)(w.s.Ledger(ctx, reader, 0, 100))
	if len(ledger) != len(w.candidates) {
		w.Errorf("a %s reads %d entries of the ledger, want all", reader.Role, len(ledger))
	}
	for _, l := range ledger {
		check("the ledger", l.CandidateID)
		if l.CandidateID == 0 && l.Name != "" {
			w.Errorf("a %s reads the name %s in the ledger", reader.Role, l.Name)
		}
		if hidden := l.CandidateID == 0; hidden != l.Hidden || hidden && !l.CreatedAt.Equal(l.CreatedAt.Truncate(24*time.Hour)) {
			w.Errorf("a %s reads in the ledger %+v", reader.Role, l)
		}
	}
}

// A list of some positions is what the whole list would be without the others, in every
// order and however it is read.
func TestAListOfSomePositionsIsTheWholeListWithoutTheOthers(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newReachWorld(t, s)
		people(t, s, w.account, 130)
		for i, name := range []string{"named", "other", "secret"} {
			run(t, s, `update candidates set position_id = %d where id %% 4 = %d`, w.positions[name], i)
		}
		wordsOf := wordsOf()
		whole := store.WholeAccount(w.account)
		var rows []store.CandidateRow
		for q := (store.CandidateQuery{Batch: true}); ; {
			page := must[store.CandidatePage](t)(s.CandidatePage(t.Context(), whole, q))
			rows = append(rows, page.Rows...)
			if q.After = page.Next; page.Next.ID == 0 {
				break
			}
		}
		for _, named := range [][]string{nil, {"named"}, {"standard"}, {"named", "secret", "standard"}} {
			for _, role := range []typus.UserRole{typus.RoleAdmin, typus.RoleMember} {
				reader := w.reader(role, true, named...)
				mine := slices.DeleteFunc(slices.Clone(rows), func(r store.CandidateRow) bool {
					_, err := s.CandidateFor(t.Context(), reader, r.ID)
					return err != nil
				})
				for _, q := range queries() {
					if q.Batch {
						continue
					}
					want := matching(mine, q, wordsOf)
					n := checkRows(t, s.CandidatePage, reader, q, want).All
					checkRows(t, s.WalkedPage, reader, q, want)
					q.Sort, q.Status = store.SortNewest, "" // what is counted depends on neither
					if all := len(matching(mine, q, wordsOf)); n.N != all || n.More {
						t.Errorf("%+v: %+v counted, want %d", q, n, all)
					}
				}
			}
		}
	})
}

// Members and interviewers rate before they see; others see at once unless the position
// says otherwise; and whoever has opened or seen a result goes on seeing it.
func TestAResultIsWithheldUntilItIsRatedOrOpened(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w, ctx := newReachWorld(t, s), t.Context()
		id := w.candidates["standard"]
		begin(t, s, w.account, id)
		finish(t, s, w.account, id, noon)
		set := func(blind, all bool) {
			write(t, s, func(tx *store.Tx) error {
				p, err := tx.LockStandardPosition(ctx, w.account, noon)
				if err != nil {
					return err
				}
				p.Blind, p.BlindAll = blind, all
				if err := tx.SetPositionSecrecy(ctx, p); err != nil {
					return err
				}
				_, err = tx.AddResult(ctx, w.account, store.Result{CandidateID: id, Scores: []byte{1}, Answers: []byte{1}, RoleSnapshot: []byte{1}, CreatedAt: noon})
				return err
			})
		}
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.AddNote(ctx, typus.Note{AccountID: w.account, CandidateID: id, UserID: 987, Body: "überragend", CreatedAt: noon})
			if err == nil {
				err = tx.TagCandidate(ctx, store.WholeAccount(w.account), id, "A-Person")
			}
			if err == nil {
				_, err = tx.AddComment(ctx, typus.Comment{CandidateID: id, Text: "Stimmt.", CreatedAt: noon})
			}
			if err == nil {
				_, err = tx.AddDecision(ctx, typus.Decision{CandidateID: id, UserID: 987, Stage: typus.StageOffer, CreatedAt: noon})
			}
			if err == nil {
				err = tx.AddAudit(ctx, typus.AuditEntry{AccountID: w.account, CandidateID: id, UserID: 987, Action: typus.AuditCandidateDecided, CreatedAt: noon})
			}
			return err
		})
		sees := func(reader store.Reader) bool {
			t.Helper()
			c := must[typus.Candidate](t)(s.CandidateFor(ctx, reader, id))
			row := must[[]store.CandidateRow](t)(s.CandidateRowsOf(ctx, reader, []int64{id}))[0]
			q := store.CandidateQuery{Status: typus.StatusFinished, Sort: store.SortOverall, Role: "general_sales", Tag: "none", Search: "kim"}
			if !reader.Blind.Somewhere {
				q.Tag = ""
			}
			listed := must[store.CandidatePage](t)(s.CandidatePage(ctx, reader, q)).Rows[0]
			_, err := s.ResultFor(ctx, reader, id)
			notes := must[[]typus.Note](t)(s.NotesOf(ctx, reader, id))
			results := must[[]store.Result](t)(s.ResultsFor(ctx, reader, []int64{id}))
			decided := slices.ContainsFunc(must[[]typus.AuditEntry](t)(s.AuditFor(ctx, reader, id)), func(a typus.AuditEntry) bool { return a.Action == typus.AuditCandidateDecided })
			all := []bool{c.Scores != nil, row.Scores != nil || row.Early, !row.Blind, len(row.Tags) > 0, listed.Scores != nil || listed.Early, !listed.Blind, err == nil, len(notes) == 1, row.Result != nil || row.Early, listed.Result != nil || listed.Early, len(results) == 1,
				row.Stage == typus.StageOffer, listed.Stage == typus.StageOffer, len(must[[]typus.Decision](t)(s.DecisionsOf(ctx, reader, id))) == 1,
				len(must[map[int64]store.Standing](t)(s.Standings(ctx, reader, []int64{id}))) == 1, decided,
				len(must[[]typus.Comment](t)(s.CommentsOf(ctx, reader, id))) == 1}
			if slices.Contains(all, true) && slices.Contains(all, false) {
				t.Errorf("a %s sees some of a result: %v", reader.Role, all)
			}
			return all[0]
		}
		for _, c := range []struct {
			blind, all bool
			sees       []typus.UserRole
		}{
			{false, false, []typus.UserRole{typus.RoleOwner, typus.RoleAdmin, typus.RoleMember, typus.RoleViewer, typus.RoleInterviewer}},
			{false, true, []typus.UserRole{typus.RoleOwner, typus.RoleAdmin, typus.RoleMember, typus.RoleViewer, typus.RoleInterviewer}},
			{true, false, []typus.UserRole{typus.RoleOwner, typus.RoleAdmin, typus.RoleViewer}},
			{true, true, nil},
		} {
			set(c.blind, c.all)
			for _, role := range []typus.UserRole{typus.RoleOwner, typus.RoleAdmin, typus.RoleMember, typus.RoleViewer, typus.RoleInterviewer} {
				reader := w.reader(role, false)
				if got := sees(reader); got != slices.Contains(c.sees, role) {
					t.Errorf("blind %v, to all %v: a %s sees a result: %v", c.blind, c.all, role, got)
				}
				exempt := c.blind && !c.all && slices.Contains(c.sees, role)
				if got := must[[]store.Look](t)(s.Looks(ctx, reader, store.LookQuery{IDs: []int64{id}}))[0].Unrated; got != exempt {
					t.Errorf("blind %v, to all %v: a %s sees before others rate: %v", c.blind, c.all, role, got)
				}
			}
		}
		for what, open := range map[string]func(tx *store.Tx, user int64) error{
			"opened it without rating": func(tx *store.Tx, user int64) error {
				_, err := tx.OpenUnrated(ctx, id, user, "kein Gespräch", noon)
				return err
			},
			"saw it before": func(tx *store.Tx, user int64) error {
				return tx.AddAudit(ctx, typus.AuditEntry{AccountID: w.account, CandidateID: id, UserID: user, Action: "report.viewed", CreatedAt: noon})
			},
			"rated": func(tx *store.Tx, user int64) error {
				return tx.Exec(ctx, fmt.Sprintf(`insert into interviews (candidate_id, user_id, rated_at) values (%d, %d, 1)`, id, user))
			},
		} {
			reader := w.reader(typus.RoleMember, false)
			write(t, s, func(tx *store.Tx) error { return open(tx, reader.UserID) })
			if !sees(reader) || sees(w.reader(typus.RoleMember, false)) {
				t.Errorf("whoever %s does not see it, or others do", what)
			}
		}
		reader := w.reader(typus.RoleMember, false)
		write(t, s, func(tx *store.Tx) error {
			return tx.Exec(ctx, fmt.Sprintf(`insert into interviews (candidate_id, user_id) values (%d, %d)`, id, reader.UserID))
		})
		if sees(reader) {
			t.Error("ratings that are not saved open a result")
		}
		write(t, s, func(tx *store.Tx) error {
			for i, want := range []bool{true, false} {
				if opened, err := tx.OpenUnrated(ctx, id, reader.UserID, fmt.Sprint("Grund ", i), noon); err != nil || opened != want {
					return fmt.Errorf("opened the %d. time: %v, %w", i+1, opened, err)
				}
			}
			return nil
		})
		mine := slices.DeleteFunc(must[[]store.Interview](t)(s.InterviewsOf(ctx, reader, id)), func(i store.Interview) bool { return i.UserID != reader.UserID })
		if len(mine) != 1 || mine[0].Reason != "Grund 0" || mine[0].OpenedAt != noon || !mine[0].RatedAt.IsZero() {
			t.Errorf("the interview is %+v", mine)
		}
	})
}

// Candidates without a position are of the default one, and so are those who name its row:
// whoever reads them reads the same, everywhere.
func TestTheDefaultPositionIsTheSameByItsRowAndWithoutIt(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w, ctx := newReachWorld(t, s), t.Context()
		id := w.candidates["standard"]
		begin(t, s, w.account, id)
		finish(t, s, w.account, id, noon)
		var standard typus.Position
		set := func(secret, blind, all bool) {
			write(t, s, func(tx *store.Tx) error {
				var err error
				if standard, err = tx.LockStandardPosition(ctx, w.account, noon); err != nil {
					return err
				}
				standard.Confidential, standard.Blind, standard.BlindAll = secret, blind, all
				return tx.SetPositionSecrecy(ctx, standard)
			})
		}
		seen := func(reader store.Reader) string {
			c, err := s.CandidateFor(ctx, reader, id)
			rows := must[[]store.CandidateRow](t)(s.CandidateRowsOf(ctx, reader, []int64{id}))
			var listed []string
			for i, q := range queries() {
				if i%4 > 0 {
					continue // each takes a moment
				}
				for _, row := range must[store.CandidatePage](t)(s.CandidatePage(ctx, reader, q)).Rows {
					listed = append(listed, fmt.Sprint(row.ID == id, row.Blind, row.Scores != nil))
				}
			}
			n := must[store.CandidatePage](t)(s.CandidatePage(ctx, reader, store.CandidateQuery{})).Counts.All.N
			return fmt.Sprint(err == nil, c.Blind, c.Scores != nil, len(rows), must[[]store.Look](t)(s.Looks(ctx, reader, store.LookQuery{IDs: []int64{id}})), listed, n)
		}
		for _, secrecy := range [][3]bool{{false, false, false}, {true, false, false}, {false, true, false}, {false, true, true}, {true, true, true}} {
			set(secrecy[0], secrecy[1], secrecy[2])
			for _, role := range []typus.UserRole{typus.RoleOwner, typus.RoleAdmin, typus.RoleMember, typus.RoleInterviewer} {
				for _, reader := range []store.Reader{w.reader(role, false), w.reader(role, true), w.reader(role, true, "standard")} {
					run(t, s, `update candidates set position_id = null where id = %d`, id)
					without := seen(reader)
					run(t, s, `update candidates set position_id = %d where id = %d`, standard.ID, id)
					if by := seen(reader); by != without {
						t.Errorf("%v, a %s reads\n%s\nof one who names the row, and\n%s\nof one who does not", secrecy, role, by, without)
					}
				}
			}
		}
	})
}

func TestAPositionIsFoundByWhatItSaysOfItself(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		ctx, account, other := t.Context(), newAccount(t, s), newAccount(t, s)
		if p := must[typus.Position](t)(s.Position(ctx, account, 0)); !p.Standard || p.ID != 0 || p.State != typus.PositionOpen || p.Reminders != typus.RemindersOfAccount {
			t.Errorf("the default position of an account that says nothing is %+v", p)
		}
		want := typus.Position{
			AccountID: account, Name: "Vertrieb Süd", Ref: "7", State: typus.PositionClosed, ClosedAt: noon, Confidential: true, Blind: true, BlindAll: true,
			ClientKind: typus.ClientDescribed, ClientWords: typus.OwnWords{DE: "ein Maschinenbauer", EN: "a machine builder"}, Notice: typus.NoticeFacts{Officer: "ada@example.com"}, RoleProfile: "hunter", Language: "en", InviteDays: 14, Reminders: 1, CreatedAt: noon,
		}
		write(t, s, func(tx *store.Tx) (err error) { want.ID, err = tx.AddPosition(ctx, want); return err })
		if p := must[typus.Position](t)(s.Position(ctx, account, want.ID)); p != want {
			t.Errorf("read %+v, want %+v", p, want)
		}
		for _, ref := range []string{"7", fmt.Sprint(want.ID)} {
			if p := must[typus.Position](t)(s.PositionByRef(ctx, account, ref)); p.ID != want.ID {
				t.Errorf("%q finds %+v", ref, p)
			}
		}
		for _, ref := range []string{"", "07", "x\x00", "999999"} {
			_, err := s.PositionByRef(ctx, account, ref)
			hasKind(t, ref, err, typus.NotFound)
		}
		var beside int64
		write(t, s, func(tx *store.Tx) (err error) {
			if beside, err = tx.AddPosition(ctx, typus.Position{AccountID: account, State: typus.PositionOpen, CreatedAt: noon}); err != nil {
				return err
			}
			_, err = tx.AddPosition(ctx, typus.Position{AccountID: account, Ref: fmt.Sprint(beside), State: typus.PositionOpen, CreatedAt: noon})
			return err
		})
		_, err := s.PositionByRef(ctx, account, fmt.Sprint(beside))
		hasKind(t, "the id of one and the reference of another", err, typus.NotFound)
		_, err = s.PositionByRef(ctx, other, "7")
		hasKind(t, "another account's reference", err, typus.NotFound)
		_, err = s.Position(ctx, other, want.ID)
		hasKind(t, "another account's position", err, typus.NotFound)
		err = s.InTx(ctx, func(tx *store.Tx) error {
			_, err := tx.AddPosition(ctx, typus.Position{AccountID: account, Ref: "7", State: typus.PositionOpen, CreatedAt: noon})
			return err
		})
		hasKind(t, "a second position with the reference", err, typus.Conflict)
	})
}

func TestPositionsAreListedAndCountedWithinReach(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w, ctx := newReachWorld(t, s), t.Context()
		begin(t, s, w.account, w.candidates["named"])
		begin(t, s, w.account, w.candidates["secret"])
		finish(t, s, w.account, w.candidates["secret"], noon)
		write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(ctx, w.account, w.candidates["other"], noon) })
		for _, c := range []struct {
			reader store.Reader
			names  string
			counts string
		}{
			{store.WholeAccount(w.account), "|secret|other|named", "standard 1 0 0, secret 0 0 1, other 0 0 0, named 0 1 0"},
			{w.reader(typus.RoleMember, false), "|other|named", "standard 1 0 0, other 0 0 0, named 0 1 0"},
			{w.reader(typus.RoleMember, true, "secret"), "secret", "secret 0 0 1"},
			{store.Reader{AccountID: w.account}, "", ""},
		} {
			counts := must[map[int64]store.StatusCounts](t)(s.PositionCounts(ctx, c.reader, must[[]typus.Position](t)(s.Positions(ctx, store.WholeAccount(w.account)))))
			var names, said []string
			for _, p := range must[[]typus.Position](t)(s.Positions(ctx, c.reader)) {
				of := counts[p.ID]
				name := p.Name
				if p.Standard {
					name = "standard"
				}
				names, said = append(names, p.Name), append(said, fmt.Sprint(name, " ", of.Open, " ", of.Started, " ", of.Finished))
				if read := must[typus.Position](t)(s.PositionFor(ctx, c.reader, p.ID)); read != p {
					t.Errorf("alone it is %+v, in the list %+v", read, p)
				}
			}
			if strings.Join(names, "|") != c.names || strings.Join(said, ", ") != c.counts {
				t.Errorf("lists %q with %q, want %q with %q", names, said, c.names, c.counts)
			}
			for _, id := range w.positions {
				_, err := s.PositionFor(ctx, c.reader, id)
				listed := slices.ContainsFunc(must[[]typus.Position](t)(s.Positions(ctx, c.reader)), func(p typus.Position) bool { return p.ID == id })
				if listed != (err == nil) {
					t.Errorf("position %d is listed %v, and read alone: %v", id, listed, err)
				}
			}
		}
		if closed := must[[]typus.Position](t)(s.Positions(ctx, store.WholeAccount(w.account), typus.PositionClosed)); len(closed) > 0 {
			t.Errorf("closed are %+v", closed)
		}
	})
}

// Who is named while somebody removes them is named and then gone, or not found: never half
// of each.
func TestAUserIsNamedAndRemovedInEitherOrder(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newReachWorld(t, s)
		for n := range 20 {
			user := newUser(t, s, typus.User{AccountID: w.account, Email: fmt.Sprintf("named%d@example.com", n), Role: typus.RoleMember, CreatedAt: noon}, "")
			removed := make(chan error)
			go func() {
				removed <- s.InTx(t.Context(), func(tx *store.Tx) error { return tx.RemoveUser(t.Context(), w.account, user) })
			}()
			err := s.InTx(t.Context(), func(tx *store.Tx) error {
				return tx.NameInPosition(t.Context(), w.account, w.positions["named"], user)
			})
			if err != nil && !typus.Is(err, typus.NotFound) {
				t.Errorf("named: %v", err)
			}
			if err := <-removed; err != nil {
				t.Errorf("removed: %v", err)
			}
			if ids, err := s.PositionsNaming(t.Context(), w.account, user); err != nil || len(ids) != 0 {
				t.Errorf("named in %v, %v", ids, err)
			}
		}
	})
}
