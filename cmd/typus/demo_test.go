package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/net/html"

	"typus"
	"typus/internal/store"
	"typus/internal/waittest"
	"typus/internal/web/logtest"
)

func TestTheDemoDoesTheMainJobAndLeavesNothingBehind(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	code, out, errOut := command(t, []string{"TYPUS_NONSENSE=ignored"}, "demo", "--once", "--fast", "--addr", "127.0.0.1:0")
	if code != 0 {
		t.Fatalf("exit %d: %s\n%s", code, errOut, out)
	}
	for _, want := range []string{
		"60 people, 25 credits left", "4 of 4", "✓ X-Service-Signature", "✓ webhook-signature", `"status": "abgeschlossen"`, "Look at the warnings first: 0 here", "Leistungsantrieb", "24 left",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the demo does not say %q:\n%s", want, out)
		}
	}
	if left, _ := os.ReadDir(tmp); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What the product refuses to interpret, the demo does not show off.
func TestTheDemoShowsNoFiguresOfAnswersThatGiveNoReliablePicture(t *testing.T) {
	var s readScores
	const result = `{"overall": 79, "fit": {"key": "B"}, "archetype": {"name": "Gleichmaß"}, "dimension_scores": [{"name": "Umgang mit Rückschlägen", "score": 40}, {"name": "Leistung", "score": 8}], "warnings": [%s]}`
	if err := json.Unmarshal(fmt.Appendf(nil, result, `{"key": "too_fast", "message": "Schnell."}, {"key": "response_quality_doubtful", "message": "Nicht deutbar."}`), &s); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s.show(&out)
	if said := out.String(); strings.Contains(said, "79") || strings.Contains(said, "▪") || !strings.Contains(said, "Nicht deutbar.") || !strings.Contains(said, "show no figures") {
		t.Error(said)
	}
	out.Reset()
	s.Warnings = s.Warnings[:1]
	s.show(&out)
	for _, want := range []string{"! too_fast: Schnell.", "overall 79", "Umgang mit Rückschlägen   40  ▪▪▪▪▪▪▪▪▪▪\n", "Leistung                   8  ▪▪\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, out.String())
		}
	}
}

func TestTheDemoCutsNoWarningOutOfALongAnswer(t *testing.T) {
	long := strings.Repeat(`"x",`, 40)
	shown := shortJSON([]byte(`{"scores": {"list": [` + long + `"x"], "warnings": [{"key": "first", "message": "m"}, {"key": "second", "message": "m"}]}}`))
	if !strings.Contains(shown, "lines …") || !strings.Contains(shown, `"first"`) || !strings.Contains(shown, `"second"`) {
		t.Error(shown)
	}
}

func TestTheDemoTakesAFreePortAndSaysSo(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	code, out, errOut := command(t, nil, "demo", "--once", "--fast", "--addr", ln.Addr().String())
	if code != 0 || !strings.Contains(out, "Port "+port+" is taken") {
		t.Errorf("exit %d: %s\n%s", code, errOut, out)
	}
}

// prepared is a demo that has its past and does not serve.
func prepared(t *testing.T) *demo {
	t.Helper()
	d := &demo{out: io.Discard}
	settings, err := demoSettings(t.TempDir(), &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080})
	if err != nil {
		t.Fatal(err)
	}
	if d.site, err = openSite(t.Context(), settings, openToServe); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(d.receiver.close(), d.site.store.Close()); err != nil {
			t.Error(err)
		}
	})
	if err := d.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTheDemosPastIsAMonthOfUse(t *testing.T) {
	d := prepared(t)
	s, ctx := d.site.store, t.Context()
	letters, err := s.Letters(ctx, d.account, 1000)
	if err != nil {
		t.Fatal(err)
	}
	kinds, states := map[typus.LetterKind]int{}, map[string]int{}
	for _, l := range letters {
		kinds[l.Kind]++
		states[string(l.Kind)+" "+string(l.State)]++
		if wait := time.Until(l.NextAttemptAt); l.State == typus.LetterQueued && l.Kind != typus.LetterDigest && wait < time.Hour {
			t.Errorf("letter %d to %s goes out %s after the start", l.ID, l.To, wait)
		}
		if l.SentAt.After(time.Now().Add(time.Second)) || l.State == typus.LetterSent && l.SentAt.Before(l.CreatedAt) {
			t.Errorf("letter %d is of %s and was sent at %s", l.ID, l.CreatedAt, l.SentAt)
		}
	}
	for _, want := range []typus.LetterKind{
		typus.LetterInvitation, typus.LetterReminder, typus.LetterReceipt, typus.LetterCompleted, typus.LetterDigest,
		typus.LetterLinkRequested, typus.LetterCreditsLow, typus.LetterTeamInvitation,
	} {
		if kinds[want] == 0 {
			t.Errorf("no letter of the kind %s", want)
		}
	}
	for _, want := range []string{"invitation failed", "invitation queued", "invitation held", "reminder sent", "receipt sent"} {
		if states[want] == 0 {
			t.Errorf("no %s: %v", want, states)
		}
	}

	remarks := map[string]int{}
	for _, r := range everybody(t, s, d.account) {
		if r.Scores != nil {
			for _, w := range r.Scores.Warnings {
				remarks[w.Key]++
			}
		}
	}
	if remarks["attention_check_failed"] != 1 || remarks[typus.DoubtfulAnswers] != 1 {
		t.Errorf("remarks on the answers: %v", remarks)
	}
	raters := map[string]int{}
	ratings, err := s.RatingsOf(ctx, store.WholeAccount(d.account), d.decided)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range ratings {
		if raters[r.Author]++; r.Informed || !r.Final {
			t.Errorf("rated after a look at the result, or not at all: %+v", r)
		}
	}
	decided, err := s.CandidateRowsOf(ctx, store.WholeAccount(d.account), []int64{d.decided})
	if err != nil || len(raters) != 2 || len(decided) != 1 || decided[0].Stage != typus.StageOffer {
		t.Errorf("rated by %v, decided %+v, %v", raters, decided, err)
	}

	rows, inviters, tagged, noted := everybody(t, s, d.account), map[int64]int{}, 0, 0
	names := map[string]bool{}
	for _, r := range rows {
		inviters[r.InvitedBy]++
		tagged += min(1, len(r.Tags))
		if names[r.Name] {
			t.Errorf("two people are called %s", r.Name)
		}
		names[r.Name] = true
		notes, err := s.NotesOf(ctx, store.WholeAccount(d.account), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		noted += len(notes)
		for _, at := range []time.Time{r.CreatedAt, r.StartedAt, r.CompletedAt} {
			if at.After(time.Now()) {
				t.Errorf("%s did something at %s", r.Name, at)
			}
		}
	}
	if len(rows) != len(guests) || len(inviters) != 3 || inviters[0] == 0 || tagged < 15 || noted < 5 {
		t.Errorf("%d people, %d with tags, %d notes, invited by %v", len(rows), tagged, noted, inviters)
	}

	ledger, err := s.Ledger(ctx, store.WholeAccount(d.account), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	grants := 0
	for _, e := range ledger {
		if e.Reason == typus.ReasonGrant {
			grants++
		}
		if e.BalanceAfter < 1 {
			t.Errorf("the balance fell to %d", e.BalanceAfter)
		}
	}
	refused, _, err := s.RefusedCalls(ctx, d.account, store.RefusedCallFilter{Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	imports, err := s.Imports(ctx, store.WholeAccount(d.account), 10)
	if err != nil {
		t.Fatal(err)
	}
	if grants != 2 || len(refused) < 10 || len(imports) != 1 || imports[0].State != typus.ImportDone || imports[0].Invited() != 10 {
		t.Errorf("%d grants, %d refused calls, imports %+v", grants, len(refused), imports)
	}
	if _, waits, err := s.NextDelivery(ctx); waits || err != nil {
		t.Errorf("a webhook waits: %v", err)
	}
	endpoints, err := s.Endpoints(ctx, d.account)
	if err != nil || len(endpoints) != 1 || endpoints[0].Status != typus.EndpointActive || endpoints[0].LastFailureAt.IsZero() {
		t.Errorf("endpoints %+v, %v", endpoints, err)
	}
}

// everybody is the whole list of candidates.
func everybody(t *testing.T, s *store.Store, account int64) []everyone {
	t.Helper()
	var all []everyone
	q := store.CandidateQuery{}
	for {
		page, err := s.CandidatePage(t.Context(), store.WholeAccount(account), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Rows {
			c, err := s.Candidate(t.Context(), account, r.Candidate.ID)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, everyone{c, r.Tags})
		}
		if q.After = page.Next; q.After.ID == 0 {
			return all
		}
	}
}

type everyone struct {
	typus.Candidate
	Tags []string
}

// running is a demo that serves until the test ends; its output is read up to the
// last line. letters is the page that shows its letters.
func running(t *testing.T) (base, password, letters string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()
	ended := make(chan int, 1)
	var errOut logtest.Log
	go func() {
		ended <- run(ctx, []string{"demo", "--fast", "--addr", "127.0.0.1:0"}, nil, strings.NewReader(""), write, &errOut)
		write.Close()
	}()
	lines := bufio.NewScanner(read)
	for lines.Scan() {
		switch fields := strings.Fields(lines.Text()); {
		case strings.HasPrefix(lines.Text(), "The dashboard: "):
			base = strings.TrimSuffix(fields[2], "/dashboard")
		case strings.HasPrefix(lines.Text(), "E-mails go to nobody."):
			letters = fields[len(fields)-1]
		case len(fields) == 2 && fields[0] == "password" && password == "": // the owner's comes first
			password = fields[1]
		}
		if strings.HasPrefix(lines.Text(), "Serving on") {
			break
		}
	}
	go io.Copy(io.Discard, read) // what it says afterwards holds nothing up
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("exit %d: %s", code, &errOut)
		}
	})
	if base == "" || password == "" || letters == "" {
		t.Fatalf("the demo names no login, or no page of letters: %s", &errOut)
	}
	return base, password, letters
}

func TestTheDemosLogInWorksAndItsScreensShowAMonthOfUse(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	base, password, _ := running(t)
	b, err := newBrowser()
	if err != nil {
		t.Fatal(err)
	}
	b.client.Transport = inGerman{}
	if err := b.open(t.Context(), base+"/dashboard"); err != nil {
		t.Fatal(err)
	}
	if err := b.submit(t.Context(), "/anmelden", url.Values{"email": {demoOwner}, "password": {password}}); err != nil {
		t.Fatal(err)
	}
	for path, wants := range map[string][]string{
		"/dashboard/kandidaten":                                           {"Bewerbungen", "Abgeschlossen", "Begonnen", "E-Mail unzustellbar", "Zurückgezogen", "Außendienst", "Weitere anzeigen"},
		"/dashboard/einstellungen/briefe/protokoll":                       {"Einladung", "Erinnerung", "Eingangsbestätigung", "Abgeschlossene Tests (täglich)", "Verzögert", "Unzustellbar", "Wartet"},
		"/dashboard/einstellungen/protokoll":                              {"Nina Winter", "Bericht angesehen", "Zum Test eingeladen", "Erinnerung veranlasst"},
		"/dashboard/einstellungen/team":                                   {"Lars Beispiel", "Nina Winter", "omar.sommer@example.com"},
		"/dashboard/credits":                                              {"24", "Startguthaben", "Nachbestellung, Rechnung 2026-1042"},
		"/dashboard/einstellungen/webhooks":                               {"Bewerbungen im CRM"},
		"/dashboard/einstellungen/api-schluessel":                         {"CRM", "Versuch mit n8n", "Karriereseite", "Nur einladen", "nur für Außendienst Süd"},
		"/dashboard/einstellungen/api-schluessel/protokoll":               {"429", "404"},
		"/dashboard/import":                                               {"messe-koeln.csv"},
		"/dashboard/einstellungen/briefe/text/einladung/de":               {"Das ist Ihr eigener Text"},
		"/dashboard/einstellungen/konto/aufbewahrung":                     {"180", "90"},
		"/dashboard/kandidaten?suche=hohenstein&status=abgeschlossen":     {"von Hohenstein-Bergmann"},
		"/dashboard/kandidaten?tag=zweites+Gespr%C3%A4ch&sortierung=name": {"zweites Gespräch"},
	} {
		if err := b.open(t.Context(), base+path); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		page := shownText(b.root)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s does not show %q", path, want)
			}
		}
		for _, english := range []string{"first credits", "the demo", "not sent"} {
			if strings.Contains(page, english) {
				t.Errorf("%s shows %q", path, english)
			}
		}
	}
}

// Whoever tries the demo follows a link that comes by letter.
func TestTheDemosLettersCanBeReadWithTheirLinks(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	base, _, letters := running(t)
	b, err := newBrowser()
	if err != nil {
		t.Fatal(err)
	}
	b.client.Transport = inGerman{}
	open := func(address string) string {
		t.Helper()
		if err := b.open(t.Context(), address); err != nil {
			t.Fatal(err)
		}
		return shownText(b.root)
	}
	open(base + "/passwort")
	if err := b.submit(t.Context(), "/passwort", url.Values{"email": {demoOwner}}); err != nil {
		t.Fatal(err)
	}
	const subject = "Neues Passwort"
	if !waittest.So(time.Minute, func() bool { return strings.Contains(open(letters), subject) }) {
		t.Fatalf("the page of letters says %q", shownText(b.root))
	}
	var number string
	each(b.root, func(n *html.Node) {
		if n.Data == "a" && strings.Contains(shownText(n), subject) && number == "" {
			number = strings.TrimPrefix(attribute(n, "href"), "/")
		}
	})
	open(letters + number)
	link := ""
	each(b.root, func(n *html.Node) {
		if to := attribute(n, "href"); strings.HasPrefix(to, base+"/passwort/") {
			link = to
		}
	})
	if link == "" || !strings.Contains(open(link), "Passwort") {
		t.Errorf("the letter leads to %q", link)
	}
}

// inGerman asks for pages in German.
type inGerman struct{}

func (inGerman) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept-Language", "de")
	return http.DefaultTransport.RoundTrip(r)
}

// shownText is what stands on a page, and in its fields.
func shownText(root *html.Node) string {
	var b strings.Builder
	each(root, func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		b.WriteString(attribute(n, "value") + " ")
	})
	return strings.Join(strings.Fields(b.String()), " ")
}
