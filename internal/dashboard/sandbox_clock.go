package dashboard

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/sandbox"
)

const (
	sandboxClockPath = worldPath + "/uhr"
	paramSpan        = "dauer" // of the form that moves the clock
	paramOfLeft      = "von"   // how many minutes were to go when the page was shown
	// clockPatience is how long a form that moves the clock waits for the end of the move.
	clockPatience = 3 * time.Second
)

// spans are the moves that a button makes, with their text keys.
var spans = []struct{ span, label string }{
	{"PT1M", "sandbox.clock.minute"}, {"PT1H", "sandbox.clock.hour"}, {"P1D", "sandbox.clock.day"}, {"P3D", "sandbox.clock.days"}, {"P31D", "sandbox.clock.month"},
}

// jumps are the buttons of the clock.
func (f *face) jumps(v *visit) []option {
	list := make([]option, len(spans))
	for i, s := range spans {
		list[i] = option{Value: s.span, Label: f.say(v, s.label)}
	}
	return list
}

// spanField asks for another move of the clock.
func spanField() *field {
	return &field{Name: paramSpan, Label: "sandbox.clock.span", Hint: "sandbox.clock.spanHint", Autocomplete: "off"}
}

// advance moves the clock of the world on.
func (f *face) advance(v *visit) error {
	from := v.Account.WorldTime(f.now())
	to, sound := sandbox.Later(from, strings.ToUpper(strings.TrimSpace(v.PostFormValue(paramSpan))))
	if !sound || to.After(sandbox.Latest(from)) {
		return f.advanceRefused(v)
	}
	m, err := f.Sandbox.Advance(v.Context(), v.Account.ID, to.Sub(from), v.actor())
	if made, before := clerk.SentBefore(err); before { // a double click
		m, err = f.Sandbox.MoveOf(v.Context(), v.Account.ID, made)
	}
	switch {
	case typus.Is(err, typus.Conflict):
		return f.undone(v, worldPath, f.say(v, "sandbox.clock.busy"))
	case typus.Is(err, typus.Invalid):
		return f.advanceRefused(v)
	case err != nil:
		return err
	}
	if waited, err := f.Sandbox.Await(v.Context(), v.Account.ID, m.ID, cmp.Or(f.clockWait, clockPatience)); err == nil {
		m = waited // else it goes on, and the page says how far it is
	}
	if !m.Done {
		return f.goOn(v, worldPath+"#uhr")
	}
	return f.done(v, worldPath, f.say(v, "sandbox.clock.moved", "At", f.worldMoment(v, m.WorldTime)))
}

// advanceRefused shows the form again.
func (f *face) advanceRefused(v *visit) error {
	view, err := f.sandboxView(v)
	if err != nil {
		return err
	}
	fill(v, view.Span)
	view.Span.Fault = f.say(v, "sandbox.clock.fault")
	f.sum(&view.frame, v, view.Span)
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// clockProgress says to the page's script how far a move of the clock is.
func (f *face) clockProgress(v *visit) error {
	m, moving, err := f.Sandbox.UnderWay(v.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	of := int(numberOr(v.URL.Query().Get(paramOfLeft), 1))
	return f.progress(v, moving, max(0, of-toMinutes(m.Left)), f.leftText(v, m))
}

// leftText says how far a move of the clock has to go.
func (f *face) leftText(v *visit, m sandbox.Move) string {
	if m.Left <= 0 {
		return f.say(v, "sandbox.clock.last")
	}
	return f.say(v, "sandbox.clock.left", "Span", f.spanInWords(v, m.Left))
}

// toMinutes are the minutes of a time that is to go, a part of one counted as a whole.
func toMinutes(left time.Duration) int { return int((left + time.Minute - 1) / time.Minute) }

// spanInWords says a length of time in its two largest units, at least a minute; "" for none.
func (f *face) spanInWords(v *visit, d time.Duration) string {
	if d <= 0 {
		return ""
	}
	whole := toMinutes(d)
	var said []string
	for _, part := range []struct {
		key string
		n   int
	}{{"sandbox.days", whole / (24 * 60)}, {"sandbox.hours", whole / 60 % 24}, {"sandbox.minutes", whole % 60}} {
		if part.n > 0 && len(said) < 2 {
			said = append(said, f.sayCount(v, part.key, part.n))
		}
	}
	return strings.Join(said, ", ")
}

// worldMoment is a time of the world's clock as its pages write it.
func (f *face) worldMoment(v *visit, at time.Time) string {
	said, err := f.pages.Moment(v.lang, at.In(v.Account.Zone.Location()))
	if err != nil {
		return at.UTC().Format(time.RFC3339)
	}
	return said
}
