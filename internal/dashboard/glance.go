package dashboard

import (
	"strings"

	"typus/internal/report"
)

// glance is the result as the head of the page says it: how well the answers can be read,
// then the class with its band, then where to ask. It is nil for who does not see the result.
type glance struct {
	Grade   report.Grade
	Legible string
	Ask     string
}

// legibleKeys say in a sentence how well the answers can be read.
var legibleKeys = map[report.Grade]string{
	report.GradeClear:    "glance.clear",
	report.GradeInfo:     "glance.info",
	report.GradeNotice:   "glance.notice",
	report.GradeCaution:  "glance.caution",
	report.GradeDoubtful: "glance.doubtful",
}

// mostNamed is how many dimensions the head names; the guide has them all.
const mostNamed = 3

// glance says a report in two sentences.
func (f *face) glance(v *visit, r *reportView) *glance {
	g := &glance{Grade: r.Quality.Grade, Legible: f.say(v, legibleKeys[r.Quality.Grade])}
	var names []string
	for _, t := range r.FollowUps {
		names = append(names, t.Name)
	}
	if len(names) > mostNamed {
		names = append(names[:mostNamed], f.say(v, "glance.others"))
	}
	switch {
	case r.Doubtful():
		g.Ask = f.say(v, "glance.askInstead")
	case len(names) == 0:
		g.Ask = f.say(v, "glance.askNothing")
	default:
		g.Ask = f.say(v, "glance.ask", "Names", f.listed(v, names), "Points", r.Reliable.Below)
	}
	return g
}

// listed names several things in a sentence.
func (f *face) listed(v *visit, names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " " + f.say(v, "glance.and") + " " + names[last]
}
