package dashboard

import (
	"net/http"
	"time"

	"typus"
	"typus/internal/sandbox"
	"typus/internal/store"
)

// sandboxView is the first page of a test world: how far the first integration has come, and
// the world's clock.
type sandboxView struct {
	frame
	Steps  []sandboxStep
	Ready  int // how many of Steps are done
	Now    time.Time
	Before string // how far the clock is ahead, in words; "" for not at all
	Way    clockWay
	Jumps  []option
	Span   *field
	Curl   string // moves the clock by the API
	Manage bool
}

// Template names the page.
func (sandboxView) Template() string { return "sandbox" }

// Max is how many steps there are.
func (v sandboxView) Max() int { return len(v.Steps) }

// sandboxStep is one step of the first integration.
type sandboxStep struct {
	Label, Says string // text keys
	Done        bool
	Path, Do    string // where it is done, and the text key of what leads there; "" for nowhere
	Curl        string // does it by the API, "" for nothing
}

// sandboxStartView says what a test world is to whose account has none yet.
type sandboxStartView struct{ frame }

// Template names the page.
func (sandboxStartView) Template() string { return "sandbox_start" }

// sandbox shows the account's test world, or where one is made.
func (f *face) sandbox(v *visit) error {
	err := f.enterWorld(v)
	if typus.Is(err, typus.NotFound) {
		return f.render(v, http.StatusOK, sandboxStartView{f.settingsFrame(v, sectionSandbox)})
	}
	if err != nil {
		return err
	}
	view, err := f.sandboxView(v)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

// makeWorld makes the account's test world.
func (f *face) makeWorld(v *visit) error {
	if _, err := f.Sandbox.World(v.Context(), v.Account.ID); err != nil {
		return err
	}
	return f.goOn(v, worldPath)
}

// sandboxView is the page of a visit that has entered the world.
func (f *face) sandboxView(v *visit) (sandboxView, error) {
	m, moving, err := f.Sandbox.UnderWay(v.Context(), v.Account.ID)
	if err != nil {
		return sandboxView{}, err
	}
	came, err := f.Store.Integration(v.Context(), v.Account.ID, v.Account.ParentID)
	if err != nil {
		return sandboxView{}, err
	}
	view := f.sandboxOf(v, came)
	view.frame, view.Way = f.frame(v, areaSandbox), f.clockWay(v, m, moving)
	return view, nil
}

// sandboxOf is the page without its frame and without a move of the clock that is under way.
func (f *face) sandboxOf(v *visit, came store.Integration) sandboxView {
	view := sandboxView{
		Steps: f.sandboxSteps(came, v.may(admin)), Now: f.now(), Before: f.spanInWords(v, v.Account.Ahead),
		Jumps: f.jumps(v), Span: spanField(), Curl: f.curl("POST", "/api/test/clock", `{"advance":"P3D"}`), Manage: v.may(admin),
	}
	for _, s := range view.Steps {
		if s.Done {
			view.Ready++
		}
	}
	return view
}

// sandboxSteps are the steps of the first integration. Those who manage are led to where keys
// and webhooks are made, others to where they are listed.
func (f *face) sandboxSteps(came store.Integration, manages bool) []sandboxStep {
	keys, hooks := keysPath, endpointsPath
	if manages {
		keys, hooks = keysPath+"/neu", endpointsPath+"/neu"
	}
	return []sandboxStep{
		{Label: "sandbox.key", Says: "sandbox.key.says", Done: came.Key, Path: keys, Do: "sandbox.key.do"},
		{Label: "sandbox.invited", Says: "sandbox.invited.says", Done: came.Invited, Path: invitePath, Do: "sandbox.invited.do",
			Curl: f.curl("POST", "/api/v1/invites", `{"name":"Kim Beispiel","email":"finish+closer@example.com","external_id":"crm-1"}`)},
		{Label: "sandbox.hook", Says: "sandbox.hook.says", Done: came.Delivered, Path: hooks, Do: "sandbox.hook.do"},
		{Label: "sandbox.read", Says: "sandbox.read.says", Done: !came.ReadBackAt.IsZero(), Curl: f.curl("GET", "/api/v1/candidates/crm-1", "")},
		{Label: "sandbox.live", Says: "sandbox.live.says", Done: wentLive(came), Path: withBack(loginPath, keysPath), Do: "sandbox.live.do"},
	}
}

// wentLive reports whether a live key was used after a test key had read a result.
func wentLive(came store.Integration) bool {
	return !came.ReadBackAt.IsZero() && !came.LiveUsedAt.Before(came.ReadBackAt.Truncate(time.Minute))
}

// curl is a call of the API on one line; KEY is the caller's key.
func (f *face) curl(method, path, body string) string {
	line := `curl -sS -H "Authorization: Bearer $KEY"`
	if method == http.MethodPost {
		line += ` -H 'Content-Type: application/json' -d '` + body + `'`
	}
	return line + " " + f.BaseURL + path
}

// clockWay is a move of the world's clock that is under way.
type clockWay struct {
	Moving bool
	Left   string // how far it still has to go, in words
	Max    int    // the same in minutes, at least one
}

func (f *face) clockWay(v *visit, m sandbox.Move, moving bool) clockWay {
	if !moving {
		return clockWay{}
	}
	return clockWay{Moving: true, Left: f.leftText(v, m), Max: max(1, toMinutes(m.Left))}
}
