package instrument

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"typus"
)

// ownID is our own test: some rules bind only it.
const ownID = "salespersona"

// files is what a directory of the instrument format holds, as read.
type files struct {
	def     definition
	texts   map[string]itemTexts   // by language, like report
	report  map[string]reportTexts //
	norms   map[string]normFile    // by file name, like roles
	roles   map[string]roleFile    //
	draws   [][]float64            // nil for none
	hash    string
	release string // "" if there is no such file
}

// Load reads and checks a directory of the instrument format: instrument.yaml,
// texts/<language>.yaml, report/<language>.yaml, norms/<id>.yaml (one at most),
// roles/<key>@<version>.yaml, the draws that instrument.yaml names and RELEASE. Only the
// first must be there. Invalid: the directory is refused; the Fields of the error, and
// its Msg line by line, name every fault with its path.
func Load(fsys fs.FS) (*Instrument, error) {
	f := newFaults()
	read, ok := f.readAll(fsys)
	var remarks []typus.Field
	if ok { // a file that cannot be read would only be echoed by rules that miss it
		remarks = f.check(read)
	}
	if len(f.list) > 0 {
		return nil, refused(f.list)
	}
	return build(read, remarks), nil
}

func refused(list []typus.Field) error {
	var msg strings.Builder
	msg.WriteString("the instrument has faults:")
	for _, field := range list {
		fmt.Fprintf(&msg, "\n%s: %s", field.Name, field.Msg)
	}
	return &typus.Error{Kind: typus.Invalid, Msg: msg.String(), Fields: list}
}

// readAll reads every file. False: one of them is not YAML of our kind at all.
func (f *faults) readAll(fsys fs.FS) (files, bool) {
	var read files
	definition, ok := f.readYAML(fsys, definitionFile, &read.def)
	texts, rawTexts, textsOK := readEach[itemTexts](f, fsys, "texts")
	report, _, reportOK := readEach[reportTexts](f, fsys, "report")
	norms, _, normsOK := readEach[normFile](f, fsys, "norms")
	roles, _, rolesOK := readEach[roleFile](f, fsys, "roles")
	if !ok || !textsOK || !reportOK || !normsOK || !rolesOK {
		return read, false
	}
	read.texts, read.report, read.norms, read.roles = byLanguage(texts), byLanguage(report), norms, roles
	if t := read.def.Typology; t != nil && t.StabilityDraws != nil {
		read.draws = f.readDraws(fsys, *t.StabilityDraws)
	}
	if data, err := readFile(fsys, releaseFile); err == nil {
		read.release = strings.TrimSpace(string(data))
	}
	hash, err := canonicalHash(definition, byLanguage(rawTexts))
	if err != nil {
		f.wrong(definitionFile, "has no canonical form: numbers must be finite, texts valid UTF-8")
	}
	read.hash = hash
	return read, true
}

// readEach reads the YAML files of a folder: filled in, and as plain values. A folder
// that is not there is empty.
func readEach[T any](f *faults, fsys fs.FS, dir string) (map[string]T, map[string]any, bool) {
	filled, raw, all := make(map[string]T), make(map[string]any), true
	names, err := fs.Glob(fsys, dir+"/*.yaml")
	if err != nil {
		f.wrong(dir, "cannot be read: %v", err)
	}
	slices.Sort(names)
	for _, name := range names {
		var file T
		value, ok := f.readYAML(fsys, name, &file)
		filled[name], raw[name] = file, value
		all = all && ok
	}
	return filled, raw, all
}

// byLanguage turns file names into the languages they stand for.
func byLanguage[T any](byName map[string]T) map[string]T {
	m := make(map[string]T, len(byName))
	for name, file := range byName {
		m[stem(name)] = file
	}
	return m
}

func stem(name string) string { return strings.TrimSuffix(path.Base(name), ".yaml") }
