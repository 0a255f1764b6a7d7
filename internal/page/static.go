package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// sheets are the style sheets in the order of the cascade. They are served as
// one file: one request, and one hash for the look as a whole.
var sheets = []string{"layers.css", "tokens.css", "base.css", "layout.css", "components.css"}

const (
	staticPrefix = "/static/"
	faviconPath  = "/favicon.ico" // asked for by browsers unbidden, so it has no hash
)

// static holds the static files, hashed and compressed once.
type static struct {
	urls  map[string]string // name → path with the hash
	files map[string]file   // path → file
}

type file struct {
	contentType string
	cache       string
	body        []byte
	zipped      []byte // nil when compression does not make it smaller
}

func loadStatic(fsys fs.FS) (*static, error) {
	s := &static{urls: map[string]string{}, files: map[string]file{}}
	var css bytes.Buffer
	for _, name := range sheets {
		body, err := fs.ReadFile(fsys, "static/"+name)
		if err != nil {
			return nil, fmt.Errorf("page: %w", err)
		}
		css.Write(body)
	}
	icon, err := fs.ReadFile(fsys, "static/favicon.svg")
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	ico, err := fs.ReadFile(fsys, "static/favicon.ico")
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	s.add("typus.css", "text/css; charset=utf-8", css.Bytes())
	s.add("favicon.svg", "image/svg+xml", icon)
	s.files[faviconPath] = file{contentType: "image/x-icon", cache: "public, max-age=86400", body: ico}
	return s, nil
}

func (s *static) add(name, contentType string, body []byte) {
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	url := staticPrefix + strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	s.urls[name] = url
	s.files[url] = file{
		contentType: contentType, cache: "public, max-age=31536000, immutable",
		body: body, zipped: zip(body),
	}
}

// zip compresses, or returns nil when that does not pay.
func zip(body []byte) []byte {
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(body)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil || buf.Len() >= len(body) {
		return nil
	}
	return buf.Bytes()
}

// url is the path of a static file for use in a template.
func (s *static) url(name string) (string, error) {
	url, ok := s.urls[name]
	if !ok {
		return "", fmt.Errorf("page: there is no static file %q", name)
	}
	return url, nil
}

// ServeHTTP answers a file or 404. There are no directories and no other methods
// than GET and HEAD.
func (s *static) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := s.files[r.URL.Path]
	if !ok || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", f.cache)
	body := f.body
	if f.zipped != nil {
		h.Set("Vary", "Accept-Encoding")
		if takesGzip(r) {
			h.Set("Content-Encoding", "gzip")
			body = f.zipped
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // a reader who has gone is no fault
}

// takesGzip reads Accept-Encoding as far as it matters here: gzip named, and
// not with a weight of zero (RFC 9110 12.5.3).
func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, weight, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
		return err != nil || q > 0
	}
	return false
}
