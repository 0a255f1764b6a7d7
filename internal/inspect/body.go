package inspect

import (
	"bytes"
	"encoding/base64"
	"html"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// variant is a body that may have been signed, and what happened to it.
type variant struct {
	bytes  []byte
	causes []Cause
}

// undo takes back one thing that happens to bodies. It returns the body itself where
// that has not happened.
type undo struct {
	key string
	do  func(body []byte) []byte
}

// undos are in the order in which they are taken back.
var undos = []undo{
	{BodyBOM, func(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\ufeff")) }},
	{BodyBase64, unBase64},
	{BodyQuoted, unQuote},
	{BodyCharset, unLatin1},
	{BodyEntities, func(b []byte) []byte { return []byte(html.UnescapeString(string(b))) }},
	{BodyCRLF, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }},
	{BodyNewline, func(b []byte) []byte { return bytes.TrimRight(b, " \t\r\n") }},
	{BodySpace, func(b []byte) []byte { return bytes.TrimLeft(b, " \t\r\n") }},
}

// bodies are the pasted body and what it may have been: with one thing taken back, with
// all of them, parsed and written anew, and as it looks after what people do to it
// before they sign.
func bodies(body []byte) []variant {
	list := []variant{{bytes: body}}
	add := func(b []byte, causes ...Cause) {
		if !slices.ContainsFunc(list, func(v variant) bool { return bytes.Equal(v.bytes, b) }) {
			list = append(list, variant{b, causes})
		}
	}
	clean := variant{bytes: body}
	for _, u := range undos {
		add(u.do(body), Cause{Key: u.key})
		if b := u.do(clean.bytes); !bytes.Equal(b, clean.bytes) {
			clean = variant{b, append(slices.Clone(clean.causes), Cause{Key: u.key})}
			add(b, clean.causes...)
		}
	}
	for _, v := range rewritten(clean.bytes) {
		add(v.bytes, slices.Concat(clean.causes, v.causes)...)
	}
	for _, end := range []string{"\n", "\r\n"} {
		add(append(bytes.Clone(body), end...), Cause{Key: BodyNewline})
	}
	add(bytes.ReplaceAll(body, []byte("\n"), []byte("\r\n")), Cause{Key: BodyCRLF})
	add(nil, Cause{Key: BodyEmpty})
	return list
}

func unBase64(b []byte) []byte {
	plain, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(b)))
	if err != nil || len(plain) == 0 || !utf8.Valid(plain) {
		return b
	}
	return plain
}

func unQuote(b []byte) []byte {
	var inner string
	if json.Unmarshal(bytes.TrimSpace(b), &inner) != nil {
		return b
	}
	return []byte(inner)
}

// unLatin1 takes back that UTF-8 was read as Latin-1 (Ã¼ for ü), or written as it.
func unLatin1(b []byte) []byte {
	if !utf8.Valid(b) {
		var runes []rune
		for _, c := range b {
			runes = append(runes, rune(c))
		}
		return []byte(string(runes))
	}
	var narrow []byte
	for _, r := range string(b) {
		if r > 0xff {
			return b
		}
		narrow = append(narrow, byte(r))
	}
	if !utf8.Valid(narrow) {
		return b
	}
	return narrow
}
