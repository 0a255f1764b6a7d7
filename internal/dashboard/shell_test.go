package dashboard

import (
	"net/http"
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
