package webhook

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"typus"
)

// Request is one attempt to be made.
type Request struct {
	URL        string
	Event      typus.Event
	DeliveryID string
	Attempt    int
	Secrets    map[typus.SecretRole]string // plain; the current one is required
	At         time.Time                   // signed as webhook-timestamp
	Header     Header                      // of the customer's own, zero for none
	HeaderLost bool                        // there is one, which cannot be opened
}

// headerLine is one header of a request. The name is sent as it is written.
type headerLine struct {
	name, value string
	secret      bool   // a signature: masked in the log
	shown       string // what the log says in its place, "" for the value
}

// headers returns the headers of a delivery. Idempotency-Key is not among them and must
// never be: with it Go's transport repeats a POST on a broken connection, and neither
// the ladder nor the log learns of it.
func (c *Client) headers(r Request) ([]headerLine, error) {
	standard, err := standardSignatures(r)
	if err != nil {
		return nil, err
	}
	lines := []headerLine{
		{name: "Content-Type", value: "application/json"},
		{name: "User-Agent", value: c.agent},
		{name: c.prefix + "-Event", value: r.Event.Type},
		{name: c.prefix + "-Signature", value: Sign(r.Secrets[typus.SecretCurrent], r.Event.Payload), secret: true},
	}
	if other := otherSecret(r.Secrets); other != "" {
		lines = append(lines, headerLine{name: c.prefix + "-Signature-Alt", value: Sign(other, r.Event.Payload), secret: true})
	}
	if r.Header != (Header{}) {
		lines = append(lines, headerLine{name: r.Header.Name, value: r.Header.Value, shown: r.Header.Masked()})
	}
	return append(lines,
		headerLine{name: c.prefix + "-Delivery", value: r.DeliveryID},
		headerLine{name: c.prefix + "-Attempt", value: strconv.Itoa(r.Attempt)},
		headerLine{name: headerID, value: r.Event.ID},
		headerLine{name: headerTimestamp, value: strconv.FormatInt(r.At.Unix(), 10)},
		headerLine{name: headerSignature, value: standard, secret: true},
	), nil
}

// otherSecret is the second live secret during a rotation: the one the
// receiver is about to use, or the one it used before.
func otherSecret(secrets map[typus.SecretRole]string) string {
	if next := secrets[typus.SecretNext]; next != "" {
		return next
	}
	return secrets[typus.SecretPrevious]
}

// standardSignatures are those of all live secrets, the current one's first.
func standardSignatures(r Request) (string, error) {
	var list []string
	for _, role := range []typus.SecretRole{typus.SecretCurrent, typus.SecretNext, typus.SecretPrevious} {
		secret := r.Secrets[role]
		if secret == "" && role != typus.SecretCurrent {
			continue
		}
		signature, err := SignStandard(secret, r.Event.ID, r.At.Unix(), r.Event.Payload)
		if err != nil {
			return "", err
		}
		list = append(list, signature)
	}
	return strings.Join(list, " "), nil
}

// newRequest has no GetBody: once says why.
func newRequest(ctx context.Context, url string, lines []headerLine, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.GetBody = nil
	for _, l := range lines {
		req.Header[l.name] = []string{l.value}
	}
	return req, nil
}

// logged is the text for the log: one "Name: value" a line. Of each signature it shows
// only the first characters, enough to compare by eye and too few to use.
func logged(lines []headerLine) string {
	var b strings.Builder
	for _, l := range lines {
		value := cmp.Or(l.shown, l.value)
		if l.secret {
			value = mask(value)
		}
		b.WriteString(l.name + ": " + value + "\n")
	}
	return b.String()
}

func mask(signatures string) string {
	const shown = 8
	list := strings.Fields(signatures)
	for i, s := range list {
		scheme := strings.IndexAny(s, "=,") + 1
		list[i] = s[:scheme+shown] + "…"
	}
	return strings.Join(list, " ")
}
