// Package pdf writes reports and interview guides as files to be kept or printed.
package pdf

import (
	"strings"

	"codeberg.org/go-pdf/fpdf"

	"typus/internal/report"
)

// Report is a person's report on paper: the page of the report, its words in their order,
// and the questions of the guide.
type Report struct {
	Frame
	report.Report
	Name      string   // of the person
	Facts     []string // what stands below the name, a line each
	Address   string   // of the same on the web
	Guide     report.Guide
	FollowUps []report.Topic
	Rated     []report.Rated    // what the team heard in its interviews; none: nothing, or nothing for the reader
	Comments  []report.Comment  // what the person says about it, newest version first
	Elsewhere string            // the sentence that says where comments are for which there is no room
	Stage     string            // where the person stands with the team
	Decisions []report.Decision // what the team decided, newest first; none: nothing, or nothing for the reader
	Closed    bool              // it should not be interpreted, and nobody has asked for the figures all the same
	Aged      int               // after so many months it is too old, 0 if it is not
}

// File is the report as a PDF file. The same report gives the same bytes. Internal: it
// cannot be written.
func (r Report) File() ([]byte, error) { return r.paper().write() }

// paper is the report before it is shared out to pages.
func (r Report) paper() *paper {
	p := &paper{Frame: r.Frame, title: r.Say("report.label")}
	p.begin(r.Say("report.label") + " · " + r.Name)
	p.name(r.Say("report.label"), r.Name, r.Facts...)
	place := p.count()
	p.caveat(r)
	p.quality(r)
	if !r.Closed {
		p.profile(r)
		p.stands(r.Report)
		p.match(r.Report)
		p.pattern(r.Report)
	}
	p.questions(r)
	p.heard(r)
	p.comments(r)
	p.decisions(r)
	if !r.Closed {
		p.reading(r.Report)
	}
	p.explain(place)
	return p
}

// caveat is what stands above every report and cannot be left out.
func (p *paper) caveat(r Report) {
	if r.Aged > 0 {
		p.box(4, hint, hintSoft, []span{{r.Say("report.aged", "Months", r.Aged), textStyle}})
	}
	h := r.Head
	if h.MadeUp != nil {
		p.box(4, alert, alertSoft, []span{{h.MadeUp.Heading, boldStyle}}, []span{{h.MadeUp.Advice, textStyle}})
	}
	p.box(4, accent, faint, []span{{h.Statement, leadStyle}})
	p.term(smallBold, r.Say("report.head.norm"), []span{{h.Norm + ".", smallStyle.dark(true)}, {" " + h.NormNote, smallStyle.dark(false)}})
	for _, row := range [][2]string{{"report.head.band", h.Band}, {"report.head.instrument", h.Instrument}, {"report.head.setting", h.Setting}} {
		p.term(smallBold, r.Say(row[0]), []span{{row[1], smallStyle.dark(false)}})
	}
	p.link(r.Twin, r.Address)
}

// dark is a soft style in ink.
func (s style) dark(bold bool) style { s.ink, s.bold = ink, bold; return s }

// quality says how well the answers can be read.
func (p *paper) quality(r Report) {
	q := r.Quality
	p.heading(r.Say("report.quality.heading"))
	p.grade(r)
	for _, c := range q.Findings() {
		found := [][]span{{{c.Found, boldStyle.with(severe(c))}}}
		for _, m := range c.Messages {
			found = append(found, []span{{m, textStyle}})
		}
		p.term(boldStyle, c.Name, found...)
	}
	for _, c := range q.Unmade() {
		p.term(boldStyle, c.Name, []span{{c.Found, textStyle}})
	}
	if passed := q.Passed(); len(passed) > 0 {
		p.block(3, true, smallBold, r.Say("report.quality.passed"))
		for len(passed) > 0 {
			n := min(3, len(passed))
			p.passed(passed[:n], len(passed) > n)
			passed = passed[n:]
		}
	}
	p.paragraph(2, span{r.Say("report.quality.note"), smallStyle})
}

// severe is the colour of a finding.
func severe(c report.Check) colour {
	if c.Severity == "info" {
		return ink
	}
	return hint
}

// grade adds the gravest of what was found, and what to make of it.
func (p *paper) grade(r Report) {
	const pad, size = 3.5, 7.0
	edge, ground := accent, faint
	switch r.Quality.Grade {
	case report.GradeNotice, report.GradeCaution:
		edge, ground = hint, hintSoft
	case report.GradeDoubtful:
		edge, ground = alert, alertSoft
	}
	room := width - 3*pad - size
	lines := append(p.wrap(room, span{r.Quality.Heading, boldStyle}), p.wrap(room, span{r.Quality.Advice, textStyle})...)
	if r.Closed {
		lines = append(lines, p.wrap(room, span{r.Say("report.open.advice"), textStyle})...)
	}
	height := tall(lines) + 2*pad
	p.add(block{above: 1, height: height, draw: func(f *fpdf.Fpdf, y float64) {
		fill(f, ground)
		stroke(f, edge, 0.3)
		f.RoundedRect(left, y, width, height, 1.5, "1234", "FD")
		sign(f, left+pad, y+pad, size, r.Quality.Grade)
		put(f, left+2*pad+size, y+pad, lines)
	}})
}

// passed adds a row of checks that found nothing.
func (p *paper) passed(checks []report.Check, more bool) {
	const column, size = width / 3, 3.2
	var cells [][]line
	height := 0.0
	for _, c := range checks {
		lines := p.wrap(column-size-5, span{c.Name, smallStyle.dark(false)})
		cells, height = append(cells, lines), max(height, tall(lines))
	}
	p.add(block{above: 1, height: height, keep: more, draw: func(f *fpdf.Fpdf, y float64) {
		for i, lines := range cells {
			x := left + float64(i)*column
			sign(f, x, y+0.5, size, report.GradeClear)
			put(f, x+size+2, y, lines)
		}
	}})
}

// profile shows the nine dimensions.
func (p *paper) profile(r Report) {
	p.heading(r.Say("report.profile.heading"))
	if r.Doubtful() {
		p.block(1, true, boldStyle.with(alert), r.Say("report.doubtful"))
	}
	p.block(2, true, textStyle, r.Say("report.profile.lead", "Points", r.Reliable.Two, "Span", r.Reliable.Extremes))
	p.dimensions(r.Dimensions)
}

// stands says in words what the figures carry.
func (p *paper) stands(r report.Report) {
	p.heading(p.Say("report.stands.heading"))
	if r.Doubtful() {
		p.text(textStyle, p.Say("report.stands.doubtful"))
		return
	}
	if standing := r.Standing(); len(standing) > 0 {
		p.text(textStyle, p.Say("report.stands.lead", "Points", r.Reliable.Two))
		for _, d := range standing {
			p.term(boldStyle, d.Name, []span{{d.Stands, textStyle}})
		}
	} else {
		p.text(textStyle, p.Say("report.stands.none", "Points", r.Reliable.Two))
	}
	if r.Extremes != "" {
		p.subheading(p.Say("report.extremes.heading"))
		p.text(textStyle, r.Extremes)
	}
	if missing := r.Missing(); len(missing) > 0 {
		p.subheading(p.Say("report.misses.heading"))
		for _, d := range missing {
			p.term(boldStyle, d.Name, []span{{d.Misses, textStyle}})
		}
	}
}

// match is how near the profile comes to the role's.
func (p *paper) match(r report.Report) {
	p.heading(p.Say("report.match.heading"))
	if r.Doubtful() && r.Overall != nil {
		p.paragraph(1, span{p.Say("report.doubtful") + ". " + p.Say("report.match.doubtful"), boldStyle.with(alert)})
	}
	if r.Overall == nil {
		p.text(textStyle, p.Say("report.match.missing"))
	} else {
		p.figure(r.Overall)
		if r.Overall.Even > 0 {
			p.even(r.Overall.Even)
		}
	}
	if r.Fit != nil {
		p.fit(r.Fit)
		if r.Fit.Between() != "" {
			p.paragraph(2, span{p.Say("report.match.borderlineWhy"), smallStyle.dark(false)})
		}
	}
	p.paragraph(2, span{p.Say("report.match.role", "Role", r.Role.Name) + ".", smallBold}, span{" " + r.Role.Note, smallStyle})
	if r.Overall == nil {
		return
	}
	p.costs(r)
	p.subheading(p.Say("report.reading.presentation.heading"))
	p.text(textStyle, p.Say("report.reading.presentation"))
}

// pattern is the pattern that the profile is nearest to.
func (p *paper) pattern(r report.Report) {
	a := r.Persona
	if a == nil {
		return
	}
	p.heading(p.Say("report.persona.heading"))
	if a.Note != "" {
		p.block(0, true, smallBold.with(hint), a.Note)
	}
	lead := "report.persona.one"
	if a.Equal {
		lead = "report.persona.two"
	}
	p.block(1.5, true, smallStyle, p.Say(lead))
	for i, t := range a.Named() {
		if i > 0 {
			p.block(0.5, true, smallStyle, p.Say("report.persona.and"))
		}
		p.block(0.5, true, style{12, true, ink}, t.Name)
		p.block(0, t.Subtitle != "" && i == 0 && a.Equal, textStyle.with(soft), t.Subtitle)
	}
	if !a.Equal {
		p.text(textStyle, p.Say("report.persona.second", "Name", a.Second.Name))
	}
	repeat := p.Say("report.persona.repeatOld", "Percent", a.Stability)
	if a.Others != nil {
		repeat = p.Say("report.persona.repeat", "Percent", a.Stability, "Second", a.Others.Second, "Neither", a.Others.Neither)
	}
	p.paragraph(2, span{p.Say("report.persona.stability", "Percent", a.Stability, "Level", a.Level) + ".", boldStyle}, span{" " + repeat, textStyle})
	if a.Ambiguous != "" {
		p.text(textStyle, a.Ambiguous)
	}
	p.text(smallStyle, p.Say("report.persona.shape"))
	if a.Ambiguous != "" {
		return
	}
	for _, t := range a.Named() {
		p.described(t)
	}
}

// described adds what a pattern means, if this version knows it.
func (p *paper) described(t report.Type) {
	if t.Introduction == "" {
		return
	}
	p.subheading(p.Say("report.pattern.more", "Name", t.Name))
	p.block(0, true, smallStyle, p.Say("report.pattern.about"))
	p.text(textStyle, t.Introduction)
	for _, row := range [][2]string{
		{"report.pattern.strengths", t.Strengths}, {"report.pattern.overdone", t.Overdone},
		{"report.pattern.coaching", t.Coaching}, {"report.pattern.focus", t.Focus},
	} {
		p.term(boldStyle, p.Say(row[0]), []span{{row[1], textStyle}})
	}
}

// earlierLines is how many lines there are at most of what the person said before the newest
// version: three pages, so that a file stays one that is read (our choice).
const earlierLines = 165

// comments are what the person says about the result: the newest version whole, earlier ones
// as far as there is room, and of those before them when and how they came. Who has read it
// is not in the file, which would become another one whenever somebody keeps it.
func (p *paper) comments(r Report) {
	if len(r.Comments) == 0 {
		return
	}
	p.heading(r.Say("comment.heading"))
	p.flow(2, 0, p.paragraphs(0, r.Comments[0].Text))
	p.stay()
	p.entered(r.Comments[0])
	earlier := r.Comments[1:]
	if len(earlier) == 0 {
		return
	}
	p.subheading(r.Say("comment.earlier"))
	above := 2.0
	for room := earlierLines; len(earlier) > 0; earlier = earlier[1:] {
		lost := p.lost
		said := p.paragraphs(0, earlier[0].Text)
		if room -= linesIn(said); room < 0 {
			p.lost = lost // it is not printed
			break
		}
		p.flow(above, 0, said)
		p.stay()
		p.entered(earlier[0])
		above = 5
	}
	if len(earlier) == 0 {
		return
	}
	p.block(above, true, textStyle, r.Elsewhere)
	for _, c := range earlier {
		p.entered(c)
	}
}

// entered says how a version came, below its words.
func (p *paper) entered(c report.Comment) {
	foot := c.Confirmed
	if c.By != "" {
		foot = p.Say("comment.foot", "Confirmed", c.Confirmed, "By", c.By)
	}
	p.paragraph(0.5, span{foot + ", " + p.Moment(c.At), smallStyle})
}

// decisions are what the team decided, with its reasons.
func (p *paper) decisions(r Report) {
	if len(r.Decisions) == 0 {
		return
	}
	p.heading(r.Say("decision.heading"))
	p.paragraph(1, span{r.Say("decision.stands"), textStyle}, span{" " + r.Stage, boldStyle})
	p.subheading(r.Say("decision.entries"))
	for _, d := range r.Decisions {
		p.block(3, true, boldStyle, d.Stage)
		for _, row := range []struct {
			key string
			all []string
		}{{"decision.reasons", d.Reasons}, {"decision.sources", d.Sources}} {
			if len(row.all) > 0 {
				p.block(0.5, true, smallStyle.dark(false), r.Say(row.key)+": "+strings.Join(row.all, "; "))
			}
		}
		p.typed(2, 0, d.Text)
		p.stay()
		p.paragraph(0.5, span{d.By + ", " + r.Moment(d.At), smallStyle})
	}
}

// reading is how to read the report.
func (p *paper) reading(r report.Report) {
	p.heading(p.Say("report.reading.heading"))
	p.note("report.reading.score.heading", p.Say("report.reading.score"))
	if r.Overall != nil {
		p.note("report.reading.match.heading", p.Say("report.reading.match", "People", r.Reliable.People))
	}
	p.note("report.reading.use.heading", p.Say("report.reading.use"))
	p.subheading(p.Say("report.reading.dimensions.heading"))
	for _, d := range r.Dimensions {
		if d.About == "" {
			continue
		}
		about := []span{{d.About + ".", textStyle}}
		if d.Weight > 0 {
			about = append(about, span{" " + p.Say("report.reading.weight", "Percent", d.Weight), smallStyle})
		}
		p.term(boldStyle, d.Name, about)
	}
}

// note adds a paragraph with its heading beside it.
func (p *paper) note(key, text string) { p.term(boldStyle, p.Say(key), []span{{text, textStyle}}) }
