package sandbox_test

import (
	"testing"
	"time"

	"typus/internal/sandbox"
)

func TestADurationIsAddedByTheCalendar(t *testing.T) {
	from := time.Date(2026, 1, 31, 10, 20, 30, 123e6, time.UTC)
	for duration, want := range map[string]string{
		"P3D":       "2026-02-03T10:20:30.123Z",
		"P1W":       "2026-02-07T10:20:30.123Z",
		"P1M":       "2026-03-03T10:20:30.123Z", // 31 February
		"P1Y":       "2027-01-31T10:20:30.123Z",
		"PT1M":      "2026-01-31T10:21:30.123Z",
		"PT36H":     "2026-02-01T22:20:30.123Z",
		"P1M2DT3H":  "2026-03-05T13:20:30.123Z",
		"P0DT1S":    "2026-01-31T10:20:31.123Z",
		"PT604800S": "2026-02-07T10:20:30.123Z",
	} {
		at, ok := sandbox.Later(from, duration)
		if got := at.Format(time.RFC3339Nano); !ok || got != want {
			t.Errorf("%s after %s is %s, %t; want %s", duration, from, got, ok, want)
		}
	}
}

func TestWhatIsNoDurationAboveZeroIsRefused(t *testing.T) {
	from := time.Date(2026, 1, 31, 10, 20, 30, 0, time.UTC)
	for _, duration := range []string{
		"", "P", "PT", "P1DT", "3D", "p3d", "P3", "P-3D", "-P3D", "P1.5D", "PT0.5S", "P3D ", " P3D", "P1D2W", "PT1D", "P0D", "PT0S", "P999999999D", "72h", "P3D\n",
	} {
		if at, ok := sandbox.Later(from, duration); ok {
			t.Errorf("%q leads to %s", duration, at)
		}
	}
}

func TestAYearIsTheMost(t *testing.T) {
	from := time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC) // 29 February lies in the year after
	for duration, want := range map[string]bool{"P1Y": true, "P366D": true, "P12M": true, "P367D": false, "P1YT1S": false, "P99999999Y": false, "PT99999999H": false} {
		at, ok := sandbox.Later(from, duration)
		if got := ok && !at.After(sandbox.Latest(from)); got != want {
			t.Errorf("%s passes: %t, want %t", duration, got, want)
		}
	}
}
