package instrument

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"typus"
)

// faults collects what is wrong with the files, each fault with its path, "file:yaml
// path". It collects all of them, because whoever writes an instrument wants to see all
// of them at once.
type faults struct {
	list   []typus.Field
	unread map[string]bool // paths without a usable value: what the rules say of them would be an echo
}

func (f *faults) add(path, code, format string, args ...any) {
	if f.unread[path] {
		return
	}
	f.list = append(f.list, typus.Field{Name: path, Code: code, Msg: fmt.Sprintf(format, args...)})
}

func (f *faults) wrong(path, format string, args ...any) {
	f.add(path, typus.CodeInvalid, format, args...)
}

func (f *faults) missing(path string) { f.add(path, typus.CodeRequired, "is missing") }

// unusable notes that a value is missing or of the wrong kind.
func (f *faults) unusable(path, code, format string, args ...any) {
	f.add(path, code, format, args...)
	f.unread[path] = true
}

func newFaults() *faults { return &faults{unread: make(map[string]bool)} }

// readYAML fills out, a pointer to a struct, from one file. It also returns the plain
// value, over which the hash is taken, so that the hash depends on the file alone and
// not on our types. False means that the file could not be read.
func (f *faults) readYAML(fsys fs.FS, name string, out any) (any, bool) {
	data, err := readFile(fsys, name)
	if err != nil {
		f.wrong(name, "cannot be read: %v", err)
		return nil, false
	}
	value, err := plainValue(data)
	if err != nil {
		f.wrong(name, "%v", err)
		return nil, false
	}
	f.fill(name+":", value, reflect.ValueOf(out).Elem())
	return value, true
}

func readFile(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("larger than %d bytes", maxFile)
	}
	return fs.ReadFile(fsys, name)
}

// plainValue refuses what would make a file mean something other than it shows:
// references between its parts, and a second document.
func plainValue(data []byte) (any, error) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, fmt.Errorf("is not valid YAML: %s", yaml.FormatError(err, false, false))
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return nil, errors.New("must hold exactly one document")
	}
	v := &references{}
	ast.Walk(v, file.Docs[0].Body)
	if v.found {
		return nil, errors.New("anchors, aliases, merge keys and tags are not part of the format")
	}
	var value any
	if err := yaml.NodeToValue(file.Docs[0].Body, &value); err != nil {
		return nil, fmt.Errorf("is not valid YAML: %s", yaml.FormatError(err, false, false))
	}
	return value, nil
}

type references struct{ found bool }

// Visit implements ast.Visitor.
func (r *references) Visit(n ast.Node) ast.Visitor {
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode, *ast.TagNode:
		r.found = true
	}
	return r
}

func (f *faults) fill(path string, v any, out reflect.Value) {
	switch out.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(out.Type().Elem()))
		f.fill(path, v, out.Elem())
	case reflect.Struct:
		f.fillStruct(path, v, out)
	case reflect.Map:
		f.fillMap(path, v, out)
	case reflect.Slice, reflect.Array:
		f.fillList(path, v, out)
	default:
		f.fillScalar(path, v, out)
	}
}

func (f *faults) fillStruct(path string, v any, out reflect.Value) {
	m, ok := v.(map[string]any)
	if !ok {
		f.unusable(path, typus.CodeInvalid, "must be a mapping")
		return
	}
	known := make(map[string]bool)
	for i := range out.NumField() {
		name, options, _ := strings.Cut(out.Type().Field(i).Tag.Get("yaml"), ",")
		known[name] = true
		if value, there := m[name]; there {
			f.fill(child(path, name), value, out.Field(i))
		} else if options != "omitempty" {
			f.unusable(child(path, name), typus.CodeRequired, "is missing")
		}
	}
	for _, key := range sortedKeys(m) {
		if !known[key] {
			f.add(child(path, key), typus.CodeUnknownField, "is not a field of the format")
		}
	}
}

func (f *faults) fillMap(path string, v any, out reflect.Value) {
	m, ok := v.(map[string]any)
	if !ok {
		f.unusable(path, typus.CodeInvalid, "must be a mapping")
		return
	}
	out.Set(reflect.MakeMapWithSize(out.Type(), len(m)))
	for _, key := range sortedKeys(m) {
		value := reflect.New(out.Type().Elem()).Elem()
		f.fill(child(path, key), m[key], value)
		out.SetMapIndex(reflect.ValueOf(key), value)
	}
}

func (f *faults) fillList(path string, v any, out reflect.Value) {
	list, ok := v.([]any)
	if !ok {
		f.unusable(path, typus.CodeInvalid, "must be a list")
		return
	}
	if out.Kind() == reflect.Slice {
		out.Set(reflect.MakeSlice(out.Type(), len(list), len(list)))
	} else if len(list) != out.Len() {
		f.unusable(path, typus.CodeInvalid, "must have %d entries, not %d", out.Len(), len(list))
		return
	}
	for i, value := range list {
		f.fill(fmt.Sprintf("%s[%d]", path, i), value, out.Index(i))
	}
}

func (f *faults) fillScalar(path string, v any, out reflect.Value) {
	switch out.Kind() {
	case reflect.String:
		if s, ok := v.(string); ok {
			out.SetString(s)
			return
		}
		f.unusable(path, typus.CodeInvalid, "must be a text")
	case reflect.Int:
		if n, ok := number(v); ok && n == math.Trunc(n) && math.Abs(n) <= 1e9 {
			out.SetInt(int64(n))
			return
		}
		f.unusable(path, typus.CodeInvalid, "must be a whole number")
	case reflect.Float64:
		if n, ok := number(v); ok && !math.IsInf(n, 0) && !math.IsNaN(n) {
			out.SetFloat(n)
			return
		}
		f.unusable(path, typus.CodeInvalid, "must be a number")
	}
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case uint64:
		return float64(n), true
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// child appends a key to a path. The file's own path ends with a colon.
func child(path, key string) string {
	if strings.HasSuffix(path, ":") {
		return path + key
	}
	return path + "." + key
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
