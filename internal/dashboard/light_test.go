package dashboard

import (
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"typus/internal/page/pagetest"
)

// TestTheFirstLookIsLight adds up what a browser fetches that has nothing of ours
// yet: the page, its style sheets, its script and its icon, each as it travels.
func TestTheFirstLookIsLight(t *testing.T) {
	const most = 80 << 10
	w := newWorld(t)
	done, imported := w.full()
	open := w.invited("Kim Muster", "crm-42")
	c := w.as(owner)
	hook := endpointPath(w.firstHook())
	var paths []string
	for _, r := range w.face.routes() {
		if r.method == "GET" && !strings.Contains(r.pattern, "{") {
			paths = append(paths, r.pattern)
		}
	}
	paths = append(paths, "/dashboard/kandidaten?status=offen&suche=Person", "/dashboard/kandidat/"+id(done), "/dashboard/kandidat/"+id(open), "/dashboard/einladen/"+id(open), imported,
		hook, hook+"/bearbeiten", hook+"/loeschen", memberPath(c.user.ID), lettersPath+"/text/einladung/de", bulkErase.path+"?id="+id(open))
	for i, path := range append(paths, "/anmelden", "/passwort") {
		if i == len(paths) {
			c = w.stranger()
		}
		a := c.get(path) // pages travel as they are
		if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") || a.StatusCode != http.StatusOK {
			continue // a redirect, a file
		}
		size, files := len(a.body), 0
		for _, file := range filesOf(t, a) {
			b := c.fetch(file)
			if b.StatusCode != http.StatusOK {
				t.Errorf("%s needs %s: %s", path, file, b.Status)
			}
			size, files = size+len(b.body), files+1
		}
		if t.Logf("%s: %d bytes of the page, %d in all, %d files beside it", path, len(a.body), size, files); size > most {
			t.Errorf("%s: %d bytes are too much", path, size)
		}
	}
}

// fetch asks for a file as it travels to a browser.
func (c *client) fetch(path string) answer {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Ctx, "GET", c.server.URL+path, nil)
	c.Must(err)
	r.Header.Set("Accept-Encoding", "gzip")
	return c.send(r)
}

// filesOf are what a page makes a browser fetch.
func filesOf(t *testing.T, a answer) []string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for tag, attr := range map[string]string{"link": "href", "script": "src", "img": "src"} {
		for _, n := range pagetest.All(doc, tag) {
			at, _ := pagetest.Attr(n, attr)
			files = append(files, at)
		}
	}
	return files
}

// firstHook is the id of the account's first webhook.
func (w *world) firstHook() int64 {
	w.Helper()
	list, err := w.Store.Endpoints(w.Ctx, w.Account)
	w.Must(err)
	return list[0].ID
}
