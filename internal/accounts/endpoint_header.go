package accounts

import (
	"fmt"
	"strings"

	"typus"
	"typus/internal/clerk"
	"typus/internal/webhook"
)

// EndpointForm is what is typed for a webhook.
type EndpointForm struct {
	URL, Description string
	// Header is a header of the customer's own that each request carries. Without a value
	// the stored one is kept.
	Header webhook.Header
	// DropHeader removes the stored one, whatever Header says.
	DropHeader bool
}

func (e EndpointForm) trimmed() EndpointForm {
	for _, text := range []*string{&e.URL, &e.Header.Name, &e.Header.Value} {
		*text = strings.TrimSpace(*text)
	}
	e.Description = typus.TypedName(e.Description)
	if e.DropHeader {
		e.Header = webhook.Header{}
	}
	return e
}

// changesHeader reports whether another header is stored afterwards, or none.
func (e EndpointForm) changesHeader() bool { return e.DropHeader || e.Header.Value != "" }

// follows returns Invalid if the stored header would go to another host without having
// been typed again. Whoever may change the address need not know the header.
func (e EndpointForm) follows(is typus.Endpoint) error {
	moves := typus.Endpoint{URL: e.URL}.Origin() != is.Origin()
	if is.StaticHeader == "" || e.changesHeader() || !moves {
		return nil
	}
	var f clerk.Faults
	f.Add("header_value", CodeMoved, "must be given again, or removed, because the webhook moves to another host")
	return f.Err()
}

// CodeMoved is the fault of a header that was stored for another host.
const CodeMoved = "moved"

// checkHeader names what is wrong with a header. kept is the stored one.
func (s *Steps) checkHeader(f *clerk.Faults, form *EndpointForm, kept webhook.Header) {
	h := form.Header
	if h.Value == "" && (h.Name == "" || h.Name == kept.Name) {
		form.Header = webhook.Header{} // the stored one is kept
		return
	}
	switch {
	case h.Name == "":
		f.Add("header_name", typus.CodeRequired, "must be given with a value")
	case !webhook.MayName(h.Name, s.prefix):
		f.Add("header_name", typus.CodeInvalid, "must have letters, digits and hyphens only, and be none that says how a request is sent or that is ours, such as Host, Content-Type or webhook-id")
	}
	switch {
	case h.Value == "":
		f.Add("header_value", typus.CodeRequired, "must be given with a name")
	case !webhook.MayHold(h.Value):
		f.Add("header_value", typus.CodeInvalid, fmt.Sprintf("must have 1 to %d visible characters of ASCII", webhook.MaxHeaderValue))
	}
}

// sealHeader seals a header for its endpoint; the zero one is nil.
func (s *Steps) sealHeader(endpointID int64, h webhook.Header) []byte {
	if h == (webhook.Header{}) {
		return nil
	}
	return s.box.Seal([]byte(h.Line()), webhook.HeaderAAD(endpointID))
}

// OwnHeader opens the header of its own that a webhook has, the zero one for none.
// Internal: it cannot be opened, because the server's key was changed.
func (s *Steps) OwnHeader(e typus.Endpoint) (webhook.Header, error) {
	if e.StaticHeader == "" {
		return webhook.Header{}, nil
	}
	line, err := s.box.Open([]byte(e.StaticHeader), webhook.HeaderAAD(e.ID))
	if err != nil {
		return webhook.Header{}, err
	}
	return webhook.SplitHeader(string(line)), nil
}
