package dashboard

import (
	"context"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/courier"
	"typus/internal/store"
	"typus/internal/waittest"
	"typus/internal/webhook"
)

// receiver is somebody's server that takes deliveries.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	answer string
	got    []received
}

type received struct {
	header http.Header
	body   []byte
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{status: 204}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, received{req.Header, body})
		w.WriteHeader(r.status)
		fmt.Fprint(w, r.answer)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) says(status int, answer string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.answer = status, answer
}

func (r *receiver) requests() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// deliver runs a courier until the returned function is called.
func (w *world) deliver() (stop func()) {
	w.Helper()
	client, err := webhook.NewClient(webhook.ClientOptions{Guard: w.face.Guard, BaseURL: w.server.URL})
	w.Must(err)
	w.face.testWait = 0 // what is sent comes to an end
	c := courier.New(courier.Options{Store: w.Store, Client: client, Box: w.face.Box, BaseURL: w.server.URL, Clock: w.Clock.Now, Log: slog.New(slog.NewJSONHandler(&w.logs, nil))})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { c.Run(ctx); close(done) }()
	stop = sync.OnceFunc(func() {
		cancel()
		<-done
		client.Close()
		w.face.testWait = time.Millisecond
	})
	w.Cleanup(stop)
	return stop
}

func (w *world) newEndpoint(address string) (id int64, secret string) {
	w.Helper()
	id, secret, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, address, "CRM", typus.Actor{Name: "operator"})
	w.Must(err)
	return id, secret
}

func TestAWebhookIsMadeChangedAndDeleted(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(admin)
		c.get(endpointsPath).want(t, 200, "Noch kein Webhook", "&#34;event&#34;: &#34;candidate.completed&#34;", "&#34;test&#34;: true", "127.0.0.0/8")
		a := c.post(endpointsPath+"/neu", url.Values{"url": {" https://Hooks.Example.com/typus?key=sekret "}, "description": {"CRM <b>"}})
		made := c.follow(a).want(t, 200, "Der Webhook ist angelegt", "CRM &lt;b&gt;", "https://hooks.example.com/typus?key=sekret")
		secret := secretIn(made)
		page := a.Header.Get("Location")
		if again := c.get(page).want(t, 200); secret == "" || secretIn(again) != "" {
			t.Error("the secret is not shown exactly once")
		}
		c.get(page+"/bearbeiten").want(t, 200, "https://hooks.example.com/typus?key=sekret")
		c.post(page+"/bearbeiten", url.Values{"url": {"https://other.example.com:9999x/"}}).want(t, 422, `aria-invalid="true"`, "9999x")
		c.follow(c.post(page+"/bearbeiten", url.Values{"url": {"https://other.example.com/?key=sekret"}, "description": {""}})).want(t, 200, "Die Änderungen sind gespeichert", "<h1>other.example.com</h1>")
		c.get(page+"/loeschen").want(t, 200, "other.example.com")
		c.follow(c.post(page+"/loeschen", nil)).want(t, 200, "Der Webhook ist gelöscht", "Noch kein Webhook")
		c.get(page).want(t, 404)
		lines := fmt.Sprint(w.settingsActions())
		if lines != "[webhook.deleted 1 other.example.com webhook.changed 1 hooks.example.com webhook.created 1 hooks.example.com]" {
			t.Errorf("audit log: %s", lines)
		}
		if logs := w.logs.String(); strings.Contains(logs, secret) || strings.Contains(logs, "sekret") {
			t.Error("the log holds a secret")
		}
	})
}

func TestEveryRefusalOfTheGuardIsSaidInBothLanguages(t *testing.T) {
	w := newWorld(t)
	strict := webhook.NewGuard(webhook.Policy{OwnListeners: []string{"typus.example.com:443"}})
	addresses := map[webhook.Refusal]string{
		webhook.RefusedLength: "https://hooks.example.com/" + strings.Repeat("a", 2048), webhook.RefusedCharacters: "https://hooks.exa mple.com/",
		webhook.RefusedForm: "hooks.example.com", webhook.RefusedScheme: "ftp://hooks.example.com/a", webhook.RefusedHTTP: "http://hooks.example.com/a",
		webhook.RefusedUserinfo: "https://user:pw@hooks.example.com/a", webhook.RefusedFragment: "https://hooks.example.com/#a", webhook.RefusedHost: "https://-a.example.com/",
		webhook.RefusedNumber: "https://2130706433/", webhook.RefusedPort: "https://hooks.example.com:99999/", webhook.RefusedClosedPort: "https://hooks.example.com:25/",
		webhook.RefusedLocalName: "https://db/", webhook.RefusedPrivate: "https://10.0.0.1/", webhook.RefusedPrivateHTTP: "http://10.0.0.1/", webhook.RefusedOwn: "https://typus.example.com/a",
	}
	for refusal, key := range refusalKeys {
		if _, err := strict.CheckURL(addresses[refusal]); err == nil || !strings.Contains(err.Error(), refusal.Error()) {
			t.Errorf("%s: %q is refused with %v", refusal, addresses[refusal], err)
		}
		for _, lang := range []string{"de", "en"} {
			said, err := w.face.pages.Text(lang, key)
			w.Must(err)
			for _, setting := range []string{"TYPUS_WEBHOOK_ALLOW_HTTP", "TYPUS_WEBHOOK_ALLOW_NETS", "TYPUS_WEBHOOK_ALLOW_PORTS"} {
				if strings.Contains(refusal.Error(), setting) != strings.Contains(said, setting) {
					t.Errorf("%s in %s does not name %s as the guard does: %s", refusal, lang, setting, said)
				}
			}
		}
	}
	if len(addresses) != len(refusalKeys) {
		t.Errorf("%d refusals have words, want %d", len(refusalKeys), len(addresses))
	}
	c := w.as(owner)
	c.post(endpointsPath+"/neu", url.Values{"url": {"https://10.0.0.1/a"}}).want(t, 422, "TYPUS_WEBHOOK_ALLOW_NETS", `value="https://10.0.0.1/a"`)
}

func TestAnAccountHasTenWebhooksAtMost(t *testing.T) {
	w := newWorld(t)
	for range 10 {
		w.newEndpoint("https://hooks.example.com/")
	}
	c := w.as(owner)
	if a := c.get(endpointsPath).want(t, 200, "Mehr als 10 Webhooks"); strings.Contains(a.body, endpointsPath+"/neu") {
		t.Error("an eleventh is offered")
	}
	c.follow(c.post(endpointsPath+"/neu", url.Values{"url": {"https://hooks.example.com/"}})).want(t, 200, "notice-alert", "Mehr als 10 Webhooks")
}

// hookRoutes are the routes about one webhook: method and what follows its page.
var hookRoutes = [][2]string{
	{"GET", ""}, {"GET", "/bearbeiten"}, {"POST", "/bearbeiten"}, {"POST", "/pausieren"}, {"POST", "/fortsetzen"}, {"GET", "/loeschen"}, {"POST", "/loeschen"},
	{"GET", "/geheimnis"}, {"POST", "/geheimnis"}, {"POST", "/geheimnis/wechseln"}, {"POST", "/geheimnis/umstellen"}, {"GET", "/geheimnis/beenden"}, {"POST", "/geheimnis/beenden"}, {"POST", "/test"},
}

func TestWebhooksOfAnotherAccountAreMissing(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		mine, _ := w.newEndpoint("https://mine.example.com/")
		theirs := w.newAccount("Andere GmbH")
		foreign, _, err := w.Accounts.CreateEndpoint(w.Ctx, theirs, "https://theirs.example.com/", "Geheim", typus.Actor{Name: "operator"})
		w.Must(err)
		delivery, err := w.Accounts.TestEndpoint(w.Ctx, theirs, foreign, typus.Actor{Name: "operator"})
		w.Must(err)
		c := w.as(owner)
		form := url.Values{"url": {"https://new.example.com/"}, "password": {"x"}}
		for _, r := range append(hookRoutes, [2]string{"GET", "/test/" + delivery}) {
			unknown := c.do(r[0], endpointsPath+"/987654321"+r[1], form).want(t, 404).body
			other := c.do(r[0], endpointPath(foreign)+r[1], form).want(t, 404).body
			if strings.ReplaceAll(unknown, "987654321", "N") != strings.ReplaceAll(other, "/"+fmt.Sprint(foreign), "/N") {
				t.Errorf("%s %s: another account's webhook looks otherwise than one that is not there", r[0], r[1])
			}
		}
		c.get(endpointPath(mine)+"/test/"+delivery).want(t, 404)
		e, err := w.Store.Endpoint(w.Ctx, theirs, foreign)
		if err != nil || e.Status != typus.EndpointActive || e.URL != "https://theirs.example.com/" {
			t.Errorf("another account's webhook is now %+v, %v", e, err)
		}
		if strings.Contains(c.get(endpointsPath).body, "theirs.example.com") {
			t.Error("another account's webhook is listed")
		}
	})
}

func TestMembersAndViewersSeeNoSecretsAndNoPaths(t *testing.T) {
	w := newWorld(t)
	id, _ := w.newEndpoint("https://hooks.example.com/T0/sekret")
	for _, role := range []typus.UserRole{viewer, member} {
		c := w.as(role)
		if a := c.get(endpointsPath).want(t, 200, "hooks.example.com", "Aktiv"); strings.Contains(a.body, "sekret") || strings.Contains(a.body, endpointPath(id)) {
			t.Errorf("a %s sees the whole address or is led where they may not", role)
		}
		for _, r := range append(hookRoutes, [2]string{"GET", "/test/dlv_1"}) {
			c.do(r[0], endpointPath(id)+r[1], url.Values{}).want(t, 403)
		}
		c.post(endpointsPath+"/neu", url.Values{"url": {"https://x.example.com/"}}).want(t, 403)
		w.Must(w.Accounts.DeleteEndpoint(w.Ctx, w.Account, id, typus.Actor{Name: "operator"}))
		if a := c.get(endpointsPath).want(t, 200, "Noch kein Webhook"); strings.Contains(a.body, "candidate.completed") {
			t.Errorf("a %s sees a payload", role)
		}
		id, _ = w.newEndpoint("https://hooks.example.com/T0/sekret")
	}
}

func TestASecretIsShownOnlyAfterThePassword(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		id, secret := w.newEndpoint("https://hooks.example.com/")
		w.person("ada@example.com", typus.RoleAdmin)
		c := w.loggedIn("ada@example.com")
		page := endpointPath(id) + "/geheimnis"
		// A moment after the login the password need not be given again.
		if a := c.get(page).want(t, 200, "Geheimnis anzeigen"); strings.Contains(a.body, `type="password"`) {
			t.Error("the password is asked for a moment after the login")
		}
		if a := c.follow(c.post(page, nil)).want(t, 200); secretIn(a) != secret {
			t.Error("the secret is not shown")
		}
		w.Later(5 * time.Minute)
		c.get(page).want(t, 200, `type="password"`, `autocomplete="current-password"`)
		c.post(page, nil).want(t, 422, "Das ist nicht Ihr Passwort.")
		if a := c.post(page, url.Values{"password": {"not the password"}}).want(t, 422, "Das ist nicht Ihr Passwort."); strings.Contains(a.body, "not the password") {
			t.Error("the password is sent back")
		}
		shown := c.follow(c.post(page, url.Values{"password": {goodPassword}})).want(t, 200, "Aktuelles Geheimnis")
		if secretIn(shown) != secret || secretIn(c.get(endpointPath(id))) != "" {
			t.Error("the secret is not shown exactly once")
		}
		w.Later(5 * time.Minute)
		for range 6 {
			c.post(page, url.Values{"password": {"not the password"}})
		}
		if a := c.post(page, url.Values{"password": {goodPassword}}).want(t, 429, "Bitte warten Sie"); a.Header.Get("Retry-After") == "" {
			t.Error("a refusal does not say when to come back")
		}
		shows := 0
		for _, line := range w.settingsShown() {
			if line == "webhook.secret_shown" {
				shows++
			}
		}
		if shows != 2 {
			t.Errorf("%d lines about two showings", shows)
		}
		if strings.Contains(w.logs.String(), secret) {
			t.Error("the log holds the secret")
		}
	})
}

// settingsShown are the actions of the audit log, newest first.
func (w *world) settingsShown() []string {
	w.Helper()
	entries, err := w.Store.Audit(w.Ctx, w.Account, 200)
	w.Must(err)
	var list []string
	for _, e := range entries {
		list = append(list, string(e.Action))
	}
	return list
}

func TestATestEventIsDeliveredOnceAndItsOutcomeShown(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		id, secret := w.newEndpoint(r.URL + "/typus")
		stop := w.deliver()
		c := w.as(admin)
		r.says(200, "danke <b>sehr</b>")
		c.follow(c.post(endpointPath(id)+"/test", nil)).want(t, 200, "Das Testereignis ist angekommen", "<strong>200</strong>", "danke &lt;b&gt;sehr&lt;/b&gt;")
		r.says(500, "\xff\xfe\x00kaputt")
		c.follow(c.post(endpointPath(id)+"/test", nil)).want(t, 200, "nicht angekommen", "Beim Empfänger ist ein Fehler aufgetreten", "<strong>500</strong>", "//4Aa2FwdXR0")
		stop()
		got := r.requests()
		if len(got) != 2 {
			t.Fatalf("%d requests arrived, want 2: a test is not repeated", len(got))
		}
		for _, g := range got {
			body := string(g.body)
			if !webhook.Verify(secret, g.header.Get("X-Service-Signature"), g.body) || webhook.VerifyStandard(secret, g.header, g.body, w.Now()) != nil {
				t.Error("a signature does not verify")
			}
			if !strings.HasPrefix(body, `{"event":"candidate.completed","data":{"candidate":{"id":0,`) || !strings.HasSuffix(body, `,"test":true}`) || strings.Contains(body, typus.DoubtfulAnswers) {
				t.Errorf("body: %s", body)
			}
			if g.header.Get("X-Service-Event") != "candidate.completed" || g.header.Get("X-Service-Attempt") != "1" {
				t.Errorf("headers: %v", g.header)
			}
		}
		if balance, err := w.Store.Account(w.Ctx, w.Account); err != nil || balance.Credits != 10 {
			t.Errorf("a test cost credits: %+v", balance)
		}
		for range 3 {
			c.post(endpointPath(id)+"/test", nil).want(t, 303)
		}
		c.follow(c.post(endpointPath(id)+"/test", nil)).want(t, 200, "Höchstens fünf Testereignisse in der Minute. Bitte warten Sie 60 Sekunden.")
		w.Later(time.Minute)
		c.follow(c.post(endpointPath(id)+"/test", nil)).want(t, 200, "Es gibt noch keine Antwort")
		w.Must(w.Accounts.PauseEndpoint(w.Ctx, w.Account, id, typus.Actor{Name: "operator"}))
		c.follow(c.post(endpointPath(id)+"/test", nil)).want(t, 200, "Der Webhook ist ausgeschaltet")
	})
}

// A test event names what was typed, and its link opens a report of the same figures.
func TestATestEventCarriesAnExternalIDAndLinksToASample(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		id, _ := w.newEndpoint(r.URL)
		w.deliver()
		c := w.as(admin)
		c.get(endpointPath(id)).want(t, 200, `value="TEST-1"`)
		for i, typed := range []string{"TEST-1", " crm-42 <b> ", ""} {
			c.follow(c.post(endpointPath(id)+"/test", url.Values{"external_id": {typed}})).want(t, 200, "ist angekommen")
			want := map[int]string{0: `"external_id":"TEST-1"`, 1: `"external_id":"crm-42 <b>"`, 2: `"external_id":null`}[i]
			if body := string(r.requests()[i].body); !strings.Contains(body, want) {
				t.Errorf("%q: %s", typed, body)
			}
		}
		long := strings.Repeat("x", 256)
		c.post(endpointPath(id)+"/test", url.Values{"external_id": {long}}).want(t, 422, "external_id-fault", long)
		c.post(endpointPath(id)+"/test", url.Values{"external_id": {"a\x01b"}}).want(t, 422, "external_id-fault")
		var sent struct {
			Data struct {
				Scores    struct{ Overall int }
				ReportURL string `json:"reportUrl"`
			}
		}
		w.Must(json.Unmarshal(r.requests()[0].body, &sent, json.MatchCaseInsensitiveNames(true)))
		link, found := strings.CutPrefix(sent.Data.ReportURL, w.server.URL)
		if !found || sent.Data.Scores.Overall == 0 {
			t.Fatalf("%+v", sent)
		}
		for _, role := range []typus.UserRole{interviewer, viewer, member, admin, owner} {
			w.as(role).get(link).want(t, 200, "Beispielbericht", "Diese Person gibt es nicht", "Jana Beispiel", fmt.Sprintf("<strong>%d</strong>", sent.Data.Scores.Overall))
		}
	})
}

// Somebody who tries things out switches nothing off.
func TestTestEventsThatFailDoNotCountAsFailing(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		r.says(500, "")
		id, _ := w.newEndpoint(r.URL)
		w.deliver()
		c := w.as(admin)
		for range 5 {
			c.follow(c.post(endpointPath(id)+"/test", nil)).want(t, 200, "nicht angekommen")
		}
		e, err := w.Store.Endpoint(w.Ctx, w.Account, id)
		if err != nil || e.Status != typus.EndpointActive || e.ConsecutiveFailures != 0 || !e.FirstFailureAt.IsZero() {
			t.Errorf("%+v, %v", e, err)
		}
		c.get(endpointPath(id)).want(t, 200, "Aktiv</span>", "nichts zuzustellen")
	})
}

func TestAPausedWebhookHoldsItsResultsAndResumesWithAProbe(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		id, _ := w.newEndpoint(r.URL)
		c := w.as(owner)
		c.follow(c.post(endpointPath(id)+"/pausieren", nil)).want(t, 200, "Der Webhook pausiert", "Pausiert</span>")
		c.follow(c.post(endpointPath(id)+"/pausieren", nil)).want(t, 200, "schon ausgeschaltet")
		w.report()
		w.report()
		c.get(endpointsPath).want(t, 200, "2 zurückgehalten", "Ergebnisse werden zurückgehalten")
		c.get(endpointPath(id)).want(t, 200, "2 Ergebnisse wurden zurückgehalten")
		c.follow(c.post(endpointPath(id)+"/fortsetzen", url.Values{"held": {"send"}})).want(t, 200, "wieder eingeschaltet", "Wird geprüft")
		c.follow(c.post(endpointPath(id)+"/fortsetzen", nil)).want(t, 200, "schon eingeschaltet")
		w.deliver()
		waittest.Until(w, "all has arrived", func() bool { return len(r.requests()) == 3 })
		if first := r.requests()[0].body; !strings.Contains(string(first), `"test":true`) {
			t.Errorf("first came %s", first)
		}
		waittest.Until(w, "the arrivals are written down", func() bool { return strings.Contains(c.get(endpointsPath).body, "2 von 2") })
		c.get(endpointsPath).want(t, 200, "Aktiv</span>", "2 von 2")

		w.Must(w.Accounts.PauseEndpoint(w.Ctx, w.Account, id, typus.Actor{Name: "operator"}))
		w.report()
		c.post(endpointPath(id)+"/fortsetzen", url.Values{"held": {"drop"}}).want(t, 303)
		waittest.Until(w, "the probe has arrived", func() bool { return len(r.requests()) == 4 })
		rates, err := w.Store.EndpointRates(w.Ctx, w.Account, time.Now(), time.Now())
		if err != nil || rates[0].Held+rates[0].Waiting != 0 {
			t.Errorf("not dropped: %+v, %v", rates, err)
		}
	})
}

// Switching on is never refused for its test event, but it sends no more of them
// than the button does; what was held goes out all the same.
func TestSwitchingAWebhookOnAndOffSendsNoMoreTestEventsThanAllowed(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		id, _ := w.newEndpoint(r.URL)
		c := w.as(owner)
		events := func() int {
			list, err := w.Store.TestEvents(w.Ctx, w.Account, w.Now().Add(-time.Minute), w.Now(), 100)
			w.Must(err)
			return len(list)
		}
		cycle := func(held string) answer {
			c.post(endpointPath(id)+"/pausieren", nil).want(t, 303)
			w.report()
			return c.follow(c.post(endpointPath(id)+"/fortsetzen", url.Values{"held": {held}}))
		}
		for n := range 5 {
			if a := cycle("drop").want(t, 200, "wieder eingeschaltet", "Wird geprüft"); strings.Contains(a.body, "kein weiteres Testereignis") || events() != n+1 {
				t.Errorf("%d test events after %d times", events(), n+1)
			}
		}
		for range 3 {
			cycle("drop").want(t, 200, "wieder eingeschaltet", "kein weiteres Testereignis", "Wird geprüft")
		}
		cycle("send").want(t, 200, "wieder eingeschaltet", "kein weiteres Testereignis", "Wird geprüft")
		c.follow(c.post(endpointPath(id)+"/test", nil)).want(t, 200, "Höchstens fünf Testereignisse")
		if events() != 5 {
			t.Errorf("%d test events in a minute, at most 5", events())
		}
		w.deliver()
		waittest.Until(w, "what was held has arrived", func() bool {
			return slices.ContainsFunc(r.requests(), func(g received) bool { return !strings.Contains(string(g.body), `"test":true`) })
		})
		waittest.Until(w, "the webhook works", func() bool { return strings.Contains(c.get(endpointPath(id)).body, "Aktiv</span>") })
		w.Later(time.Minute)
		if a := cycle("drop").want(t, 200, "wieder eingeschaltet"); strings.Contains(a.body, "kein weiteres Testereignis") || events() != 1 {
			t.Errorf("%d test events a minute later", events())
		}
	})
}

// report stores an event as a finished test does.
func (w *world) report() {
	w.Helper()
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		_, err := tx.AddEvent(w.Ctx, typus.Event{
			ID: webhook.NewEventID(w.Now()), AccountID: w.Account, Type: typus.EventCandidateCompleted, CandidateID: time.Now().UnixNano(),
			OccurredAt: w.Now(), Payload: []byte(`{"event":"candidate.completed"}`),
		}, func() string { return webhook.NewDeliveryID(w.Now()) })
		return err
	}))
}

func TestAWebhookThatIsGoneIsSwitchedOnAfterAMinute(t *testing.T) {
	w := newWorld(t)
	id, _ := w.newEndpoint("https://hooks.example.com/")
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		return tx.SetEndpointStatus(w.Ctx, w.Account, id, typus.EndpointGone, "the receiver answered 410 Gone", w.Now())
	}))
	c := w.as(owner)
	c.get(endpointsPath).want(t, 200, "Abgeschaltet", "410")
	c.follow(c.post(endpointPath(id)+"/fortsetzen", nil)).want(t, 200, "vor weniger als einer Minute", "Abgeschaltet")
	w.Later(time.Minute)
	c.follow(c.post(endpointPath(id)+"/fortsetzen", nil)).want(t, 200, "wieder eingeschaltet")
}

func TestASecretIsChangedInThreeSteps(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		id, old := w.newEndpoint("https://hooks.example.com/")
		c := w.as(owner)
		step := func(name string) answer { return c.follow(c.post(endpointPath(id)+"/geheimnis/"+name, nil)) }
		step("umstellen").want(t, 200, "Gerade läuft kein Wechsel")
		step("beenden").want(t, 200, "Gerade läuft kein Wechsel")
		made := step("wechseln").want(t, 200, "signiert ab sofort mit", "Jetzt umstellen")
		fresh := secretIn(made)
		if fresh == "" || fresh == old || strings.Contains(html.UnescapeString(made.body), old) {
			t.Fatalf("the new secret is not shown alone: %q", fresh)
		}
		step("wechseln").want(t, 200, "Ein Wechsel läuft schon")
		step("umstellen").want(t, 200, "Das neue Geheimnis ist jetzt das aktuelle", "Bisheriges Geheimnis")
		step("wechseln").want(t, 200, "Ein Wechsel läuft schon")
		shown, err := w.Accounts.ShowSecrets(w.Ctx, w.Account, id, typus.Actor{Name: "operator"})
		if err != nil || shown[typus.SecretCurrent] != fresh || shown[typus.SecretPrevious] != old {
			t.Errorf("after the switch: %v, %v", shown, err)
		}
		step("beenden").want(t, 200, "Nur das aktuelle signiert noch")
		step("wechseln").want(t, 200, "signiert ab sofort mit")
		step("beenden").want(t, 200, "Nur das aktuelle signiert noch")
		shown, err = w.Accounts.ShowSecrets(w.Ctx, w.Account, id, typus.Actor{Name: "operator"})
		if err != nil || len(shown) != 1 || shown[typus.SecretCurrent] != fresh {
			t.Errorf("after a change that was dropped: %v, %v", shown, err)
		}
		// What nobody does by hand, time does.
		last := secretIn(step("wechseln"))
		w.Later(24 * time.Hour)
		c = w.as(owner)
		c.get(endpointPath(id)).want(t, 200, "Bisheriges Geheimnis")
		w.Later(24 * time.Hour)
		c = w.as(owner)
		if a := c.get(endpointPath(id)).want(t, 200); strings.Contains(a.body, "Bisheriges Geheimnis") {
			t.Error("the previous secret lives on")
		}
		shown, err = w.Accounts.ShowSecrets(w.Ctx, w.Account, id, typus.Actor{Name: "operator"})
		if err != nil || len(shown) != 1 || shown[typus.SecretCurrent] != last {
			t.Errorf("after two days: %v, %v", shown, err)
		}
	})
}

// A receiver that knows one of the two secrets takes every delivery of a change,
// whenever it is sent.
func TestEveryDeliveryDuringAChangeVerifiesWithTheOldOrTheNewSecret(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		id, old := w.newEndpoint(r.URL)
		w.deliver()
		by := typus.Actor{Name: "operator"}
		var fresh string
		sent := 0
		send := func(n int) {
			for range n {
				w.report()
			}
			sent += n
		}
		send(5)
		var err error
		fresh, _, err = w.Accounts.RotateSecret(w.Ctx, w.Account, id, by)
		w.Must(err)
		send(10)
		waittest.Until(w, "some have arrived", func() bool { return len(r.requests()) > 8 })
		w.Must(w.Accounts.SwitchSecret(w.Ctx, w.Account, id, by))
		send(10)
		waittest.Until(w, "most have arrived", func() bool { return len(r.requests()) > 20 })
		w.Must(w.Accounts.EndRotation(w.Ctx, w.Account, id, by))
		send(5)
		waittest.Until(w, "all have arrived", func() bool { return len(r.requests()) == sent })
		byOld, byNew := 0, 0
		for _, g := range r.requests() {
			verifies := func(secret string) bool {
				plain := webhook.Verify(secret, g.header.Get("X-Service-Signature"), g.body) || webhook.Verify(secret, g.header.Get("X-Service-Signature-Alt"), g.body)
				if standard := webhook.VerifyStandard(secret, g.header, g.body, w.Now()) == nil; standard != plain {
					t.Errorf("the two signatures disagree: %v", g.header)
				}
				return plain
			}
			withOld, withNew := verifies(old), verifies(fresh)
			if !withOld && !withNew {
				t.Errorf("a delivery verifies with neither secret: %v", g.header)
			}
			if withOld {
				byOld++
			}
			if withNew {
				byNew++
			}
		}
		if byOld < 5 || byNew < 5 {
			t.Errorf("%d verify with the old secret, %d with the new one", byOld, byNew)
		}
	})
}

func TestASecretThatCannotBeOpenedIsReplacedAtOnce(t *testing.T) {
	w := newWorld(t)
	id, _ := w.newEndpoint("https://hooks.example.com/")
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		secrets, err := tx.Secrets(w.Ctx, w.Account, id)
		if err != nil {
			return err
		}
		if err := tx.DropSecret(w.Ctx, w.Account, id, secrets[0].ID); err != nil {
			return err
		}
		_, err = tx.AddSecret(w.Ctx, w.Account, id, typus.SecretCurrent, "lost", w.Now(), func(int64) ([]byte, error) { return []byte("sealed elsewhere"), nil })
		return err
	}))
	c := w.as(owner)
	c.get(endpointPath(id)).want(t, 200, "lässt sich nicht mehr öffnen")
	a := c.follow(c.post(endpointPath(id)+"/geheimnis/wechseln", nil)).want(t, 200, "gilt ab sofort", "Aktuelles Geheimnis")
	shown, err := w.Accounts.ShowSecrets(w.Ctx, w.Account, id, typus.Actor{Name: "operator"})
	if err != nil || len(shown) != 1 || shown[typus.SecretCurrent] != secretIn(a) {
		t.Errorf("now %v, %v", shown, err)
	}
}

// The command that the page shows says what the page says.
func TestTheVectorOfAWebhookCanBeCalculatedAgain(t *testing.T) {
	w := newWorld(t)
	id, secret := w.newEndpoint("https://hooks.example.com/")
	e, err := w.Store.Endpoint(w.Ctx, w.Account, id)
	w.Must(err)
	v := newVector(secret, e)
	c := w.as(owner)
	c.get(endpointPath(id)).want(t, 200, v.Signature, "X-Service-Signature")
	cmd := exec.Command("sh", "-c", v.Command())
	cmd.Env = []string{"SECRET=" + secret, "PATH=/usr/bin:/bin"}
	said, err := cmd.Output()
	w.Must(err)
	if digest, _ := strings.CutPrefix(v.Signature, "sha256="); !strings.Contains(string(said), digest) {
		t.Errorf("openssl says %s, the page %s", said, v.Signature)
	}
}
