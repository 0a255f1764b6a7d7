package dashboard

import (
	"net/http"

	"typus"
	"typus/internal/accounts"
)

// blindView is the switch for blind interviews of a position.
type blindView struct {
	frame
	Path       string // of the position
	Name       string
	Blind, All *field
}

// Template names the page.
func (blindView) Template() string { return "blind" }

func (f *face) blindView(fr frame, v *visit, p typus.Position) blindView {
	view := blindView{
		frame: fr, Path: positionPath(p), Name: f.positionName(v, p),
		Blind: &field{Name: "blind", Label: "blind.on", Hint: "blind.onHint", Type: "checkbox", Checked: p.Blind},
		All:   &field{Name: "alle", Label: "blind.all", Hint: "blind.allHint", Type: "checkbox", Checked: p.BlindAll},
	}
	view.Seen = seen(view.Blind, view.All)
	return view
}

func (f *face) blind(v *visit, p typus.Position) error {
	return f.render(v, http.StatusOK, f.blindView(f.positionFrame(v, p), v, p))
}

// setBlind switches blind interviews on or off.
func (f *face) setBlind(v *visit, p typus.Position) error {
	typed := accounts.Blind{On: v.PostFormValue("blind") != "", Everybody: v.PostFormValue("alle") != ""}
	var (
		view blindView
		late bool
	)
	err := f.Accounts.SetBlind(v.Context(), v.Reader, p.ID, v.actor(), func(now typus.Position) (accounts.Blind, bool) {
		view = f.blindView(f.positionFrame(v, now), v, now)
		late = overtaken(v, view.Blind, view.All)
		return typed, !late
	})
	if err != nil {
		return err
	}
	if late {
		f.compare(&view.frame, v, view.Blind, view.All)
		return f.render(v, http.StatusConflict, view)
	}
	key := "blind.isOff"
	if typed.On {
		key = "blind.isOn"
	}
	return f.done(v, positionPath(p), f.say(v, key))
}

// sealed calls h unless the visitor is blind to the candidate: there is nothing to do then
// about what they do not see, and the page says why.
func (f *face) sealed(h func(v *visit, c typus.Candidate) error) handler {
	return f.ofCandidate(func(v *visit, c typus.Candidate) error {
		if c.Blind {
			return f.goOn(v, candidatePath(c.ID))
		}
		return h(v, c)
	})
}

// openUnrated opens a result to a visitor who says why they do not rate.
func (f *face) openUnrated(v *visit, c typus.Candidate) error {
	if !c.Withheld() {
		return f.goOn(v, candidatePath(c.ID))
	}
	err := f.Steps.OpenUnrated(v.Context(), v.Reader, c.ID, v.PostFormValue("grund"), v.actor())
	if typus.Is(err, typus.Invalid) {
		return f.again(v, c, func(view *candidateView) {
			view.Reason.Value, view.Reason.Fault = v.PostFormValue("grund"), f.say(v, "blind.reasonFault")
			f.sum(&view.frame, v, view.Reason)
		})
	}
	if err != nil {
		return err
	}
	return f.done(v, candidatePath(c.ID), f.say(v, "blind.opened"))
}
