package testpage

import (
	"testing"
	"time"

	"typus/internal/assess"
	"typus/internal/instrument"
)

// What is left is said by the time that items were in view, not by the clock, and by nothing
// where nothing was measured.
func TestAPauseSaysWhatIsLeftAtThePersonsOwnPace(t *testing.T) {
	in := instrument.Own()
	of := func(answered int, ms func(i int) int) int {
		sheet := in.NewSheet()
		for i := range answered {
			sheet.Answers[i] = instrument.Answer{Value: 3, ActiveMS: ms(i)}
		}
		return visit{Test: assess.Test{Instrument: in, Sheet: sheet}}.minutesLeft()
	}
	all := func(ms int) func(int) int { return func(int) int { return ms } }
	for name, c := range map[string]struct{ got, want int }{
		"six seconds each":          {of(37, all(6000)), 6},
		"a quick reader at the end": {of(96, all(900)), 1},
		"a night between two items": {of(37, func(i int) int {
			if i == 5 {
				return int((9 * time.Hour).Milliseconds())
			}
			return 6000
		}), 9},
		"nothing measured":      {of(37, all(0)), 0},
		"hardly anything timed": {of(37, func(i int) int { return 6000 * (1 - min(i/9, 1)) }), 0},
		"too few answers":       {of(7, all(6000)), 0},
		"nothing left":          {of(97, all(6000)), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d minutes, want %d", name, c.got, c.want)
		}
	}
}
