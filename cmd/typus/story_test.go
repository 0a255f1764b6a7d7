package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"typus/internal/instrument"
	"typus/internal/porttest"
	"typus/internal/waittest"
)

// scraped is what a server tells Prometheus: each series with its value.
func scraped(t *testing.T, addr string) map[string]string {
	t.Helper()
	resp, err := http.Get("http://" + addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", resp.Status, body, err)
	}
	series := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z_]+(?:\{.*\})?) (\S+)$`).FindAllStringSubmatch(string(body), -1) {
		series[m[1]] = m[2]
	}
	return series
}

// turnedAway is how many requests a scrape counts that were not answered with 2xx.
func turnedAway(t *testing.T, series map[string]string) int {
	t.Helper()
	sum := 0
	for name, value := range series {
		if strings.HasPrefix(name, "typus_http_requests_total{") && !strings.Contains(name, `class="2xx"`) {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			sum += int(n)
		}
	}
	return sum
}

// refusingMailServer takes no letter, and repeats to whom it was addressed.
func refusingMailServer(t *testing.T) string {
	t.Helper()
	return listening(t, func(c net.Conn) {
		defer c.Close()
		fmt.Fprint(c, "220 mx.example.com ESMTP\r\n")
		for lines := bufio.NewScanner(c); lines.Scan(); {
			switch line := lines.Text(); {
			case strings.HasPrefix(line, "RCPT"):
				fmt.Fprintf(c, "550 5.1.1 nobody is called %s here\r\n", strings.TrimPrefix(line, "RCPT TO:"))
			case strings.HasPrefix(line, "QUIT"):
				fmt.Fprint(c, "221 bye\r\n")
				return
			default:
				fmt.Fprint(c, "250 ok\r\n")
			}
		}
	})
}

// The whole story on a real server, with what strangers try besides: neither its log nor
// its metrics name anybody, or hold anything that opens a door, and the metrics do not
// grow with what is asked.
func TestTheStoryLeavesNobodyInLogOrMetrics(t *testing.T) {
	metrics := porttest.Free(t)
	environ := []string{
		"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db"), "TYPUS_METRICS_ADDR=" + metrics,
		"TYPUS_SMTP_URL=smtp://" + refusingMailServer(t), "TYPUS_MAIL_FROM=post@example.com",
	}
	p := serve(t, environ)
	setUp := p.says(t, `/einrichten\?token=([0-9A-Za-z]{43})\n`)[1]
	desk, err := newBrowser()
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	post := func(path string, form url.Values) int {
		t.Helper()
		resp, err := desk.client.PostForm(p.base+path, form)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	const password = "vier lose Wörter hier"
	if status := post("/einrichten", url.Values{"token": {setUp}, "company": {"Kanarienfirma GmbH"}, "language": {"de"}, "email": {"kim.kanarien@example.com"}, "password": {password}}); status != http.StatusOK {
		t.Fatalf("the set-up: %d", status)
	}
	key := must[newKey](t, environ, "key", "create", "--account", "1", "--name", "Kanarienschlüssel").Key
	received := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		received <- r.Header.Get("webhook-id")
	}))
	defer receiver.Close()
	hook := must[newHook](t, environ, "webhook", "create", "--account", "1", "--url", receiver.URL+"/kanarienhaken")

	w := &walk{base: p.base, key: key, out: discard(), client: &http.Client{}, externalID: "kanarien-42", test: instrument.Own(), clock: &hurriedClock{}}
	if err := w.invite(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := w.call(ctx, "POST", "/api/v1/invites", `{"name":"Lore Kanarien","email":"lore.kanarien@example.com","send_email":true}`, new(struct{})); err != nil {
		t.Fatal(err)
	}
	if err := w.answer(ctx); err != nil {
		t.Fatal(err)
	}
	event := <-received
	for _, path := range []string{"/dashboard", "/dashboard/kandidaten?q=Aylin", "/dashboard/kandidat/" + itoa(w.candidateID)} {
		if err := desk.open(ctx, p.base+path); err != nil {
			t.Error(err)
		}
	}
	waittest.Until(t, "both letters are refused", func() bool { return scraped(t, metrics)[`typus_letters{state="failed"}`] == "2" })

	token := w.link[strings.LastIndex(w.link, "/")+1:]
	hostile := func(round string) {
		already, made := turnedAway(t, scraped(t, metrics)), 0
		for _, path := range []string{
			"/t/" + token + "x", "/t/" + token + "/frage/kanarien", "/api/v1/candidates/aylin.oeztuerk@example.com", "/kanarien" + round, "/wp-login.php?u=kanarien",
			"/dashboard/kandidat/kanarien" + round, "/static/kanarien" + round, "/docs/kanarien" + round, "/t/" + strings.Repeat("k", 300) + round, "/%7B" + round + "%22%0Atypus_kanarien",
			"/healthz/kanarien", "/metrics", "/p/" + token,
		} {
			for _, method := range []string{"GET", "KANARIEN", "POST"} {
				req, err := http.NewRequestWithContext(ctx, method, p.base+path, strings.NewReader("kanarien"))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", "Bearer "+key+"x")
				resp, err := http.DefaultTransport.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				made++
			}
		}
		post("/anmelden", url.Values{"email": {"kanarien" + round + "@example.com"}, "password": {"kanarien" + password}})
		c, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "GET /t/%%zz%s HTTP/1.1\r\nHost: kanarien\r\nCookie: %s\r\n\r\n", token, token)
		io.Copy(io.Discard, c)
		c.Close()
		made += 2
		// A request is counted when its answer is through, and that may be read before.
		waittest.Until(t, "each request is counted, once", func() bool { return turnedAway(t, scraped(t, metrics)) == already+made })
	}
	hostile("1")
	before := scraped(t, metrics)
	for n := range 5 {
		hostile(fmt.Sprint("more", n))
	}
	after := scraped(t, metrics)
	for name := range after {
		if _, there := before[name]; !there && !strings.HasPrefix(name, "typus_chore_") {
			t.Errorf("a series that strangers have made: %s", name)
		}
	}
	holdsNoLabelButThese(t, after)
	for _, want := range []string{
		`typus_http_requests_total{class="4xx",face="dashboard",route="none"}`, `typus_http_requests_total{class="2xx",face="api",route="/api/v1/invites"}`,
		`typus_deliveries{state="pending"}`, `typus_build_info{`, `typus_http_requests_total{class="4xx",face="refused",route="none"}`,
		"typus_database_group_writes_total", "typus_database_wal_bytes", "typus_database_disk_free_bytes", `typus_chore_last_success_timestamp_seconds{chore="read the clock"}`,
	} {
		if !slices.ContainsFunc(slices.Collect(keysOf(after)), func(name string) bool { return strings.HasPrefix(name, want) }) {
			t.Errorf("no %s", want)
		}
	}
	if after["typus_ready"] != "1" || after["typus_database_answers"] != "1" || after["typus_delivery_overdue_seconds"] != "0" {
		t.Errorf("ready %s, answers %s, overdue %s", after["typus_ready"], after["typus_database_answers"], after["typus_delivery_overdue_seconds"])
	}
	p.stop(t)
	cookies := desk.client.Jar.Cookies(&url.URL{Scheme: "http", Host: strings.TrimPrefix(p.base, "http://"), Path: "/"})
	if len(cookies) == 0 {
		t.Error("nobody was logged in")
	}
	secrets := []string{
		"Aylin", "ztürk", "oeztuerk", "Lore", "lore.", "kim.", "anarien", "KANARIEN", "vier lose", token, token[:16], key, key[:20], hook.Secret, hook.Secret[6:], "@example.com",
	}
	for _, c := range cookies {
		secrets = append(secrets, c.Value)
	}
	log := strings.Replace(p.log.String(), setUp, "", 1) // printed on purpose, once
	if !strings.Contains(log, `"route":"/t/{token}/frage/{n}"`) || event == "" {
		t.Errorf("the log tells nothing: %.2000s", log)
	}
	for _, secret := range append(secrets, setUp) {
		if at := strings.Index(log, secret); at >= 0 {
			t.Errorf("the log holds %q: %s", secret, log[max(0, at-200):min(len(log), at+200)])
		}
		for name := range after {
			if strings.Contains(name, secret) {
				t.Errorf("a series holds %q: %s", secret, name)
			}
		}
	}
}

func keysOf(series map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range series {
			if !yield(name) {
				return
			}
		}
	}
}

// holdsNoLabelButThese lists every label there is: none is an account's, a person's or a
// path's, and what each can say is written in the program.
func holdsNoLabelButThese(t *testing.T, series map[string]string) {
	t.Helper()
	values := map[string]*regexp.Regexp{
		"face": regexp.MustCompile(`^(api|tests|docs|static|health|dashboard|refused)$`), "class": regexp.MustCompile(`^[1-5]xx$`),
		"route": regexp.MustCompile(`^(none|(/([a-z0-9_.-]+|\{[a-z]+\}))+|/)$`), "state": regexp.MustCompile(`^[a-z]+$`), "chore": regexp.MustCompile(`^[A-Za-z ]+$`),
		"le": regexp.MustCompile(`^([0-9.]+|\+Inf)$`), "quantile": regexp.MustCompile(`^[0-9.]+$`),
		"version": regexp.MustCompile(`.`), "goversion": regexp.MustCompile(`^go`), "database": regexp.MustCompile(`^(sqlite|postgres)$`),
	}
	for name := range series {
		_, labels, _ := strings.Cut(name, "{")
		for _, m := range regexp.MustCompile(`([a-z_]+)="((?:[^"\\]|\\.)*)"`).FindAllStringSubmatch(labels, -1) {
			if form := values[m[1]]; form == nil && !strings.HasPrefix(name, "go_info") || form != nil && !form.MatchString(m[2]) {
				t.Errorf("the label %s of %s", m[0], name)
			}
		}
	}
	if len(series) > 2000 {
		t.Errorf("%d series", len(series))
	}
}

func TestMetricsAreOffOrOnAListenerOfTheirOwn(t *testing.T) {
	for setting, ok := range map[string]bool{
		"127.0.0.1:9464": true, "0.0.0.0:9464": true, "127.0.0.1:8080": false, "localhost:8080": false, ":8080": false, "0.0.0.0:8080": false, "[::]:8080": false, "9464": false, "127.0.0.1:0": false,
	} {
		_, err := load(t, []string{"TYPUS_ADDR=127.0.0.1:8080", "TYPUS_METRICS_ADDR=" + setting})
		if ok != (err == nil) {
			t.Errorf("%s: %v", setting, err)
		}
	}
	s, err := load(t, []string{"TYPUS_METRICS_ADDR=127.0.0.1:9464"})
	if err != nil || !slices.Contains(s.policy().OwnListeners, "127.0.0.1:9464") {
		t.Errorf("a webhook may reach the metrics: %v", err)
	}
	code, _, errOut := command(t, []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db"), "TYPUS_ADDR=" + porttest.Free(t), "TYPUS_METRICS_ADDR=" + occupied(t)}, "serve")
	if code != 1 || !strings.Contains(errOut, "TYPUS_METRICS_ADDR or --metrics-addr") {
		t.Errorf("a taken address: exit %d, %s", code, errOut)
	}
}

// occupied is an address on which somebody listens.
func occupied(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln.Addr().String()
}
