package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"typus"
)

func (w *world) suspend() {
	w.Helper()
	_, err := w.Accounts.Suspend(w.Ctx, w.Account, "Rechnung 4711", typus.Actor{Name: typus.ActorOperator})
	w.Must(err)
}

// While the account is suspended its people read everything, below a sentence that says so, and
// what they may not do is refused before anything of the form is looked at. Who may not do it
// anyway is told that.
func TestASuspendedAccountIsReadAndLittleElse(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c, reads := w.as(owner), w.as(viewer)
		e := w.furnish(w.Account, true)
		w.suspend()
		refused := func(r route) bool {
			a := c.do(r.method, example(r.pattern), url.Values{})
			return a.StatusCode == http.StatusForbidden && strings.Contains(a.body, "solange das Konto gesperrt ist")
		}
		before := w.actions()
		for _, r := range w.face.routes() {
			if r.method == http.MethodPost && !r.always && !refused(r) {
				t.Errorf("%s is done", r.pattern)
			}
		}
		if now := w.actions(); now != before {
			t.Errorf("the audit log has\n%s\nafter\n%s", now, before)
		}
		for _, path := range []string{homePath, peoplePath, e.address(t, "/dashboard/kandidat/{id}"), "/dashboard/einladen", "/dashboard/stellen", profilePath, keysPath} {
			if a := c.get(path); a.StatusCode != http.StatusOK || strings.Count(a.body, "Dieses Konto ist seit dem ") != 1 || !strings.Contains(a.body, "Rechnung 4711") {
				t.Errorf("%s: %s:\n%s", path, a.Status, a.body)
			}
			if a := reads.get(path); strings.Contains(a.body, "Rechnung 4711") {
				t.Errorf("%s tells a viewer why", path)
			}
		}
		for _, r := range w.face.routes() {
			if (r.method != http.MethodPost || r.always) && refused(r) {
				t.Errorf("%s %s is refused", r.method, r.pattern)
			}
		}
		c = w.as(owner) // one of these was to log out
		if _, err := w.Accounts.Resume(w.Ctx, w.Account, typus.Actor{Name: typus.ActorOperator}); err != nil {
			t.Fatal(err)
		}
		if a := c.get(homePath); strings.Contains(a.body, "Dieses Konto ist seit dem ") {
			t.Error("it says that the account is suspended, which is over")
		}
	})
}

// People log in, and candidates are erased, while the account is suspended.
func TestPeopleLogInAndEraseWhileTheAccountIsSuspended(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		e := w.furnish(w.Account, false)
		w.person("ada@example.com", owner)
		w.suspend()
		c := w.loggedIn("ada@example.com")
		candidate := e.names[candidateName]
		c.post(bulkErase.path, url.Values{"id": {candidate}, "bestaetigt": {"1"}})
		if !strings.Contains(w.actions(), string(typus.AuditCandidateErased)) {
			t.Errorf("nobody is erased:\n%s", w.actions())
		}
	})
}
