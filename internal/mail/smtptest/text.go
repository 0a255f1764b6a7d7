package smtptest

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
)

// Text is all that the parts of the message say in words, one after the other, with the
// transfer encoding undone; pictures are left out. The error is that of a message that a mail
// program could not read.
func (e Envelope) Text() (string, error) {
	m, err := mail.ReadMessage(bytes.NewReader(e.Raw))
	if err != nil {
		return "", err
	}
	return text(textproto.MIMEHeader(m.Header), m.Body)
}

func text(header textproto.MIMEHeader, body io.Reader) (string, error) {
	kind, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	switch {
	case err != nil:
		return "", err
	case strings.HasPrefix(kind, "text/"):
		if header.Get("Content-Transfer-Encoding") == "quoted-printable" {
			body = quotedprintable.NewReader(body)
		}
		said, err := io.ReadAll(body)
		return strings.ReplaceAll(string(said), "\r\n", "\n"), err
	case !strings.HasPrefix(kind, "multipart/"):
		return "", nil
	}
	all := ""
	for r := multipart.NewReader(body, params["boundary"]); ; {
		part, err := r.NextRawPart()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		said, err := text(part.Header, part)
		if err != nil {
			return all, err
		}
		all += said
	}
}
