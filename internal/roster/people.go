package roster

import (
	"strings"

	"typus"
)

// People turns the records below the headings into rows of an import. Why a row as a
// whole cannot be read is said already ("quote_open", "columns_more"); what is wrong with
// a name or an address is found later.
func (t Table) People(c Columns) []typus.ImportRow {
	width := len(t.headings())
	if width == 0 {
		for _, rec := range t.people() {
			width = max(width, len(rec.Cells))
		}
	}
	rows := make([]typus.ImportRow, len(t.people()))
	for n, rec := range t.people() {
		rows[n] = t.person(rec, c)
		if rec.Open {
			rows[n].Reasons = append(rows[n].Reasons, "quote_open")
		}
		if len(rec.Cells) > width && !(Record{Cells: rec.Cells[width:]}).empty() {
			rows[n].Reasons = append(rows[n].Reasons, "columns_more")
		}
	}
	return rows
}

// person reads a record. A line break within a name, or any other space, is a space.
func (t Table) person(rec Record, c Columns) typus.ImportRow {
	cell := func(col Column) string {
		i, ok := c.At[col]
		if !ok || i >= len(rec.Cells) {
			return ""
		}
		return t.plain(rec.Cells[i])
	}
	name := strings.Join(strings.Fields(cell(Name)), " ")
	if c.Turned {
		name = turnedName(name)
	}
	if name == "" {
		name = strings.Join(strings.Fields(cell(FirstName)+" "+cell(LastName)), " ")
	}
	return typus.ImportRow{N: rec.Line, Name: name, Email: cell(Email), ExternalID: cell(ExternalID), Language: languageCode(cell(Language))}
}

// plain is a cell without what only keeps a spreadsheet from computing it: the
// apostrophe of our own files, and ="0815", as which other programs write a number that
// is to stay text.
func (t Table) plain(cell string) string {
	cell = strings.TrimSpace(cell)
	if t.Ours {
		return unguarded(cell)
	}
	if text, ok := strings.CutPrefix(cell, `="`); ok && strings.HasSuffix(text, `"`) {
		return strings.TrimSuffix(text, `"`)
	}
	return cell
}

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
