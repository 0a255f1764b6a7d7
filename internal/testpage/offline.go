package testpage

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json"

	"typus/internal/page"
	"typus/internal/web"
)

// offlineView is the page that a browser keeps, for a reload without a connection. It has
// no data; what waits for a link its script reads in the browser (decision 0079).
type offlineView struct{ frame }

// Template names the page.
func (offlineView) Template() string { return "offline" }

func newOfflineView() offlineView {
	view := offlineView{}
	view.Switch.None = true // without a connection there is no other language to go to
	return view
}

const offlinePath = "/t/offline"

func (f *face) offline(w http.ResponseWriter, r *http.Request) error {
	return f.pages.Render(w, http.StatusOK, page.Language(r, "", ""), newOfflineView())
}

// worker serves the service worker of the test, which every browser asks for anew: it is
// how a fault in the last one is mended.
func (f *face) worker(w http.ResponseWriter, r *http.Request) error {
	script, err := f.workerScript(files)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", web.DataPolicy+"; connect-src 'self'")
	page.NewFile("text/javascript; charset=utf-8", "no-cache", script).ServeHTTP(w, r)
	return nil
}

// needed finds the style sheet and the script of a page, whose addresses hold their hashes.
var needed = regexp.MustCompile(`"(/static/[^"]+\.(?:css|js))"`)

// workerScript is worker.js below the addresses that it keeps, and a version that changes
// with it and with all that it keeps.
func (f *face) workerScript(files fs.FS) ([]byte, error) {
	source, err := fs.ReadFile(files, "worker/worker.js")
	if err != nil {
		return nil, err
	}
	sum, kept := sha256.New(), []string{}
	sum.Write(source)
	for _, lang := range page.Languages() {
		body, err := f.pages.Page(lang, newOfflineView())
		if err != nil {
			return nil, err
		}
		sum.Write(body)
		kept = append(kept, offlinePath+"?lang="+lang)
		for _, m := range needed.FindAllSubmatch(body, -1) {
			kept = append(kept, string(m[1]))
		}
	}
	slices.Sort(kept)
	list, err := json.Marshal(slices.Compact(kept))
	if err != nil {
		return nil, err
	}
	head := fmt.Appendf(nil, "const version = %q;\nconst kept = %s;\n", hex.EncodeToString(sum.Sum(nil)[:6]), list)
	return bytes.Join([][]byte{head, source}, nil), nil
}
