package inspect_test

import (
	"encoding/base64"
	"encoding/hex"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"crypto/hmac"
	"crypto/sha256"

	"typus"
	"typus/internal/inspect"
	"typus/internal/webhook"
)

// The vectors of the documentation (internal/docs/text/en/webhooks.md).
const (
	secret   = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	id       = "evt_01JGJ6Q3YJ8X2V6W5T4S3R2Q1P"
	at       = 1767323045
	service  = "sha256=ebe12770ddc331c6869159e0146c0b46b45800df053fc0b6b95da386788db461"
	standard = "v1,ZL0eeeS4zMRXEcpA/8mEqNV9Jl4R0X+r+f89I+1EbQ0="
	body     = `{"event":"candidate.completed","data":{"candidate":{"id":42,"name":"Jürgen Müller & Söhne <b>","email":"j.mueller@example.com","external_id":"CRM-7"},"scores":{"overall":81,"fit":{"key":"A","label":"Sehr gute Passung"},"archetype":{"key":"hunter","name":"Der Jäger","subtitle":"😀"},"dimensionScores":[{"key":"drive","name":"Antrieb","score":88}],"warnings":[]},"reportUrl":"https://app.example.com/dashboard/kandidat/42"},"timestamp":"2026-01-02T03:04:05.678Z"}`
	other    = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="
)

// pasted is a request that is right, and what may be made wrong about it.
type pasted struct {
	secret, service, alt, standard, id, stamp, body string
	known                                           []inspect.Known
	sent                                            string
	after                                           time.Duration
}

func right() pasted {
	return pasted{secret: secret, service: service, standard: standard, id: id, stamp: strconv.Itoa(at), body: body}
}

func (p pasted) inspect() inspect.Inspection {
	var h strings.Builder
	for _, l := range [][2]string{{"X-Service-Signature", p.service}, {"X-Service-Signature-Alt", p.alt}, {"webhook-id", p.id}, {"webhook-timestamp", p.stamp}, {"webhook-signature", p.standard}} {
		if l[1] != "" {
			h.WriteString(l[0] + ": " + l[1] + "\n")
		}
	}
	in := inspect.Pasted{
		Secret: p.secret, Known: p.known, Headers: inspect.ReadHeaders(h.String(), ""), Body: []byte(p.body), Now: time.Unix(at, 0).Add(p.after),
	}
	if p.sent != "" {
		in.Sent = []byte(p.sent)
	}
	return inspect.Delivery(in)
}

func mac(key, message string) []byte {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(message))
	return h.Sum(nil)
}

func keyOf(t *testing.T) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	return string(key)
}

// causes writes findings as "key key(about)".
func causes(f inspect.Finding) string {
	var list []string
	for _, c := range f.Causes {
		if c.About != "" {
			c.Key += "(" + c.About + ")"
		}
		list = append(list, c.Key)
	}
	return strings.TrimSpace(string(f.Verdict) + " " + strings.Join(list, " "))
}

func TestARightRequestIsRight(t *testing.T) {
	i := right().inspect()
	if causes(i.Service) != "right" || causes(i.Standard) != "right" || !i.OK() || i.Difference != nil {
		t.Errorf("%+v", i)
	}
	// The vector that the libraries of Standard Webhooks carry in their tests.
	p := pasted{secret: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", id: "msg_p5jXN8AQM9LWM0D4loKWxJek", stamp: "1614265330", body: `{"test": 2432232314}`, standard: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}
	p.after = time.Unix(1614265330, 0).Sub(time.Unix(at, 0))
	if i := p.inspect(); causes(i.Standard) != "right" || causes(i.Service) != "missing" || !i.OK() {
		t.Errorf("%+v", i)
	}
	if (pasted{secret: secret, body: body}).inspect().OK() {
		t.Error("a request without signatures is right")
	}
}

// One vector for each cause; what is expected of each signature stands beside it.
func TestTheLikelyCauseIsFound(t *testing.T) {
	key := keyOf(t)
	message := id + "." + strconv.Itoa(at) + "."
	ascii := strings.NewReplacer("ü", `\u00fc`, "ö", `\u00f6`, "ä", `\u00e4`, "😀", `\ud83d\ude00`)
	html := strings.NewReplacer("&", `\u0026`, "<", `\u003c`, ">", `\u003e`)
	spaces := strings.NewReplacer(`":`, `": `, `,"`, `, "`)
	pretty := "{\n  \"event\": \"candidate.completed\",\n  \"data\":" + strings.TrimPrefix(body, `{"event":"candidate.completed","data":`)
	hexOf := func(m []byte) string { return "sha256=" + hex.EncodeToString(m) }
	b64 := func(m []byte) string { return "v1," + base64.StdEncoding.EncodeToString(m) }
	known := []inspect.Known{{Name: "CRM, current", Secret: secret}, {Name: "n8n, previous", Secret: other}}
	for name, c := range map[string]struct {
		change            func(p *pasted)
		service, standard string
	}{
		"the body with spaces":         {func(p *pasted) { p.body = spaces.Replace(body) }, "wrong body_spaces", "wrong body_spaces"},
		"the body indented":            {func(p *pasted) { p.body = pretty }, "wrong body_spaces", "wrong body_spaces"},
		"the body in ASCII":            {func(p *pasted) { p.body = ascii.Replace(body) }, "wrong body_escapes", "wrong body_escapes"},
		"the body with \\/":            {func(p *pasted) { p.body = strings.ReplaceAll(body, "/", `\/`) }, "wrong body_escapes", "wrong body_escapes"},
		"the body as Go writes it":     {func(p *pasted) { p.body = html.Replace(body) }, "wrong body_html_escapes", "wrong body_html_escapes"},
		"the body as Python writes it": {func(p *pasted) { p.body = ascii.Replace(spaces.Replace(body)) }, "wrong body_spaces body_escapes", "wrong body_spaces body_escapes"},
		"the members in another order": {func(p *pasted) {
			p.body = strings.Replace(body, `"id":42,"name":"Jürgen Müller & Söhne <b>"`, `"name":"Jürgen Müller & Söhne <b>","id":42`, 1)
		}, "wrong body_order", "wrong body_order"},
		"the numbers as floats":              {func(p *pasted) { p.body = strings.Replace(body, `"overall":81`, `"overall":81.0`, 1) }, "wrong body_numbers", "wrong body_numbers"},
		"a line break at the end":            {func(p *pasted) { p.body += "\n" }, "wrong body_newline", "wrong body_newline"},
		"a line break that was lost":         {func(p *pasted) { p.service = hexOf(mac(secret, body+"\n")) }, "wrong body_newline", "right"},
		"a line break before the body":       {func(p *pasted) { p.body = "\n" + body }, "wrong body_space", "wrong body_space"},
		"line breaks rewritten":              {func(p *pasted) { p.body = "[1,\r\n2]"; p.service = hexOf(mac(secret, "[1,\n2]")); p.standard = "" }, "wrong body_crlf", "missing"},
		"a BOM":                              {func(p *pasted) { p.body = "\ufeff" + body }, "wrong body_bom", "wrong body_bom"},
		"a BOM and a line break":             {func(p *pasted) { p.body = "\ufeff" + body + "\n" }, "wrong body_bom body_newline", "wrong body_bom body_newline"},
		"the body as base64":                 {func(p *pasted) { p.body = base64.StdEncoding.EncodeToString([]byte(body)) }, "wrong body_base64", "wrong body_base64"},
		"the body as a JSON string":          {func(p *pasted) { p.body = strconv.Quote(body) }, "wrong body_quoted", "wrong body_quoted"},
		"UTF-8 read as Latin-1":              {func(p *pasted) { p.body = latin1(body) }, "wrong body_charset", "wrong body_charset"},
		"HTML entities":                      {func(p *pasted) { p.body = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(body) }, "wrong body_entities", "wrong body_entities"},
		"an empty body signed":               {func(p *pasted) { p.service = hexOf(mac(secret, "")) }, "wrong body_empty", "right"},
		"the secret without whsec_":          {func(p *pasted) { p.secret = strings.TrimPrefix(secret, "whsec_") }, "wrong secret_prefix", "right"},
		"signed without whsec_":              {func(p *pasted) { p.service = hexOf(mac(strings.TrimPrefix(secret, "whsec_"), body)) }, "wrong secret_prefix", "right"},
		"signed with the decoded key":        {func(p *pasted) { p.service = hexOf(mac(key, body)) }, "wrong secret_decoded", "right"},
		"signed with the text":               {func(p *pasted) { p.standard = b64(mac(secret, message+body)) }, "right", "wrong secret_text"},
		"signed with the text, no whsec_":    {func(p *pasted) { p.standard = b64(mac(strings.TrimPrefix(secret, "whsec_"), message+body)) }, "right", "wrong secret_text"},
		"spaces around the secret":           {func(p *pasted) { p.secret = " " + secret + "\n" }, "wrong secret_space", "wrong secret_space"},
		"quotes around the secret":           {func(p *pasted) { p.secret = `"` + secret + `"` }, "wrong secret_space", "wrong secret_space"},
		"the secret of another webhook":      {func(p *pasted) { p.secret, p.known = other, known }, "wrong secret_other(CRM, current)", "wrong secret_other(CRM, current)"},
		"an API key for the secret":          {func(p *pasted) { p.secret = "typ_live_0123456789ABCDEFGHIJabcdefghij012345" }, "wrong secret_key", "wrong secret_key"},
		"base64 against hex":                 {func(p *pasted) { p.service = "sha256=" + base64.StdEncoding.EncodeToString(mac(secret, body)) }, "wrong value_base64", "right"},
		"hex against base64":                 {func(p *pasted) { p.standard = "v1," + hex.EncodeToString(mac(key, message+body)) }, "right", "wrong value_hex"},
		"base64 for addresses":               {func(p *pasted) { p.standard = strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(standard) }, "right", "wrong value_url"},
		"no sha256=":                         {func(p *pasted) { p.service = strings.TrimPrefix(service, "sha256=") }, "wrong value_prefix", "right"},
		"no v1,":                             {func(p *pasted) { p.standard = strings.TrimPrefix(standard, "v1,") }, "right", "wrong value_version"},
		"upper case":                         {func(p *pasted) { p.service = "sha256=" + strings.ToUpper(service[7:]) }, "wrong value_upper", "right"},
		"upper case, with its name":          {func(p *pasted) { p.service = strings.ToUpper(service) }, "wrong value_upper", "right"},
		"the headers exchanged":              {func(p *pasted) { p.service, p.standard = standard, service }, "wrong wrong_header", "wrong wrong_header"},
		"over the body alone":                {func(p *pasted) { p.standard = b64(mac(key, body)) }, "right", "wrong wrong_message"},
		"over id, time and body":             {func(p *pasted) { p.service = hexOf(mac(secret, message+body)) }, "wrong wrong_message", "right"},
		"cut off":                            {func(p *pasted) { p.service = service[:50] }, "wrong value_cut", "right"},
		"copied from our log":                {func(p *pasted) { p.service, p.standard = service[:15]+"…", standard[:11]+"…" }, "wrong value_masked", "wrong value_masked"},
		"of another delivery":                {func(p *pasted) { p.service = hexOf(mac(secret, "{}")) }, "wrong value_changed", "right"},
		"only the second of a change":        {func(p *pasted) { p.service, p.alt = "", service }, "wrong only_alt", "right"},
		"during a change":                    {func(p *pasted) { p.service, p.alt = hexOf(mac(other, body)), service }, "wrong fits_alt", "right"},
		"no id":                              {func(p *pasted) { p.id = "" }, "right", "wrong no_id"},
		"six minutes later":                  {func(p *pasted) { p.after = 6 * time.Minute }, "right", "late time_old(6 min)"},
		"three days later":                   {func(p *pasted) { p.after = 73 * time.Hour }, "right", "late time_old(3 d)"},
		"an hour before":                     {func(p *pasted) { p.after = -61 * time.Minute }, "right", "late time_ahead(1 h 1 min)"},
		"the time in milliseconds":           {func(p *pasted) { p.stamp += "000" }, "right", "wrong time_milliseconds"},
		"the time as a date":                 {func(p *pasted) { p.stamp = "2026-01-02" }, "right", "wrong time_unreadable"},
		"another body":                       {func(p *pasted) { p.body = strings.Replace(body, "81", "82", 1) }, "wrong unknown", "wrong unknown"},
		"another body, and it is known":      {func(p *pasted) { p.body, p.sent = strings.Replace(body, "81", "82", 1), body }, "wrong body_changed", "wrong body_changed"},
		"nothing fits although it is known":  {func(p *pasted) { p.secret, p.body, p.sent = other, "{}", body }, "wrong unknown", "wrong unknown"},
		"no secret but a known one":          {func(p *pasted) { p.secret, p.known = "", known }, "right", "right"},
		"re-serialised and without sha256=":  {func(p *pasted) { p.body, p.service = spaces.Replace(body), service[7:] }, "wrong value_prefix body_spaces", "wrong body_spaces"},
		"the secret and the body both wrong": {func(p *pasted) { p.secret, p.body = strings.TrimPrefix(secret, "whsec_"), body+"\n" }, "wrong secret_prefix body_newline", "wrong body_newline"},
	} {
		t.Run(name, func(t *testing.T) {
			p := right()
			c.change(&p)
			i := p.inspect()
			if causes(i.Service) != c.service || causes(i.Standard) != c.standard {
				t.Errorf("%s | %s, want %s | %s", causes(i.Service), causes(i.Standard), c.service, c.standard)
			}
			if i.OK() != (!strings.Contains(c.service+c.standard, "wrong") && !strings.Contains(c.standard, "late")) {
				t.Errorf("OK is %v", i.OK())
			}
		})
	}
}

func latin1(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

func TestTheFirstByteThatDiffersIsShown(t *testing.T) {
	p := right()
	p.body, p.sent = strings.Replace(body, "Jürgen", "Jurgen", 1), body
	d := p.inspect().Difference
	if d == nil || d.At != strings.Index(body, "ürgen") || d.Pasted != `"name":"Jurgen Mülle` && !strings.Contains(d.Pasted, "Jurgen") || !strings.Contains(d.Sent, "Jürgen") {
		t.Errorf("%+v", d)
	}
	p.secret = other // whoever has no signature of what was sent learns nothing about it
	if d := p.inspect().Difference; d != nil {
		t.Errorf("%+v", d)
	}
}

func TestAKnownSecretThatFitsIsNamed(t *testing.T) {
	p := right()
	p.secret, p.known = "", []inspect.Known{{Name: "n8n", Secret: other}, {Name: "CRM", Secret: secret}}
	if i := p.inspect(); i.Service.By != "CRM" || i.Standard.By != "CRM" || !strings.Contains(i.Service.In("en").By, "CRM") {
		t.Errorf("%+v", i)
	}
}

// The members of each payload are known, so that their order can be restored.
func TestAnyOrderOfAPayloadIsRecognised(t *testing.T) {
	scores := typus.Scores{Overall: 81, Fit: typus.Fit{Key: "A", Label: "x"}, Persona: typus.Persona{Key: "k", Name: "n", Subtitle: "s"},
		Dimensions: []typus.DimensionScore{{Key: "k", Name: "n", Score: 1}}, Warnings: []typus.Warning{{Key: "k", Severity: "info", Message: "m"}}}
	sent, err := webhook.TestPayload(scores, "TEST-1", "https://app.example.com/x", time.Unix(at, 0))
	if err != nil {
		t.Fatal(err)
	}
	const sorted = `{"data":{"candidate":{"email":"jana.beispiel@example.com","external_id":"TEST-1","id":0,"name":"Jana Beispiel"},"reportUrl":"https://app.example.com/x","scores":{"archetype":{"key":"k","name":"n","subtitle":"s"},"dimensionScores":[{"key":"k","name":"n","score":1}],"fit":{"key":"A","label":"x"},"overall":81,"warnings":[{"key":"k","message":"m","severity":"info"}]}},"event":"candidate.completed","test":true,"timestamp":"2026-01-02T03:04:05.000Z"}`
	p := right()
	p.body, p.service, p.standard = sorted, webhook.Sign(secret, sent), ""
	if got := causes(p.inspect().Service); got != "wrong body_order" {
		t.Errorf("%s for\n%s", got, sent)
	}
}

func TestHeadersAreReadAsTheyArePasted(t *testing.T) {
	for name, text := range map[string]string{
		"lines":          "POST /hook HTTP/1.1\r\nHost: x\r\nX-Service-Signature: " + service + "\r\nWebhook-Id: " + id + "\r\n",
		"curl -v":        "> POST /hook HTTP/1.1\n> x-service-signature: " + service + "\n> webhook-id: " + id + "\n* done\n",
		"curl arguments": "-H 'X-Service-Signature: " + service + "' \\\n-H \"webhook-id: " + id + "\"",
		"JSON":           `{"X-Service-Signature":"` + service + `","webhook-id":["` + id + `"]}`,
		"n8n":            `{"headers":{"x-service-signature":"` + service + `","webhook-id":"` + id + `"},"body":{}}`,
		"PHP":            "[HTTP_X_SERVICE_SIGNATURE] => " + service + "\n[HTTP_WEBHOOK_ID] => " + id,
		"quoted lines":   `"X-Service-Signature": "` + service + `",` + "\n" + `"webhook-id": "` + id + `",`,
	} {
		h := inspect.ReadHeaders(text, "")
		if h.Get("X-Service-Signature") != service || h.ID() != id {
			t.Errorf("%s: %+v", name, h)
		}
	}
	for value, name := range map[string]string{
		service: "X-Service-Signature", service[7:]: "X-Service-Signature", standard: "webhook-signature", standard[3:]: "webhook-signature",
	} {
		if h := inspect.ReadHeaders(" "+value+"\n", ""); h.Get(name) != value {
			t.Errorf("%s alone: %+v", value, h)
		}
	}
	if h := inspect.ReadHeaders("X-Acme-Signature: "+service, "X-Acme"); inspect.Delivery(inspect.Pasted{Secret: secret, Headers: h, Body: []byte(body)}).Service.Verdict != inspect.Right {
		t.Error("another prefix is not read")
	}
}

// Each cause has its words in both languages, and no words are left over.
func TestEachCauseHasItsWords(t *testing.T) {
	source, err := os.ReadFile("cause.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`= "([a-z_0-9]+)"`).FindAllStringSubmatch(string(source), -1) {
		for _, lang := range []string{"de", "en"} {
			said := inspect.Finding{Header: "H", Verdict: inspect.Wrong, Causes: []inspect.Cause{{Key: m[1], About: "A"}}}.In(lang)
			if said.Is == "" || said.Found[0] == "" || said.Mend[0] == "" || strings.Contains(said.Found[0]+said.Mend[0], "{{") {
				t.Errorf("%s in %s: %+v", m[1], lang, said)
			}
		}
	}
}

func TestDeepJSONIsNotWrittenAnew(t *testing.T) {
	p := right()
	p.body = strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	if got := causes(p.inspect().Service); got != "wrong unknown" {
		t.Error(got)
	}
}

func FuzzNothingPastedBreaksTheInspector(f *testing.F) {
	f.Add(secret, service, body)
	f.Add("\xff", `{"headers":{"a":1}}`, "[[[[")
	f.Fuzz(func(t *testing.T, secret, headers, body string) {
		i := inspect.Delivery(inspect.Pasted{Secret: secret, Headers: inspect.ReadHeaders(headers, ""), Body: []byte(body), Now: time.Unix(at, 0)})
		i.Service.In("de")
	})
}
