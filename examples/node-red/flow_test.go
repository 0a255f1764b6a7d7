package nodered_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/porttest"
	"typus/internal/server/servertest"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
)

// crmToken is what the CRM shows to the flow.
const crmToken = "the-token-of-the-crm"

// crm is the customer's system: what the flow tells it, and what it tells the flow.
type crm struct {
	*httptest.Server
	told chan message
}

type message struct {
	path string
	body []byte
}

func newCRM(t *testing.T) *crm {
	c := &crm{told: make(chan message, 100)}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.told <- message{r.URL.Path, body}
	}))
	t.Cleanup(c.Close)
	return c
}

// next is the next thing the flow tells the CRM, which must be of the kind told.
func (c *crm) next(t *testing.T, path string, v any) {
	t.Helper()
	select {
	case m := <-c.told:
		if m.path != path {
			t.Fatalf("the CRM got %s %s, want %s", m.path, m.body, path)
		}
		if err := json.Unmarshal(m.body, v); err != nil {
			t.Fatalf("the CRM got %s: %v", m.body, err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatalf("the CRM got no %s", path)
	}
}

// gate stands before the server and can refuse some requests first.
type gate struct {
	*httptest.Server
	refusals chan func(http.ResponseWriter)
	asked    chan time.Time
}

func newGate(t *testing.T, target string) *gate {
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{refusals: make(chan func(http.ResponseWriter), 10), asked: make(chan time.Time, 100)}
	proxy := httputil.NewSingleHostReverseProxy(to)
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.asked <- time.Now()
		select {
		case refuse := <-g.refusals:
			refuse(w)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(g.Close)
	return g
}

// world is a Typus server, a Node-RED with the flow, and the CRM on its other side.
type world struct {
	site   *servertest.Site
	gate   *gate
	crm    *crm
	flow   *nodeRED
	secret string
}

func start(t *testing.T) *world {
	t.Helper()
	return startOn(t, servertest.Start)
}

func startOn(t *testing.T, site func(testing.TB, *store.Store) *servertest.Site) *world {
	t.Helper()
	if testing.Short() {
		t.Skip("Node-RED: not with -short")
	}
	w := &world{site: site(t, storetest.OpenSQLite(t)), crm: newCRM(t)}
	w.gate = newGate(t, w.site.URL)
	_, port, _ := strings.Cut(porttest.Free(t), ":")
	var err error
	if _, w.secret, err = w.site.Accounts.CreateEndpoint(t.Context(), w.site.Account, "http://127.0.0.1:"+port+"/typus", "", typus.Actor{Name: "operator"}); err != nil {
		t.Fatal(err)
	}
	w.flow = startNodeRED(t, port, connected(t, w.crm.URL),
		"ASSESSMENT_URL="+w.gate.URL, "ASSESSMENT_API_KEY="+w.site.Key, "ASSESSMENT_WEBHOOK_SECRET="+w.secret, "ASSESSMENT_CRM_TOKEN="+crmToken)
	return w
}

// post sends a body to the flow and returns the status of its answer.
func (w *world) post(t *testing.T, path string, body []byte, headers ...string) int {
	t.Helper()
	req, err := http.NewRequest("POST", w.flow.url+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{Timeout: 15 * time.Second} // as Typus waits
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

func (w *world) contact(t *testing.T, id, name, email string) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"id": id, "name": name, "email": email})
	if err != nil {
		t.Fatal(err)
	}
	if status := w.post(t, "/crm/contact", body, "Authorization", "Bearer "+crmToken); status != http.StatusAccepted {
		t.Fatalf("the flow answered the CRM %d", status)
	}
}

type link struct {
	ExternalID string `json:"external_id"`
	InviteURL  string `json:"invite_url"`
}

type result struct {
	ExternalID string   `json:"external_id"`
	Name       string   `json:"name"`
	Overall    int      `json:"overall"`
	Fit        string   `json:"fit"`
	Persona    string   `json:"persona"`
	Warnings   []string `json:"warnings"`
	ReportURL  string   `json:"report_url"`
}

type failure struct {
	ExternalID string `json:"external_id"`
	Status     int    `json:"status"`
	Code       string `json:"code"`
	Detail     string `json:"detail"`
}

// finish walks the test of the candidate for an operator and returns the
// internal id and the score.
func (w *world) finish(t *testing.T, externalID string) (int64, int) {
	t.Helper()
	c, _, err := w.site.Store.CandidateByRef(t.Context(), w.site.Account, externalID, store.ByExternalID, store.AnyPosition)
	if err != nil {
		t.Fatal(err)
	}
	var given []assess.Given
	for i, item := range instrument.Own().Items() {
		given = append(given, assess.Given{ItemID: item.ID, Value: 2 + i%4, ActiveMS: 4000})
	}
	if err := w.site.Steps.FinishFor(t.Context(), w.site.Account, c.ID, given, "operator"); err != nil {
		t.Fatal(err)
	}
	if c, err = w.site.Store.Candidate(t.Context(), w.site.Account, c.ID); err != nil {
		t.Fatal(err)
	}
	return c.ID, c.Scores.Overall
}

const difficult = `Jürgen "Ünsal" Müller-Größe & Söhne <b>😀</b> O'Neil`

// connects brings a contact to the test and the result back.
func (w *world) connects(t *testing.T) {
	t.Run("a contact of the CRM becomes a link", func(t *testing.T) {
		w.contact(t, "crm-ü-42", difficult, "juergen@example.com")
		var got link
		w.crm.next(t, "/link", &got)
		if got.ExternalID != "crm-ü-42" || !strings.HasPrefix(got.InviteURL, w.site.URL+"/t/") {
			t.Errorf("got %+v", got)
		}
		letters, err := w.site.Store.QueuedLetters(t.Context())
		if err != nil || letters > 0 {
			t.Errorf("%d letters, %v: the CRM brings the link itself", letters, err)
		}
	})

	t.Run("a finished test becomes a result, verified and once", func(t *testing.T) {
		id, overall := w.finish(t, "crm-ü-42")
		var got result
		w.crm.next(t, "/result", &got)
		if got.ExternalID != "crm-ü-42" || got.Name != difficult || got.Overall != overall || got.Fit == "" || got.Persona == "" || got.Warnings == nil || got.ReportURL != w.site.URL+"/dashboard/kandidat/"+strconv.FormatInt(id, 10) {
			t.Errorf("got %+v, overall is %d", got, overall)
		}
	})
}

// In test mode nothing is different but the key and the secret.
func TestTheFlowWorksInTestMode(t *testing.T) {
	w := startOn(t, servertest.StartInTestMode)
	w.connects(t)
}

func TestTheFlowInvitesAndTakesVerifiedResults(t *testing.T) {
	w := start(t)
	w.connects(t)

	t.Run("a delivery that comes twice counts once", func(t *testing.T) {
		first, second := completed("once"), completed("another")
		for range 3 {
			if status := w.deliver(t, "evt_once", first); status != http.StatusNoContent {
				t.Errorf("answered %d", status)
			}
		}
		w.deliver(t, "evt_another", second)
		for _, want := range []string{"once", "another"} {
			var got result
			if w.crm.next(t, "/result", &got); got.ExternalID != want {
				t.Errorf("the CRM got %q, want %q", got.ExternalID, want)
			}
		}
	})

	t.Run("a forged delivery is refused", func(t *testing.T) { w.forge(t) })

	t.Run("a full rate limit and an outage delay an invitation", func(t *testing.T) { w.delay(t) })

	t.Run("an invitation that cannot be made is told", func(t *testing.T) {
		w.contact(t, "crm-wrong", "Ann Onym", "no address")
		var got failure
		if w.crm.next(t, "/failed", &got); got.ExternalID != "crm-wrong" || got.Status != 400 || got.Code != "invalid_input" || got.Detail == "" {
			t.Errorf("got %+v", got)
		}
	})

	t.Run("only the CRM may invite", func(t *testing.T) { w.intrude(t) })

	t.Run("the commands of the README do what it says", func(t *testing.T) {
		commands := shellBlocks(readme(t))
		if len(commands) != 2 {
			t.Fatalf("the README has %d commands", len(commands))
		}
		if status := w.shell(t, commands[0]); status != "202" {
			t.Errorf("being the CRM: %q", status)
		}
		var got link
		if w.crm.next(t, "/link", &got); got.ExternalID != "crm-42" {
			t.Errorf("got %+v", got)
		}
		if status := w.shell(t, commands[1]); status != "401" {
			t.Errorf("forging: %q", status)
		}
	})

	if log := w.flow.printed(); strings.Contains(log, w.site.Key) || strings.Contains(log, w.secret) || strings.Contains(log, crmToken) {
		t.Error("the log of Node-RED holds a key")
	}
}

// delay refuses an invitation twice. The flow asks again when it was told to,
// not before, and until it has the link.
func (w *world) delay(t *testing.T) {
	for len(w.gate.asked) > 0 {
		<-w.gate.asked
	}
	w.gate.refusals <- func(rw http.ResponseWriter) {
		rw.Header().Set("Retry-After", "3")
		http.Error(rw, `{"ok":false,"code":"rate_limited"}`, http.StatusTooManyRequests)
	}
	w.gate.refusals <- func(rw http.ResponseWriter) { http.Error(rw, "<html>Bad Gateway", http.StatusBadGateway) }
	w.contact(t, "crm-late", "Léa Dupont", "lea@example.com")
	var got link
	if w.crm.next(t, "/link", &got); got.ExternalID != "crm-late" || len(w.gate.asked) != 3 {
		t.Fatalf("got %+v after %d requests", got, len(w.gate.asked))
	}
	// A timer of Node.js may ring some milliseconds early.
	refused, again := <-w.gate.asked, <-w.gate.asked
	if waited := again.Sub(refused); waited < 2900*time.Millisecond {
		t.Errorf("asked again after %v", waited)
	}
}

// completed is the body of a delivery about a candidate.
func completed(externalID string) []byte {
	return []byte(`{"event":"candidate.completed","data":{"candidate":{"id":42,"name":"Jürgen Müller & Söhne <b>😀","email":"j@example.com","external_id":"` + externalID +
		`"},"scores":{"overall":81,"fit":{"key":"A","label":"…"},"archetype":{"key":"hunter","name":"…","subtitle":"…"},"dimensionScores":[],"warnings":[]},"reportUrl":"https://typus.example.com/dashboard/kandidat/42"},"timestamp":"2026-01-02T03:04:05.678Z"}`)
}

func (w *world) deliver(t *testing.T, id string, body []byte) int {
	t.Helper()
	return w.post(t, "/typus", body, "webhook-id", id, "X-Service-Signature", webhook.Sign(w.secret, body))
}

// forge tries what a stranger can send. What got through would reach the CRM
// before the one signed delivery that follows.
func (w *world) forge(t *testing.T) {
	body := completed("forged")
	right := webhook.Sign(w.secret, body)
	altered := bytes.Replace(body, []byte("81"), []byte("99"), 1)
	for name, try := range map[string]struct {
		body      []byte
		signature string
	}{
		"another secret":      {body, webhook.Sign("whsec_other", body)},
		"an altered body":     {altered, right},
		"a space more":        {append(bytes.Clone(body), ' '), right},
		"no signature":        {body, ""},
		"half a signature":    {body, right[:20]},
		"upper-case digits":   {body, "sha256=" + strings.ToUpper(right[7:])},
		"no body":             {nil, right},
		"a signature of text": {body, "sha256=true"},
	} {
		if status := w.post(t, "/typus", try.body, "webhook-id", "evt_forged", "X-Service-Signature", try.signature); status != http.StatusUnauthorized {
			t.Errorf("%s: answered %d", name, status)
		}
	}
	// Node-RED finds the path in any case but keeps the raw body for the exact one.
	if status := w.post(t, "/TYPUS", body, "webhook-id", "evt_forged", "X-Service-Signature", right); status != http.StatusInternalServerError {
		t.Errorf("a parsed body was answered %d", status)
	}
	w.deliver(t, "evt_genuine", completed("genuine"))
	var got result
	if w.crm.next(t, "/result", &got); got.ExternalID != "genuine" {
		t.Errorf("the CRM got %q", got.ExternalID)
	}
}

func (w *world) intrude(t *testing.T) {
	body := []byte(`{"id":"intruder","name":"Ann Onym","email":"ann@example.com"}`)
	for _, header := range []string{"", "Bearer ", "Bearer wrong", "Basic " + crmToken} {
		if status := w.post(t, "/crm/contact", body, "Authorization", header); status != http.StatusUnauthorized {
			t.Errorf("%q: answered %d", header, status)
		}
	}
	for _, body := range []string{`{}`, `[]`, `{"id":"x","name":"Ann"}`, `{"id":"","name":"Ann","email":"ann@example.com"}`} {
		if status := w.post(t, "/crm/contact", []byte(body), "Authorization", "Bearer "+crmToken); status != http.StatusBadRequest {
			t.Errorf("%s: answered %d", body, status)
		}
	}
	w.contact(t, "crm-last", "Ann Onym", "ann@example.com")
	var got link
	if w.crm.next(t, "/link", &got); got.ExternalID != "crm-last" {
		t.Errorf("got %+v", got)
	}
}
