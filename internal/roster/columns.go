package roster

import (
	"slices"
	"strings"
	"unicode"
)

// Columns says where in a record what stands; a meaning that no column has is absent.
type Columns struct {
	At     map[Column]int // from 0
	Turned bool           // the family name stands before the given name, with a comma between
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

// Guess maps the columns by their headings and by what stands in them. It is sure when
// there is a name and an address, and nothing else could be meant; otherwise somebody
// has to look.
func (t Table) Guess() (Columns, bool) {
	c := Columns{At: map[Column]int{}}
	if t.headings() == nil {
		t.guessByContent(&c)
		c.Turned = t.turned(c)
		return c, false
	}
	sure := t.Why.Heading == ByHeadings || t.Why.Heading == Chosen
	for _, col := range []Column{Email, FirstName, LastName, Name, ExternalID, Language} {
		at, clear := t.find(col, c)
		if at >= 0 {
			c.At[col] = at
			sure = sure && clear
		}
	}
	// "Name; Vorname" is how German lists say family name and given name.
	if _, last := c.At[LastName]; !last && c.Has(FirstName) && c.Has(Name) {
		c.At[LastName] = c.At[Name]
		delete(c.At, Name)
	}
	c.Turned = t.turned(c)
	return c, sure && c.complete()
}

// find is the column that means something, -1 if none does, and whether no other could.
func (t Table) find(col Column, c Columns) (int, bool) {
	exact, alike := t.candidates(col, c)
	if plain := t.only(exact, external); col == ExternalID && len(plain) > 0 {
		exact = plain
	}
	fitting := slices.DeleteFunc(slices.Clone(exact), func(i int) bool { return !t.holds(i, col) })
	switch {
	case len(fitting) > 0:
		return fitting[0], len(fitting) == 1
	case len(alike) > 0:
		return alike[0], len(alike) == 1 && col != Name
	case len(exact) > 0 && !t.misplaced(exact[0], col):
		return exact[0], len(exact) == 1
	case col == Email, col == Name && !c.Has(FirstName) && !c.Has(LastName):
		return t.looksLike(col), false
	}
	return -1, true
}

// looksLike is the first column whose cells could mean something, -1 if there is none;
// whole names have a space.
func (t Table) looksLike(col Column) int {
	for i := range t.Width() {
		whole := col != Name || t.mostly(i, func(cell string) bool { return strings.Contains(cell, " ") })
		if len(t.column(i)) > 0 && t.holds(i, col) && whole {
			return i
		}
	}
	return -1
}

// candidates are the columns whose headings mean something, and those whose headings may
// mean it and whose cells say so.
func (t Table) candidates(col Column, c Columns) ([]int, []int) {
	var exact, alike []int
	for i, h := range t.headings()[:min(len(t.headings()), maxColumns)] {
		switch {
		case meaning(h) == col:
			exact = append(exact, i)
		case meaning(h) == "" && likeness(h) == col && len(t.column(i)) > 0 && t.holds(i, col):
			alike = append(alike, i)
		}
	}
	if col == Name && (c.Has(FirstName) || c.Has(LastName)) {
		alike = nil
	}
	return exact, alike
}

// only are the columns whose heading is one of these.
func (t Table) only(columns []int, names []string) []int {
	var list []int
	for _, i := range columns {
		if slices.Contains(names, key(t.headings()[i])) {
			list = append(list, i)
		}
	}
	return list
}

// holds reports whether most cells of a column could be what it is said to mean; an
// empty column could be anything.
func (t Table) holds(at int, col Column) bool {
	switch col {
	case Email:
		return t.mostly(at, isAddress)
	case Name, FirstName, LastName:
		return t.mostly(at, isName)
	}
	return true
}

// misplaced reports whether a column cannot be what its heading says: names that are
// figures or addresses. Addresses that are all broken are still addresses.
func (t Table) misplaced(at int, col Column) bool {
	switch col {
	case Name, FirstName, LastName:
		return !t.mostly(at, func(cell string) bool { return strings.ContainsFunc(cell, unicode.IsLetter) && !isAddress(cell) })
	}
	return false
}

// mostly reports whether half of a column's cells or more are so.
func (t Table) mostly(at int, so func(string) bool) bool {
	n, cells := 0, t.column(at)
	for _, cell := range cells {
		if so(cell) {
			n++
		}
	}
	return 2*n >= len(cells)
}

// isName reports whether a cell could be a name or a part of one.
func isName(cell string) bool {
	return strings.ContainsFunc(cell, unicode.IsLetter) && !strings.Contains(cell, "@") && !strings.ContainsFunc(cell, unicode.IsDigit)
}

// turned reports whether names stand as "Muster, Jana": the heading says so, or all do.
func (t Table) turned(c Columns) bool {
	at, ok := c.At[Name]
	if !ok {
		return false
	}
	if head := t.headings(); at < len(head) && slices.Contains(turned, key(head[at])) {
		return true
	}
	cells := t.column(at)
	return len(cells) > 0 && !slices.ContainsFunc(cells, func(cell string) bool { return turnedName(cell) == cell })
}

// turnedName is "Jana Muster" for "Muster, Jana", and any other text as it is.
func turnedName(name string) string {
	last, first, ok := strings.Cut(name, ",")
	last, first = strings.TrimSpace(last), strings.TrimSpace(first)
	if !ok || last == "" || first == "" || strings.Contains(first, ",") {
		return name
	}
	return first + " " + last
}

// guessByContent proposes columns for a file without headings.
func (t Table) guessByContent(c *Columns) {
	for i := range t.Width() {
		switch {
		case len(t.column(i)) == 0:
		case !c.Has(Email) && t.holds(i, Email):
			c.At[Email] = i
		case !c.Has(Name) && t.holds(i, Name):
			c.At[Name] = i
		}
	}
}

// LeftOut are the headings of the columns that mean nothing to us, each once; of a
// file without headings nothing can be named.
func (t Table) LeftOut(c Columns) []string {
	read := map[int]bool{}
	for _, i := range c.At {
		read[i] = true
	}
	var out []string
	for i, cell := range t.headings() {
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
