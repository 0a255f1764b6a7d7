package typus_test

import (
	"testing"
	"time"

	"typus"
)

func TestADayEndsWhereTheAccountIs(t *testing.T) {
	for _, c := range []struct {
		zone         typus.Zone
		day          string
		begins, ends string // UTC
	}{
		{"UTC", "2026-11-30", "2026-11-30T00:00", "2026-12-01T00:00"},
		{"", "2026-11-30", "2026-11-30T00:00", "2026-12-01T00:00"},
		{"Europe/Berlin", "2026-11-30", "2026-11-29T23:00", "2026-11-30T23:00"},
		{"Europe/Berlin", "2027-03-28", "2027-03-27T23:00", "2027-03-28T22:00"}, // 23 hours
		{"Europe/Berlin", "2026-10-25", "2026-10-24T22:00", "2026-10-25T23:00"}, // 25 hours
		{"Pacific/Kiritimati", "2026-11-30", "2026-11-29T10:00", "2026-11-30T10:00"},
		{"Pacific/Pago_Pago", "2026-11-30", "2026-11-30T11:00", "2026-12-01T11:00"},
		{"Asia/Kathmandu", "2026-11-30", "2026-11-29T18:15", "2026-11-30T18:15"},
		{"America/Santiago", "2026-09-06", "2026-09-06T04:00", "2026-09-07T03:00"}, // its clocks go forward at midnight
		{"America/Santiago", "2026-09-05", "2026-09-05T04:00", "2026-09-06T04:00"},
		{"America/Santiago", "2027-04-03", "2027-04-03T03:00", "2027-04-04T04:00"}, // and back at the midnight after this day
		{"Asia/Beirut", "2027-03-28", "2027-03-27T22:00", "2027-03-28T21:00"},
		{"America/Havana", "2026-11-01", "2026-11-01T04:00", "2026-11-02T05:00"}, // has two midnights
	} {
		begins, ends, sound := c.zone.Day(c.day)
		const form = "2006-01-02T15:04"
		if !sound || begins.Format(form) != c.begins || ends.Format(form) != c.ends {
			t.Errorf("%s in %q is %v to %v, %v; want %s to %s", c.day, c.zone, begins, ends, sound, c.begins, c.ends)
		}
		a := typus.Account{Zone: c.zone, Ahead: 40 * 24 * time.Hour}
		end := a.EndOfDay(c.day)
		if !end.Equal(ends.Add(-time.Minute - a.Ahead)) {
			t.Errorf("in a test world 40 days ahead %s ends at %v", c.day, end)
		}
		if got := a.DayOf(end); got != c.day {
			t.Errorf("the end of %s in %q is shown as %s", c.day, c.zone, got)
		}
		if got := a.DayBegins(end); !got.Equal(begins.Add(-a.Ahead)) {
			t.Errorf("the day of the end of %s in %q began at %v", c.day, c.zone, got)
		}
	}
	for _, text := range []string{"", "2026-02-30", "1969-12-31", "2200-01-01", "30.11.2026", "2026-11-30 "} {
		if _, _, sound := typus.FirstZone.Day(text); sound || !(typus.Account{}).EndOfDay(text).IsZero() {
			t.Errorf("%q counts as a day", text)
		}
	}
	if a := (typus.Account{Zone: typus.FirstZone}); !a.Shown(time.Time{}).IsZero() || a.DayOf(time.Time{}) != "" {
		t.Error("no time is shown as one")
	}
}

func TestZonesAreKnownByTheirNames(t *testing.T) {
	for _, zone := range typus.Zones() {
		if !zone.Known() {
			t.Errorf("%s is offered, and not known", zone)
		}
	}
	for _, zone := range []typus.Zone{"Asia/Calcutta", "Asia/Katmandu", "America/Argentina/Buenos_Aires", "America/Port-au-Prince", "Etc/GMT+5"} {
		if !zone.Known() || zone.Location().String() != string(zone) {
			t.Errorf("%s, which a browser may give, is not known", zone)
		}
	}
	for _, zone := range []typus.Zone{"", "Local", "EST", "Europe/Atlantis", "Europe", "europe/berlin", "right/Europe/Berlin", "posix/UTC", "../etc/passwd", "/etc/localtime", "Europe/Berlin\n", "Europe/../UTC"} {
		if zone.Known() || zone.Location() != time.UTC {
			t.Errorf("%q is a zone", zone)
		}
	}
}

func TestAZoneIsSaidWithoutDoubt(t *testing.T) {
	summer, winter := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		zone   typus.Zone
		at     time.Time
		de, en string
	}{
		{"UTC", winter, "UTC", "UTC"},
		{"Europe/Berlin", winter, "MEZ", "CET"},
		{"Europe/Berlin", summer, "MESZ", "CEST"},
		{"Europe/Athens", winter, "OEZ", "EET"},
		{"Europe/London", winter, "GMT", "GMT"},
		{"Europe/London", summer, "UTC+1", "UTC+1"}, // BST is Bangladesh's too
		{"America/New_York", winter, "UTC−5", "UTC−5"},
		{"Asia/Kathmandu", winter, "UTC+5:45", "UTC+5:45"},
		{"America/St_Johns", winter, "UTC−3:30", "UTC−3:30"},
		{"Pacific/Kiritimati", winter, "UTC+14", "UTC+14"},
		{"Pacific/Pago_Pago", winter, "UTC−11", "UTC−11"},
	} {
		at := c.at.In(c.zone.Location())
		if de, en := typus.ZoneName(at, "de"), typus.ZoneName(at, "en"); de != c.de || en != c.en {
			t.Errorf("%s is said as %s and %s, want %s and %s", c.zone, de, en, c.de, c.en)
		}
	}
}
