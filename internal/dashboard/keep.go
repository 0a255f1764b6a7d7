package dashboard

import (
	"net/http"
	"time"

	"typus"
	"typus/internal/store"
)

// keepView is the form by which somebody is kept although the retention is over before.
type keepView struct {
	Base   string    // address of the candidate's page
	Seen   string    // see frame.Seen
	Until  time.Time // until when they are kept, zero: as long as everybody
	Reason string    // why
	Day    *field
	Why    *field
}

// keepFields are the fields of the form, as they are stored.
func (f *face) keepFields(a typus.Account, k typus.Keeping) (*field, *field) {
	now := f.now()
	return &field{
			Name: "until", Label: "keep.until", Type: "date", Value: a.DayOf(k.Until),
			Min: a.DayOf(now), Max: a.DayOf(now.Add(typus.MaxKeep - longestDay)),
		},
		&field{Name: "reason", Label: "keep.reason", Hint: "keep.reasonHint", Value: k.Reason, Rows: 2}
}

// addKeeping adds when the candidate is erased, which would tell whoever is blind to them and
// interviewers of a decision, and for those who may the form that puts it off.
func (f *face) addKeeping(v *visit, c typus.Candidate, about store.Dossier, view *candidateView) {
	if c.Blind || !v.may(viewer) {
		return
	}
	view.EraseAt = v.Account.EraseAt(c, about.Keeping)
	if !v.may(admin) {
		return
	}
	day, why := f.keepFields(v.Account, about.Keeping)
	view.Keep = &keepView{Base: view.Base, Seen: seen(day, why), Until: about.Keeping.Until, Reason: about.Keeping.Reason, Day: day, Why: why}
}

// keepLonger stores until when somebody is kept, or that they are no longer.
func (f *face) keepLonger(v *visit, c typus.Candidate) error {
	late := false
	agreed := func(now typus.Keeping) bool {
		day, why := f.keepFields(v.Account, now)
		late = overtaken(v, day, why)
		return !late
	}
	said, err, ends := "keep.done", error(nil), v.PostForm.Has("end")
	if ends {
		said, err = "keep.ended", f.Steps.EndKeep(v.Context(), v.Reader, c.ID, v.actor(), agreed)
	} else {
		err = f.Steps.Keep(v.Context(), v.Reader, c.ID, v.Account.EndOfDay(v.PostFormValue("until")), v.PostFormValue("reason"), v.actor(), agreed)
	}
	if err == nil && late {
		return f.againAs(v, c, http.StatusConflict, func(view *candidateView) {
			if ends {
				view.alert(f.say(v, "keep.overtaken"))
				return
			}
			f.compare(&view.frame, v, view.Keep.Day, view.Keep.Why)
		})
	}
	if typus.Is(err, typus.Invalid) {
		return f.again(v, c, func(view *candidateView) {
			view.Keep.Seen = v.PostFormValue(seenName)
			fill(v, view.Keep.Day, view.Keep.Why)
			f.blame(&view.frame, v, err, view.Keep.Day, view.Keep.Why)
		})
	}
	if err != nil {
		return err
	}
	return f.done(v, candidatePath(c.ID), f.say(v, said))
}
