package testpage

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/page/browsertest"
	"typus/internal/page/pagetest"
	"typus/internal/store"
)

var petra = typus.Actor{Name: "owner@example.com"}

// published is the path of a new public link of the default position.
func (w *world) published(most int, ends time.Time) string {
	w.Helper()
	w.Must(w.Accounts.KeepPublicLink(w.Ctx, store.WholeAccount(w.Account), 0, petra, func(l *typus.PublicLink) bool {
		l.Most, l.EndsAt = most, ends
		return true
	}))
	p, err := w.Store.StandardPosition(w.Ctx, w.Account)
	w.Must(err)
	l, err := w.Store.PublicLinkOf(w.Ctx, w.Account, p.ID)
	w.Must(err)
	address, err := w.Accounts.PublicAddress(typus.Account{}, l)
	w.Must(err)
	return strings.TrimPrefix(address, "http://127.0.0.1")
}

// confirmation is the path that the newest letter to a stranger leads to.
func (w *world) confirmation() string {
	w.Helper()
	letters, err := w.Store.Letters(w.Ctx, 0, 1)
	w.Must(err)
	token, err := w.Box.Open(letters[0].Detail, letters[0].DetailAAD())
	w.Must(err)
	return typus.GuestLinks{}.Enrolment(string(token))
}

// listed are how many candidates there are.
func (w *world) listed() int {
	w.Helper()
	list, _, err := w.Store.Candidates(w.Ctx, w.Account, store.CandidateFilter{Limit: 100})
	w.Must(err)
	return len(list)
}

// From the link in an advertisement to the first page of one's own test.
func TestAStrangerEnrolsConfirmsAndStandsAtTheTest(t *testing.T) {
	w := newWorld(t)
	link := w.published(5, time.Time{})
	r := w.reader("de")
	r.open(link)
	if r.status != 200 || !strings.Contains(string(r.body), `class="folds"`) || strings.Index(string(r.body), `class="folds"`) > strings.Index(string(r.body), `name="email"`) {
		t.Errorf("%d: the notice stands below the form", r.status)
	}
	r.lang = "en"
	r.press("English")
	r.press("Send me the e-mail", "name", " ", "email", "kim")
	if r.status != http.StatusUnprocessableEntity || !r.says("Please enter your name.") || !r.says("Please enter a valid e-mail address") {
		t.Errorf("%d:\n%s", r.status, r.body)
	}
	r.press("Send me the e-mail", "name", "Kim Beispiel", "email", "kim@example.com")
	r.on("/gesendet", 200)
	if r.heading() != "Please look in your inbox" || strings.Contains(string(r.body), "kim@example.com") {
		t.Errorf("the answer is:\n%s", r.body)
	}
	confirm := w.confirmation()
	r.open(confirm)
	if r.status != 200 || r.heading() != "Is this address yours?" || !r.says("kim@example.com") || w.listed() != 0 {
		t.Errorf("%d, %d candidates:\n%s", r.status, w.listed(), r.body)
	}
	r.press("Yes, confirm the address")
	if r.status != 200 || !strings.HasPrefix(r.at.Path, "/t/") || r.heading() != "Hello, Kim Beispiel" || w.listed() != 1 {
		t.Errorf("%s %d %q, %d candidates", r.at.Path, r.status, r.heading(), w.listed())
	}
	test := r.at.Path
	if r.open(confirm); r.at.Path != test {
		t.Errorf("the letter leads to %s afterwards", r.at.Path)
	}
	for _, secret := range []string{"kim@example.com", "Kim Beispiel", confirm[len("/p/bestaetigen/"):], link[len("/p/"):]} {
		if strings.Contains(w.log.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// Scanners open what stands in letters, and follow what they find there.
func TestOpeningALetterConfirmsNothing(t *testing.T) {
	w := newWorld(t)
	r := w.reader("de")
	r.open(w.published(5, time.Time{}))
	r.press("E-Mail anfordern", "name", "Kim", "email", "kim@example.com")
	path := w.confirmation()
	for _, method := range []string{"GET", "HEAD"} {
		for _, header := range []map[string]string{nil, {"Sec-Purpose": "prefetch"}, {"X-HTTP-Method-Override": "POST"}} {
			if res := w.ask(method, path+"?_method=POST", header); res.status != 200 || w.listed() != 0 {
				t.Errorf("%s: %d, %d candidates", method, res.status, w.listed())
			}
		}
	}
	if res := w.ask("POST", path, map[string]string{"Sec-Fetch-Site": "cross-site"}); res.status != http.StatusForbidden || w.listed() != 0 {
		t.Errorf("another site confirms: %d", res.status)
	}
}

// requestID is in the pages of faults only, and in none of these.
var requestID = regexp.MustCompile(`request [0-9a-z]+`)

// Who has a test, who has enrolled, and who is unknown is answered alike, byte for byte.
func TestNobodyLearnsWhoIsKnown(t *testing.T) {
	w := newWorld(t)
	w.invite("de")
	link := w.published(5, time.Time{})
	said := map[string]string{}
	for _, email := range []string{"kim@example.com", "KIM@example.com", "unknown@example.com", "unknown@example.com"} {
		res, err := http.DefaultTransport.RoundTrip(formTo(t, w.server.URL+link, url.Values{"name": {"Kim"}, "email": {email}}))
		w.Must(err)
		res.Body.Close()
		for name := range res.Header {
			said[name+": "+requestID.ReplaceAllString(strings.Join(res.Header[name], ","), "")] += "1"
		}
		if res.StatusCode != http.StatusSeeOther {
			t.Errorf("%s: %d", email, res.StatusCode)
		}
	}
	for line, times := range said {
		if len(times) != 4 && !strings.HasPrefix(line, "Date") && !strings.HasPrefix(line, "X-Request-Id") {
			t.Errorf("%d of four answers say %s", len(times), line)
		}
	}
}

func formTo(t *testing.T, address string, form url.Values) *http.Request {
	t.Helper()
	req, err := http.NewRequest("POST", address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return req
}

// A link that leads nowhere is the page of any other, and one that lets nobody in says why.
func TestADeadPublicLinkSaysWhy(t *testing.T) {
	w := newWorld(t)
	r := w.reader("de")
	r.open("/t/unknown")
	unknown := string(r.body)
	for _, path := range []string{"/p/unknown", "/p/bestaetigen/unknown", "/p/unknown/gesendet", "/p/unknown/logo"} {
		if r.open(path); r.status != http.StatusNotFound || string(r.body) != unknown {
			t.Errorf("%s: %d\n%s", path, r.status, r.body)
		}
	}
	link := w.published(1, w.Now().Add(24*time.Hour))
	dead := func(heading string) {
		t.Helper()
		r.open(link)
		if r.status != http.StatusGone || r.heading() != heading || !r.says("owner@example.com") || len(pagetest.All(r.doc, "input")) > 0 {
			t.Errorf("%d %q, want %q", r.status, r.heading(), heading)
		}
	}
	w.face.mail = false
	dead("Im Moment geht es hier nicht weiter")
	w.face.mail = true
	book := func(credits int64) {
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			_, err := tx.BookCredit(w.Ctx, typus.CreditEntry{AccountID: w.Account, Delta: credits, Reason: typus.ReasonGrant, Actor: "operator", CreatedAt: w.Now()})
			return err
		}))
	}
	told := func() bool {
		sent, err := w.Store.AccountLetterSince(w.Ctx, w.Account, typus.LetterCreditsRefused, w.Now().Add(-time.Hour), w.Now())
		w.Must(err)
		return sent
	}
	book(-10)
	dead("Im Moment ist kein Platz frei")
	if told() {
		t.Error("the owners hear of who only looks")
	}
	r.press("Muster Software GmbH Bescheid geben")
	if r.status != http.StatusGone || !told() || !r.says("weiß jetzt") {
		t.Errorf("%d, told %t:\n%s", r.status, told(), r.body)
	}
	book(10)
	w.Later(25 * time.Hour)
	dead("Die Anmeldung ist beendet")
	w.Must(w.Accounts.RevokePublicLink(w.Ctx, store.WholeAccount(w.Account), 0, petra))
	dead("Dieser Link gilt nicht mehr")
	link = w.published(1, time.Time{})
	var letters []string
	for _, email := range []string{"kim@example.com", "lou@example.com"} {
		r.open(link)
		r.press("E-Mail anfordern", "name", "Kim", "email", email)
		letters = append(letters, w.confirmation())
	}
	for i, path := range letters {
		r.open(path)
		r.press("Ja, Adresse bestätigen")
		if late := r.status == http.StatusGone && r.heading() == "Alle Plätze sind vergeben"; late != (i == 1) || w.listed() != 1 {
			t.Errorf("letter %d: %d %q, %d candidates", i+1, r.status, r.heading(), w.listed())
		}
	}
	dead("Alle Plätze sind vergeben")
}

// The whole way runs without a script, on a phone.
func TestAStrangerGetsToTheTestWithoutAScript(t *testing.T) {
	w := newWorld(t)
	tab := browsertest.New(t).Tab(t, browsertest.Look{Width: 320, Height: 640, NoScript: true})
	tab.Open(w.server.URL + w.published(5, time.Time{}) + "?lang=de")
	tab.Focus("#name")
	tab.Press("Kim Beispiel")
	tab.Focus("#email")
	tab.Press("kim@example.com")
	tab.Follow("form .button")
	if !strings.HasSuffix(tab.Location(), "/gesendet?lang=de") {
		t.Fatalf("at %s", tab.Location())
	}
	tab.Open(w.server.URL + w.confirmation())
	tab.Follow("form .button")
	if !strings.Contains(tab.Location(), "/t/") || w.listed() != 1 {
		t.Errorf("at %s, %d candidates", tab.Location(), w.listed())
	}
	quiet(t, tab, w.server.URL)
}
