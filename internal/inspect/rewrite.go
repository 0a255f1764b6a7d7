package inspect

import (
	"bytes"
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
)

// style is how a library writes JSON.
type style struct {
	comma, colon string
	indent       string // "" for one line
	ascii        bool   // \u00fc for ü
	slash        bool   // \/ for /
	html         bool   // \u0026 for &
}

// styles are those of common libraries; the first is ours.
var styles = []style{
	{comma: ",", colon: ":"},
	{comma: ",", colon: ":", html: true},               // Go
	{comma: ",", colon: ":", ascii: true},              // Python with narrow separators, Ruby
	{comma: ",", colon: ":", ascii: true, slash: true}, // PHP
	{comma: ",", colon: ":", slash: true},
	{comma: ", ", colon: ": ", ascii: true}, // Python
	{comma: ", ", colon: ": "},
	{comma: ",", colon: ": ", indent: "  "},
	{comma: ",", colon: ": ", indent: "    "},
	{comma: ",", colon: ": ", indent: "    ", ascii: true, slash: true}, // PHP, to be read
}

// order says in which order the members of objects are written.
type order int

const (
	orderKept order = iota
	orderOurs
	orderSorted
)

// manyStyles is how long a body may be, in bytes, to be written in each style; a longer
// one is written in ours only. The largest legal payload has less than 20 KiB.
const manyStyles = 24 << 10

// rewritten are a JSON body written anew in each style and order, with what differs from
// the body. Of what is no JSON there are none.
func rewritten(body []byte) []variant {
	root, ok := parse(body)
	if !ok {
		return nil
	}
	styles := styles
	if len(body) > manyStyles {
		styles = styles[:1]
	}
	var list []variant
	for _, o := range []order{orderKept, orderOurs, orderSorted} {
		for _, s := range styles {
			w := writer{style: s, order: o}
			w.write(root, "\n")
			causes := rewriting(body, w.out.Bytes())
			if o != orderKept && w.moved {
				causes = append(causes, Cause{Key: BodyOrder})
			}
			list = append(list, variant{w.out.Bytes(), causes})
		}
	}
	return list
}

var (
	outsideStrings = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	htmlEscape     = regexp.MustCompile(`(?i)\\u00(26|3c|3e)`)
	otherEscape    = regexp.MustCompile(`(?i)\\/|\\u[0-9a-f]{4}`)
	numbers        = regexp.MustCompile(`[0-9]\.0\b`)
)

// rewriting names what differs between two ways to write one value, its order aside.
func rewriting(a, b []byte) []Cause {
	spaces := func(t []byte) int { return len(bytes.Fields(outsideStrings.ReplaceAll(t, []byte(`""`)))) - 1 }
	escapes := func(t []byte) int { return len(otherEscape.FindAll(t, -1)) - len(htmlEscape.FindAll(t, -1)) }
	floats := func(t []byte) int { return len(numbers.FindAll(outsideStrings.ReplaceAll(t, nil), -1)) }
	var causes []Cause
	for _, looked := range []struct {
		key  string
		a, b int
	}{
		{BodySpaces, spaces(a), spaces(b)},
		{BodyEscapes, escapes(a), escapes(b)},
		{BodyHTMLEscapes, len(htmlEscape.FindAll(a, -1)), len(htmlEscape.FindAll(b, -1))},
		{BodyNumbers, floats(a), floats(b)},
	} {
		if (looked.a > 0) != (looked.b > 0) {
			causes = append(causes, Cause{Key: looked.key})
		}
	}
	return causes
}

// deepest is how deep JSON is read. A payload has six levels; what is written indented
// grows with the square of its depth.
const deepest = 20

var errDeep = errors.New("inspect: the JSON is nested too deeply")

// node is a JSON value.
type node struct {
	kind    jsontext.Kind
	text    string // of a string, decoded; of others, as written
	members []member
}

type member struct {
	name string
	node node
}

func parse(body []byte) (node, bool) {
	d := jsontext.NewDecoder(bytes.NewReader(body))
	n, err := next(d)
	return n, err == nil && (n.kind == '{' || n.kind == '[')
}

func next(d *jsontext.Decoder) (node, error) {
	t, err := d.ReadToken()
	if err != nil || d.StackDepth() > deepest {
		return node{}, errors.Join(err, errDeep)
	}
	n := node{kind: t.Kind(), text: t.String()}
	for (n.kind == '{' || n.kind == '[') && d.PeekKind() != n.kind+2 {
		var m member
		if n.kind == '{' {
			name, err := d.ReadToken()
			if err != nil {
				return n, err
			}
			m.name = name.String()
		}
		if m.node, err = next(d); err != nil {
			return n, err
		}
		n.members = append(n.members, m)
	}
	if n.kind == '{' || n.kind == '[' {
		_, err = d.ReadToken()
	}
	return n, err
}

// ours is the order of the members of a payload (API description 2.5).
var ours = []string{
	"event", "data", "candidate", "id", "key", "name", "email", "external_id", "overall", "fit", "archetype", "dimensionScores", "warnings",
	"label", "severity", "message", "subtitle", "score", "scores", "reportUrl", "timestamp", "test",
}

func rank(name string) int {
	if i := slices.Index(ours, name); i >= 0 {
		return i
	}
	return len(ours)
}

type writer struct {
	style
	order order
	out   bytes.Buffer
	moved bool // a member changed its place
}

func (w *writer) write(n node, line string) {
	switch n.kind {
	case '{', '[':
		w.writeMembers(n, line)
	case '"':
		w.out.WriteString(w.quote(n.text))
	case '0':
		w.out.WriteString(strings.TrimSuffix(n.text, ".0"))
	default:
		w.out.WriteString(n.text)
	}
}

func (w *writer) writeMembers(n node, line string) {
	members := n.members
	if n.kind == '{' {
		members = w.sorted(members)
	}
	inner := line + w.indent
	w.out.WriteByte(byte(n.kind))
	for i, m := range members {
		if i > 0 {
			w.out.WriteString(w.comma)
		}
		if w.indent != "" {
			w.out.WriteString(inner)
		}
		if n.kind == '{' {
			w.out.WriteString(w.quote(m.name) + w.colon)
		}
		w.write(m.node, inner)
	}
	if w.indent != "" && len(members) > 0 {
		w.out.WriteString(line)
	}
	w.out.WriteByte(byte(n.kind) + 2) // } and ] stand two places behind { and [
}

func (w *writer) sorted(members []member) []member {
	if w.order == orderKept {
		return members
	}
	list := slices.Clone(members)
	slices.SortStableFunc(list, func(a, b member) int {
		if w.order == orderOurs {
			return cmp.Compare(rank(a.name), rank(b.name))
		}
		return strings.Compare(a.name, b.name)
	})
	for i := range list {
		w.moved = w.moved || list[i].name != members[i].name
	}
	return list
}

func (w *writer) quote(s string) string {
	plain, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return `""`
	}
	var b strings.Builder
	for _, r := range string(plain) {
		switch {
		case w.slash && r == '/':
			b.WriteString(`\/`)
		case w.html && strings.ContainsRune("&<>", r):
			b.WriteString(`\u00` + strconv.FormatInt(int64(r), 16))
		case w.ascii && r > 0x7e:
			b.WriteString(escaped(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escaped is a character as \u and four digits, twice where UTF-16 has two units.
func escaped(r rune) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune{r}) {
		b.WriteString(`\u` + strconv.FormatInt(0x10000+int64(unit), 16)[1:])
	}
	return b.String()
}
