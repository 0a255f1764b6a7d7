package typus

import "time"

// Month is a month of a calendar, whose first moment depends on the zone.
type Month struct{ first time.Time } // midnight in UTC

// MonthOf is the month in which a time lies in a zone.
func MonthOf(at time.Time, z Zone) Month {
	at = at.In(z.Location())
	return Month{time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)}
}

// ParseMonth reads YYYY-MM, from 1970 to 2199. False: it is no such month.
func ParseMonth(text string) (Month, bool) {
	first, err := time.Parse("2006-01", text)
	return Month{first}, err == nil && first.Year() >= 1970 && first.Year() < 2200
}

// String is the month as YYYY-MM.
func (m Month) String() string { return m.first.Format("2006-01") }

// Before is the month before m.
func (m Month) Before() Month { return Month{m.first.AddDate(0, -1, 0)} }

// In is when the month begins in a zone, and when the next one does.
func (m Month) In(z Zone) (time.Time, time.Time) {
	return z.begin(m.first), z.begin(m.first.AddDate(0, 1, 0))
}
