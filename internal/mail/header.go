package mail

import (
	"bytes"
	"fmt"
	"mime"
	"strings"
)

// headerLine is the longest header line in bytes, as far as its words allow it. It is
// the limit for lines with encoded words (RFC 2047, 2), below the 78 of RFC 5322,
// 2.1.1.
const headerLine = 76

// What stands in an encoded word stands between these.
const encodedBegin, encodedEnd = "=?utf-8?q?", "?="

// related is a letter with a logo, whose header must say what its first part is (RFC 2387,
// 3.1); the library does not.
const related = "multipart/related;"

// refold folds the header of a message again. If the first word of a field is long, the
// library puts only the field's name on the first line. Spam filters count that against
// a letter, and some readers of List-Unsubscribe find no address there.
func refold(message []byte) []byte {
	head, body, found := bytes.Cut(message, []byte("\r\n\r\n"))
	if !found {
		return message
	}
	var out bytes.Buffer
	for field := range strings.SplitSeq(strings.ReplaceAll(string(head), "\r\n ", " "), "\r\n") {
		name, value, _ := strings.Cut(field, ":")
		if name == "Content-Type" {
			value = strings.Replace(value, related, related+` type="multipart/alternative";`, 1)
		}
		out.WriteString(fold(name, value) + "\r\n")
	}
	out.WriteString("\r\n")
	out.Write(body)
	return out.Bytes()
}

// fold writes a field, broken between its words. The first word stays on the line of
// the name, however long it is, unless it can be split into encoded words.
func fold(name, value string) string {
	words := headerWords(value)
	line := len(name) + len(": ")
	if len(words) > 0 && line+len(words[0]) > headerLine && strings.HasPrefix(words[0], "=?") {
		if text, err := new(mime.WordDecoder).Decode(words[0]); err == nil {
			words = append(encodedWords(text, headerLine-line), words[1:]...)
		}
	}
	out := name + ":"
	line = len(out)
	for n, word := range words {
		if n > 0 && line+1+len(word) > headerLine {
			out, line = out+"\r\n", 0
		}
		out, line = out+" "+word, line+1+len(word)
	}
	return out
}

// headerWords cuts a value at its spaces. Further spaces stay with the word that
// they precede, so that no line can come out empty.
func headerWords(value string) []string {
	var words []string
	spaces := ""
	for word := range strings.SplitSeq(strings.TrimSpace(value), " ") {
		if word == "" {
			spaces += " "
			continue
		}
		words, spaces = append(words, spaces+word), ""
	}
	return words
}

// encodedWords writes a text as encoded words (RFC 2047) of at most that many bytes
// each; no character is cut. Readers join them without the space in between.
func encodedWords(text string, most int) []string {
	var (
		words []string
		word  string
	)
	for _, r := range text {
		c := encoded(r)
		if len(encodedBegin)+len(word)+len(c)+len(encodedEnd) > most && word != "" {
			words, word = append(words, encodedBegin+word+encodedEnd), ""
		}
		word += c
	}
	return append(words, encodedBegin+word+encodedEnd)
}

// encoded is a character in the form that every encoded word allows, also one in a name
// (RFC 2047, 5).
func encoded(r rune) string {
	switch {
	case r == ' ':
		return "_"
	case '0' <= r && r <= '9', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return string(r)
	}
	var out strings.Builder
	for _, b := range []byte(string(r)) {
		fmt.Fprintf(&out, "=%02X", b)
	}
	return out.String()
}
