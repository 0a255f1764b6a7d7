package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
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
	files map[string]File   // path → file
}

func loadStatic(fsys fs.FS) (*static, error) {
	s := &static{urls: map[string]string{}, files: map[string]File{}}
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
	s.files[faviconPath] = NewFile("image/x-icon", "public, max-age=86400", ico)
	return s, nil
}

// add takes in a file whose body is kept.
func (s *static) add(name, contentType string, body []byte) {
	s.serve(name, contentType, sha256.Sum256(body), func() []byte { return body })
}

// addModules takes in a script that is joined from the modules of a directory.
func (s *static) addModules(name, contentType string, fsys fs.FS, dir string) error {
	body, err := joinModules(fsys, dir)
	if err == nil {
		s.add(name, contentType, body)
	}
	return err
}

// addFile takes in a file that is read again when it is asked for: what the program
// carries need not lie in memory a second time.
func (s *static) addFile(name, contentType string, fsys fs.FS, file string) error {
	body, err := fs.ReadFile(fsys, file)
	if err != nil {
		return err
	}
	s.serve(name, contentType, sha256.Sum256(body), func() []byte {
		again, _ := fs.ReadFile(fsys, file) // it was there
		return again
	})
	return nil
}

// addZipped takes in a file that the program carries compressed.
func (s *static) addZipped(name, contentType string, fsys fs.FS, file string) error {
	zipped, err := fs.ReadFile(fsys, file)
	if err != nil {
		return err
	}
	s.files[s.named(name, sha256.Sum256(zipped))] = zippedFile(contentType, forever, func() []byte {
		again, _ := fs.ReadFile(fsys, file) // it was there
		return again
	})
	return nil
}

// forever is the Cache-Control of what has the hash of its content in its name.
const forever = "public, max-age=31536000, immutable"

func (s *static) serve(name, contentType string, sum [sha256.Size]byte, body func() []byte) {
	s.files[s.named(name, sum)] = newFile(contentType, forever, body)
}

// named gives a file its path.
func (s *static) named(name string, sum [sha256.Size]byte) string {
	ext := path.Ext(name)
	url := staticPrefix + strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	s.urls[name] = url
	return url
}

// addFace takes in the static files of a face. Their names are in no other face.
// A directory holds the modules of one script, which is served under its name, and what ends
// in .gz is served under the name without it.
func (s *static) addFace(face fs.FS) error {
	entries, err := fs.ReadDir(face, "static")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("page: %w", err)
	}
	for _, e := range entries {
		file := "static/" + e.Name()
		name, zipped := strings.CutSuffix(e.Name(), ".gz")
		if e.IsDir() {
			name += ".js"
		}
		contentType, known := contentTypes()[path.Ext(name)]
		if _, taken := s.urls[name]; taken || !known {
			return fmt.Errorf("page: %s has a name that is taken, or an extension that is not served", name)
		}
		switch {
		case e.IsDir():
			err = s.addModules(name, contentType, face, file)
		case zipped:
			err = s.addZipped(name, contentType, face, file)
		default:
			err = s.addFile(name, contentType, face, file)
		}
		if err != nil {
			return fmt.Errorf("page: %w", err)
		}
	}
	return nil
}

// contentTypes are those of the static files by extension.
func contentTypes() map[string]string {
	return map[string]string{
		".css": "text/css; charset=utf-8",
		".js":  "text/javascript; charset=utf-8",
		".svg": "image/svg+xml",
		".txt": "text/plain; charset=utf-8",
	}
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
	f.ServeHTTP(w, r)
}
