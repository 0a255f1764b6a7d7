package n8n_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/server/servertest"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
)

// harness gives code of the workflow what n8n gives it: $json, the item before
// by $('Contact'), and $runIndex. A text that begins with = is an expression.
const harness = `
const value = ({ code, json, contact, runIndex }) => {
  const run = body => new Function('$json', '$', '$runIndex', body)(json, () => ({ item: { json: contact } }), runIndex)
  if (!code.startsWith('=')) return run(code)
  const whole = /^=\{\{((?:(?!\}\})[^])*)\}\}$/.exec(code)
  return whole ? run('return ' + whole[1]) : code.slice(1).replace(/\{\{(.*?)\}\}/g, (_, inner) => run('return ' + inner))
}
process.stdout.write(JSON.stringify(JSON.parse(require('fs').readFileSync(0, 'utf8')).map(value)))
`

// given is what a node of the workflow sees.
type given struct {
	Code     any `json:"code"`
	JSON     any `json:"json"`
	Contact  any `json:"contact"`
	RunIndex int `json:"runIndex"`
}

// run executes code and expressions of the workflow with Node.js and decodes
// what they give.
func run[T any](t *testing.T, all ...given) []T {
	t.Helper()
	if testing.Short() {
		t.Skip("Node.js: not with -short")
	}
	input, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "-e", harness)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.Stdin = bytes.NewReader(input)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var values []T
	if err := json.Unmarshal(out, &values); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return values
}

// fields fills the fields of a Set node.
func (w workflow) fields(t *testing.T, name string, in any) map[string]any {
	t.Helper()
	var names []string
	var all []given
	for _, a := range w.parameter(t, name, "assignments.assignments").([]any) {
		field := a.(map[string]any)
		names = append(names, field["name"].(string))
		all = append(all, given{Code: field["value"], JSON: in})
	}
	out := map[string]any{}
	for i, v := range run[any](t, all...) {
		out[names[i]] = v
	}
	return out
}

// branch is the output of "What came back?" that an answer takes.
func (w workflow) branch(t *testing.T, answer any, runIndex int) string {
	t.Helper()
	var keys []string
	var all []given
	for _, r := range w.parameter(t, "What came back?", "rules.values").([]any) {
		rule := r.(map[string]any)
		condition := rule["conditions"].(map[string]any)["conditions"].([]any)[0].(map[string]any)
		keys = append(keys, rule["outputKey"].(string))
		all = append(all, given{Code: condition["leftValue"], JSON: answer, RunIndex: runIndex})
	}
	if first := slices.Index(run[bool](t, all...), true); first >= 0 {
		return keys[first]
	}
	return w.parameter(t, "What came back?", "options.renameFallbackOutput").(string)
}

const difficult = `Jürgen "Ünsal" Müller-Größe & Söhne <b>😀</b> O'Neil`

// invite sends what "POST /api/v1/invites" would send and returns the answer as
// that node gives it on.
func (w workflow) invite(t *testing.T, site *servertest.Site, contact map[string]any) map[string]any {
	t.Helper()
	body := run[string](t, given{Code: w.parameter(t, "POST /api/v1/invites", "jsonBody"), Contact: contact})[0]
	req, err := http.NewRequest("POST", site.URL+"/api/v1/invites", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+site.Key)
	req.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 15 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer any
	if err := json.UnmarshalRead(resp.Body, &answer); err != nil {
		t.Fatal(err)
	}
	return map[string]any{"statusCode": resp.StatusCode, "body": answer}
}

func TestAContactBecomesALink(t *testing.T) {
	w, site := load(t), servertest.Start(t, storetest.OpenSQLite(t))
	contact := w.fields(t, "Contact", map[string]any{"body": map[string]any{"id": "crm-ü-42", "name": difficult, "email": "j@example.com"}})
	answer := w.invite(t, site, contact)
	if branch := w.branch(t, answer, 0); branch != "invited" {
		t.Fatalf("the answer %v goes to %q", answer, branch)
	}
	link := w.fields(t, "Link for the CRM", answer)
	if url, _ := link["invite_url"].(string); link["external_id"] != "crm-ü-42" || !strings.HasPrefix(url, site.URL+"/t/") {
		t.Errorf("the CRM gets %v", link)
	}
	c, _, err := site.Store.CandidateByRef(t.Context(), site.Account, "crm-ü-42", store.ByExternalID, store.AnyPosition)
	if err != nil || c.Name != difficult {
		t.Errorf("%q, %v", c.Name, err)
	}
	letters, err := site.Store.QueuedLetters(t.Context())
	if err != nil || letters > 0 {
		t.Errorf("%d letters, %v: the CRM brings the link itself", letters, err)
	}
}

func TestWhatCannotSucceedIsToldAndTheRestIsTriedAgain(t *testing.T) {
	w, site := load(t), servertest.Start(t, storetest.OpenSQLite(t))
	contact := map[string]any{"id": "crm-wrong", "name": "Ann Onym", "email": "no address"}
	answer := w.invite(t, site, contact)
	if branch := w.branch(t, answer, 0); branch != "not invited" {
		t.Errorf("the answer %v goes to %q", answer, branch)
	}
	message := run[string](t, given{Code: w.parameter(t, "Not invited", "errorMessage"), JSON: answer, Contact: contact})[0]
	if !strings.HasPrefix(message, "crm-wrong was not invited: 400 invalid_input email ") {
		t.Errorf("the message is %q", message)
	}
	for _, c := range []struct {
		answer   any
		runIndex int
		branch   string
		wait     float64
	}{
		{map[string]any{"statusCode": 429, "headers": map[string]any{"retry-after": "17"}}, 0, "again", 17},
		{map[string]any{"statusCode": 503, "headers": map[string]any{}, "data": "<html>"}, 4, "again", 30},
		{map[string]any{"error": map[string]any{"message": "connect ECONNREFUSED"}}, 0, "again", 30},
		{map[string]any{"statusCode": 429, "headers": map[string]any{"retry-after": "9999999"}}, 0, "again", 3600},
		{map[string]any{"statusCode": 503, "headers": map[string]any{}}, 5, "not invited", 0},
		{map[string]any{"statusCode": 200, "headers": map[string]any{}, "data": "<html>"}, 0, "not invited", 0},
		{map[string]any{"statusCode": 301, "headers": map[string]any{}}, 0, "not invited", 0},
	} {
		if branch := w.branch(t, c.answer, c.runIndex); branch != c.branch {
			t.Errorf("%v goes to %q, want %q", c.answer, branch, c.branch)
		}
		if c.branch != "again" {
			continue
		}
		if wait := run[float64](t, given{Code: w.parameter(t, "Wait as told", "amount"), JSON: c.answer})[0]; wait != c.wait {
			t.Errorf("%v waits %v s, want %v s", c.answer, wait, c.wait)
		}
	}
}

// delivery is a request as the Webhook node gives it on.
type delivery struct {
	header http.Header
	body   []byte
}

// receive finishes a test and returns the delivery that Typus makes of it.
func receive(t *testing.T, start func(testing.TB, *store.Store) *servertest.Site) (delivery, string) {
	t.Helper()
	got := make(chan delivery, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- delivery{r.Header, body}
	}))
	t.Cleanup(receiver.Close)
	site := start(t, storetest.OpenSQLite(t))
	_, secret, err := site.Accounts.CreateEndpoint(t.Context(), site.Account, receiver.URL, "", typus.Actor{Name: "operator"})
	if err != nil {
		t.Fatal(err)
	}
	invited, _, err := site.Steps.Invite(t.Context(), site.Account, assess.Invitation{Name: difficult, Email: "j@example.com", ExternalID: "crm-ü-42"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var answers []assess.Given
	for i, item := range instrument.Own().Items() {
		answers = append(answers, assess.Given{ItemID: item.ID, Value: 2 + i%4, ActiveMS: 4000})
	}
	if err := site.Steps.FinishFor(t.Context(), site.Account, invited.Candidate.ID, answers, "operator"); err != nil {
		t.Fatal(err)
	}
	select {
	case d := <-got:
		return d, secret
	case <-time.After(2 * time.Minute):
		t.Fatal("no delivery came")
		return delivery{}, ""
	}
}

// verdict is what "Verify" says.
type verdict struct {
	JSON struct {
		Signed    bool   `json:"signed"`
		WebhookID string `json:"webhook_id"`
		Event     any    `json:"event"`
	} `json:"json"`
}

// verify runs "Verify" on a delivery, with the HMAC of the raw body that the
// Crypto node would make.
func (w workflow) verify(t *testing.T, d delivery, secret string) verdict {
	t.Helper()
	headers := map[string]string{}
	for name, values := range d.header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	var body any
	if err := json.Unmarshal(d.body, &body); err != nil {
		t.Fatal(err)
	}
	hmac := strings.TrimPrefix(webhook.Sign(secret, d.body), "sha256=")
	return run[verdict](t, given{Code: w.parameter(t, "Verify", "jsCode"), JSON: map[string]any{"headers": headers, "body": body, "hmac": hmac}})[0]
}

// In test mode nothing is different but the key and the secret.
func TestADeliveryOfTestModeIsVerifiedAndBecomesAResult(t *testing.T) {
	becomesAResult(t, servertest.StartInTestMode)
}

func TestARealDeliveryIsVerifiedAndBecomesAResult(t *testing.T) {
	becomesAResult(t, servertest.Start)
}

func becomesAResult(t *testing.T, start func(testing.TB, *store.Store) *servertest.Site) {
	t.Helper()
	w := load(t)
	d, secret := receive(t, start)
	v := w.verify(t, d, secret)
	if !v.JSON.Signed || v.JSON.WebhookID != d.header.Get("webhook-id") || v.JSON.WebhookID == "" {
		t.Fatalf("the verdict is %+v", v)
	}
	result := w.fields(t, "Result for the CRM", map[string]any{"event": v.JSON.Event})
	overall, isNumber := result["overall"].(float64)
	if result["name"] != difficult || result["external_id"] != "crm-ü-42" || !isNumber || overall < 1 || result["fit"] == nil || result["persona"] == nil || result["report_url"] == nil {
		t.Errorf("the CRM gets %v", result)
	}

	rotating := delivery{d.header.Clone(), d.body}
	rotating.header.Set("X-Service-Signature-Alt", rotating.header.Get("X-Service-Signature"))
	rotating.header.Set("X-Service-Signature", webhook.Sign("whsec_old", d.body))
	if v := w.verify(t, rotating, secret); !v.JSON.Signed {
		t.Error("a delivery is refused while the secret is being changed")
	}
}

func TestAForgedDeliveryIsRefused(t *testing.T) {
	w := load(t)
	d, secret := receive(t, servertest.Start)
	right := d.header.Get("X-Service-Signature")
	altered := bytes.Replace(d.body, []byte("crm-"), []byte("CRM-"), 1)
	for name, try := range map[string]struct {
		body      []byte
		signature string
	}{
		"another secret":   {d.body, webhook.Sign("whsec_other", d.body)},
		"an altered body":  {altered, right},
		"no signature":     {d.body, ""},
		"half a signature": {d.body, right[:20]},
		"a longer one":     {d.body, right + "0"},
		"upper case":       {d.body, "sha256=" + strings.ToUpper(right[7:])},
		"undefined":        {d.body, "sha256=undefined"},
	} {
		forged := delivery{d.header.Clone(), try.body}
		forged.header.Set("X-Service-Signature", try.signature)
		if v := w.verify(t, forged, secret); v.JSON.Signed || v.JSON.Event != nil {
			t.Errorf("%s: the verdict is %+v", name, v)
		}
	}
}
