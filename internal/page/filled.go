package page

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
)

// isPlain reports whether a message is one text whatever the number, with nothing in it but
// placeholders {{.Name}}. Nearly all are: a page says a hundred of them, and to fill them in
// takes a tenth of what executing a template does.
func isPlain(m *i18n.Message) bool {
	if m.Other == "" || m.Zero+m.One+m.Two+m.Few+m.Many+m.LeftDelim+m.RightDelim != "" {
		return false
	}
	for rest := m.Other; ; {
		_, after, found := strings.Cut(rest, "{{")
		if !found {
			return true
		}
		name, after, ends := strings.Cut(after, "}}")
		if !ends || !isName(name) {
			return false
		}
		rest = after
	}
}

// isName reports whether a placeholder is a point and letters.
func isName(placeholder string) bool {
	name, pointed := strings.CutPrefix(placeholder, ".")
	return pointed && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// filled is a plain text with its placeholders filled from pairs of name and value. An error
// where one has no value, so that the tests find it and not the reader.
func filled(text string, pairs []any) (string, error) {
	if err := inPairs(pairs); err != nil {
		return "", err
	}
	before, rest, found := strings.Cut(text, "{{.")
	if !found {
		return text, nil
	}
	var said strings.Builder
	for found {
		said.WriteString(before)
		name, after, _ := strings.Cut(rest, "}}")
		value, given := valueOf(name, pairs)
		if !given {
			return "", fmt.Errorf("%s has no value", name)
		}
		said.WriteString(value)
		before, rest, found = strings.Cut(after, "{{.")
	}
	said.WriteString(before)
	return said.String(), nil
}

// valueOf is the value of a name, as it is written.
func valueOf(name string, pairs []any) (string, bool) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] != name {
			continue
		}
		return written(pairs[i+1]), true
	}
	return "", false
}

// written is a value as a template writes it: of a pointer what it points at.
func written(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	case fmt.Stringer, error:
		return fmt.Sprint(v)
	}
	if at := reflect.ValueOf(value); at.Kind() == reflect.Pointer && !at.IsNil() {
		return fmt.Sprint(at.Elem().Interface())
	}
	return fmt.Sprint(value)
}

// inPairs is an error unless values follow their names.
func inPairs(pairs []any) error {
	for i := 0; i < len(pairs); i += 2 {
		if _, named := pairs[i].(string); !named || i+1 == len(pairs) {
			return errors.New("placeholders come in pairs of name and value")
		}
	}
	return nil
}
