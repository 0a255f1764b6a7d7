package assess

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"typus"
	"typus/internal/instrument"
	"typus/internal/store"
)

// Copy is what is stored about a person, to be handed to them (GDPR Art. 15).
type Copy struct {
	Tables  []store.PersonTable
	Results []CopiedResult
	Answers []CopiedAnswer // of a test that goes on
	Sent    []byte         // what connected systems were sent, in JSON; nil for nothing
	Partly  bool           // what the team wrote is left out
	Unshown bool           // so is the result, which the person may not see yet
	Never   bool           // nor is anybody going to release it
}

// CopiedResult is a result with the answers that it was made from.
type CopiedResult struct {
	At         time.Time
	Instrument string
	With       *instrument.Instrument // that version
	Scores     []byte                 // JSON
	Role       []byte                 // JSON: the role profile of that day
	Answers    []CopiedAnswer
}

// CopiedAnswer is what a person answered to an item.
type CopiedAnswer struct {
	Number    int    `json:"number"`
	Statement string `json:"statement"`
	Value     int    `json:"value"` // on the scale from 1 on, 0 for none
	Skipped   bool   `json:"skipped"`
	ActiveMS  int    `json:"active_ms"` // how long it was in view, 0: not measured
	Changes   int    `json:"changes"`
}

// CopyOf is everything that is stored about a candidate, with its times as the account's
// people see them. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) CopyOf(ctx context.Context, accountID, candidateID int64, lang string) (Copy, error) {
	person, err := s.store.Person(ctx, accountID, candidateID)
	if err != nil {
		return Copy{}, err
	}
	account, err := s.store.Account(ctx, accountID)
	if err != nil {
		return Copy{}, err
	}
	c := Copy{Tables: person.Tables, Sent: person.Payload}
	for _, r := range person.Results {
		in, answers, err := s.copied(r.Instrument, r.Answers, lang)
		if err != nil {
			return Copy{}, err
		}
		c.Results = append(c.Results, CopiedResult{At: r.CreatedAt, Instrument: r.Instrument, With: in, Scores: r.Scores, Role: r.RoleSnapshot, Answers: answers})
	}
	if person.Sheet != nil {
		begun, err := s.store.Candidate(ctx, accountID, candidateID)
		if err != nil {
			return Copy{}, err
		}
		if _, c.Answers, err = s.copied(begun.Instrument, person.Sheet, lang); err != nil {
			return Copy{}, err
		}
	}
	c.timed(account)
	return c, nil
}

// timed turns the times of the copy into those that the account's people see.
func (c *Copy) timed(account typus.Account) {
	for i := range c.Results {
		c.Results[i].At = account.WorldTime(c.Results[i].At)
	}
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			for n, value := range row {
				if at, is := value.(time.Time); is {
					row[n] = account.WorldTime(at)
				}
			}
		}
	}
}

// OwnCopy is the copy that a candidate takes on their page: without what the team wrote, which
// the access that they can ask for has, and without the result where it is not shown to them.
func (s *Steps) OwnCopy(ctx context.Context, t Test, lang string) (Copy, error) {
	page, err := s.store.OwnPage(ctx, t.Candidate)
	if err != nil {
		return Copy{}, err
	}
	c, err := s.CopyOf(ctx, t.Candidate.AccountID, t.Candidate.ID, lang)
	if err != nil {
		return Copy{}, err
	}
	terms := page.Terms.Or(t.Account.OwnResult)
	c.Partly, c.Unshown = true, !page.OwnResult.Shown(terms)
	c.Never = c.Unshown && terms.Policy == typus.OwnResultNone
	c.dropTeam()
	if c.Unshown {
		c.hide()
	}
	return c, nil
}

// dropTeam leaves out what the team wrote or did, and who of it.
func (c *Copy) dropTeam() {
	c.Tables = slices.DeleteFunc(c.Tables, func(t store.PersonTable) bool { return t.Team })
	for i, t := range c.Tables {
		c.Tables[i] = t.Without(store.PersonColumn.Team)
	}
}

// hide leaves out the result, and what follows from it.
func (c *Copy) hide() {
	c.Sent = nil
	for i := range c.Results {
		c.Results[i].Scores, c.Results[i].Role = nil, nil
	}
	for _, t := range c.Tables {
		for n, column := range t.Columns {
			if t.Name == "candidates" && column.Name == "overall" {
				for _, row := range t.Rows {
					row[n] = nil
				}
			}
		}
	}
}

// copied are packed answers with the statements that they answer, and the version that
// those are of.
func (s *Steps) copied(ref string, packed []byte, lang string) (*instrument.Instrument, []CopiedAnswer, error) {
	in, known := s.instrument.Version(ref)
	if !known {
		return nil, nil, typus.Errorf(typus.Internal, "the answers are of %s, which this program does not have", ref)
	}
	var sheet instrument.Sheet
	if err := sheet.UnmarshalBinary(packed); err != nil {
		return nil, nil, err
	}
	items := in.Items()
	list := make([]CopiedAnswer, len(sheet.Answers))
	for i, a := range sheet.Answers {
		list[i] = CopiedAnswer{Number: i + 1, Value: a.Value, Skipped: a.Skipped, ActiveMS: a.ActiveMS, Changes: a.Changes}
		if i < len(items) {
			list[i].Statement = in.Text(lang, items[i].ID)
		}
	}
	return in, list, nil
}

// JSON is the copy as a program reads it. The names are those of Dictionary.
func (c Copy) JSON() ([]byte, error) {
	members := []member{}
	for _, t := range c.Tables {
		members = append(members, member{t.Name, rowsOf(t)})
	}
	results := []any{}
	for _, r := range c.Results {
		results = append(results, object{{"created_at", r.At}, {"instrument", r.Instrument}, {"scores", raw(r.Scores)}, {"role_profile", raw(r.Role)}, {"answers", r.Answers}})
	}
	members = append(members, member{"results", results})
	if c.Answers != nil {
		members = append(members, member{"answers", c.Answers})
	}
	if c.Sent != nil {
		members = append(members, member{"sent", raw(c.Sent)})
	}
	return json.Marshal(object(members), jsontext.WithIndent("  "))
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSONTo writes the members one after the other.
func (o object) MarshalJSONTo(out *jsontext.Encoder) error {
	if err := out.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range o {
		if err := out.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(out, m.value); err != nil {
			return err
		}
	}
	return out.WriteToken(jsontext.EndObject)
}

func rowsOf(t store.PersonTable) []any {
	list := []any{}
	for _, row := range t.Rows {
		var o object
		for i, column := range t.Columns {
			o = append(o, member{PlainName(column.Name), row[i]})
		}
		list = append(list, o)
	}
	return list
}

// PlainName is the name of a column without the table that the statement names.
func PlainName(column string) string {
	if column == "coalesce(u.email, '')" {
		return "user_email"
	}
	if _, name, qualified := strings.Cut(column, "."); qualified {
		return name
	}
	return column
}

// raw is stored JSON, null for none, and the text where it is damaged.
func raw(stored []byte) any {
	stored = bytes.TrimSpace(stored)
	switch {
	case len(stored) == 0:
		return nil
	case jsontext.Value(stored).IsValid():
		return jsontext.Value(stored)
	}
	return string(stored)
}

// Dictionary says in both languages what each name of JSON means.
func (c Copy) Dictionary() string {
	var b strings.Builder
	line := func(name, de, en string) { fmt.Fprintf(&b, "%s\n  DE: %s\n  EN: %s\n", name, de, en) }
	line("*", "Zeiten in UTC nach ISO 8601; null heißt: nichts gespeichert", "times in UTC as of ISO 8601; null means: nothing is stored")
	for _, t := range c.Tables {
		line(t.Name, t.DE, t.EN)
		for _, column := range t.Columns {
			line(t.Name+"."+PlainName(column.Name), column.DE, column.EN)
		}
	}
	for _, w := range [][3]string{
		{"results", "Ergebnisse, jedes mit Antworten und Rollenprofil jenes Tages", "results, each with the answers and the role profile of that day"},
		{"results.created_at", "ausgewertet am", "scored at"},
		{"results.instrument", "Fassung des Tests", "version of the test"},
		{"results.scores", "Werte (0 bis 100), Bänder, Profilmuster, Hinweise zu den Antworten", "scores (0 to 100), bands, profile pattern, remarks on the answers"},
		{"results.role_profile", "Zielbereiche und Gewichte", "target ranges and weights"},
		{"results.answers", "Antworten", "answers"},
		{"results.answers.number", "Nummer der Aussage", "number of the statement"},
		{"results.answers.statement", "Aussage", "statement"},
		{"results.answers.value", "Antwort von 1 (trifft gar nicht zu) bis 6 (trifft völlig zu), 0: keine", "answer from 1 (not true at all) to 6 (completely true), 0: none"},
		{"results.answers.skipped", "ausgelassen", "left out"},
		{"results.answers.active_ms", "wie lange die Aussage zu sehen war, in Millisekunden; 0: nicht gemessen", "how long the statement was in view, in milliseconds; 0: not measured"},
		{"results.answers.changes", "wie oft die Antwort geändert wurde", "how often the answer was changed"},
		{"answers", "Antworten eines Tests, der noch läuft", "answers of a test that still goes on"},
		{"sent", "was angebundene Systeme bekommen haben", "what connected systems were sent"},
	} {
		line(w[0], w[1], w[2])
	}
	return b.String()
}

// NoteCopied notes that somebody takes the whole copy of a candidate, which shows a result as
// the file of a report does, also where that is before anybody has rated who is to rate first,
// and leaves nothing of it in the log. NotFound.
func (s *Steps) NoteCopied(ctx context.Context, reader store.Reader, candidateID int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidateFor(ctx, reader, candidateID)
		if err != nil {
			return err
		}
		if c.Status == typus.StatusFinished {
			if err := s.noteEarly(ctx, tx, reader, c, by); err != nil {
				return err
			}
			if err := s.recordOf(ctx, tx, c, by, typus.AuditReportSaved, ""); err != nil {
				return err
			}
		}
		return s.recordOf(ctx, tx, c, by, typus.AuditPersonCopied, "")
	})
}

// noteEarly notes that a user sees a result for the first time before anybody has rated who is
// to rate first; of another look nothing.
func (s *Steps) noteEarly(ctx context.Context, tx *store.Tx, reader store.Reader, c typus.Candidate, by typus.Actor) error {
	lines, err := s.unnoted(ctx, tx.Looks, reader, look{ids: []int64{c.ID}}, by)
	if err != nil {
		return err
	}
	lines = slices.DeleteFunc(lines, func(l typus.AuditEntry) bool { return l.Action != typus.AuditReportViewedBeforeRating })
	return s.clerk.Audit(ctx, tx, by, lines...)
}
