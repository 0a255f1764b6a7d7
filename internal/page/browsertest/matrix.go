package browsertest

import (
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"
)

// Cell is one way to see a page: how, and in which language.
type Cell struct {
	Look Look
	Lang string // "de" or "en"
}

// phone and desk are the widths in which all pages are seen.
var phone, desk = Look{Width: 320, Height: 640}, Look{Width: 1280}

// Widths are those in which a layout is looked at: phones, a tablet, narrow and wide desks.
// 1024 is also 1280 at 125 percent.
func Widths() []int { return []int{320, 390, 768, 1024, 1100, 1280, 1600} }

// Matrix is all ways to see a page, of which a run takes a few of each page. Which, the
// seed in TYPUS_SEED and the page's name decide. TYPUS_MATRIX=all takes all, and so does
// TYPUS_SHOTS, a directory for a picture of each.
type Matrix struct {
	seed, shots string
	all         bool
}

// NewMatrix says in the test's log what brings the same choice again.
func NewMatrix(t testing.TB) Matrix {
	t.Helper()
	m := Matrix{seed: os.Getenv("TYPUS_SEED"), shots: os.Getenv("TYPUS_SHOTS")}
	m.all = m.shots != "" || os.Getenv("TYPUS_MATRIX") == "all"
	if m.all {
		t.Log("every page is seen in every way")
	} else {
		t.Logf("TYPUS_SEED=%s chooses in which ways each page is seen; TYPUS_MATRIX=all: in every way", m.seed)
	}
	return m
}

// Two are a cell and its opposite: the page is seen in each width, theme and language. The last
// is German, and so is the page that is open afterwards.
func (m Matrix) Two(name string) []Cell {
	if m.all {
		return every()
	}
	n := m.choice(name)
	if n&english == 0 {
		n = ^n
	}
	return []Cell{cell(n), cell(^n)}
}

// One is a single cell, for a further form of a page.
func (m Matrix) One(name string) []Cell {
	if m.all {
		return every()
	}
	return []Cell{cell(m.choice(name))}
}

// Draws reports whether a run sees a further form of a page, of which it takes one in two: such
// a form differs from the page in a part of it, and there are hundreds.
func (m Matrix) Draws(form string) bool {
	return m.all || m.choice(form)&unseen == 0
}

// Special is one of the looks that are neither width nor theme, in one language.
func (m Matrix) Special(name string, looks ...Look) []Cell {
	var cells []Cell
	for _, look := range looks {
		cells = append(cells, Cell{look, "de"}, Cell{look, "en"})
	}
	if m.all {
		return cells
	}
	return cells[m.choice(name)%uint32(len(cells)):][:1] //nolint:gosec // a handful
}

func (m Matrix) choice(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(m.seed + "\n" + name))
	return h.Sum32() ^ h.Sum32()>>16 // the lowest bits alone follow the last letters too closely
}

// cell makes one of eight of the three lowest bits.
func cell(n uint32) Cell {
	c := Cell{Look: phone, Lang: "de"}
	if n&1 != 0 {
		c.Look = desk
	}
	c.Look.Dark = n&2 != 0
	if n&english != 0 {
		c.Lang = "en"
	}
	return c
}

// Bits of a choice: of a cell's language, and of a form that a run does not see.
const english, unseen = 4, 8

// every has the languages apart, so that a page is loaded once in each, last in German.
func every() []Cell {
	cells := make([]Cell, 8)
	for n := range cells {
		cells[n] = cell(^uint32(n)) //nolint:gosec // below 8
	}
	return cells
}

// See opens a page of an address in each cell and looks at it; the address depends on the
// language only.
func (m Matrix) See(tab *Tab, name string, cells []Cell, address func(lang string) string, look func(name string)) {
	tab.t.Helper()
	lang := ""
	for _, c := range cells {
		tab.Turn(c.Look)
		if c.Lang != lang {
			lang = c.Lang
			tab.Open(address(lang))
		}
		if m.shots != "" {
			tab.Screenshot(filepath.Join(m.shots, name+"-"+lang+"-"+c.Look.String()+".png"))
		}
		look(name + " in " + lang + " at " + c.Look.String())
	}
}
