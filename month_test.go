package typus

import (
	"testing"
	"time"
)

func TestAMonthBeginsWhereTheAccountIs(t *testing.T) {
	m, ok := ParseMonth("2026-03")
	if !ok || m.String() != "2026-03" || m.Before().String() != "2026-02" {
		t.Errorf("%v, %t", m, ok)
	}
	begins, ends := m.In("Europe/Berlin") // the clocks go forward in it
	if begins != time.Date(2026, 2, 28, 23, 0, 0, 0, time.UTC) || ends != time.Date(2026, 3, 31, 22, 0, 0, 0, time.UTC) {
		t.Errorf("from %s to %s", begins, ends)
	}
	if late := MonthOf(ends.Add(-time.Millisecond), "Europe/Berlin"); late != m {
		t.Errorf("its last moment is in %s", late)
	}
	if next := MonthOf(ends, "Europe/Berlin"); next.Before() != m {
		t.Errorf("the moment after it is in %s", next)
	}
	for _, text := range []string{"2026-13", "2026", "2026-3", "", "1969-12", "2200-01", "2026-03-01"} {
		if _, ok := ParseMonth(text); ok {
			t.Errorf("%q is a month", text)
		}
	}
}
