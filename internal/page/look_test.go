package page

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"typus/internal/page/browsertest"
)

func TestTheErrorPagesAreAccessible(t *testing.T) {
	site := newSite(t)
	mux := http.NewServeMux()
	mux.Handle("/static/", site.Static())
	mux.HandleFunc("/error/{status}", func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(r.PathValue("status"))
		if err != nil {
			t.Error(err)
		}
		site.Error(w, r, nil, status, "req-1")
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	browser := browsertest.New(t)
	for _, look := range []browsertest.Look{{Width: 320}, {Width: 320, Dark: true}} {
		tab := browser.Tab(t, look)
		for _, path := range []string{"/error/404?lang=de", "/error/500?lang=en"} {
			tab.Open(server.URL + path)
			if wider := tab.Overflow(); wider > 0 {
				t.Errorf("%s is %d px wider than the screen", path, wider)
			}
			for _, picture := range tab.Inkless() {
				t.Errorf("%s, %s: nobody sees %s", path, look, picture)
			}
			for _, violation := range tab.Axe() {
				t.Errorf("%s, %s: %s", path, look, violation)
			}
		}
	}
}
