package testpage

import (
	"crypto/rand"
	"net/http"
	"strconv"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/notice"
	"typus/internal/web"
)

const (
	earlierPath     = "frueher"
	earlierCodePath = "frueher/code"
)

// earlierView offers earlier answers to the candidate. To who only has the link it offers a
// code, whether there are any answers or not.
type earlierView struct {
	frame
	Masked    string    // the candidate's address, so that they know it again
	NoMail    bool      // no letter leaves this server
	Entering  bool      // the code is asked for
	Form      string    // names the page, see assess.Entry
	Wrong     bool      // the code that was entered is not good
	WaitUntil int       // how many minutes to wait before another try, 0 for none
	Known     bool      // the code was entered
	Answered  time.Time // when the answers were given, zero for none
	Stamp     int64     // the same, to be sent back
	Advised   bool      // it is so long ago that another test is recommended
	Notice    notice.Notice
	Missing   bool // "Take over" was pressed without acknowledging
	Changed   bool // the notice has changed since it was shown
}

// Template names the page.
func (earlierView) Template() string { return "earlier" }

// unbegun calls h while the test is still to be begun: whoever has begun has chosen.
func (f *face) unbegun(h handler) web.HandlerFunc {
	return f.live(func(w http.ResponseWriter, r *http.Request, v visit) error {
		if v.Candidate.Begun() {
			return v.redirect(w, r, "")
		}
		if v.Account.Suspended() {
			return f.waiting(w, r, v)
		}
		return h(w, r, v)
	})
}

// earlier shows the candidate what they can take over, and anybody else the way to a code.
func (f *face) earlier(w http.ResponseWriter, r *http.Request, v visit) error {
	if !f.steps.Known(v.Test, f.deviceKept(r)) {
		return f.earlierPage(w, http.StatusOK, v, earlierView{})
	}
	view, err := f.earlierKnown(r, v)
	if err != nil {
		return err
	}
	return f.earlierPage(w, http.StatusOK, v, view)
}

// earlierKnown is the page for the candidate.
func (f *face) earlierKnown(r *http.Request, v visit) (earlierView, error) {
	at, err := f.steps.EarlierAnswers(r.Context(), v.Test)
	view := earlierView{Known: true, Answered: at}
	if !at.IsZero() {
		view.Stamp, view.Notice = at.UnixMilli(), notice.For(v.lang, v.Account)
		view.Advised = !f.clock.Now().Before(at.AddDate(0, typus.RetestMonths, 0))
	}
	return view, err
}

func (f *face) earlierPage(w http.ResponseWriter, status int, v visit, view earlierView) error {
	view.frame, view.Form = v.frame(), rand.Text()
	view.Switch.Page = earlierPath
	if view.Entering {
		view.Switch.Page = earlierCodePath
	}
	view.Masked, view.NoMail = masked(v.Candidate.Email), !f.mails(v.Account)
	view.Fault = view.Wrong || view.WaitUntil > 0 || view.Missing || view.Changed
	return f.pages.Render(w, status, v.lang, view)
}

// sendEarlierCode sends a code, and says the same whether one was sent just before.
func (f *face) sendEarlierCode(w http.ResponseWriter, r *http.Request, v visit) error {
	if !f.mails(v.Account) {
		return f.earlierPage(w, http.StatusConflict, v, earlierView{})
	}
	err := f.steps.SendOwnCode(r.Context(), v.token, f.deviceKept(r), web.ClientIP(r.Context()))
	switch {
	case typus.Is(err, typus.TooMany):
		return f.earlierWaits(w, v, err)
	case typus.Is(err, typus.Conflict): // begun, or over, meanwhile
		return v.redirect(w, r, "")
	case err != nil:
		return err
	}
	return v.redirect(w, r, earlierCodePath)
}

// earlierCode asks for the code.
func (f *face) earlierCode(w http.ResponseWriter, r *http.Request, v visit) error {
	if f.steps.Known(v.Test, f.deviceKept(r)) {
		return v.redirect(w, r, earlierPath)
	}
	return f.earlierPage(w, http.StatusOK, v, earlierView{Entering: true})
}

// enterEarlierCode lets whoever knows the code see what there is.
func (f *face) enterEarlierCode(w http.ResponseWriter, r *http.Request, v visit) error {
	kept, err := f.steps.EnterOwnCode(r.Context(), v.token, f.entry(r))
	switch {
	case typus.Is(err, typus.TooMany):
		return f.earlierWaits(w, v, err)
	case typus.Is(err, typus.Invalid):
		return f.earlierPage(w, http.StatusUnprocessableEntity, v, earlierView{Entering: true, Wrong: true})
	case err != nil:
		return err
	}
	f.keepOwnResult(w, v, kept)
	return v.redirect(w, r, earlierPath)
}

func (f *face) earlierWaits(w http.ResponseWriter, v visit, err error) error {
	return f.earlierPage(w, http.StatusTooManyRequests, v, earlierView{Entering: true, WaitUntil: minutes(err)})
}

// takeOver uses the answers that the candidate was shown. If that is not possible any more,
// the page says what is.
func (f *face) takeOver(w http.ResponseWriter, r *http.Request, v visit) error {
	read := r.PostFormValue("hinweise")
	n, ours := acknowledged(read, v.Account)
	known := f.steps.Known(v.Test, f.deviceKept(r))
	if known && !ours && v.Stand != typus.StandFinished {
		view, err := f.earlierKnown(r, v)
		if err != nil {
			return err
		}
		view.Missing, view.Changed = read == "" && !view.Answered.IsZero(), read != "" && !view.Answered.IsZero()
		return f.earlierPage(w, http.StatusUnprocessableEntity, v, view)
	}
	stamp, _ := strconv.ParseInt(r.PostFormValue("beantwortet"), 10, 64) // of what is no number nothing is found
	kept, err := f.steps.TakeOver(r.Context(), v.token, assess.Choice{
		Kept: f.deviceKept(r), AnsweredAt: time.UnixMilli(stamp).UTC(),
		Notice: typus.Notice{Version: n.Version, Language: n.Language, At: f.clock.Now()}, NoticeText: n.Stored,
	})
	switch {
	case typus.Is(err, typus.Gone):
		return v.redirect(w, r, "")
	case typus.Is(err, typus.Conflict), typus.Is(err, typus.Forbidden):
		return v.redirect(w, r, earlierPath)
	case err != nil:
		return err
	}
	f.keepOwnResult(w, v, kept)
	return v.redirect(w, r, "fertig")
}
