package dashboard

import "net/http"

const sandboxResetPath = worldPath + "/zuruecksetzen"

// sandboxResetView asks before a test world begins anew.
type sandboxResetView struct{ frame }

// Template names the page.
func (sandboxResetView) Template() string { return "sandbox_reset" }

func (f *face) askResetWorld(v *visit) error {
	return f.render(v, http.StatusOK, sandboxResetView{f.sandboxFrame(v)})
}

// resetWorld has the test world begin anew.
func (f *face) resetWorld(v *visit) error {
	if err := f.Sandbox.Reset(v.Context(), v.Account.ID, v.actor()); err != nil {
		return err
	}
	return f.done(v, worldPath, f.say(v, "sandbox.reset.done"))
}

// sandboxFrame starts a page below that of the test world.
func (f *face) sandboxFrame(v *visit) frame {
	fr := f.frame(v, areaSandbox)
	fr.Crumbs = []crumb{{Label: "sandbox.title", Path: worldPath}}
	return fr
}
