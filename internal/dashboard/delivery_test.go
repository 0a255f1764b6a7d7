package dashboard

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
	"typus/internal/webhook"
)

func TestADeliveryShowsWhatWasSentAndWhatCameBack(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		to := newReceiver(t)
		hook, secret := w.newEndpoint(to.URL + "/typus?key=k")
		c := w.as(admin)
		stop := w.deliver()
		to.says(500, "<script>alert(1)</script>\u202eoh\x07")
		test := c.follow(c.post(endpointPath(hook)+"/test", nil)).want(t, 200, "nicht angekommen", deliveriesPath+"/dlv_", `\u{202e}oh`)
		stop()
		path := pathIn(test.body, deliveriesPath+"/dlv_")
		page := c.get(path).want(t, 200, "POST "+to.URL+"/typus?key=k", "X-Service-Signature: sha256=", "…", "webhook-id: evt_", "HTTP/1.1 500", "127.0.0.1",
			"&lt;script&gt;alert(1)&lt;/script&gt;", `\u{202e}oh\u{0007}`, "&#34;test&#34;:true", "SHA-256", "$SECRET", "Beim Empfänger ist ein Fehler aufgetreten", "rung-missed")
		sent := to.requests()[0]
		for _, secret := range []string{secret, sent.header.Get("X-Service-Signature"), sent.header.Get("webhook-signature")} {
			if secret == "" || strings.Contains(page.body, secret) {
				t.Errorf("the page shows %q", secret)
			}
		}
		w.as(member).get(path).want(t, 403)
		w.asOf(w.newAccount("Fremd GmbH"), owner).get(path).want(t, 404)
		c.get(deliveriesPath+"/dlv_unknown").want(t, 404)
	})
}

// pathIn is the first address on a page that begins so.
func pathIn(body, start string) string {
	_, rest, _ := strings.Cut(body, start)
	end, _, _ := strings.Cut(rest, `"`)
	return start + end
}

// The port scanner's questions: which address a name leads to inside, and how long it took.
func TestARefusedAddressTellsNeitherWhereItLeadsNorHowLongThatTook(t *testing.T) {
	w := newWorld(t)
	hook, _ := w.newEndpoint("http://127.0.0.1:65535/")
	id := w.logged(hook, 0, typus.Attempt{ErrorCode: webhook.CodeBlocked, RemoteIP: "10.1.2.3", Duration: 4321 * time.Millisecond, Outcome: webhook.OutcomeFailed}, becomes(typus.DeliveryExhausted, 1))[0]
	page := w.as(admin).get(deliveryPath(id)).want(t, 200, "Adresse nicht erlaubt")
	for _, told := range []string{"10.1.2.3", "4321", "Dauer"} {
		if strings.Contains(page.body, told) {
			t.Errorf("it tells %q", told)
		}
	}
}

// The body holds a result: nobody sees it without that being noted, as on the candidate's page.
func TestTheBodyOfADeliveryOpensLikeAReport(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.newEndpoint("http://127.0.0.1:65535/")
		out := w.invited("Jana Muster", "")
		w.finish(out)
		w.Must(w.Assess.Comment(w.Ctx, store.WholeAccount(w.Account), typus.Comment{CandidateID: out.Candidate.ID, Text: "Ich war krank.", Confirmed: "letter"}, typus.Actor{Name: "ada"}))
		echo := `{"overall":77,"fit":"A"}`
		w.attempt(typus.Attempt{HTTPStatus: 500, ErrorCode: webhook.Code5xx, RequestHeaders: "webhook-id: evt_1\n", ResponseHead: "HTTP/1.1 500\n", ResponseBody: []byte(echo), Outcome: webhook.OutcomeFailed}, becomes(typus.DeliveryPending, 1))
		c := w.as(admin)
		list := c.get(deliveriesPath).want(t, 200, "Jana Muster")
		path := pathIn(list.body, deliveriesPath+"/dlv_")
		looks := func() int {
			lines, err := w.Store.Audit(w.Ctx, w.Account, 50)
			w.Must(err)
			n := 0
			for _, line := range lines {
				if line.Action == typus.AuditReportViewed {
					n++
				}
			}
			return n
		}
		page := c.get(path).want(t, 200, "Inhalt ansehen", "In der Antwort kann das Ergebnis der Person stehen", "Jana Muster")
		if looks() != 0 || strings.Contains(page.body, "overall") || strings.Contains(page.body, "$SECRET") {
			t.Errorf("the page shows a result before somebody asks for it, noted %d times", looks())
		}
		c.do("HEAD", path+"?inhalt=1", nil)
		if looks() != 0 {
			t.Error("who asks for a head is said to have looked")
		}
		c.get(path+"?inhalt=1").want(t, 200, "&#34;overall&#34;:", "&#34;overall&#34;:77", "$SECRET")
		if looks() != 1 {
			t.Errorf("the look is noted %d times", looks())
		}
		if c := w.commented(out); len(c) != 1 || len(c[0].Reads) != 0 {
			t.Errorf("what she says is noted as read, where it does not stand: %+v", c)
		}
		w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, typus.Actor{Name: "ada"}))
		gone := c.get(path+"?inhalt=1").want(t, 200, "Die Person wurde gelöscht", "Gelöschte Person", "Die Antwort ist nicht mehr gespeichert", "Verworfen")
		if strings.Contains(gone.body, "Jana") || strings.Contains(gone.body, "overall") {
			t.Error("what was erased is shown")
		}
	})
}

func TestTheBodyOfADoubtfulResultIsFirstSeenOnThePersonsPage(t *testing.T) {
	w := newWorld(t)
	w.newEndpoint("http://127.0.0.1:65535/")
	out := w.doubtful("Eilig Muster")
	w.attempt(typus.Attempt{HTTPStatus: 200, ResponseHead: "HTTP/1.1 200\n", ResponseBody: []byte("anything"), Outcome: webhook.OutcomeDelivered}, becomes(typus.DeliveryDelivered, 0))
	c := w.as(admin)
	path := pathIn(c.get(deliveriesPath).want(t, 200).body, deliveriesPath+"/dlv_")
	page := c.get(path+"?inhalt=1").want(t, 200, "zuerst auf ihrer Seite", candidatePath(out.Candidate.ID))
	if strings.Contains(page.body, "overall") || strings.Contains(page.body, "anything") {
		t.Error("the figures are shown")
	}
	c.post(candidatePath(out.Candidate.ID)+"/trotzdem", nil).want(t, 303)
	c.get(path+"?inhalt=1").want(t, 200, "overall", "anything")
}

// A user who does not read a position learns nothing of its people, whatever they may do to
// webhooks.
func TestTheDeliveryOfSomebodyOutOfReachIsNotThere(t *testing.T) {
	w := newWorld(t)
	w.newEndpoint("http://127.0.0.1:65535/")
	boss, c := w.as(owner), w.as(admin)
	position := boss.place("Nachfolge")
	out := w.invitedBy(w.Account, assess.Invitation{Name: "Jana Muster", Email: "jana@example.com", PositionID: placed(t, position)})
	w.finish(out)
	path := pathIn(c.get(deliveriesPath).want(t, 200, "Jana Muster").body, deliveriesPath+"/dlv_")
	c.get(path).want(t, 200)
	boss.post(position+"/mitglieder", url.Values{"confidential": {"1"}, "mitglied": {strconv.FormatInt(boss.user.ID, 10)}}).want(t, 303)
	boss.get(path).want(t, 200, "Jana Muster")
	c.get(path).want(t, 404)
	if page := c.get(deliveriesPath).want(t, 200, "Noch keine Zustellung", "stehen hier nicht"); strings.Contains(page.body, "Jana") {
		t.Error("the log names her")
	}
	c.get(fmt.Sprint(deliveriesPath, "?person=", out.Candidate.ID)).want(t, 200, "Keine Zustellung gefunden")
}

func TestTheLadderShowsWhatWasMadeAndWhatIsToCome(t *testing.T) {
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	made := func(outcomes ...string) []typus.Attempt {
		var list []typus.Attempt
		for i, o := range outcomes {
			list = append(list, typus.Attempt{N: i + 1, Outcome: o, StartedAt: at})
		}
		return list
	}
	for name, c := range map[string]struct {
		d        typus.Delivery
		attempts []typus.Attempt
		want     string
	}{
		"new":         {typus.Delivery{State: "pending"}, nil, "next 11 later"},
		"repeated":    {typus.Delivery{State: "pending", Failures: 2}, made("failed", "interrupted", "failed"), "missed cut missed next 9 later"},
		"under way":   {typus.Delivery{State: "sending", Failures: 1}, made("failed", "started"), "missed now 10 later"},
		"held":        {typus.Delivery{State: "held", Failures: 11}, made("failed"), "missed next"},
		"arrived":     {typus.Delivery{State: "delivered", Failures: 1}, made("failed", "delivered"), "missed done"},
		"given up":    {typus.Delivery{State: "exhausted", Failures: 12}, made("failed"), "missed"},
		"a test":      {typus.Delivery{State: "sending", Kind: "test"}, made("started"), "now"},
		"a used test": {typus.Delivery{State: "exhausted", Kind: "test"}, made("failed"), "missed"},
	} {
		var got []string
		later := 0
		c.d.NextAttemptAt = at
		for i, r := range rungs(c.d, c.attempts, false) {
			if r.N != i+1 {
				t.Errorf("%s: rung %d is number %d", name, i, r.N)
			}
			if r.Kind == "later" {
				later++
				continue
			}
			got = append(got, r.Kind)
		}
		if later > 0 {
			got = append(got, fmt.Sprint(later, " later"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	last := rungs(typus.Delivery{State: "pending", NextAttemptAt: at}, nil, false)[11]
	if ladder := 123*time.Hour + 35*time.Minute + 5*time.Second; !last.At.Equal(at.Add(ladder)) {
		t.Errorf("the last attempt is at %s", last.At)
	}
}

// The command of the page, run by a shell, is a delivery that a receiver accepts.
func TestTheCurlCommandSendsTheSameAgainWithFreshSignatures(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a shell, curl and openssl")
	}
	to := newReceiver(t)
	secret, body := webhook.NewSecret(), `{"event":"candidate.completed","data":{"name":"Jürgen O'Neil \"$HOME\" 😀 %s \\n"}}`
	a := typus.Attempt{URL: to.URL + "/it's?a=b", RequestHeaders: "Content-Type: application/json\nX-Service-Event: candidate.completed\nX-Service-Signature: sha256=abcdefgh…\nX-Service-Signature-Alt: sha256=abcdefgh…\nX-Service-Delivery: dlv_1\nX-Service-Attempt: 3\nAuthorization: Bear…\nwebhook-id: evt_1\nwebhook-timestamp: 1\nwebhook-signature: v1,abcdefgh… v1,abcdefgh…\n"}
	command := exec.Command("bash", "-c", curl(a, "X-Service", "evt_1", []byte(body)))
	command.Env = append(os.Environ(), "SECRET="+secret, "HEADER=Bearer x")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	got := to.requests()[0]
	var at int64
	fmt.Sscan(got.header.Get("webhook-timestamp"), &at)
	standard, err := webhook.SignStandard(secret, "evt_1", at, []byte(body))
	if err != nil || string(got.body) != body || got.header.Get("X-Service-Signature") != webhook.Sign(secret, []byte(body)) || got.header.Get("webhook-signature") != standard {
		t.Errorf("it sends %q with %v, %v", got.body, got.header, err)
	}
	if time.Since(time.Unix(at, 0)) > time.Hour || got.header.Get("X-Service-Signature-Alt") != "" || got.header.Get("Authorization") != "Bearer x" || got.header.Get("X-Service-Delivery") != "dlv_1" {
		t.Errorf("headers %v", got.header)
	}
}

// Headers of the customer's own are told from ours by their whole names, and no name is run.
func TestTheNameOfAnOwnHeaderIsNothingToAShell(t *testing.T) {
	for line, want := range map[string]string{
		"X-$(touch x)`id`|'a: ••••": `'X-$(touch x)` + "`id`" + `|'\''a: '"$HEADER"`,
		"X-Gateway-Signature: ••••": `'X-Gateway-Signature: '"$HEADER"`, "X-Gateway-Signature-Alt: ••••": `'X-Gateway-Signature-Alt: '"$HEADER"`,
		"X-Acme-Signature: sha256=abcdefgh…": `'X-Acme-Signature: sha256='"$SIGNATURE"`, "X-Acme-Signature-Alt: sha256=abcdefgh…": "",
		"webhook-signature: v1,abcdefgh…": `'webhook-signature: v1,'"$STANDARD"`, "X-Acme-Attempt: 3": `'X-Acme-Attempt: 3'`,
	} {
		if got := curlHeader(line, "X-Acme"); got != want {
			t.Errorf("%s becomes %s, want %s", line, got, want)
		}
	}
}

// What is not known of an attempt is not told of it: that of one that was cut off is no command
// and took no time.
func TestTheCommandIsThatOfTheLastRequestThatIsKnown(t *testing.T) {
	known := typus.Attempt{N: 1, URL: "https://old.example.com/", RequestHeaders: "webhook-id: evt_1\n", Outcome: webhook.OutcomeFailed}
	body := sentBodyView{bytes: []byte("{}")}
	for _, cut := range []typus.Attempt{{Outcome: "started"}, {Outcome: webhook.OutcomeInterrupted}, {Outcome: webhook.OutcomeFailed, ErrorCode: webhook.CodeNeedsSecret}} {
		view := newDeliveryView(frame{}, "X-Service", store.LoggedDelivery{}, typus.Endpoint{}, []typus.Attempt{known, cut}, body)
		if !strings.Contains(view.Curl, "webhook-id: evt_1") || !strings.Contains(view.Curl, known.URL) {
			t.Errorf("after one that is %s the command is %s", cut.Outcome, view.Curl)
		}
		if view.Attempts[0].Shown() || !view.Attempts[1].Shown() {
			t.Errorf("it is told how long one took that is %s, or not of the other", cut.Outcome)
		}
		if view := newDeliveryView(frame{}, "X-Service", store.LoggedDelivery{}, typus.Endpoint{}, []typus.Attempt{cut}, body); view.Curl != "" {
			t.Errorf("there is a command of nothing: %s", view.Curl)
		}
	}
}

// The page of the body says when it is not shown letter by letter.
func TestABodyWithUnseenCharactersIsSaidToBeWrittenOut(t *testing.T) {
	w := newWorld(t)
	hook, _ := w.newEndpoint("http://127.0.0.1:65535/")
	c := w.as(admin)
	for name, written := range map[string]bool{"Jana": false, "Ja\u00adna \U0001f469\u200d\U0001f52c": true} {
		w.Later(time.Second)
		delivery, event := webhook.NewDeliveryID(w.Now()), webhook.NewEventID(w.Now())
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			e := typus.Event{ID: event, AccountID: w.Account, Type: typus.EventCandidateCompleted, OccurredAt: w.Now(), Payload: []byte(name)}
			return tx.AddTestEvent(w.Ctx, e, hook, delivery)
		}))
		page := c.get(deliveryPath(delivery)).want(t, 200)
		if strings.Contains(page.body, "Genau diese Bytes") == written || strings.Contains(page.body, `\u{200d}`) != written {
			t.Errorf("%q: written out %t", name, !written)
		}
	}
}

func TestAHostileAnswerIsShownAsPlainText(t *testing.T) {
	for said, want := range map[string]string{
		"ok": "ok", "a\r\nb\tc": "a\nb\tc", "\u202egnp": `\u{202e}gnp`, "a\u2066b\u200fc": `a\u{2066}b\u{200f}c`, "\x1b[31m": `\u{001b}[31m`, "\U000e0041": `\u{e0041}`,
		"\xff\xfe": "//4=", "a\x00b": "YQBi", strings.Repeat("x", 4094) + "ü": strings.Repeat("x", 4094) + "ü",
		(strings.Repeat("x", 4095) + "ü")[:4096]: strings.Repeat("x", 4095),
	} {
		if got, _ := asText([]byte(said), webhook.MaxBody); got != want {
			t.Errorf("%.40q is shown as %.40q, want %.40q", said, got, want)
		}
	}
}
