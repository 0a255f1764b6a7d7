package mailpittest

import (
	"fmt"
	"io"
	"net/http"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// Message is an accepted letter as Mailpit reads it.
type Message struct {
	ID        string
	MessageID string
	From      *mail.Address
	To        []*mail.Address
	Cc        []*mail.Address
	Bcc       []*mail.Address // recipients of the envelope that no header names
	ReplyTo   []*mail.Address
	Subject   string
	Text      string
	HTML      string

	Inline, Attachments []Part

	Header textproto.MIMEHeader `json:"-"` // still encoded
	Raw    []byte               `json:"-"` // with what the server puts before it
}

// Part is a file within a letter.
type Part struct {
	ContentType string
	ContentID   string // without brackets
	Size        int
}

// Messages are the letters accepted so far, in order.
func (s *Server) Messages() []Message {
	s.t.Helper()
	var list struct {
		Messages []struct{ ID string } `json:"messages"`
	}
	s.read("/api/v1/messages?limit=100000", &list)
	out := make([]Message, len(list.Messages))
	for i, m := range list.Messages {
		s.read("/api/v1/message/"+m.ID, &out[i])
		s.read("/api/v1/message/"+m.ID+"/headers", &out[i].Header)
		out[i].Raw = s.call(http.MethodGet, "/api/v1/message/"+m.ID+"/raw", "")
	}
	slices.Reverse(out) // the newest came first
	return out
}

// Count is how many letters were accepted so far.
func (s *Server) Count() int {
	s.t.Helper()
	var list struct {
		Total int `json:"total"`
	}
	s.read("/api/v1/messages?limit=1", &list)
	return list.Total
}

// RefuseRecipients answers every RCPT with the code, 400 to 599, until
// AcceptRecipients is called.
func (s *Server) RefuseRecipients(code int) { s.t.Helper(); s.chaos(code, 100) }

// AcceptRecipients ends what RefuseRecipients began.
func (s *Server) AcceptRecipients() { s.t.Helper(); s.chaos(451, 0) }

func (s *Server) chaos(code, probability int) {
	s.t.Helper()
	s.call(http.MethodPut, "/api/v1/chaos", fmt.Sprintf(`{"Recipient":{"ErrorCode":%d,"Probability":%d}}`, code, probability))
}

func (s *Server) read(path string, into any) {
	s.t.Helper()
	if err := json.Unmarshal(s.call(http.MethodGet, path, ""), into); err != nil {
		s.t.Fatalf("%s: %v", path, err)
	}
}

func (s *Server) call(method, path, body string) []byte {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.api+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s: %s %s, %v", method, path, resp.Status, answer, err)
	}
	return answer
}
