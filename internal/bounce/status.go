package bounce

import (
	"bufio"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/emersion/go-message/textproto"

	"typus/internal/mail"
)

// maxGroups is how many recipients of a report are looked at: our letters have one, of which
// a list at the other side may make more.
const maxGroups = 1000

// readStatus reads the groups of fields of which a delivery status consists (RFC 3464, 2.1):
// one about the message, and one for each recipient. A letter has come back if it has from
// one of them, and none has it.
func (r *Report) readStatus(status io.Reader) {
	in := bufio.NewReader(io.LimitReader(status, MaxReport))
	groups := map[Outcome]textproto.Header{}
	for range maxGroups {
		fields, err := textproto.ReadHeader(in)
		outcome := outcomeOf(fields)
		if _, known := groups[outcome]; !known {
			groups[outcome] = fields
		}
		if err != nil { // the end, or a line that is no field
			break
		}
	}
	for _, outcome := range []Outcome{Delivered, Failed, Delayed} {
		if fields, said := groups[outcome]; said {
			r.Outcome = outcome
			r.Code, r.Said = wordsOf(fields)
			return
		}
	}
}

// outcomeOf says what a group means: its action (RFC 3464, 2.3.3). A server that has failed
// has given up for good, be it for a reason that may pass (RFC 3463, 3.1: 4.x.x), such as a
// host that could not be reached for days; without a status it says nothing.
func outcomeOf(fields textproto.Header) Outcome {
	switch action := firstWord(fields.Get("Action")); {
	case action == "failed" && !strings.HasPrefix(statusCode(fields), "2") && statusCode(fields) != "":
		return Failed
	case action == "delayed":
		return Delayed
	case action == "delivered", action == "relayed", action == "expanded":
		return Delivered
	}
	return Nothing
}

func firstWord(value string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(value), " ")
	return strings.ToLower(word)
}

var enhanced = regexp.MustCompile(`^\s*([245]\.\d{1,3}\.\d{1,3})\b`)

// statusCode is the enhanced status code of a group, without the comment that may follow; ""
// for none.
func statusCode(fields textproto.Header) string {
	found := enhanced.FindStringSubmatch(fields.Get("Status"))
	if found == nil {
		return ""
	}
	return found[1]
}

var replyCode = regexp.MustCompile(`^[245]\d\d\b`)

// wordsOf is what the server said that is to blame: its reply code, 0 for none, and its
// words, which are the status code where there are none.
func wordsOf(fields textproto.Header) (int, string) {
	kind, words, typed := strings.Cut(fields.Get("Diagnostic-Code"), ";")
	if !typed {
		words = kind
	}
	said := mail.Clean(words)
	code, _ := strconv.Atoi(replyCode.FindString(said))
	if said == "" {
		said = statusCode(fields)
	}
	return code, said
}
