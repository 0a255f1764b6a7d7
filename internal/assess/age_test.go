package assess_test

import (
	"math"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/store"
)

// chosen is an answer to the item at a position that was chosen some time ago, by somebody who
// knew some of the saved answers.
func (w *world) chosen(position, value int, age time.Duration, knew ...int) assess.Given {
	return assess.Given{
		ItemID: w.Instrument.Items()[position].ID, Value: value, ActiveMS: 1000, Age: age,
		Knew: func(saved instrument.Answer) bool {
			for _, k := range knew {
				if saved.Value == k {
					return true
				}
			}
			return false
		},
	}
}

func (w *world) gives(token string, given ...assess.Given) assess.Test {
	w.Helper()
	test, err := w.Assess.Answer(w.Ctx, token, given)
	w.Must(err)
	return test
}

func (w *world) begun() assess.Invited {
	w.Helper()
	out := w.invite(jana)
	w.begin(out.Token)
	return out
}

// In whatever order the answers of two devices to one item arrive, and whatever is saved
// besides and meanwhile: the one that was chosen later stands.
func TestOfTwoAnswersToAnItemTheOneThatWasChosenLaterStands(t *testing.T) {
	const minute = time.Minute
	type arrival struct {
		at, chosen time.Duration // since the beginning
		item       int
		value      int
		knew       []int
	}
	for name, tc := range map[string]struct {
		arrivals []arrival
		want     int // of item 0 at the end
		outdated bool
	}{
		"chosen later, saved last": {[]arrival{{5 * minute, 5 * minute, 0, 6, nil}, {20 * minute, 10 * minute, 0, 2, nil}}, 2, false},
		"chosen later, while another item was saved elsewhere": {[]arrival{
			{5 * minute, 5 * minute, 0, 6, nil}, {15 * minute, 15 * minute, 1, 3, nil}, {20 * minute, 10 * minute, 0, 2, nil},
		}, 2, false},
		"chosen earlier, and arrived last": {[]arrival{{12 * minute, 12 * minute, 0, 6, nil}, {20 * minute, 10 * minute, 0, 2, nil}}, 6, true},
		"chosen earlier, and another item was saved since": {[]arrival{
			{12 * minute, 12 * minute, 0, 6, nil}, {15 * minute, 15 * minute, 1, 3, nil}, {20 * minute, 10 * minute, 0, 2, nil},
		}, 6, true},
		"both arrived late, the later one first":        {[]arrival{{18 * minute, 8 * minute, 0, 6, nil}, {20 * minute, 7 * minute, 0, 2, nil}}, 6, true},
		"both arrived late, the earlier one first":      {[]arrival{{18 * minute, 7 * minute, 0, 6, nil}, {20 * minute, 8 * minute, 0, 2, nil}}, 2, false},
		"known, whatever the clock of the browser says": {[]arrival{{12 * minute, 12 * minute, 0, 6, nil}, {20 * minute, minute, 0, 2, []int{6}}}, 2, false},
		"the same answer twice is as young as the younger": {[]arrival{
			{12 * minute, 12 * minute, 0, 6, nil}, {13 * minute, 2 * minute, 0, 6, nil}, {20 * minute, 10 * minute, 0, 2, nil},
		}, 6, true},
		"the same answer again makes it younger": {[]arrival{
			{5 * minute, 5 * minute, 0, 6, nil}, {12 * minute, 12 * minute, 0, 6, nil}, {20 * minute, 10 * minute, 0, 2, nil},
		}, 6, true},
		"what follows a known answer is no older than that": {[]arrival{
			{12 * minute, 12 * minute, 0, 6, nil}, {13 * minute, minute, 0, 5, []int{6}}, {20 * minute, 10 * minute, 0, 2, nil},
		}, 5, true},
	} {
		run(t, func(w *world) {
			out := w.begun()
			var last assess.Test
			passed := time.Duration(0)
			for _, a := range tc.arrivals {
				w.Later(a.at - passed)
				passed = a.at
				last = w.gives(out.Token, w.chosen(a.item, a.value, a.at-a.chosen, a.knew...))
			}
			if got := last.Sheet.Answers[0].Value; got != tc.want || (len(last.Outdated) > 0) != tc.outdated {
				w.Errorf("%s: %d stands, want %d; outdated: %v", name, got, tc.want, last.Outdated)
			}
			stored, err := w.Assess.Test(w.Ctx, out.Token)
			w.Must(err)
			if got := stored.Sheet.Answers[0].Value; got != tc.want || !stored.SavedAt.Equal(last.SavedAt) {
				w.Errorf("%s: %d is stored", name, got)
			}
		})
	}
}

// Those that are outdated among many are left out, and the others are saved.
func TestOnlyWhatIsOutdatedIsLeftOut(t *testing.T) {
	run(t, func(w *world) {
		out := w.begun()
		w.Later(10 * time.Minute)
		w.gives(out.Token, w.chosen(1, 6, 0), w.chosen(3, 6, 0))
		w.Later(time.Minute)
		test := w.gives(out.Token, w.chosen(0, 2, 5*time.Minute), w.chosen(1, 2, 5*time.Minute), w.chosen(2, 2, 5*time.Minute), w.chosen(3, 2, time.Second))
		for i, want := range []int{2, 6, 2, 2} {
			if got := test.Sheet.Answers[i].Value; got != want {
				w.Errorf("item %d is %d, want %d", i, got, want)
			}
		}
		if len(test.Outdated) != 1 || test.Outdated[0] != 1 || !test.SavedAt.Equal(w.Now()) {
			w.Errorf("outdated %v, saved at %s", test.Outdated, test.SavedAt)
		}
		if a := test.Sheet.Answers[1]; a.Changes != 0 {
			w.Errorf("an answer that was left out counts as a change: %+v", a)
		}
		saved := test.SavedAt
		w.Later(time.Minute)
		if test = w.gives(out.Token, w.chosen(1, 3, 5*time.Minute)); !test.SavedAt.Equal(saved) || len(test.Outdated) != 1 {
			w.Errorf("nothing was new, and it is saved at %s, not %s", test.SavedAt, saved)
		}
	})
}

// Six devices send at the same moment what they have chosen for nine items; for each item
// another device was the last.
func TestDevicesThatSendAtOnceAgreeOnTheNewestAnswers(t *testing.T) {
	run(t, func(w *world) {
		out := w.begun()
		w.Later(time.Hour)
		const devices, items = 6, 9
		for _, err := range parallel(devices, func(i int) error {
			var given []assess.Given
			for n := range items {
				given = append(given, w.chosen(n, 1+i, time.Duration((i+n)%devices)*time.Minute))
			}
			_, err := w.Assess.Answer(w.Ctx, out.Token, given)
			return err
		}) {
			w.Must(err)
		}
		test, err := w.Assess.Test(w.Ctx, out.Token)
		w.Must(err)
		for n, a := range test.Sheet.Answers[:items] {
			if newest := 1 + (devices-n%devices)%devices; a.Value != newest {
				w.Errorf("item %d is %d, the newest answer is %d", n, a.Value, newest)
			}
		}
	})
}

func TestAnAbsurdAgeIsVeryOldAndNeverNew(t *testing.T) {
	run(t, func(w *world) {
		out := w.begun()
		for i, age := range []time.Duration{math.MaxInt64, 200 * 365 * 24 * time.Hour} {
			if got := w.gives(out.Token, w.chosen(i, 5, age)).Sheet.Answers[i].Value; got != 5 {
				w.Errorf("the first answer to an item is %d", got)
			}
			w.Later(time.Minute)
			if got := w.gives(out.Token, w.chosen(i, 2, 50*365*24*time.Hour)).Sheet.Answers[i].Value; got != 2 {
				w.Errorf("a younger one: %d", got)
			}
			if got := w.gives(out.Token, w.chosen(i, 6, age)).Sheet.Answers[i].Value; got != 2 {
				w.Errorf("%s old, and it replaces a younger one: %d", age, got)
			}
			if got := w.gives(out.Token, w.chosen(i, 3, math.MinInt64)).Sheet.Answers[i].Value; got != 3 {
				w.Errorf("from the future, which is now: %d", got)
			}
			w.Later(time.Minute)
			if got := w.gives(out.Token, w.chosen(i, 4, 0)).Sheet.Answers[i].Value; got != 4 {
				w.Errorf("after one from the future: %d", got)
			}
		}
	})
}

// What was saved while the server's clock was a day ahead gives way to what is chosen after the
// clock was set right.
func TestAnAnswerFromAClockAheadIsNotTheNewestForLonger(t *testing.T) {
	run(t, func(w *world) {
		out := w.begun()
		w.Later(24 * time.Hour)
		w.gives(out.Token, w.chosen(0, 6, 0), w.chosen(1, 6, 0))
		w.Later(-24*time.Hour + time.Minute)
		if got := w.gives(out.Token, w.chosen(0, 2, 0)).Sheet.Answers[0].Value; got != 2 {
			w.Errorf("chosen now, and %d stands", got)
		}
		w.Later(10 * time.Minute)
		if got := w.gives(out.Token, w.chosen(1, 2, 5*time.Minute)).Sheet.Answers[1].Value; got != 2 {
			w.Errorf("chosen after the clock was set right, and %d stands", got)
		}
	})
}

// From two devices, and nothing else is saved meanwhile: what arrives first after the clock was
// set right is compared with an answer of unknown age, and what follows is not.
func TestAClockAheadKeepsAnAnswerOutOnlyOnce(t *testing.T) {
	run(t, func(w *world) {
		out := w.begun()
		w.Later(24 * time.Hour)
		w.gives(out.Token, w.chosen(0, 6, 0))
		w.Later(-24*time.Hour + 11*time.Minute)
		right := w.Now()
		test := w.gives(out.Token, w.chosen(0, 2, time.Minute))
		if len(test.Outdated) != 1 || !test.SavedAt.Equal(right) {
			w.Errorf("outdated %v, and saved at %s, not %s", test.Outdated, test.SavedAt, right)
		}
		w.Later(10 * time.Minute)
		test = w.gives(out.Token, w.chosen(0, 3, 11*time.Minute))
		if got := test.Sheet.Answers[0]; got.Value != 6 || got.Changes != 0 || !test.SavedAt.Equal(right) {
			w.Errorf("older than what is saved: %+v, saved at %s", got, test.SavedAt)
		}
		test = w.gives(out.Token, w.chosen(0, 2, time.Minute))
		if got := test.Sheet.Answers[0].Value; got != 2 || len(test.Outdated) != 0 {
			w.Errorf("chosen since, and %d stands; outdated %v", got, test.Outdated)
		}
	})
}

// A sheet that was saved before ages were kept has answers that are as old as itself.
func TestAnswersOfASheetWithoutAgesAreAsOldAsTheSheet(t *testing.T) {
	for _, tc := range []struct {
		age  time.Duration
		want int
	}{{10 * time.Minute, 6}, {time.Minute, 2}} {
		run(t, func(w *world) {
			out := w.begun()
			w.gives(out.Token, w.chosen(0, 6, 0))
			w.Later(30 * time.Minute)
			w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
				sheet, err := tx.Sheet(w.Ctx, w.Account, out.Candidate.ID)
				if err != nil {
					return err
				}
				sheet.Ages, sheet.SavedAt = nil, w.Now()
				return tx.SaveSheet(w.Ctx, w.Account, out.Candidate.ID, sheet)
			}))
			w.Later(5 * time.Minute)
			if got := w.gives(out.Token, w.chosen(0, 2, tc.age)).Sheet.Answers[0].Value; got != tc.want {
				w.Errorf("%s: %d stands", tc.age, got)
			}
		})
	}
}

func TestDamagedAgesAreSaidAndNotGuessed(t *testing.T) {
	run(t, func(w *world) {
		out := w.begun()
		w.gives(out.Token, w.chosen(0, 6, 0))
		whole := make([]byte, len(w.Instrument.Items()))
		for name, ages := range map[string][]byte{
			"too few": whole[1:], "too many": append(whole, 0), "cut": append(whole[:len(whole)-1:len(whole)-1], 0x80),
			"older than anything": append(whole[1:len(whole):len(whole)], 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
		} {
			w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
				sheet, err := tx.Sheet(w.Ctx, w.Account, out.Candidate.ID)
				if err != nil {
					return err
				}
				sheet.Ages = ages
				return tx.SaveSheet(w.Ctx, w.Account, out.Candidate.ID, sheet)
			}))
			if _, err := w.Assess.Answer(w.Ctx, out.Token, []assess.Given{w.chosen(0, 2, 0)}); typus.KindOf(err) != typus.Internal {
				w.Errorf("%s: %v", name, err)
			}
		}
	})
}

// When a test world's clock is moved, its answers are that much older.
func TestAnswersOfATestWorldAgeWithItsClock(t *testing.T) {
	run(t, func(w *world) {
		w.World = w.Sandbox(0)
		out := w.begun()
		w.gives(out.Token, w.chosen(0, 6, 0))
		w.Later(10 * time.Minute)
		w.gives(out.Token, w.chosen(1, 6, 0))
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.MoveWorld(w.Ctx, w.Account, 3*24*time.Hour) }))
		if got := w.gives(out.Token, w.chosen(0, 2, 3*24*time.Hour+11*time.Minute)).Sheet.Answers[0].Value; got != 6 {
			w.Errorf("chosen a minute before, and %d stands", got)
		}
		if got := w.gives(out.Token, w.chosen(0, 2, 3*24*time.Hour+9*time.Minute)).Sheet.Answers[0].Value; got != 2 {
			w.Errorf("chosen a minute after, and %d stands", got)
		}
	})
}
