package dashboard

import "time"

// removalView asks before something is removed that cannot be brought back. Its
// form is sent to the address at which it is asked.
type removalView struct {
	frame
	Heading string // text key
	Facts   []fact // about what is removed
	What    string // text key: what follows from it
	Do      string // text key of the button
	Back    string // where to go for no
	Made    madeThings
}

// fact is one thing to recognise something by.
type fact struct {
	Label string // text key
	Text  string
	At    time.Time // in place of Text
}

// Template names the page.
func (removalView) Template() string { return "removal" }
