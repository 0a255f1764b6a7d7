package dashboard

import (
	"net/http"

	"typus/internal/report"
	"typus/internal/webhook"
)

// sampleView is a report about nobody, to which each test event of a webhook links.
type sampleView struct {
	frame
	Name, Email string
	Report      *reportView
}

// Template names the page.
func (sampleView) Template() string { return "sample" }

// sampleReport shows the report of what each test event reports. It says nothing of anybody.
func (f *face) sampleReport(v *visit) error {
	result, role, err := f.Accounts.Sample(v.Account)
	if err != nil {
		return err
	}
	stored := report.Stored{Result: result, Role: role, MadeUp: true}
	shown := drawn(report.Of(f.Instrument, stored, v.lang))
	shown.Head.MadeUp = nil // the page says so itself
	shown.Asked, shown.FollowUps = role, report.FollowUps(f.Instrument, stored, v.lang)
	c := webhook.TestCandidate
	return f.render(v, http.StatusOK, sampleView{frame: f.frame(v, areaCandidates), Name: c.Name, Email: c.Email, Report: shown})
}
