package mail_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"image/png"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"typus"
	"typus/internal/colour"
	"typus/internal/logo"
	"typus/internal/logo/logotest"
	"typus/internal/mail"
	"typus/internal/mail/mailpittest"
	"typus/internal/mail/smtptest"
)

// shelf holds the logos of account 7, and of its position 3.
type shelf struct {
	account, position typus.Logo
	fault             error
	read              int
}

func (s *shelf) LogoHash(_ context.Context, accountID, positionID int64) (string, error) {
	switch {
	case s.fault != nil:
		return "", s.fault
	case accountID != 7:
		return "", typus.Errorf(typus.NotFound, "there is no such account")
	case positionID == 3 && s.position.Hash != "":
		return s.position.Hash, nil
	}
	return s.account.Hash, nil
}

func (s *shelf) Logo(_ context.Context, _ int64, hash string) (typus.Logo, error) {
	s.read++
	for _, l := range []typus.Logo{s.account, s.position} {
		if l.Hash == hash && len(l.Body) > 0 {
			return l, nil
		}
	}
	return typus.Logo{}, typus.Errorf(typus.NotFound, "there is no such logo")
}

// dressed is a letter with the logo of a look.
func dressed(t *testing.T, from mail.Logos, m mail.Message) mail.Message {
	t.Helper()
	m, err := mail.NewLetterheads(from, nil).Put(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// part is a leaf of a message, without its transfer encoding.
type part struct {
	kind   string
	header map[string][]string
	body   string
}

// parts are the leaves of a message in order, and the kinds of what holds them.
func parts(t *testing.T, contentType string, header map[string][]string, body io.Reader) ([]part, []string) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatalf("%q: %v", contentType, err)
	}
	if !strings.HasPrefix(kind, "multipart/") {
		switch head := netmail.Header(header); head.Get("Content-Transfer-Encoding") {
		case "base64":
			body = base64.NewDecoder(base64.StdEncoding, body)
		case "quoted-printable":
			body = quotedprintable.NewReader(body)
		}
		text, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		return []part{{kind, header, string(text)}}, nil
	}
	if want := params["type"]; kind == "multipart/related" && want != "multipart/alternative" {
		t.Errorf("the type of what is related is %q", want)
	}
	var leaves []part
	holders := []string{kind}
	for r := multipart.NewReader(body, params["boundary"]); ; {
		p, err := r.NextRawPart()
		if err == io.EOF {
			return leaves, holders
		}
		if err != nil {
			t.Fatal(err)
		}
		inner, within := parts(t, p.Header.Get("Content-Type"), p.Header, p)
		leaves, holders = append(leaves, inner...), append(holders, within...)
	}
}

// posted sends a letter to a server and reads what arrived.
func posted(t *testing.T, m mail.Message) ([]part, []string) {
	t.Helper()
	sink := smtptest.Start(t, nil)
	s, err := mail.NewSMTP(mail.SMTPOptions{URL: "smtp://" + sink.Addr, From: operator})
	if err != nil {
		t.Fatal(err)
	}
	m.ID, m.To = "letter-7.1@typus.example.com", "anna@example.com"
	accepted(t, s, m)
	got, err := netmail.ReadMessage(bytes.NewReader(sink.Envelopes()[0].Raw))
	if err != nil {
		t.Fatal(err)
	}
	return parts(t, got.Header.Get("Content-Type"), got.Header, got.Body)
}

const evilName = `Müller & "Söhne" <b>GmbH</b> <!--/letterhead-->`

func TestALogoTravelsInsideItsLetter(t *testing.T) {
	plain := invitation(t, mail.Invitation{Language: "de", AccountName: evilName, Link: link, Look: mail.Look{AccountID: 7, Accent: "#ffd100"}})
	leaves, holders := posted(t, plain)
	if len(leaves) != 2 || strings.Join(holders, " ") != "multipart/alternative" {
		t.Fatalf("without a logo: %v in %v", leaves, holders)
	}
	text := leaves[0].body

	leaves, holders = posted(t, dressed(t, &shelf{account: logotest.Mark(t, 300, 100, logotest.Red, true)}, plain))
	if len(leaves) != 3 || strings.Join(holders, " ") != "multipart/related multipart/alternative" {
		t.Fatalf("%v in %v", leaves, holders)
	}
	if leaves[0].kind != "text/plain" || leaves[0].body != text || strings.ReplaceAll(text, "\r\n", "\n") != plain.Text {
		t.Errorf("the text has become %s", leaves[0].body)
	}
	head := netmail.Header(leaves[2].header)
	if leaves[2].kind != "image/png" || head.Get("Content-ID") != "<logo.letter-7.1@typus.example.com>" || head.Get("Content-Disposition") != `inline; filename="logo.png"` {
		t.Errorf("the logo has %v", head)
	}
	config, err := png.DecodeConfig(strings.NewReader(leaves[2].body))
	if err != nil || config.Width != 300+2*14 {
		t.Errorf("the picture is %+v, %v", config, err)
	}
	pictures := 0
	for _, e := range elements(t, leaves[1].body) {
		a := attributes(e)
		if e.Data == "b" || a["src"] != "" && e.Data != "img" {
			t.Errorf("there is an element %s %v", e.Data, a)
		}
		if e.Data != "img" {
			continue
		}
		pictures++
		if a["src"] != "cid:logo.letter-7.1@typus.example.com" || a["alt"] != plain.FromName || a["width"] != "184" || a["height"] != "72" {
			t.Errorf("the picture is shown as %v", a)
		}
	}
	if pictures != 1 || strings.Contains(leaves[1].body, "http://") || !strings.Contains(plain.FromName, `"Söhne"`) {
		t.Errorf("%d pictures, from %s, in\n%s", pictures, plain.FromName, leaves[1].body)
	}
}

func TestAForeignServerFindsTheLogoInsideTheLetter(t *testing.T) {
	server := mailpittest.Start(t)
	m := dressed(t, &shelf{account: logotest.Mark(t, 300, 100, logotest.Red, true)}, invitation(t, mail.Invitation{Language: "de", AccountName: evilName, Link: link, Look: mail.Look{AccountID: 7}}))
	m.ID, m.To = "letter-7.1@example.com", "anna@example.com"
	accepted(t, foreign(t, server), m)
	got := server.Messages()[0]
	if strings.ReplaceAll(got.Text, "\r\n", "\n") != m.Text || len(got.Attachments) != 0 {
		t.Errorf("text %s, attached %+v", got.Text, got.Attachments)
	}
	if in := got.Inline; len(in) != 1 || in[0].ContentType != "image/png" || in[0].ContentID != "logo.letter-7.1@example.com" || in[0].Size != len(m.Logo.Body) {
		t.Errorf("inline %+v", in)
	}
	if !strings.Contains(got.HTML, `src="cid:logo.letter-7.1@example.com"`) {
		t.Errorf("the HTML is\n%s", got.HTML)
	}
}

func attributes(e *html.Node) map[string]string {
	found := map[string]string{}
	for _, a := range e.Attr {
		found[a.Key] = a.Val
	}
	return found
}

func TestTheLogoOfALetterIsTheOneOfNow(t *testing.T) {
	first, second := logotest.Mark(t, 80, 40, logotest.Red, false), logotest.Mark(t, 40, 40, logotest.Red, false)
	second.Hash = "two"
	s := &shelf{account: first}
	heads := mail.NewLetterheads(s, nil)
	put := func(look mail.Look) *logo.Picture {
		t.Helper()
		m, err := heads.Put(t.Context(), mail.Message{Look: look})
		if err != nil {
			t.Fatal(err)
		}
		return m.Logo
	}
	look := mail.Look{AccountID: 7, PositionID: 3}
	if l := put(look); l == nil || l.Width != 80 || put(look) != l || s.read != 1 {
		t.Errorf("%+v, read %d times", l, s.read)
	}
	s.position = second
	if l := put(look); l == nil || l.Width != 40 || put(mail.Look{AccountID: 7}).Width != 80 {
		t.Errorf("the position's own is %+v", l)
	}
	s.position = typus.Logo{Hash: "gone"} // between its name and itself
	if l := put(look); l != nil {
		t.Errorf("what is gone is %+v", l)
	}
	s.position = typus.Logo{Hash: "broken", Body: []byte("no picture")}
	if l := put(look); l != nil {
		t.Errorf("what cannot be drawn is %+v", l)
	}
	if l := put(mail.Look{AccountID: 8}); l != nil || put(mail.Look{}) != nil {
		t.Errorf("nobody's is %+v", l)
	}
	s.fault = typus.Errorf(typus.Unavailable, "the database is away")
	if _, err := heads.Put(t.Context(), mail.Message{Look: look}); !typus.Is(err, typus.Unavailable) {
		t.Errorf("%v", err)
	}
}

func TestAKeptLetterCarriesNoLogo(t *testing.T) {
	m := dressed(t, &shelf{account: logotest.Mark(t, 900, 900, logotest.Red, true)}, invitation(t, mail.Invitation{AccountName: "Demo GmbH", Link: link, Look: mail.Look{AccountID: 7, PositionID: 3}}))
	m.To = "anna@example.com"
	packed, err := m.Pack()
	if err != nil || m.Logo == nil {
		t.Fatal(err, m.Logo)
	}
	bare := m
	bare.Logo = nil
	if without, _ := bare.Pack(); !bytes.Equal(packed, without) {
		t.Errorf("%d bytes are kept, %d without a logo", len(packed), len(without))
	}
	if kept, err := mail.Unpack(packed); err != nil || kept != bare {
		t.Errorf("%+v, %v", kept, err)
	}
}

// Every colour that an account may choose gives a button, and links, that can be read and seen
// in both themes.
func TestEveryAccentIsLegibleInALetter(t *testing.T) {
	inline := regexp.MustCompile(`bgcolor="(#\w+)" style="background:(#\w+);border:2px solid (#\w+);[^"]*">\s*<a [^>]*background:(#\w+);[^>]*color:(#\w+);text`)
	dark := regexp.MustCompile(`\.link \{ color: (#\w+) !important; \}\s*\.button \{ background: (#\w+) !important; border-color: (#\w+) !important; \}\s*\.button a \{ background: (#\w+) !important; color: (#\w+) !important`)
	linked := regexp.MustCompile(`class="link"[^>]*color:(#\w+)`)
	for accent, fill := range map[string]string{
		"#ffd100": "#ffd100", "#ffffff": "#ffffff", "#000000": "#000000", "#e2001a": "#e2001a", "#757575": "", "#00ff00": "#00ff00", "": "#0f5c4d", "red;}": "#0f5c4d",
	} {
		m := written(t)(mail.Reminder{Invitation: mail.Invitation{AccountName: "Demo GmbH", Link: link, Look: mail.Look{AccountID: 7, Accent: accent}}, Stop: link + "/erinnerungen"}.Message())
		in, out := inline.FindStringSubmatch(m.HTML), dark.FindStringSubmatch(m.HTML)
		links := linked.FindAllStringSubmatch(m.HTML, -1)
		if in == nil || out == nil || len(links) != 2 || strings.Contains(m.HTML, "ZgotmplZ") {
			t.Fatalf("%s: the letter is\n%s", accent, m.HTML)
		}
		if in[1] != in[2] || in[2] != in[4] || out[2] != out[4] || fill != "" && in[1] != fill || fill == accent && out[2] != fill {
			t.Errorf("%s: the button is %v, and %v in the dark", accent, in[1:], out[1:])
		}
		for sheet, rule := range map[string]string{colour.Light.Surface: `border-bottom:3px solid (#\w+)`, colour.Dark.Surface: `\.head \{ border-color: (#\w+)`} {
			if found := regexp.MustCompile(rule).FindStringSubmatch(m.HTML); found == nil || colour.Contrast(found[1], sheet) < 1.2 {
				t.Errorf("%s: the line below who writes is %v on %s", accent, found, sheet)
			}
		}
		for _, c := range []struct {
			what, front, back string
			least             float64
		}{
			{"words", in[5], in[4], 4.5}, {"words in the dark", out[5], out[4], 4.5},
			{"a link", links[0][1], colour.Light.Surface, 4.5}, {"a link in the small print", links[1][1], colour.Light.Surface, 4.5},
			{"a link in the dark", out[1], colour.Dark.Surface, 4.5},
			{"the edge", in[3], colour.Light.Surface, 3}, {"the edge in the dark", out[3], colour.Dark.Surface, 3},
		} {
			if got := colour.Contrast(c.front, c.back); got < c.least {
				t.Errorf("%s: %s, %s on %s: %.2f", accent, c.what, c.front, c.back, got)
			}
		}
	}
}

// Only what is written in an account's name wears its look: what we say of a password must not
// look as somebody chose.
func TestWhatWeWriteLooksLikeUs(t *testing.T) {
	look := mail.Look{AccountID: 7, Accent: "#ffd100"}
	for _, kind := range typus.LetterKinds(func(k typus.LetterKind) bool { return k.Reader() == typus.ReaderUser }) {
		m := written(t)(mail.UserLetter{Kind: kind, AccountName: "Demo GmbH", Link: link, Look: look}.Message())
		theirs := kind == typus.LetterTeamInvitation
		if (m.Look == look) != theirs || strings.Contains(m.HTML, "#ffd100") != theirs || strings.Contains(m.HTML, ">Demo GmbH</span>") != theirs || (m.FromName == "Demo GmbH") != theirs {
			t.Errorf("%s: from %s with %+v", kind, m.FromName, m.Look)
		}
	}
}

// The colours of the layout stand there because mail programs know no style sheet of ours.
func TestTheColoursOfLettersAreThoseOfPages(t *testing.T) {
	tokens, err := os.ReadFile("../page/static/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	m := invitation(t, mail.Invitation{AccountName: "Demo GmbH", Link: link})
	for _, found := range regexp.MustCompile(`#[0-9a-f]{6}\b`).FindAllString(m.HTML, -1) {
		if !strings.Contains(string(tokens), found) {
			t.Errorf("%s is no colour of the pages", found)
		}
	}
}
