package pdf

import (
	"strconv"
	"strings"

	"codeberg.org/go-pdf/fpdf"

	"typus/internal/report"
)

// Guide is the guide for one interview on paper, with room to write. It says nothing of a
// result.
type Guide struct {
	Name    string   // of the person
	Facts   []string // what stands below the name, a line each
	Role    string   // name of the role profile
	Address string   // of the same on the web
	Guide   report.Guide
}

// Guides are guides in one file. Each begins on a page of its own, and its pages are
// counted, so that they can be handed out.
type Guides struct {
	Frame
	Guides []Guide
}

// File is the guides as a PDF file. The same guides give the same bytes. Internal: it
// cannot be written.
func (g Guides) File() ([]byte, error) { return g.paper().write() }

// paper is the guides before they are shared out to pages.
func (g Guides) paper() *paper {
	p := &paper{Frame: g.Frame, title: g.Say("guide.heading")}
	for _, one := range g.Guides {
		p.begin(g.Say("guide.heading") + " · " + one.Name)
		p.name(g.Say("guide.heading"), one.Name, one.Facts...)
		place := p.count()
		p.link(g.Twin, one.Address)
		p.rules()
		p.anchors()
		list := asking{paper: p, room: true}
		list.all(one.Guide, one.Role)
		p.explain(place)
	}
	return p
}

// rules are what whoever asks must know before.
func (p *paper) rules() {
	p.heading(p.Say("guide.before"))
	for _, key := range []string{"guide.same", "guide.past", "guide.anywhere", "guide.poles", "guide.write"} {
		p.bullet(p.Say(key))
	}
	p.box(3, hint, hintSoft, []span{{p.Say("guide.limits"), textStyle}})
}

func (p *paper) bullet(text string) {
	lines := p.wrap(width-5, span{text, textStyle})
	p.add(block{above: 1.5, height: tall(lines), draw: func(f *fpdf.Fpdf, y float64) {
		fill(f, accent)
		f.Circle(left+1.2, y+2.3, 0.7, "F")
		put(f, left+5, y, lines)
	}})
}

// anchors say what the marks mean.
func (p *paper) anchors() {
	p.subheading(p.Say("guide.rating.question"))
	p.block(0.5, true, textStyle, p.Say("guide.rating.scale"))
	for _, row := range [][2]string{{"1", "guide.rating.1"}, {"3", "guide.rating.3"}, {"5", "guide.rating.5"}} {
		lines := p.wrap(width-8, span{p.Say(row[1]), textStyle})
		p.add(block{above: 0.8, height: tall(lines), keep: row[0] != "5", draw: func(f *fpdf.Fpdf, y float64) {
			at(f, left+1, y+textStyle.height()*0.76, row[0], boldStyle.with(accent))
			put(f, left+8, y, lines)
		}})
	}
}

// questions are those of the guide, and those that the result adds.
func (p *paper) questions(r Report) {
	p.heading(r.Say("guide.heading"))
	p.block(2, true, textStyle, r.Say("guide.lead"))
	list := asking{paper: p}
	list.all(r.Guide, r.Role.Name)
	if r.Closed || r.Doubtful() {
		return
	}
	p.subheading(r.Say("guide.follow"))
	if len(r.FollowUps) == 0 {
		p.text(textStyle, r.Say("guide.followNone", "Points", r.Reliable.Below))
		return
	}
	p.block(2, true, textStyle, r.Say("guide.followLead", "Points", r.Reliable.Below))
	list.topics(r.FollowUps)
}

// asking adds questions and counts them.
type asking struct {
	*paper
	room  bool // to write by hand
	asked int
}

func (a *asking) all(g report.Guide, role string) {
	section := a.subheading
	if a.room {
		section = a.heading
	}
	section(a.Say("guide.core"))
	a.list(g.Core)
	if len(g.Role) == 0 {
		return
	}
	section(a.Say("guide.role"))
	a.block(0.5, true, smallStyle, a.Say("guide.roleOf", "Role", role))
	a.topics(g.Role)
}

func (a *asking) topics(topics []report.Topic) {
	for _, t := range topics {
		a.block(3, true, boldStyle, t.Name)
		if about := a.about(t); about != "" {
			a.block(0, true, smallStyle, about)
		}
		a.list(t.Questions)
	}
}

// about says what the dimension is, which a report says elsewhere, and what the role asks for.
func (a *asking) about(t report.Topic) string {
	zone := ""
	if t.Zone != nil {
		zone = a.Say("guide.zone", "Low", t.Zone.Low, "High", t.Zone.High)
	}
	if !a.room || t.About == "" {
		return zone
	}
	return strings.TrimSuffix(t.About+". "+zone, ". ")
}

func (a *asking) list(questions []report.Question) {
	for _, q := range questions {
		a.asked++
		a.question(strconv.Itoa(a.asked)+".", q)
	}
}

// indent is how far what belongs to a question stands behind its number.
const indent = 7.0

// question adds one with what to listen for, and with room to write if there is to be any.
func (a *asking) question(number string, q report.Question) {
	const gap = 5.0
	const column = (width - indent - gap) / 2
	ask := a.wrap(width-indent, span{q.Ask, boldStyle})
	poles := [2][]line{}
	high, low := "guide.high", "guide.low"
	if q.Own {
		high, low = "core.high", "core.low"
	}
	for i, pole := range [][2]string{{high, q.High}, {low, q.Low}} {
		if pole[1] == "" {
			continue
		}
		poles[i] = append(a.wrap(column, span{a.Say(pole[0]), smallStyle}), a.wrap(column, span{pole[1], cellStyle})...)
	}
	sheet := room{paper: a.paper, notes: a.print(a.Say("guide.notes")), none: a.print(a.Say("guide.rating.none")), legend: a.print(a.Say("guide.rating.legend"))}
	height := tall(ask) + 1 + max(tall(poles[0]), tall(poles[1]))
	whole := height
	var more *float64
	if a.room {
		whole, more = whole+roomHeight, new(float64)
	}
	a.add(block{above: 3.5, height: whole, stretch: more, draw: func(f *fpdf.Fpdf, y float64) {
		at(f, left, y+boldStyle.height()*0.76, number, boldStyle.with(accent))
		below := put(f, left+indent, y, ask) + 1
		put(f, left+indent, below, poles[0])
		put(f, left+indent+column+gap, below, poles[1])
		if a.room {
			sheet.draw(f, left+indent, y+height+2, roomLines+*more)
		}
	}})
}

// roomHeight is how much a question needs for what is written by hand, of which roomLines are
// for notes; a page that has room left gives more.
const (
	roomLines  = 18.0
	roomHeight = roomLines + 11
)

// room is where an answer is noted and rated by hand.
type room struct {
	*paper
	notes, legend, none string
}

func (r room) draw(f *fpdf.Fpdf, x, y, lines float64) {
	const box = 3.6
	stroke(f, strong, 0.2)
	f.Rect(x, y, right-x, lines, "D")
	at(f, x+2, y+4, r.notes, smallStyle)
	base := y + lines + 5.2
	at(f, x, base, r.legend, smallStyle)
	x += wide(r.legend, smallStyle) + 5
	for mark := 1; mark <= 5; mark++ {
		at(f, x, base, strconv.Itoa(mark), cellBold)
		stroke(f, strong, 0.25)
		f.Rect(x+3, base-2.9, box, box, "D")
		x += 14
	}
	at(f, x, base, r.none, smallStyle)
	f.Rect(x+wide(r.none, smallStyle)+1.5, base-2.9, box, box, "D")
}
