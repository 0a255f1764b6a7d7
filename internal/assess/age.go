package assess

import (
	"encoding/binary"
	"time"

	"typus"
	"typus/internal/instrument"
)

// ages says of each answer of a sheet, in the order of the items, how old it was when the
// sheet was saved; 0 where there is no answer.
//
// They are ages and not times so that they stay right when the times of a test world are
// moved, and so that an answer from an hour in which the clock was ahead is not newer than
// all that follow.
type ages []time.Duration

// oldestAge bounds an age: what a browser tells may be anything.
const oldestAge = 100 * 365 * 24 * time.Hour

// agesOf unpacks the ages of n answers. A sheet from before ages were kept has none: its
// answers are taken to be as old as the sheet. Internal: they are damaged.
func agesOf(packed []byte, n int) (ages, error) {
	a := make(ages, n)
	if len(packed) == 0 {
		return a, nil
	}
	for i := range a {
		ms, size := binary.Uvarint(packed)
		if size <= 0 || ms > uint64(oldestAge.Milliseconds()) {
			return nil, typus.Errorf(typus.Internal, "the stored ages of the answers are damaged at answer %d", i+1)
		}
		a[i], packed = time.Duration(ms)*time.Millisecond, packed[size:] //nolint:gosec // bounded above
	}
	if len(packed) > 0 {
		return nil, typus.Errorf(typus.Internal, "there are more stored ages than answers")
	}
	return a, nil
}

// packed is milliseconds, as unsigned varints: about 350 bytes for a whole test of some days.
func (a ages) packed() []byte {
	b := make([]byte, 0, 4*len(a))
	for _, age := range a {
		b = binary.AppendUvarint(b, uint64(age.Milliseconds())) //nolint:gosec // never negative
	}
	return b
}

// later lets time pass for the answers that there are. A clock that was set back makes none
// of them younger.
func (a ages) later(sheet instrument.Sheet, by time.Duration) {
	for i := range a {
		if answered(sheet.Answers[i]) {
			a[i] = bounded(a[i] + bounded(by))
		}
	}
}

// bounded is an age as it is kept.
func bounded(age time.Duration) time.Duration { return min(max(age, 0), oldestAge) }
