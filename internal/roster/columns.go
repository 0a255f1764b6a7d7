package roster

import (
	"slices"
	"strings"
	"unicode"

	"typus"
)

// Column is what a column may mean, "" for nothing of ours.
type Column string

// The meanings of a column; each may occur once.
const (
	Name       Column = "name"
	FirstName  Column = "first_name"
	LastName   Column = "last_name"
	Email      Column = "email"
	ExternalID Column = "external_id"
	Language   Column = "language"
)

// headings are the names of columns that we know, in German and English: in lower
// case, letters and digits only.
var headings = map[Column][]string{
	Name: {"name", "fullname", "vollername", "vollständigername", "kandidat", "kandidatin", "kandidatinname", "kandidatenname", "bewerber", "bewerberin",
		"candidate", "candidatename", "applicant", "applicantname", "person", "kontakt", "kontaktname", "contact", "contactname", "displayname", "anzeigename"},
	FirstName: {"vorname", "firstname", "givenname", "rufname", "forename"},
	LastName:  {"nachname", "familienname", "zuname", "lastname", "surname", "familyname"},
	Email:     {"email", "mail", "emailadresse", "mailadresse", "emailaddress", "mailaddress", "emailadress", "epost", "workemail", "emailgeschäftlich", "emailprivat"},
	ExternalID: {"externalid", "externeid", "extid", "id", "kennung", "referenz", "referenznummer", "reference", "ref", "personalnummer", "bewerbernummer",
		"bewerberid", "kandidatenid", "candidateid", "applicantid", "crmid", "recordid", "kundennummer", "externekennung"},
	Language: {"sprache", "language", "lang", "locale", "languagecode"},
}

// meaning is what a heading stands for, "" when we do not know it.
func meaning(heading string) Column {
	key := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
	for col, names := range headings {
		for _, name := range names {
			if key == name {
				return col
			}
		}
	}
	return ""
}

// Columns says where in a record what stands; a meaning that no column has is absent.
type Columns struct {
	At      map[Column]int // from 0
	Heading bool           // the first record holds names of columns, not a person
}

// Guess maps the columns by their headings. It is sure when every heading that
// matters is there once; otherwise somebody has to look.
func (t Table) Guess() (Columns, bool) {
	c := Columns{At: map[Column]int{}, Heading: true}
	sure := true
	for i, cell := range t.Records[0].Cells {
		col := meaning(cell)
		if strings.Contains(cell, "@") {
			c.Heading = false
		}
		if _, twice := c.At[col]; twice {
			sure = false
		} else if col != "" {
			c.At[col] = i
		}
	}
	if !c.Heading {
		return t.guessByContent(), false
	}
	// "Name; Vorname" is how German lists say family name and given name.
	if _, last := c.At[LastName]; !last && c.Has(FirstName) && c.Has(Name) {
		c.At[LastName] = c.At[Name]
		delete(c.At, Name)
	}
	return c, sure && c.complete()
}

// guessByContent proposes columns for a file without headings.
func (t Table) guessByContent() Columns {
	c := Columns{At: map[Column]int{}}
	for i, cell := range t.Records[0].Cells {
		if strings.Contains(cell, "@") && !c.Has(Email) {
			c.At[Email] = i
		} else if !c.Has(Name) && strings.ContainsFunc(cell, unicode.IsLetter) {
			c.At[Name] = i
		}
	}
	return c
}

// Has reports whether a column means this.
func (c Columns) Has(col Column) bool {
	_, ok := c.At[col]
	return ok
}

// Named reports whether there is a name, in one column or in two.
func (c Columns) Named() bool { return c.Has(Name) || c.Has(LastName) || c.Has(FirstName) }

// complete reports whether there is a name and an address.
func (c Columns) complete() bool { return c.Has(Email) && c.Named() }

// People turns the records into rows of an import. Why a row as a whole cannot be
// read is said already ("quote_open", "columns_more"); what is wrong with a name or
// an address is found later.
func (t Table) People(c Columns) []typus.ImportRow {
	records := t.Records
	width := len(records[0].Cells)
	if c.Heading {
		records = records[1:]
	} else {
		for _, rec := range records {
			width = max(width, len(rec.Cells))
		}
	}
	rows := make([]typus.ImportRow, len(records))
	for n, rec := range records {
		cell := func(col Column) string {
			i, ok := c.At[col]
			if !ok || i >= len(rec.Cells) {
				return ""
			}
			return strings.TrimSpace(rec.Cells[i])
		}
		name := cell(Name)
		if name == "" {
			name = strings.TrimSpace(cell(FirstName) + " " + cell(LastName))
		}
		rows[n] = typus.ImportRow{N: rec.Line, Name: name, Email: cell(Email), ExternalID: cell(ExternalID), Language: languageCode(cell(Language))}
		if rec.Open {
			rows[n].Reasons = append(rows[n].Reasons, "quote_open")
		}
		if len(rec.Cells) > width && !(Record{Cells: rec.Cells[width:]}).blank() {
			rows[n].Reasons = append(rows[n].Reasons, "columns_more")
		}
	}
	return rows
}

// LeftOut are the headings of the columns that mean nothing to us, each once; of a
// file without headings nothing can be named.
func (t Table) LeftOut(c Columns) []string {
	if !c.Heading {
		return nil
	}
	read := map[int]bool{}
	for _, i := range c.At {
		read[i] = true
	}
	var out []string
	for i, cell := range t.Records[0].Cells {
		if name := Short(cell); name != "" && !read[i] && !slices.Contains(out, name) && len(out) < maxLeftOut {
			out = append(out, name)
		}
	}
	return out
}

// maxLeftOut headings are named; more would bury the preview.
const maxLeftOut = 30

// Short is a cell as it can be shown in a line: without line breaks, and cut after
// 40 code points.
func Short(cell string) string {
	runes := []rune(strings.Join(strings.Fields(cell), " "))
	if len(runes) > shortCell {
		return string(runes[:shortCell]) + "…"
	}
	return string(runes)
}

const shortCell = 40

// languageCode reads the names of our languages as people write them; anything
// else stays as it is and is a fault of its row.
func languageCode(typed string) string {
	lower := strings.ToLower(typed)
	code, _, _ := strings.Cut(strings.ReplaceAll(lower, "_", "-"), "-")
	switch code {
	case "de", "deu", "ger", "deutsch", "german":
		return "de"
	case "en", "eng", "englisch", "english":
		return "en"
	}
	return typed
}
