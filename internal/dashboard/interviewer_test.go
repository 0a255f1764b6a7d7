package dashboard

import (
	"net/http"
	"strings"
	"testing"
)

// Whoever only interviews finds the candidates and their reports, their own profile, and
// neither a word about the rest of the account nor a way to it.
func TestAnInterviewerSeesCandidatesAndNothingElse(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		done, c := w.furnish(w.Account, true), w.as(interviewer)
		candidate := done.address(t, "/dashboard/kandidat/{id}")
		for path, holds := range map[string]string{"/dashboard/kandidaten": "Kim Muster", candidate: "Kim Muster", profilePath: c.user.Email} {
			a := c.get(path).want(t, http.StatusOK, holds)
			for _, rest := range []string{
				"/dashboard/credits", "/dashboard/einladen", "/dashboard/import", "/api-schluessel", "/webhooks", "/team", "/konto", "/briefe", "/protokoll", "/export", "/notizen", "/tags", "/korrigieren", "/loeschen",
			} {
				if strings.Contains(a.body, rest) {
					t.Errorf("%s shows an interviewer %s", path, rest)
				}
			}
		}
		if a := c.get(candidate); strings.Contains(a.body, `id="verlauf"`) || !strings.Contains(a.body, `id="notizen"`) {
			t.Error("an interviewer sees the timeline, or no notes")
		}
		if a := c.get("/dashboard/einstellungen"); a.Header.Get("Location") != profilePath {
			t.Errorf("the settings lead an interviewer to %q", a.Header.Get("Location"))
		}
	})
}
