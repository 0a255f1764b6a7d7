package api_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// names returns the faults of an answer as "field code".
func names(p problem) []string {
	list := []string{}
	for _, f := range p.Errors {
		list = append(list, f.Field+" "+f.Code)
	}
	return list
}

const person = `"name":"Jana Müller","email":"jana.mueller@example.com"`

func TestABadInvitationNamesEveryWrongField(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("a", 256)
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"nothing":                      {`{}`, []string{"name required", "email required"}},
		"nulls":                        {`{"name":null,"email":null,"external_id":null,"send_email":null}`, []string{"name required", "email required"}},
		"empty strings":                {`{"name":"","email":"","external_id":""}`, []string{"name required", "email required"}},
		"blank name":                   {`{"name":" \u00a0\u2003 ","email":"a@example.com"}`, []string{"name required"}},
		"name of a mark alone":         {`{"name":"\u0301","email":"a@example.com"}`, []string{"name required"}},
		"wrong types":                  {`{"name":1,"email":[],"external_id":{},"send_email":1,"language":true,"role_profile":2}`, []string{"name invalid", "email invalid", "external_id invalid", "send_email invalid", "language invalid", "role_profile invalid"}},
		"name too long":                {`{"name":"` + strings.Repeat("ä", 201) + `","email":"a@example.com"}`, []string{"name too_long"}},
		"email without a domain":       {`{"name":"A","email":"jana"}`, []string{"email invalid"}},
		"email without a dot":          {`{"name":"A","email":"jana@localhost"}`, []string{"email invalid"}},
		"email with a name":            {`{"name":"A","email":"Jana <jana@example.com>"}`, []string{"email invalid"}},
		"two emails":                   {`{"name":"A","email":"a@example.com, b@example.com"}`, []string{"email invalid"}},
		"email with an umlaut":         {`{"name":"A","email":"jürgen@example.com"}`, []string{"email invalid"}},
		"email too long":               {`{"name":"A","email":"a@` + strings.Repeat("b.", 130) + `com"}`, []string{"email too_long"}},
		"external_id too long":         {`{` + person + `,"external_id":"` + long + `"}`, []string{"external_id too_long"}},
		"external_id with digits only": {`{` + person + `,"external_id":` + strings.Repeat("1", 256) + `}`, []string{"external_id too_long"}},
		"external_id a fraction":       {`{` + person + `,"external_id":1.5}`, []string{"external_id invalid"}},
		"external_id an exponent":      {`{` + person + `,"external_id":1e3}`, []string{"external_id invalid"}},
		"external_id a boolean":        {`{` + person + `,"external_id":true}`, []string{"external_id invalid"}},
		"send_email quoted":            {`{` + person + `,"send_email":"false"}`, []string{"send_email invalid"}},
		"unknown language":             {`{` + person + `,"language":"fr"}`, []string{"language invalid"}},
		"unknown role":                 {`{` + person + `,"role_profile":"astronaut"}`, []string{"role_profile invalid"}},
		"near misses":                  {`{` + person + `,"sendEmail":false,"externalId":"7","role-profile":"hunter","LANGUAGE":"en"}`, []string{"sendEmail unknown_field", "externalId unknown_field", "role-profile unknown_field", "LANGUAGE unknown_field"}},
		"near misses of required ones": {`{"Name":"Jana","e-mail":"a@example.com"}`, []string{"Name unknown_field", "e-mail unknown_field"}},
		"a near miss beside null":      {`{` + person + `,"send_email":null,"sendEmail":false}`, []string{"sendEmail unknown_field"}},
		"control in a name":            {`{"name":"A\u0000B","email":"a@example.com"}`, []string{"name invalid"}},
		"newline in a name":            {`{"name":"A\r\nBcc: b@example.com","email":"a@example.com"}`, []string{"name invalid"}},
		"C1 control":                   {`{"name":"A\u0085B","email":"a@example.com"}`, []string{"name invalid"}},
		"delete":                       {`{"name":"A\u007fB","email":"a@example.com"}`, []string{"name invalid"}},
		"line separator":               {`{"name":"A\u2028B","email":"a@example.com"}`, []string{"name invalid"}},
		"paragraph separator":          {`{` + person + `,"external_id":"A\u2029B"}`, []string{"external_id invalid"}},
		"direction override":           {`{` + person + `,"external_id":"A\u202eB"}`, []string{"external_id invalid"}},
		"direction isolate":            {`{` + person + `,"external_id":"A\u2066B"}`, []string{"external_id invalid"}},
		"odd text everywhere":          {`{"name":"\u0001","email":"\u0002","meta":{"tags":["ok","\u0003"]},"x\u0004":1}`, []string{"name invalid", "email invalid", "meta.tags.1 invalid", "x\uFFFD invalid"}},
		"lone surrogate":               {`{` + person + `,"external_id":"\ud83d"}`, []string{"external_id invalid"}},
		"lone low surrogate":           {`{` + person + `,"meta":{"x":"\ude00"}}`, []string{"meta.x invalid"}},
		"raw newline in a string":      {"{\"name\":\"A\nB\",\"email\":\"a@example.com\"}", []string{"name invalid"}},
		"invalid UTF-8":                {"{\"name\":\"A\xff\",\"email\":\"a@example.com\"}", []string{"name invalid"}},
		"a name twice":                 {`{"name":"A","email":"a@example.com","name":"B"}`, []string{"name invalid"}},
		"a name twice, escaped":        {`{"name":"A","email":"a@example.com","n\u0061me":"B"}`, []string{"name invalid"}},
		"a name twice, deep down":      {`{` + person + `,"meta":{"a":1,"a":2}}`, []string{"meta.a invalid"}},
		"a bad literal":                {`{"name":tru}`, []string{"name invalid"}},
		"a mark before an identifier":  {`{` + person + `,"external_id":"\ufeff7"}`, []string{"external_id invalid"}},
		"a noncharacter":               {`{"name":"Jana\uffff","email":"a@example.com"}`, []string{"name invalid"}},
		"a name that nobody sees":      {`{"name":"\u3164\u200b\ufe0f","email":"a@example.com"}`, []string{"name required"}},
		"everything at once":           {`{"name":"","email":"x","external_id":1.5,"send_email":"no","language":"fr","roleProfile":"hunter"}`, []string{"roleProfile unknown_field", "external_id invalid", "send_email invalid", "name required", "email invalid", "language invalid"}},

		"an empty body":         {" ", []string{}},
		"an array":              {`[{` + person + `}]`, []string{}},
		"a string":              {`"x"`, []string{}},
		"not JSON":              {`name=Jana&email=a@example.com`, []string{}},
		"two byte order marks":  {"\ufeff\ufeff{" + person + "}", []string{}},
		"a mark and no more":    {"\ufeff", []string{}},
		"a mark inside":         {"{\ufeff" + person + "}", []string{}},
		"UTF-16":                {"\xff\xfe{\x00}\x00", []string{}},
		"cut off":               {`{` + person, []string{}},
		"a comma too many":      {`{` + person + `,}`, []string{}},
		"something behind":      {`{` + person + `} x`, []string{}},
		"two objects":           {`{` + person + `}{}`, []string{}},
		"17 levels":             {`{` + person + `,"x":` + strings.Repeat("[", 16) + strings.Repeat("]", 16) + `}`, []string{}},
		"10,000 levels":         {`{"x":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`, []string{}},
		"objects without end":   {strings.Repeat(`{"x":`, 10_000), []string{}},
		"a number with zeros":   {`{` + person + `,"external_id":007}`, []string{}},
		"single quotes":         {`{'name':'Jana'}`, []string{}},
		"a comment":             {`{/* */` + person + `}`, []string{}},
		"NaN as an external_id": {`{` + person + `,"external_id":NaN}`, []string{"external_id invalid"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.do(call{path: "/api/v1/invites", body: c.body, invalid: true})
			p := parse[problem](t, r)
			if r.status != http.StatusBadRequest || p.Code != "invalid_input" {
				t.Fatalf("got %d %s", r.status, r.body)
			}
			if diff := cmp.Diff(c.want, names(p)); diff != "" {
				t.Errorf("wrong faults (-want +got):\n%s\n%s", diff, r.body)
			}
			for _, f := range p.Errors {
				if f.Message == "" {
					t.Errorf("%s has no remedy", f.Field)
				}
			}
		})
	}
	if r := w.do(call{}); r.body != `{"candidates":[]}` {
		t.Errorf("a refused invitation left something behind: %s", r.body)
	}
}

func TestGoodInvitationsOfAllSortsAreAccepted(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		body       string
		externalID string // "" for null
	}{
		"the least":                 {`{` + person + `}`, ""},
		"an apostrophe, an emoji":   {`{"name":"Séan O’Neill 😀","email":"sean.o'neill+test@example.com"}`, ""},
		"an escaped emoji":          {`{"name":"\ud83d\ude00","email":"a@example.com"}`, ""},
		"an international domain":   {`{"name":"A","email":"a@bücher.example"}`, ""},
		"any top-level domain":      {`{"name":"A","email":"a@firma.museum"}`, ""},
		"200 characters":            {`{"name":"` + strings.Repeat("ä", 200) + `","email":"a@example.com"}`, ""},
		"empty optionals":           {`{` + person + `,"external_id":"","language":"","role_profile":""}`, ""},
		"nulls":                     {`{` + person + `,"external_id":null,"send_email":null,"language":null,"role_profile":null}`, ""},
		"a string of digits":        {`{` + person + `,"external_id":"007"}`, "007"},
		"an integer":                {`{` + person + `,"external_id":7}`, "7"},
		"a long integer":            {`{` + person + `,"external_id":6486202000000008002}`, "6486202000000008002"},
		"an integer beyond 64 bits": {`{` + person + `,"external_id":123456789012345678901234567890}`, "123456789012345678901234567890"},
		"a negative integer":        {`{` + person + `,"external_id":-5}`, "-5"},
		"blanks are kept":           {`{` + person + `,"external_id":" a "}`, " a "},
		"255 characters":            {`{` + person + `,"external_id":"` + strings.Repeat("ü", 255) + `"}`, strings.Repeat("ü", 255)},
		"unknown members":           {`{` + person + `,"phone":"1","nested":{"a":[1,2,{"b":null}]}}`, ""},
		"members of a CRM":          {`{` + person + `,"mail":"b@example.com","e_mail":"b@example.com","emails":["b@example.com"],"names":"J","first_name":"Jana","lang":"de","languages":["de","en"],"locale":"de","title":"Dr.","role":"hunter","profile":"x","id":7,"external_ref":"x","externals":{"id":1},"send_sms":true,"email_sent":false,"notify":false}`, ""},
		"both spellings":            {`{` + person + `,"external_id":"x","externalId":"y"}`, "x"},
		"16 levels":                 {`{` + person + `,"x":` + strings.Repeat("[", 15) + strings.Repeat("]", 15) + `}`, ""},
		"our additions":             {`{` + person + `,"language":"en","role_profile":"hunter","send_email":false}`, ""},
		"a byte order mark":         {"\ufeff{" + person + `,"external_id":"bom"}`, "bom"},
		"a mark and white space":    {"\ufeff\r\n{" + person + "}", ""},
		"white space around":        {" \r\n\t{" + person + "}\n ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.do(call{path: "/api/v1/invites", body: c.body, invalid: !declaredOnly(c.body)})
			if r.status != http.StatusCreated {
				t.Fatalf("got %d %s", r.status, r.body)
			}
			i := parse[invitation](t, r)
			if got := i.ExternalID; (got == nil) != (c.externalID == "") || got != nil && *got != c.externalID {
				t.Errorf("external_id: got %v, want %q", got, c.externalID)
			}
		})
	}
}

// declaredOnly reports whether a body is what openapi.yaml shows: its check counts
// unknown members as faults, which the API ignores, and knows no byte order mark.
func declaredOnly(body string) bool {
	return !strings.HasPrefix(body, "\ufeff") && !strings.Contains(body, `"phone"`) && !strings.Contains(body, `"externalId"`) && !strings.Contains(body, `"lang"`) && !strings.Contains(body, `"x":`)
}

func TestAMisspeltMemberWritesToNobody(t *testing.T) {
	w := newWorld(t)
	for name, meant := range map[string]string{
		"send_emial": "send_email", " send_email": "send_email", "send_email[]": "send_email", "send email": "send_email", "send.email": "send_email",
		"send_emails": "send_email", "sendEmails": "send_email", "send_mail": "send_email", "sendMail": "send_email", "SEND-EMAIL": "send_email",
		"langauge": "language", "Language ": "language", "languages": "language", //nolint:misspell // on purpose
		"external_ids": "external_id", "extrenal_id": "external_id", "external id": "external_id", "role_profil": "role_profile", "role.profile": "role_profile",
	} {
		r := w.do(call{path: "/api/v1/invites", body: fmt.Sprintf(`{%s,%q:false}`, person, name), invalid: true})
		p := parse[problem](t, r)
		if r.status != 400 || len(p.Errors) != 1 || p.Errors[0].Code != "unknown_field" || !strings.Contains(p.Errors[0].Message, fmt.Sprintf("%q", meant)) {
			t.Errorf("%q: got %d %s, want the name %s", name, r.status, r.body, meant)
		}
	}
	for body, want := range map[string]string{
		`{"nmae":"Jana","mail":"a@example.com"}`:       "nmae unknown_field, mail unknown_field", //nolint:misspell // on purpose
		`{` + person + `,"send_email[]":[false]}`:      "send_email[] unknown_field",
		`{"name":"Jana","emails":["a@example.com"]}`:   "email required",
		`{"name":"Jana","e.mail":"a@example.com"}`:     "e.mail unknown_field",
		`{"full_name":"Jana","email":"a@example.com"}`: "name required",
	} {
		r := w.do(call{path: "/api/v1/invites", body: body, invalid: true})
		if got := strings.Join(names(parse[problem](t, r)), ", "); r.status != 400 || got != want {
			t.Errorf("%s: got %d %s, want %s", body, r.status, got, want)
		}
	}
	if n := w.candidates(); n != 0 {
		t.Errorf("%d candidates came of refused invitations", n)
	}
}

func TestNamesAndAddressesAreTrimmedAndComposed(t *testing.T) {
	w := newWorld(t)
	w.invite(`{"name":"  Ju\u0308rgen  ","email":" Juergen@Example.com ","external_id":"x"}`)
	c := parse[candidate](t, w.do(call{path: "/api/v1/candidates/x"}))
	if c.Name != "Jürgen" || c.Email != "Juergen@Example.com" {
		t.Errorf("got %q %q", c.Name, c.Email)
	}
}

func TestTheMediaTypeIsCheckedBeforeTheBody(t *testing.T) {
	w := newWorld(t)
	for mediaType, want := range map[string]int{
		"":                                  201,
		"application/json":                  201,
		"Application/JSON; charset=utf-8":   201,
		`application/json;charset="UTF-8"`:  201,
		"text/plain":                        415,
		"application/x-www-form-urlencoded": 415,
		"multipart/form-data; boundary=x":   415,
		"application/jsonp":                 415,
		"nonsense":                          415,
	} {
		r := w.do(call{path: "/api/v1/invites", body: `{` + person + `}`, header: []string{"Content-Type", mediaType}, invalid: true})
		if r.status != want {
			t.Errorf("%q: got %d, want %d: %s", mediaType, r.status, want, r.body)
		}
		if want == 415 && !strings.Contains(r.body, "Content-Type: application/json") {
			t.Errorf("%q: the answer lacks the remedy: %s", mediaType, r.body)
		}
	}
	r := w.do(call{path: "/api/v1/invites", body: `{}`, header: []string{"Content-Type", "application/json", "Content-Type", "text/plain"}, invalid: true})
	if r.status != 415 {
		t.Errorf("two media types: got %d", r.status)
	}
	r = w.do(call{path: "/api/v1/invites", body: "x", header: []string{"Content-Encoding", "gzip"}, invalid: true})
	if r.status != 415 {
		t.Errorf("a compressed body: got %d", r.status)
	}
}

func TestABodyMayHold64KiB(t *testing.T) {
	w := newWorld(t)
	body := func(size int) string {
		frame := fmt.Sprintf(`{%s,"pad":""}`, person)
		return fmt.Sprintf(`{%s,"pad":"%s"}`, person, strings.Repeat("x", size-len(frame)))
	}
	for size, want := range map[int]int{65536: 201, 65537: 413, 10 << 20: 413} {
		r := w.do(call{path: "/api/v1/invites", body: body(size), invalid: true})
		if r.status != want {
			t.Errorf("%d bytes: got %d, want %d: %.200s", size, r.status, want, r.body)
		}
	}
}

func TestABodyOfOddStringsDoesNotBecomeALargerAnswer(t *testing.T) {
	w := newWorld(t)
	r := w.do(call{path: "/api/v1/invites", body: `{"x":[` + strings.Repeat(`"\u0001",`, 7000) + `0]}`, invalid: true})
	if r.status != 400 || len(r.body) > 64<<10 {
		t.Errorf("got %d with %d bytes", r.status, len(r.body))
	}
}

func TestABodyThatDoesNotArriveEndsTheRequest(t *testing.T) {
	w := newWorld(t)
	server := httptest.NewUnstartedServer(w.handler)
	server.Config.ReadTimeout = 200 * time.Millisecond
	server.Start()
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /api/v1/invites HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{", w.key)
	back, err := io.ReadAll(conn) // ends when the server closes
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(back), "HTTP/1.1 400 ") || !strings.Contains(string(back), `"code":"invalid_input"`) {
		t.Errorf("got %s", back)
	}
	if n := w.candidates(); n != 0 {
		t.Errorf("%d candidates came of half a request", n)
	}
}
