package dashboard

import (
	"slices"
	"strings"
	"unicode"

	"typus"
)

// The meanings of a column; each may occur once.
const (
	colName       = "name"
	colFirst      = "first_name"
	colLast       = "last_name"
	colEmail      = "email"
	colExternalID = "external_id"
	colLanguage   = "language"
)

// headings are the names of columns that we know, in German and English: in lower
// case, letters and digits only.
var headings = map[string][]string{
	colName: {"name", "fullname", "vollername", "vollständigername", "kandidat", "kandidatin", "kandidatinname", "kandidatenname", "bewerber", "bewerberin",
		"candidate", "candidatename", "applicant", "applicantname", "person", "kontakt", "kontaktname", "contact", "contactname", "displayname", "anzeigename"},
	colFirst: {"vorname", "firstname", "givenname", "rufname", "forename"},
	colLast:  {"nachname", "familienname", "zuname", "lastname", "surname", "familyname"},
	colEmail: {"email", "mail", "emailadresse", "mailadresse", "emailaddress", "mailaddress", "emailadress", "epost", "workemail", "emailgeschäftlich", "emailprivat"},
	colExternalID: {"externalid", "externeid", "extid", "id", "kennung", "referenz", "referenznummer", "reference", "ref", "personalnummer", "bewerbernummer",
		"bewerberid", "kandidatenid", "candidateid", "applicantid", "crmid", "recordid", "kundennummer", "externekennung"},
	colLanguage: {"sprache", "language", "lang", "locale", "languagecode"},
}

// meaning is what a heading stands for, "" when we do not know it.
func meaning(heading string) string {
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

// columns says where in a record what stands; a meaning that no column has is absent.
type columns struct {
	at      map[string]int
	heading bool // the first record holds names of columns, not a person
}

// guess maps the columns by their headings. It is sure when every heading that
// matters is there once; otherwise somebody has to look.
func (t table) guess() (columns, bool) {
	c := columns{at: map[string]int{}, heading: true}
	sure := true
	for i, cell := range t.records[0].cells {
		col := meaning(cell)
		if strings.Contains(cell, "@") {
			c.heading = false
		}
		if _, twice := c.at[col]; twice {
			sure = false
		} else if col != "" {
			c.at[col] = i
		}
	}
	if !c.heading {
		return t.guessByContent(), false
	}
	// "Name; Vorname" is how German lists say family name and given name.
	if _, last := c.at[colLast]; !last && c.has(colFirst) && c.has(colName) {
		c.at[colLast] = c.at[colName]
		delete(c.at, colName)
	}
	return c, sure && c.complete()
}

// guessByContent proposes columns for a file without headings.
func (t table) guessByContent() columns {
	c := columns{at: map[string]int{}}
	for i, cell := range t.records[0].cells {
		if strings.Contains(cell, "@") && !c.has(colEmail) {
			c.at[colEmail] = i
		} else if !c.has(colName) && strings.ContainsFunc(cell, unicode.IsLetter) {
			c.at[colName] = i
		}
	}
	return c
}

func (c columns) has(col string) bool {
	_, ok := c.at[col]
	return ok
}

// named reports whether there is a name.
func (c columns) named() bool { return c.has(colName) || c.has(colLast) || c.has(colFirst) }

// complete reports whether there is a name and an address.
func (c columns) complete() bool { return c.has(colEmail) && c.named() }

// people turns the records into rows of an import. Reasons of the row as a whole
// are there already; what is wrong with a name or an address is found later.
func (t table) people(c columns) []typus.ImportRow {
	records := t.records
	width := len(records[0].cells)
	if c.heading {
		records = records[1:]
	} else {
		for _, rec := range records {
			width = max(width, len(rec.cells))
		}
	}
	rows := make([]typus.ImportRow, len(records))
	for n, rec := range records {
		cell := func(col string) string {
			i, ok := c.at[col]
			if !ok || i >= len(rec.cells) {
				return ""
			}
			return strings.TrimSpace(rec.cells[i])
		}
		name := cell(colName)
		if name == "" {
			name = strings.TrimSpace(cell(colFirst) + " " + cell(colLast))
		}
		rows[n] = typus.ImportRow{N: rec.line, Name: name, Email: cell(colEmail), ExternalID: cell(colExternalID), Language: languageCode(cell(colLanguage))}
		if rec.open {
			rows[n].Reasons = append(rows[n].Reasons, "quote_open")
		}
		if len(rec.cells) > width && !(record{cells: rec.cells[width:]}).blank() {
			rows[n].Reasons = append(rows[n].Reasons, "columns_more")
		}
	}
	return rows
}

// leftOut are the headings of the columns that mean nothing to us, each once; of a
// file without headings nothing can be named.
func (t table) leftOut(c columns) []string {
	if !c.heading {
		return nil
	}
	read := map[int]bool{}
	for _, i := range c.at {
		read[i] = true
	}
	var out []string
	for i, cell := range t.records[0].cells {
		if name := shortCell(cell); name != "" && !read[i] && !slices.Contains(out, name) && len(out) < maxLeftOut {
			out = append(out, name)
		}
	}
	return out
}

// maxLeftOut headings are named; more would bury the preview.
const maxLeftOut = 30

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
