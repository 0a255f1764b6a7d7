package instrument

import (
	"fmt"
	"reflect"
	"slices"
)

// thresholds are the fields of quality that belong to one warning alone. A version that
// does not give the warning leaves them out.
func thresholds() map[string][]string {
	return map[string][]string{
		WarnPause: {"pause_ms"}, WarnDesirability: {"im_notice"}, WarnExtreme: {"extreme_share"},
		WarnMiddle: {"mid_share"}, WarnAcquiescence: {"acq"},
	}
}

// warningRules: a version gives the warnings that it lists, and has the threshold of each
// and no other.
func (c *checker) warningRules() {
	if c.def.Quality == nil {
		if c.def.Warnings != nil || c.def.Careless != nil {
			c.wrong(at("warnings"), "need the thresholds of quality")
		}
		return
	}
	keys := c.def.warningKeys()
	c.warningList(at("warnings"), keys)
	if i := slices.Index(keys, WarnDoubtful); i > 0 {
		c.wrong(at("warnings[%d]", i), "%s must stand first", WarnDoubtful)
	}
	if careless := c.def.Careless; careless != nil {
		c.warningList(at("careless.caution"), careless.Caution)
		c.warningList(at("careless.notice"), careless.Notice)
	}
	for _, key := range everyWarning() {
		for _, name := range thresholds()[key] {
			c.threshold(name, key, slices.Contains(keys, key))
		}
	}
	ambiguous := slices.Contains(keys, WarnAmbiguous)
	drawn := c.def.Typology != nil && c.def.Typology.StabilityDraws != nil
	c.threshold("stability_ambiguous_pct", WarnAmbiguous, ambiguous && !drawn)
	c.threshold("neither_ambiguous_pct", WarnAmbiguous, ambiguous && drawn)
}

func (c *checker) warningList(path string, keys []string) {
	for i, key := range keys {
		if !slices.Contains(c.def.warningKeys(), key) || !slices.Contains(everyWarning(), key) || slices.Contains(keys[:i], key) {
			c.wrong(fmt.Sprintf("%s[%d]", path, i), "must be a warning, once: %q", key)
		}
	}
}

// threshold asks for a field of quality where it is needed, and for none where it would
// have no effect.
func (c *checker) threshold(name, warning string, needed bool) {
	switch given := !c.qualityField(name).IsZero(); {
	case needed && !given:
		c.missing(at("quality.%s", name))
	case given && !needed:
		c.wrong(at("quality.%s", name), "has no effect: this version does not give %s so", warning)
	}
}

// qualityField finds a threshold by its name in the file.
func (c *checker) qualityField(name string) reflect.Value {
	q := reflect.ValueOf(*c.def.Quality)
	for i := range q.NumField() {
		if tag := q.Type().Field(i).Tag.Get("yaml"); tag == name || tag == name+",omitempty" {
			return q.Field(i)
		}
	}
	return reflect.Value{}
}
