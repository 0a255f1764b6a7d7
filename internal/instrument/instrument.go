// Package instrument is the test itself (psychometric instrument): items, scoring,
// personas, warnings.
package instrument

import (
	"strconv"

	"typus"
)

// Instrument is one frozen version of a test. It is read-only and safe for concurrent
// use; what its methods return must not be changed.
type Instrument struct {
	def      definition
	hash     string
	warnings []typus.Field
	items    []Item
	position map[string]int // item id → place in the frozen order
	blocks   int
	texts    map[string]itemTexts   // by language
	report   map[string]reportTexts // by language
	norm     normHead
	roles    []Role

	// Prepared at load, so that scoring looks nothing up: positions are indices into
	// items.
	dimensions []scale
	facets     []scale
	hint       *scale // impression management, nil for none
	scored     []int
	control    int // position of the instructed item, -1 for none
	pairs      []pair
	types      *typology // nil for none
	given      []string  // the warnings of this version but the doubt, in their order
	givesDoubt bool
	span       func() int // see HighestLowest
}

// ItemType says what an item is for.
type ItemType string

// The item types: scored on a dimension, a hint at impression management, an
// instruction to give a certain answer.
const (
	Scored     ItemType = "scored"
	Hint       ItemType = "hint"
	Instructed ItemType = "instructed"
)

// Item is one statement at one position of the frozen order.
type Item struct {
	ID     string
	Type   ItemType
	Scale  string // "" for an instructed item
	Minus  bool   // describes the opposite of its scale
	Expect int    // the answer an instructed item asks for, 0 otherwise
	Block  int    // 1-based
}

// scale is a dimension, a facet or the hint scale: the positions of its items in the
// order of the file.
type scale struct {
	key       string
	name      string // in the source language
	positions []int
	needed    int        // answers without which it is not scored
	norm      *reference // nil for none
}

// reference is the norm of one dimension, in POMP units; sem is the standard error of a
// score.
type reference struct{ mu, sigma, rel, sem float64 }

// pair is two positions that say the same or, as antonyms, the opposite.
type pair struct {
	a, b    int
	antonym bool
}

// Ref is "id@version".
func (in *Instrument) Ref() string { return in.def.ID + "@" + in.def.Version }

// Version finds a version of a test by its reference: this one, or one that was released.
// False: there is none.
func (in *Instrument) Version(ref string) (*Instrument, bool) {
	if ref == in.Ref() {
		return in, true
	}
	return Released(ref)
}

// Hash is "sha256:" and the hex digest of the canonical JSON (RFC 8785) of the
// instrument and its item texts.
func (in *Instrument) Hash() string { return in.hash }

// Warnings are the rules for our own instrument that this one breaks, each with its
// path and a remark.
func (in *Instrument) Warnings() []typus.Field { return in.warnings }

// Items are in presentation order.
func (in *Instrument) Items() []Item { return in.items }

// Position is the place of an item in presentation order. False: there is no such item.
func (in *Instrument) Position(id string) (int, bool) {
	p, known := in.position[id]
	return p, known
}

// Points is the highest answer of the scale; the lowest of our own instrument is 1.
func (in *Instrument) Points() int { return in.def.Scale.Max }

// Blocks is how many blocks the items form; an item that is not scored belongs to the
// block before it.
func (in *Instrument) Blocks() int { return in.blocks }

// Dimensions are the keys of the dimensions in their frozen order.
func (in *Instrument) Dimensions() []string {
	keys := make([]string, len(in.dimensions))
	for i, d := range in.dimensions {
		keys[i] = d.key
	}
	return keys
}

// WarningKeys are the warnings that this version gives, in the order in which a result
// lists them.
func (in *Instrument) WarningKeys() []string { return in.def.warningKeys() }

// NormID names the norm that scores are compared with, "" for none.
func (in *Instrument) NormID() string { return in.norm.ID }

// NormPeople is how many people's results the norm was made from, 0 for a norm of assumptions.
func (in *Instrument) NormPeople() int { return in.norm.N }

// ScoringVersion names the formulas; it changes when they do.
func (in *Instrument) ScoringVersion() string { return strconv.Itoa(in.def.Scoring.Version) }
