//go:build dev

package server

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
)

// faceDirs hold the files that pages are made of, named from the repository's root.
var faceDirs = []string{"internal/page", "internal/dashboard", "internal/docs", "internal/testpage"}

// Where the page asks whether it is still the newest.
const (
	devStamp  = "/_dev/stamp"
	devScript = "/_dev/reload.js"
)

// reload loads the page again when the stamp has changed. While the server is away, the
// page waits for it.
const reload = `const stamp = async () => (await fetch("` + devStamp + `")).text();
const was = await stamp();
setInterval(async () => {
  const is = await stamp().catch(() => was);
  if (is !== was) location.reload();
}, 500);
`

// workshop makes the faces again when one of their files has changed.
type workshop struct {
	build func() (http.Handler, error)

	mu    sync.Mutex
	stamp string // of the files that faces was made of
	faces http.Handler
	fault error
}

// live makes the handler of the faces, and makes it again whenever one of their files has
// changed. A fault in a file is shown in place of the pages until it is mended.
func live(build func() (http.Handler, error)) (http.Handler, error) {
	return &workshop{build: build}, nil
}

func (w *workshop) current() (stamp string, faces http.Handler, fault error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := stampOf(faceDirs); now != w.stamp {
		w.stamp = now
		w.faces, w.fault = w.build()
	}
	return w.stamp, w.faces, w.fault
}

// stampOf changes with the name, the size and the time of any file that is no Go.
func stampOf(dirs []string) string {
	sum := fnv.New64a()
	for _, dir := range dirs {
		_ = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(name) == ".go" {
				return nil
			}
			if info, err := d.Info(); err == nil {
				fmt.Fprintln(sum, dir, name, info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return strconv.FormatUint(sum.Sum64(), 36)
}

func (w *workshop) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	stamp, faces, fault := w.current()
	switch {
	case r.URL.Path == devStamp:
		fmt.Fprint(rw, stamp)
	case r.URL.Path == devScript:
		rw.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(rw, reload)
	case fault != nil:
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		rw.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(rw, "<!doctype html><title>!</title><pre>%s</pre>%s", strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(fault.Error()), tag)
	case r.Header.Get("Sec-Fetch-Dest") == "document":
		tagged(rw, r, faces)
	default:
		faces.ServeHTTP(rw, r)
	}
}

const tag = `<script type="module" src="` + devScript + `"></script>`

// tagged answers with the tag at the end of a page. Pages are sent uncompressed.
func tagged(rw http.ResponseWriter, r *http.Request, faces http.Handler) {
	answer := httptest.NewRecorder()
	r.Header.Del("Accept-Encoding")
	faces.ServeHTTP(answer, r)
	body := answer.Body.Bytes()
	maps.Copy(rw.Header(), answer.Header())
	if strings.HasPrefix(answer.Header().Get("Content-Type"), "text/html") {
		body = bytes.Replace(body, []byte("</body>"), []byte(tag+"</body>"), 1)
		rw.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	rw.WriteHeader(answer.Code)
	_, _ = rw.Write(body)
}
