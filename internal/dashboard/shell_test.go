package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The switch of the language keeps what else the address says: where to go after
// the login, the token of a set-up.
func TestTheOtherLanguageIsTheSamePage(t *testing.T) {
	w := newWorld(t)
	w.stranger().get("/anmelden?weiter=%2Fdashboard%2Fcredits").want(t, http.StatusOK, `href="?lang=en&amp;weiter=%2Fdashboard%2Fcredits"`)
	w.stranger().get("/anmelden").want(t, http.StatusOK, `href="?lang=en"`)
	w.stranger().get("/anmelden?lang=en").want(t, http.StatusOK, `href="?lang=de"`)
}

func TestAnUnknownAddressIsAnsweredInTheLanguageOfWhoIsLoggedIn(t *testing.T) {
	w := newWorld(t)
	c := w.as(viewer)
	c.post("/dashboard/sprache", url.Values{"sprache": {"en"}, "lang": {"en"}}).want(t, 303)
	for _, path := range []string{"/dashboard/nix", "/dashboard/kandidat/987654321", "/dashboard/einstellungen/nix/"} {
		c.get(path).want(t, 404, `<html lang="en"`, "Muster Software GmbH", `href="/dashboard/credits"`)
	}
	if page := w.stranger().get("/dashboard/nix").want(t, 404); strings.Contains(page.body, `href="/dashboard/credits"`) {
		t.Error("a stranger sees the navigation")
	}
}
