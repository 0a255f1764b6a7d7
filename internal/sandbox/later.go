package sandbox

import (
	"regexp"
	"strconv"
	"time"
)

// durationForm is a duration of ISO 8601 in whole units, weeks beside others included.
var durationForm = regexp.MustCompile(`^P(?:(\d{1,8})Y)?(?:(\d{1,8})M)?(?:(\d{1,8})W)?(?:(\d{1,8})D)?(T(?:(\d{1,8})H)?(?:(\d{1,8})M)?(?:(\d{1,8})S)?)?$`)

// Later is the time that lies an ISO 8601 duration after another: years and months by the
// calendar, and days of 24 hours. False for what is no such duration, and for one of nothing.
func Later(from time.Time, duration string) (time.Time, bool) {
	parts := durationForm.FindStringSubmatch(duration)
	if parts == nil || parts[5] == "T" {
		return from, false
	}
	n := func(part int) int {
		number, _ := strconv.Atoi(parts[part]) // "" is 0, and the form has digits only
		return number
	}
	at := from.UTC().AddDate(n(1), n(2), 7*n(3)+n(4))
	seconds := int64(n(6))*3600 + int64(n(7))*60 + int64(n(8))
	at = time.Unix(at.Unix()+seconds, int64(at.Nanosecond())).UTC()
	return at, at.After(from)
}

// Latest is the latest time to which a clock is moved on at once: a year by the calendar.
func Latest(from time.Time) time.Time { return from.UTC().AddDate(1, 0, 0) }
