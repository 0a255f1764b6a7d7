// Package instrument is the test itself: items, scoring, personas, warnings.
package instrument

import (
	"io/fs"

	"typus"
)

// Instrument is one frozen version of a test. It is read-only and safe for concurrent use.
type Instrument struct{}

// Load reads and checks a directory of the instrument format; the error names every fault with its path.
func Load(fsys fs.FS) (*Instrument, error) { panic("unwritten") }

// Own is the embedded instrument salespersona 1.0.0.
func Own() *Instrument { panic("unwritten") }

// Ref is "id@version"; Hash is "sha256:…" of the canonical form.
func (in *Instrument) Ref() string  { panic("unwritten") }
func (in *Instrument) Hash() string { panic("unwritten") }

// ItemType says what an item is for.
type ItemType string

// The item types.
const (
	Scored     ItemType = "scored"
	Hint       ItemType = "hint"
	Instructed ItemType = "instructed"
)

// Item is one statement at one position of the frozen order.
type Item struct {
	ID    string
	Type  ItemType
	Scale string
	Minus bool
	Block int // 1-based
}

// Items are in presentation order; Blocks is how many blocks they form.
func (in *Instrument) Items() []Item { panic("unwritten") }
func (in *Instrument) Blocks() int   { panic("unwritten") }

// Text is the statement of an item, Labels the answer labels from scale minimum to maximum, Languages what there is.
func (in *Instrument) Text(lang, itemID string) string { panic("unwritten") }
func (in *Instrument) Labels(lang string) []string     { panic("unwritten") }
func (in *Instrument) Languages() []string             { panic("unwritten") }

// Role is a role profile: what a sales role asks for.
type Role struct {
	Key     string
	Version int
}

// Roles lists the role profiles; Role finds one; RoleName is its name in a language.
func (in *Instrument) Roles() []Role                    { panic("unwritten") }
func (in *Instrument) Role(key string) (Role, bool)     { panic("unwritten") }
func (in *Instrument) RoleName(lang, key string) string { panic("unwritten") }

// Answer is what is known of one item. Value 0: not answered.
type Answer struct {
	Value    int
	Skipped  bool
	ActiveMS int // time the item was in view; 0: not recorded
	Changes  int // how often the answer was changed
}

// Sheet is the answers of one test, in presentation order, and its longest pause (server time between two saved answers
// minus active time).
type Sheet struct {
	Answers    []Answer
	MaxPauseMS int
}

// NewSheet is an empty sheet of this instrument.
func (in *Instrument) NewSheet() Sheet { panic("unwritten") }

// MarshalBinary packs a sheet (about 10 bytes an item); UnmarshalBinary refuses what Marshal did not make.
func (s Sheet) MarshalBinary() ([]byte, error)     { panic("unwritten") }
func (s *Sheet) UnmarshalBinary(data []byte) error { panic("unwritten") }

// Open lists the positions (0-based) that still need an answer before the test can be handed in: those neither answered
// nor skipped, and the skipped ones of dimensions with fewer answers than they need (instrument.md 5.2).
func (in *Instrument) Open(s Sheet) []int { panic("unwritten") }

// Result is everything a sheet says (instrument.md 5 to 8). Its JSON is the stored form of section 8.
type Result struct{}

// Score is a pure function. Invalid: a value out of range, a wrong number of answers, an unknown role.
func (in *Instrument) Score(s Sheet, role string) (Result, error) { panic("unwritten") }

// Complete reports whether all dimensions could be scored; only then Scores may be called.
func (r Result) Complete() bool { panic("unwritten") }

// Scores is the wire part of a complete result, with German names.
func (r Result) Scores() typus.Scores { panic("unwritten") }

// Evidence for the results row.
func (in *Instrument) NormID() string                          { panic("unwritten") }
func (in *Instrument) ScoringVersion() string                  { panic("unwritten") }
func (in *Instrument) RoleSnapshot(key string) ([]byte, error) { panic("unwritten") } // JSON of the role profile
