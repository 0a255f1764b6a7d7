package typus_test

import (
	"testing"
	"time"

	"typus"
)

func TestAClockThatIsNotGivenIsTheMachines(t *testing.T) {
	before := time.Now().Truncate(time.Millisecond)
	now := typus.Clock(nil).Now()
	if now.Before(before) || now.After(time.Now()) || now.Location() != time.UTC {
		t.Errorf("it is %v, told after %v", now, before)
	}
}

func TestAClockTellsTheTimeAsItIsStored(t *testing.T) {
	stored := time.Date(2026, 11, 28, 9, 30, 0, 123e6, time.UTC)
	told := typus.Clock(func() time.Time { return stored.Add(456 * time.Microsecond).In(time.FixedZone("", 3600)) }).Now()
	if told != stored {
		t.Errorf("it tells %v, stored is %v", told, stored)
	}
}

func TestATimeFurtherAheadThanItCanReachCountsAsPast(t *testing.T) {
	now := time.Date(2026, 11, 28, 9, 30, 0, 0, time.UTC)
	for at, want := range map[time.Duration]time.Duration{
		-time.Hour: 0, 0: 0, time.Second: time.Second, time.Minute: time.Minute, time.Minute + 1: 0, 240 * time.Hour: 0,
	} {
		if got := typus.Ahead(now.Add(at), now, time.Minute); got != want {
			t.Errorf("what was to come in %v lies %v ahead, not %v", at, got, want)
		}
	}
}

func TestWhatIsRecentEndsAndDoesNotLieAhead(t *testing.T) {
	now := time.Date(2026, 11, 28, 9, 30, 0, 0, time.UTC)
	for at, want := range map[time.Duration]bool{
		0: true, -time.Hour + 1: true, -time.Hour: false, typus.Skew: true, typus.Skew + 1: false, 240 * time.Hour: false,
	} {
		if typus.Recent(now.Add(at), now, time.Hour) != want {
			t.Errorf("at %v from now it counts as recent: %v", at, !want)
		}
	}
}
