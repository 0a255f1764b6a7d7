package instrument

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"typus"
)

// Answer is what is known of one item. Value 0: not answered.
type Answer struct {
	Value    int
	Skipped  bool
	ActiveMS int // time the item was in view; 0: not recorded
	Changes  int // how often the answer was changed
}

// Sheet is the answers of one test, in presentation order, and its longest pause (server
// time between two saved answers minus active time).
type Sheet struct {
	Answers    []Answer
	MaxPauseMS int
}

// NewSheet is an empty sheet of this instrument.
func (in *Instrument) NewSheet() Sheet { return Sheet{Answers: make([]Answer, len(in.items))} }

// The packed form, big endian: version, number of answers, longest pause, then per answer
// value, flags, active milliseconds and changes, and at the end a CRC-32C of all that.
const (
	sheetVersion = 1
	sheetHead    = 1 + 2 + 8
	answerSize   = 1 + 1 + 4 + 2
	sheetTail    = 4
	flagSkipped  = 1
)

// MarshalBinary packs a sheet: 8 bytes an answer and 15 around them. Times and changes
// beyond what fits (49 days, 65,535) are kept as that maximum. Invalid: a negative
// number, a value above 255, a skipped answer with a value.
func (s Sheet) MarshalBinary() ([]byte, error) {
	if s.MaxPauseMS < 0 || len(s.Answers) > math.MaxUint16 {
		return nil, typus.Errorf(typus.Invalid, "the answer sheet has an impossible size or pause")
	}
	b := make([]byte, 0, sheetHead+answerSize*len(s.Answers)+sheetTail)
	b = append(b, sheetVersion)
	b = binary.BigEndian.AppendUint16(b, uint16(len(s.Answers))) //nolint:gosec // bounded above
	b = binary.BigEndian.AppendUint64(b, uint64(s.MaxPauseMS))
	for i, a := range s.Answers {
		if a.ActiveMS < 0 || a.Changes < 0 || a.Value < 0 || a.Value > math.MaxUint8 || a.Skipped && a.Value != 0 {
			return nil, typus.Errorf(typus.Invalid, "answer %d of the sheet is impossible", i+1)
		}
		b = appendAnswer(b, a)
	}
	return binary.BigEndian.AppendUint32(b, checksum(b)), nil
}

func appendAnswer(b []byte, a Answer) []byte {
	var flags byte
	if a.Skipped {
		flags = flagSkipped
	}
	b = append(b, byte(a.Value), flags)
	b = binary.BigEndian.AppendUint32(b, uint32(min(a.ActiveMS, math.MaxUint32)))   //nolint:gosec // bounded by min
	return binary.BigEndian.AppendUint16(b, uint16(min(a.Changes, math.MaxUint16))) //nolint:gosec // bounded by min
}

// UnmarshalBinary replaces the sheet by a packed one. It refuses whatever MarshalBinary
// did not make (kind Internal: the data is ours and damaged), and leaves the sheet as it
// was.
func (s *Sheet) UnmarshalBinary(data []byte) error {
	if len(data) < sheetHead+sheetTail {
		return damaged("too short")
	}
	body, sum := data[:len(data)-sheetTail], data[len(data)-sheetTail:]
	n := int(binary.BigEndian.Uint16(body[1:]))
	pause := binary.BigEndian.Uint64(body[3:])
	switch {
	case body[0] != sheetVersion:
		return damaged("unknown version")
	case len(body) != sheetHead+answerSize*n:
		return damaged("wrong length")
	case binary.BigEndian.Uint32(sum) != checksum(body):
		return damaged("wrong checksum")
	case pause > math.MaxInt64:
		return damaged("impossible pause")
	}
	answers := make([]Answer, n)
	for i := range answers {
		b := body[sheetHead+answerSize*i:]
		a := Answer{Value: int(b[0]), Skipped: b[1] == flagSkipped, ActiveMS: int(binary.BigEndian.Uint32(b[2:])), Changes: int(binary.BigEndian.Uint16(b[6:]))}
		if b[1] > flagSkipped || a.Skipped && a.Value != 0 {
			return damaged("impossible answer")
		}
		answers[i] = a
	}
	s.Answers, s.MaxPauseMS = answers, int(pause)
	return nil
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func damaged(how string) error {
	return typus.Errorf(typus.Internal, "the stored answer sheet is damaged: %s", how)
}
