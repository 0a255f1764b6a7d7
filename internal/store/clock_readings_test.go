package store_test

import (
	"testing"
	"time"

	"typus/internal/store"
	"typus/internal/store/storetest"
)

// reader reads the clock of a database every hour and says what has settled.
type reader struct {
	*testing.T
	store *store.Store
	now   time.Time
}

func newReader(t *testing.T, s *store.Store) *reader {
	r := &reader{T: t, now: noon}
	r.store = s.WithClock(func() time.Time { return r.now })
	r.read(0)
	return r
}

func (r *reader) read(ran time.Duration) {
	r.Helper()
	if err := r.store.ReadClock(r.Context(), ran); err != nil {
		r.Fatal(err)
	}
}

// run lets both clocks go on, hour by hour.
func (r *reader) run(hours int) {
	r.Helper()
	for range hours {
		r.now = r.now.Add(time.Hour)
		r.read(time.Hour)
	}
}

func (r *reader) settled(want time.Time) {
	r.Helper()
	got, err := r.store.Settled(r.Context(), 24*time.Hour)
	if err != nil || !got.Equal(want) {
		r.Errorf("it is %v; settled is %v, not %v; %v", r.now, got, want, err)
	}
}

func TestATimeSettlesOnceServersHaveRunForADayWithItBehindThem(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		r.settled(time.Time{})
		r.run(23)
		r.settled(time.Time{})
		r.run(1)
		r.settled(noon)
		r.run(5)
		r.settled(noon.Add(5 * time.Hour))
	})
}

func TestAClockThatIsAheadForLessThanADaySettlesNothing(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		r.run(30)
		for _, ahead := range []time.Duration{5 * time.Hour, 240 * time.Hour, 2 * 365 * 24 * time.Hour} {
			right := r.now
			r.now = right.Add(ahead)
			r.read(12 * time.Second)
			r.run(22)
			if got, err := r.store.Settled(t.Context(), 24*time.Hour); err != nil || got.After(right) {
				t.Errorf("a clock that is %v ahead has settled %v at %v; %v", ahead, got, right, err)
			}
			r.now = right.Add(22 * time.Hour)
			r.read(time.Hour)
			if got, err := r.store.Settled(t.Context(), 24*time.Hour); err != nil || got.After(right) {
				t.Errorf("a clock that was %v ahead has settled %v at %v; %v", ahead, got, right, err)
			}
			r.run(48)
			r.settled(r.now.Add(-24 * time.Hour))
		}
	})
}

func TestAClockThatWasBehindIsMadeUpForWithinADay(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for _, behind := range []time.Time{noon.Add(-5 * time.Hour), noon.Add(-240 * time.Hour), time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)} {
			r := newReader(t, s)
			r.run(30)
			right := r.now
			r.now = behind
			r.read(time.Hour)
			r.settled(behind)
			r.now = right.Add(time.Hour)
			r.read(time.Hour)
			r.settled(behind)
			r.run(48)
			r.settled(r.now.Add(-24 * time.Hour))
		}
	})
}

func TestServersSideBySideDoNotMakeADayOfTwelveHours(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		for range 12 { // each of two has run for an hour when the other reads
			r.now = r.now.Add(30 * time.Minute)
			r.read(time.Hour)
			r.now = r.now.Add(30 * time.Minute)
			r.read(time.Hour)
		}
		r.settled(time.Time{})
	})
}

func TestATimeWithoutAServerCountsForNothing(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		r.run(23)
		r.now = r.now.AddDate(0, 0, 10)
		r.read(time.Minute)
		r.settled(time.Time{})
		r.run(1)
		r.settled(noon)
	})
}

func TestAnHourSettlesSoonerThanADay(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		r.run(2)
		if got, err := r.store.Settled(t.Context(), time.Hour); err != nil || !got.Equal(noon.Add(time.Hour)) {
			t.Errorf("after two hours %v has settled over one; %v", got, err)
		}
		r.settled(time.Time{})
	})
}
