package dashboard

import (
	"time"
)

// styleView shows the parts that pages are made of, for whoever builds the next
// one. It is served by builds with the tag dev only.
type styleView struct {
	frame
	Colours []string
	Good    field
	Bad     field
	Choice  field
	Words   field
	Tick    field
	Pick    field
	At      time.Time
}

// Template names the page.
func (styleView) Template() string { return "style" }

func (f *face) styleOf(fr frame, v *visit) styleView {
	some := []option{{Value: "a", Label: f.say(v, "style.one"), Chosen: true}, {Value: "b", Label: f.say(v, "style.other"), Hint: f.say(v, "style.text")}}
	return styleView{
		frame:   fr,
		Colours: []string{"paper", "surface", "sunken", "ink", "ink-soft", "line", "line-strong", "accent", "accent-soft", "alert", "alert-soft", "hint", "hint-soft"},
		Good:    field{Name: "good", Label: "style.field", Hint: "style.text"},
		Bad:     field{Name: "bad", Label: "style.field", Fault: f.say(v, "fault.email"), Optional: true},
		Choice:  field{Name: "choice", Label: "style.field", Options: some},
		Words:   field{Name: "words", Label: "style.field", Optional: true},
		Tick:    field{Name: "tick", Label: "style.text", Checked: true},
		Pick:    field{Name: "pick", Label: "style.field", Hint: "style.text", Options: some},
		At:      time.Date(2026, time.November, 27, 10, 20, 0, 0, time.UTC),
	}
}
