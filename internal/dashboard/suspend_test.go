package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/page/browsertest"
	"typus/internal/store"
	"typus/internal/webhook"
)

func (w *world) suspend() {
	w.Helper()
	w.suspendOf(w.Account)
}

func (w *world) suspendOf(account int64) {
	w.Helper()
	_, err := w.Accounts.Suspend(w.Ctx, account, new("Rechnung 4711"), typus.Actor{Name: typus.ActorOperator})
	w.Must(err)
}

func (w *world) resume() {
	w.Helper()
	_, err := w.Accounts.Resume(w.Ctx, w.Account, typus.Actor{Name: typus.ActorOperator})
	w.Must(err)
}

// While the account is suspended its people read everything, below a sentence that says so, and
// what they may not do is refused before anything of the form is looked at. Who may not do it
// anyway is told that.
func TestASuspendedAccountIsReadAndLittleElse(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c, reads := w.as(owner), w.as(viewer)
		e := w.furnish(w.Account, true)
		w.suspend()
		refused := func(r route) bool {
			a := c.do(r.method, example(r.pattern), url.Values{})
			return a.StatusCode == http.StatusForbidden && strings.Contains(a.body, "solange das Konto gesperrt ist")
		}
		before := w.actions()
		for _, r := range w.face.routes() {
			if r.method == http.MethodPost && !r.always && !refused(r) {
				t.Errorf("%s is done", r.pattern)
			}
		}
		if now := w.actions(); now != before {
			t.Errorf("the audit log has\n%s\nafter\n%s", now, before)
		}
		for _, path := range []string{homePath, peoplePath, e.address(t, "/dashboard/kandidat/{id}"), "/dashboard/einladen", "/dashboard/stellen", profilePath, keysPath} {
			if a := c.get(path); a.StatusCode != http.StatusOK || strings.Count(a.body, "Dieses Konto ist seit dem ") != 1 || !strings.Contains(a.body, "Rechnung 4711") {
				t.Errorf("%s: %s:\n%s", path, a.Status, a.body)
			}
			if a := reads.get(path); strings.Contains(a.body, "Rechnung 4711") || !strings.Contains(a.body, "was Ihre Rolle erlaubt") {
				t.Errorf("%s tells a viewer why, or that they may more than they do", path)
			}
		}
		for _, r := range w.face.routes() {
			if (r.method != http.MethodPost || r.always) && refused(r) {
				t.Errorf("%s %s is refused", r.method, r.pattern)
			}
		}
		c = w.as(owner) // one of these was to log out
		w.resume()
		if a := c.get(homePath); strings.Contains(a.body, "Dieses Konto ist seit dem ") {
			t.Error("it says that the account is suspended, which is over")
		}
	})
}

// People log in, and candidates are erased, while the account is suspended.
func TestPeopleLogInAndEraseWhileTheAccountIsSuspended(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		e := w.furnish(w.Account, false)
		w.person("ada@example.com", owner)
		w.suspend()
		c := w.loggedIn("ada@example.com")
		candidate := e.names[candidateName]
		c.post(bulkErase.path, url.Values{"id": {candidate}, "bestaetigt": {"1"}})
		if !strings.Contains(w.actions(), string(typus.AuditCandidateErased)) {
			t.Errorf("nobody is erased:\n%s", w.actions())
		}
	})
}

// Whatever is done all the same leaves its line in the audit log as ever.
func TestWhatIsDoneForASuspendedAccountIsDoneWholly(t *testing.T) {
	w := newWorld(t)
	n := 0
	for _, r := range w.face.routes() {
		if r.method != http.MethodPost || !r.always || r.least == anyone || r.pattern == lettersPath+"/protokoll/{id}/erneut" {
			continue
		}
		for _, d := range deeds[r.pattern] {
			if d.action == "" {
				continue
			}
			n++
			s, c := w.set(d, n)
			w.suspendOf(s.account)
			a := c.post(s.address(t, r.pattern), s.form)
			list, err := w.Store.Audit(w.Ctx, s.account, 10)
			w.Must(err)
			var left []string
			for _, e := range list {
				if e.RequestID == a.Header.Get("X-Request-Id") {
					left = append([]string{string(e.Action)}, left...)
				}
			}
			if got := strings.Join(left, " "); got != d.action {
				t.Errorf("%s: %s leaves %q, want %q", r.pattern, a.Status, got, d.action)
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d are tried", n)
	}
}

// A letter that waits for its account says so, and not that too many were sent; the answer to
// a person is sent again all the same.
func TestALetterThatWaitsForItsAccountSaysSo(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		de, en := w.as(admin), w.as(admin)
		en.post("/dashboard/sprache", fields("sprache", "en"))
		out := w.written("Kim Muster", "kim@example.com")
		w.suspend()
		claim := func() int {
			claimed, err := w.Store.ClaimLetters(w.Ctx, store.Claim{Owner: "me", Lease: time.Hour, Limit: 100})
			w.Must(err)
			return len(claimed)
		}
		for _, what := range []string{"queued", "held"} {
			for _, path := range []string{logPath, candidatePath(out.Candidate.ID)} {
				de.get(path).want(t, 200, "geht nach Ende der Sperre von selbst hinaus").without(t, "Höchstzahl", "/erneut\"")
				en.get(path).want(t, 200, "Once it is resumed, this e").without(t, "daily limit")
			}
			if n := claim(); n != 0 {
				t.Errorf("%s: %d letters go out", what, n)
			}
		}
		letter := func(kind typus.LetterKind) string {
			var id int64
			w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
				var err error
				id, err = tx.AddLetter(w.Ctx, typus.Letter{AccountID: w.Account, CandidateID: out.Candidate.ID, Kind: kind, To: "kim@example.com", State: typus.LetterFailed, CreatedAt: w.Now()})
				return err
			}))
			return fmt.Sprintf("%s/%d/erneut", logPath, id)
		}
		de.post(letter(typus.LetterReminder), nil).want(t, 403, "Dieser Schritt wurde nicht ausgeführt")
		de.follow(de.post(letter(typus.LetterOwnAnswered), nil)).want(t, 200, "Die E-Mail ist wieder unterwegs.")
		if n := claim(); n != 1 {
			t.Errorf("%d letters go out, want the answer", n)
		}
		w.resume()
		de.get(logPath).want(t, 200).without(t, "nach Ende der Sperre")
	})
}

// What is still to be delivered for a suspended account has no time of a next attempt, and the
// pages of its webhooks have no button that would be refused, whether a webhook is on or off.
func TestADeliveryThatWaitsForItsAccountSaysSo(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(admin)
		c.get(endpointsPath).want(t, 200, "/webhooks/neu")
		w.suspend()
		c.get(endpointsPath).want(t, 200, "Noch kein Webhook").without(t, "/webhooks/neu")
		w.resume()
		hook, _ := w.newEndpoint("http://127.0.0.1:65535/")
		trial := w.logged(hook, 0, typus.Attempt{HTTPStatus: 503, ErrorCode: webhook.Code5xx}, becomes(typus.DeliveryExhausted, 1))[0]
		out := w.invited("Jana Muster", "")
		id := w.logged(hook, out.Candidate.ID, typus.Attempt{HTTPStatus: 503, ErrorCode: webhook.Code5xx}, becomes(typus.DeliveryPending, 1))[0]
		off, _ := w.newEndpoint("http://127.0.0.1:65534/")
		trialPath := fmt.Sprint(endpointsPath, "/", hook, "/test/", trial)
		told := map[string]string{
			deliveriesPath:                       "Geht nach Ende der Sperre hinaus",
			deliveryPath(id):                     "Der nächste Versuch beginnt von selbst, sobald die Sperre endet.",
			fmt.Sprint(endpointsPath, "/", hook): "Der nächste Versuch beginnt von selbst, sobald die Sperre endet.",
			fmt.Sprint(endpointsPath, "/", off):  "lässt sich der Webhook nicht einschalten",
			endpointsPath:                        "Dieses Konto ist seit dem ",
			trialPath:                            "Dieses Konto ist seit dem ",
			homePath:                             "Dieses Konto ist seit dem ",
		}
		offers := map[string][]string{
			fmt.Sprint(endpointsPath, "/", hook): {"/bearbeiten\"", fmt.Sprint(hook, "/test\""), "Der Webhook ist wieder eingeschaltet."},
			fmt.Sprint(endpointsPath, "/", off):  {"/bearbeiten\"", "/fortsetzen\""},
			trialPath:                            {fmt.Sprint(hook, "/test\"")},
			endpointsPath:                        {"/webhooks/neu\"", "Der Webhook ist wieder eingeschaltet."},
			homePath:                             {"Bei diesem Webhook kommt gerade nichts an."},
		}
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			return tx.SetEndpointStatus(w.Ctx, w.Account, hook, typus.EndpointFailing, "", w.Now())
		}))
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			return tx.SetEndpointStatus(w.Ctx, w.Account, off, typus.EndpointPaused, "", w.Now())
		}))
		looks := func(suspended bool) {
			t.Helper()
			for path, text := range told {
				a := c.get(path).want(t, 200)
				for _, usual := range []string{"Nächster Versuch:", "Jetzt senden", "Diese erneut senden", "die früheste Zeit", "Als Nächstes</span> <time", "Testereignis senden", "/nachsenden"} {
					if suspended && strings.Contains(a.body, usual) {
						t.Errorf("%s says %q", path, usual)
					}
				}
				for _, offer := range offers[path] {
					if strings.Contains(a.body, offer) == suspended {
						t.Errorf("%s offers %q: %v, and the account is suspended: %v", path, offer, !suspended, suspended)
					}
				}
				if strings.Contains(a.body, text) != suspended {
					t.Errorf("%s says that it waits for its account: %v\n%s", path, !suspended, a.body)
				}
			}
		}
		looks(false)
		w.suspend()
		looks(true)
		w.resume()
		looks(false)
	})
}

// Who somebody is can be corrected; the letter that was to go with it is not written.
func TestACorrectionForASuspendedAccountIsStoredAndSendsNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c, out := w.as(member), w.written("Kim Muster", "kim@example.com")
		path := candidatePath(out.Candidate.ID)
		letters := func() int {
			list, err := w.Store.LettersOf(w.Ctx, w.Account, out.Candidate.ID)
			w.Must(err)
			return len(list)
		}
		before := letters()
		w.suspend()
		c.follow(c.post(path+"/korrigieren", fields("name", "Kim Neu", "email", "neu@example.com", "senden", "1"))).want(t, 200,
			"Kim Neu", "neu@example.com", "Die Einladung wurde nicht gesendet (das Konto ist gesperrt).")
		if now := letters(); now != before {
			t.Errorf("%d letters, %d before", now, before)
		}
	})
}

// The script that keeps a draft hears why nothing is kept; whoever sends the form is told that
// they find it again. What was kept before can be dropped.
func TestADraftOfASuspendedAccountIsRefusedInAWord(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c, path := w.as(member), candidatePath(w.finished("Fertig Muster").Candidate.ID)
		stand := c.types(path, c.marks("2", "Vorher"), 200)
		form := c.marks("3", "Erst danach gehört")
		w.suspend()
		r, err := http.NewRequestWithContext(c.Ctx, "POST", c.server.URL+path+"/leitfaden/entwurf", strings.NewReader(form.Encode()))
		w.Must(err)
		for name, value := range map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Origin": c.server.URL, "Accept": "application/json"} {
			r.Header.Set(name, value)
		}
		var said keptDraft
		if a := c.send(r).want(t, 403); json.Unmarshal([]byte(a.body), &said) != nil || said != (keptDraft{Suspended: true}) {
			t.Errorf("the script hears %q", a.body)
		}
		for _, to := range []string{path + "/leitfaden", path + "/leitfaden/entwurf"} {
			c.post(to, form).want(t, 403, "gehen Sie im Browser zurück", "data-refused")
		}
		c.get(path+"/leitfaden").want(t, 200, "Vorher").without(t, "Erst danach gehört")
		c.follow(c.post(path+"/leitfaden/entwurf/verwerfen", fields("von", strconv.FormatInt(c.user.ID, 10), "stand", stand))).want(t, 200, "Der Entwurf ist gelöscht.")
	})
}

// What is typed while the account is suspended stays in the browser, whether its script sends
// it or somebody presses the button, and can be sent afterwards.
func TestWhatIsTypedForASuspendedAccountStaysInTheBrowser(t *testing.T) {
	w, tab := newWorld(t), browsertest.New(t).Tab(t, browsertest.Look{Width: 390, Height: 844})
	b := writer{tab, w, candidatePath(w.finished("Fertig Muster").Candidate.ID)}
	b.logIn(w.as(member))
	w.suspend()
	b.types("Gehört.")
	browsertest.Await(tab, draftState, "suspended")
	b.has("Gehört.", 1)
	b.guide()
	browsertest.Await(tab, draftState, "suspended")
	b.has("Gehört.", 1)
	tab.Follow(`.guide-form .form-actions .button`)
	if !browsertest.Eval[bool](tab, `document.querySelector("[data-refused]") !== null`) {
		t.Fatal("the ratings are taken")
	}
	b.guide()
	b.has("Gehört.", 1)

	tab.Open(w.server.URL + b.path)
	tab.Focus("#notiz")
	tab.Press("Am Montag anrufen")
	tab.Follow(`form[action$="/notizen"] .button`)
	w.resume()
	tab.Open(w.server.URL + b.path)
	tab.Click(`[data-form-draft]:not([hidden]) button`)
	tab.Follow(`form[action$="/notizen"] .button`)
	if !browsertest.Eval[bool](tab, `document.body.innerText.includes("Am Montag anrufen")`) {
		t.Error("the note is lost")
	}
	b.guide()
	browsertest.Await(tab, draftState, "kept")
	b.has("Gehört.", 0)
}
