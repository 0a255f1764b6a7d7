package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"typus"
	"typus/internal/web"
)

// The limits of a request body (our choice: the API description names none).
const (
	maxBody   = 64 << 10
	maxDepth  = 16
	maxFaults = 100 // a body of odd strings must not become a far larger answer
)

// readBody reads the whole body of a POST. A media type other than JSON is refused with
// 415, and more than 64 KiB with 413. A body without a media type counts as JSON.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if !isJSON(r.Header) {
		return nil, &web.StatusError{Status: http.StatusUnsupportedMediaType, Msg: "send Content-Type: application/json, without Content-Encoding"}
	}
	tooLarge := &web.StatusError{Status: http.StatusRequestEntityTooLarge, Msg: "the body may hold at most 65536 bytes"}
	if r.ContentLength > maxBody {
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		return body, nil
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, tooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, typus.Errorf(typus.Invalid, "the body did not arrive in time; send it within 10 seconds").WithCause(err)
	}
	return nil, typus.Errorf(typus.Invalid, "the body could not be read to its end").WithCause(err)
}

func isJSON(h http.Header) bool {
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return false
	}
	values := h.Values("Content-Type")
	if len(values) > 1 {
		return false
	}
	given := h.Get("Content-Type")
	if given == "" {
		return true
	}
	mediaType, _, err := mime.ParseMediaType(given)
	return mediaType == jsonType && (err == nil || errors.Is(err, mime.ErrInvalidMediaParameter))
}

// member is one member of the body's object, its value as it was typed.
type member struct {
	name  string
	value jsontext.Value
}

// byteOrderMark is what some Windows programs write before UTF-8. RFC 8259 8.1 lets
// readers pass over it.
var byteOrderMark = []byte("\xef\xbb\xbf")

// readObject splits a body into its members. Invalid: it is not exactly one JSON object
// in UTF-8 with unique names, nested at most 16 deep. The faults name the strings that
// hold characters which no text of ours may hold; a name counts as a string.
func readObject(body []byte) ([]member, []typus.Field, error) {
	body = bytes.TrimPrefix(body, byteOrderMark)
	faults, err := inspect(body)
	if err != nil {
		return nil, nil, err
	}
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	if _, err := dec.ReadToken(); err != nil {
		return nil, nil, err
	}
	var members []member
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, nil, err
		}
		m := member{name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, nil, err
		}
		m.value = value.Clone()
		members = append(members, m)
	}
	return members, faults, nil
}

// inspect reads every token of the body once.
func inspect(body []byte) ([]typus.Field, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	if dec.PeekKind() != '{' {
		return nil, typus.Errorf(typus.Invalid, "send one JSON object in UTF-8, such as {\"name\":\"…\",\"email\":\"…\"}")
	}
	var faults []typus.Field
	for begun := false; !begun || dec.StackDepth() > 0; begun = true {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, badJSON(err)
		}
		if dec.StackDepth() > maxDepth {
			return nil, typus.Errorf(typus.Invalid, "the body is nested deeper than %d levels", maxDepth)
		}
		if token.Kind() == '"' && len(faults) < maxFaults {
			faults = append(faults, unsafeText(dec.StackPointer(), token.String())...)
		}
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, typus.Errorf(typus.Invalid, "something follows the JSON object, at byte %d", dec.InputOffset())
	}
	return faults, nil
}

func unsafeText(at jsontext.Pointer, text string) []typus.Field {
	if at == "/name" || at == "/email" {
		text = typus.TypedName(text) // as whoever reads it will
	}
	r, bad := typus.UnsafeRune(text)
	if !bad {
		return nil
	}
	return []typus.Field{{Name: fieldName(at), Code: typus.CodeInvalid, Msg: typus.UnsafeMsg(r)}}
}

// badJSON says where the body stops being JSON, and in which field if it is inside one.
// Lone surrogates, invalid UTF-8 and duplicate names count as well.
func badJSON(err error) error {
	fault, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return typus.Errorf(typus.Invalid, "the body is not valid JSON").WithCause(err)
	}
	msg := fmt.Sprintf("is not valid JSON in UTF-8 at byte %d", fault.ByteOffset)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		msg = "is there twice; send each field once"
	}
	if fault.JSONPointer == "" {
		return typus.Errorf(typus.Invalid, "the body %s", msg).WithCause(err)
	}
	return invalid([]typus.Field{{Name: fieldName(fault.JSONPointer), Code: typus.CodeInvalid, Msg: msg}})
}

// fieldName is the place of a value as people write it: "meta.tags.0".
func fieldName(at jsontext.Pointer) string {
	return printable(strings.Join(slices.Collect(at.Tokens()), "."))
}

// printable is a name as typed, made fit to be shown: cut to a bounded length and
// without unsafe characters.
func printable(name string) string {
	const most = 80
	runes := []rune(name)
	if len(runes) > most {
		runes = append(runes[:most], '…')
	}
	for i, r := range runes {
		if _, bad := typus.UnsafeRune(string(r)); bad {
			runes[i] = '\uFFFD'
		}
	}
	return string(runes)
}
