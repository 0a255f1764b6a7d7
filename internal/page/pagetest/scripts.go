package pagetest

import (
	"io/fs"
	"path"
	"regexp"
	"testing"
)

// sinks are the words by which a script would make markup or code from a string,
// or reach another origin.
var sinks = regexp.MustCompile(`\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|setHTML\w*|createContextualFragment|DOMParser|srcdoc|eval|Function|importScripts)\b|\bimport\(|["'\x60]https?:|set(?:Timeout|Interval)\(["'\x60]`)

// CheckScripts holds the rule of scripts over the static files of a face: the DOM is
// built from elements and text, never from strings of markup, and nothing is fetched
// from elsewhere.
func CheckScripts(t testing.TB, face fs.FS) {
	t.Helper()
	read := 0
	err := fs.WalkDir(face, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".js" {
			return err
		}
		body, err := fs.ReadFile(face, name)
		for _, sink := range sinks.FindAllString(string(body), -1) {
			t.Errorf("%s holds %s", name, sink)
		}
		read++
		return err
	})
	if err != nil || read == 0 {
		t.Errorf("%d scripts read: %v", read, err)
	}
}
