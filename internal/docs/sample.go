package docs

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"typus/internal/page"
)

// sample is code to be read, copied and run.
type sample struct {
	File     string // its name among the samples, "" if it stands in the text only
	Language string // as readers call it
	Source   string
	Output   bool // what a program answers: to be read only
	German   bool // no code but words, in German on every page
}

// line is a line of code.
type line struct {
	Text   string
	Remark bool // nothing but a comment
}

func newSample(file, extension, source string) sample {
	return sample{File: file, Language: languages()[extension], Source: source, Output: extension == "output", German: extension == "txt" && file != ""}
}

// Name is what the sample is called: its file, or its language.
func (s sample) Name() string { return cmp.Or(s.File, s.Language) }

// Lines are the lines of the source.
func (s sample) Lines() []line {
	var lines []line
	for said := range strings.SplitSeq(strings.TrimSuffix(s.Source, "\n"), "\n") {
		start := strings.TrimSpace(said)
		lines = append(lines, line{said, strings.HasPrefix(start, "//") || strings.HasPrefix(start, "# ")})
	}
	return lines
}

// languages are the names of the kinds of code, by fence and file extension.
func languages() map[string]string {
	return map[string]string{
		"sh": "Shell", "php": "PHP", "mjs": "Node.js", "js": "JavaScript", "py": "Python", "go": "Go", "json": "JSON", "txt": "Text", "output": "",
	}
}

// samples are the files in samples/, by name.
type samples map[string]sample

func loadSamples(local func(string) string) (samples, error) {
	entries, err := fs.ReadDir(files, "samples")
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	list := samples{}
	for _, e := range entries {
		source, err := fs.ReadFile(files, "samples/"+e.Name())
		if err != nil {
			return nil, fmt.Errorf("docs: %w", err)
		}
		extension := strings.TrimPrefix(path.Ext(e.Name()), ".")
		list[e.Name()] = newSample(e.Name(), extension, local(string(source)))
	}
	return list, nil
}

// of are the samples of a name in all languages, the shell first.
func (s samples) of(name string) []sample {
	var found []sample
	for _, extension := range []string{"sh", "php", "mjs", "js", "py", "go", "txt"} {
		if one, ok := s[name+"."+extension]; ok {
			found = append(found, one)
		}
	}
	return found
}

// served are the samples as files to fetch.
func (s samples) served() map[string]page.File {
	served := map[string]page.File{}
	for name, one := range s {
		contentType := "text/plain; charset=utf-8"
		if path.Ext(name) == ".json" {
			contentType = "application/json"
		}
		served[name] = page.NewFile(contentType, "no-cache", []byte(one.Source))
	}
	return served
}
