package typus

import (
	_ "embed" // for the names of zones
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Zone is the name of a time zone in the IANA's database, such as "Europe/Berlin". "" and a
// name that is not Known stand for UTC.
type Zone string

const (
	// UTC is the zone of whoever has chosen none.
	UTC Zone = "UTC"
	// FirstZone is that of a new account whose founder's browser names none.
	FirstZone Zone = "Europe/Berlin"
)

//go:embed zones.txt
var zoneNames string

// Zones are the zones to choose from: UTC, then at least one of every country, by name. Known
// has more: former and other names of the same, which some browsers give.
func Zones() []Zone {
	var list []Zone
	for name := range strings.Lines(zoneNames) {
		list = append(list, Zone(strings.TrimSpace(name)))
	}
	return list
}

// zoneForm is a name with a region. It has neither the one-word names, which are said in two
// ways ("EST"), nor the folders of a system that count leap seconds ("right/Europe/Berlin").
var zoneForm = regexp.MustCompile(`^[A-Z][A-Za-z]+(/[A-Z][A-Za-z0-9_+-]*){1,2}$`)

// Known reports whether z is a zone that an account can have.
func (z Zone) Known() bool {
	if z == UTC {
		return true
	}
	if _, cached := locations.Load(z); cached {
		return true
	}
	if len(z) > 64 || !zoneForm.MatchString(string(z)) {
		return false
	}
	loc, err := time.LoadLocation(string(z))
	if err != nil {
		return false
	}
	locations.Store(z, loc)
	return true
}

// locations are the known zones that were asked for: reading one takes longer than a page.
var locations sync.Map // Zone → *time.Location

// Location is the zone for package time.
func (z Zone) Location() *time.Location {
	if z == UTC || !z.Known() {
		return time.UTC
	}
	loc, _ := locations.Load(z)
	return loc.(*time.Location)
}

// Day is a day as people type it, YYYY-MM-DD, from 1970 to 2199: when it begins, and when the
// next one does. That is 23 hours later where the clocks go forward and 25 where they go back,
// and no midnight where they go forward at midnight. False: it is no such day.
func (z Zone) Day(text string) (begins, ends time.Time, sound bool) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 1970 || day.Year() >= 2200 {
		return time.Time{}, time.Time{}, false
	}
	return z.begin(day), z.begin(day.AddDate(0, 0, 1)), true
}

// begin is the first moment of the day whose midnight in UTC is given: the first quarter of an
// hour, in which clocks change everywhere, whose date is not before it.
func (z Zone) begin(day time.Time) time.Time {
	const quarter = 15 * time.Minute
	date, loc, early := day.Format(time.DateOnly), z.Location(), day.Add(-15*time.Hour)
	n := sort.Search(int(30*time.Hour/quarter), func(i int) bool {
		return early.Add(time.Duration(i)*quarter).In(loc).Format(time.DateOnly) >= date
	})
	return early.Add(time.Duration(n) * quarter)
}

// ZoneName is how the zone of a time is said after its hour in a language, "de" or "en": by
// the abbreviation where it is well known in Europe, and else as what UTC and it differ by.
// Abbreviations of other places have several meanings.
func ZoneName(at time.Time, language string) string {
	short, offset := at.Zone()
	names, known := zoneAbbreviations[short]
	switch {
	case offset == 0 && short == "UTC":
		return "UTC"
	case known && offset == names.offset && language == "en":
		return short
	case known && offset == names.offset:
		return names.german
	}
	sign, minutes := "+", offset/60
	if minutes < 0 {
		sign, minutes = "−", -minutes
	}
	said := "UTC" + sign + strconv.Itoa(minutes/60)
	if minutes%60 != 0 {
		said += ":" + strconv.Itoa(100 + minutes%60)[1:]
	}
	return said
}

// zoneAbbreviations are those that are well known in Europe, with their seconds to UTC.
var zoneAbbreviations = map[string]struct {
	german string
	offset int
}{
	"CET": {"MEZ", 3600}, "CEST": {"MESZ", 7200}, "EET": {"OEZ", 7200}, "EEST": {"OESZ", 10800}, "WET": {"WEZ", 0}, "WEST": {"WESZ", 3600},
	"GMT": {"GMT", 0},
}
