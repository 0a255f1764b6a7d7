package docs_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/docs"
	"typus/internal/page"
	"typus/internal/page/browsertest"
	"typus/internal/porttest"
	"typus/internal/waittest"
	"typus/internal/webhook"
)

// fetch writes a sample as the documentation of a server gives it out, and
// returns its directory.
func fetch(t *testing.T, baseURL string, names ...string) string {
	t.Helper()
	site, err := page.New()
	if err != nil {
		t.Fatal(err)
	}
	h, err := docs.New(docs.Options{Site: site, BaseURL: baseURL, HeaderPrefix: "X-Service"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range names {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/docs/samples/"+name, nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d", name, w.Code)
		}
		if err := os.WriteFile(filepath.Join(dir, name), w.Body.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// ownEnviron is the environment without settings of Typus, of which it refuses
// those it does not know.
func ownEnviron() []string {
	return slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "TYPUS_") })
}

// start runs a program until the end of the test, waits until it listens, and
// returns its output line by line. A program that is not installed is a failure.
func start(t *testing.T, addr, dir string, environ []string, command ...string) <-chan string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(ownEnviron(), environ...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatalf("run make tools: %v", err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	lines := make(chan string, 100)
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
		close(lines)
	}()
	listens := func() bool {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	if !waittest.So(time.Minute, listens) {
		cmd.Process.Kill()
		cmd.Wait()
		t.Fatalf("%v does not listen: %s", command, &errOut)
	}
	return lines
}

// delivery is a webhook as it arrived.
type delivery struct {
	header http.Header
	body   []byte
}

const (
	secret     = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	name       = `Jürgen "Jo" O'Müller & Söhne <b> 😀`
	externalID = "crm-ü&<>'42"
)

// deliver makes a real delivery of the product to an address.
func deliver(t *testing.T, url string, secrets map[typus.SecretRole]string) webhook.Outcome {
	t.Helper()
	guard := webhook.NewGuard(webhook.Policy{AllowHTTP: true, AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	client, err := webhook.NewClient(webhook.ClientOptions{Guard: guard, BaseURL: "https://typus.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	body, err := webhook.Payload(
		typus.Candidate{ID: 100000000000001, Name: name, Email: "jo@example.com", ExternalID: externalID},
		typus.Scores{Overall: 72, Fit: typus.Fit{Key: "C", Label: "Mittlere Übereinstimmung"}, Persona: typus.Persona{Key: "rock", Name: "Fels", Subtitle: "„ruhig“ & <stark>"}},
		"https://typus.example.com/dashboard/kandidat/100000000000001", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return client.Post(context.Background(), webhook.Request{
		URL: url, Event: typus.Event{ID: webhook.NewEventID(time.Now()), Type: typus.EventCandidateCompleted, Payload: body},
		DeliveryID: webhook.NewDeliveryID(time.Now()), Attempt: 1, Secrets: secrets, At: time.Now(),
	})
}

// capture is a real delivery, kept to be altered.
func capture(t *testing.T, secrets map[typus.SecretRole]string) delivery {
	t.Helper()
	var d delivery
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		d = delivery{r.Header.Clone(), body}
	}))
	defer s.Close()
	if out := deliver(t, s.URL, secrets); !out.Delivered {
		t.Fatalf("not delivered: %+v", out)
	}
	return d
}

func (d delivery) send(t *testing.T, url string) int {
	t.Helper()
	r, err := http.NewRequest("POST", url, bytes.NewReader(d.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = d.header
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// with is a copy with one header changed; "" takes it away.
func (d delivery) with(header, value string) delivery {
	d.header = d.header.Clone()
	if d.header.Del(header); value != "" {
		d.header.Set(header, value)
	}
	return d
}

// resigned is a copy whose time is another one, with the right signature for it.
func (d delivery) resigned(t *testing.T, at time.Time) delivery {
	t.Helper()
	signature, err := webhook.SignStandard(secret, d.header.Get("webhook-id"), at.Unix(), d.body)
	if err != nil {
		t.Fatal(err)
	}
	return d.with("webhook-timestamp", strconv.FormatInt(at.Unix(), 10)).with("webhook-signature", signature)
}

// forgeries are deliveries that no receiver may take.
func forgeries(t *testing.T) map[string]delivery {
	real := capture(t, map[typus.SecretRole]string{typus.SecretCurrent: secret})
	other := capture(t, map[typus.SecretRole]string{typus.SecretCurrent: webhook.NewSecret()})
	altered := real
	altered.body = bytes.Replace(real.body, []byte(`"overall":72`), []byte(`"overall":99`), 1)
	sent, err := strconv.ParseInt(real.header.Get("webhook-timestamp"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	longer := real
	longer.body = append(bytes.Clone(real.body), '\n')
	return map[string]delivery{
		"another secret":                 other,
		"an altered body":                altered,
		"a body with one byte more":      longer,
		"no signature of the body":       real.with("X-Service-Signature", ""),
		"another signature of the body":  real.with("X-Service-Signature", other.header.Get("X-Service-Signature")),
		"a signature cut short":          real.with("X-Service-Signature", real.header.Get("X-Service-Signature")[:40]),
		"a signature of odd letters":     real.with("X-Service-Signature", strings.Repeat("ü", 71)),
		"no message signature":           real.with("webhook-signature", ""),
		"another message signature":      real.with("webhook-signature", other.header.Get("webhook-signature")),
		"a message signature in letters": real.with("webhook-signature", "v1,"+strings.Repeat("ü", 44)),
		"another id":                     real.with("webhook-id", other.header.Get("webhook-id")),
		"another time":                   real.with("webhook-timestamp", strconv.FormatInt(sent-7, 10)),
	}
}

// stale are deliveries that are genuine and come too late or too early.
func stale(t *testing.T) map[string]delivery {
	real := capture(t, map[typus.SecretRole]string{typus.SecretCurrent: secret})
	return map[string]delivery{
		"an old one":       real.resigned(t, time.Now().Add(-10*time.Minute)),
		"one of tomorrow":  real.resigned(t, time.Now().Add(24*time.Hour)),
		"one without time": real.with("webhook-timestamp", ""),
		"one of never":     real.with("webhook-timestamp", "soon"),
	}
}

// receivers are the samples that listen, by language, each with its command.
func receivers(t *testing.T, dir, port string) map[string][]string {
	t.Helper()
	return map[string][]string{
		"node":   {"node", "verify.mjs"},
		"python": {"python3", "verify.py"},
		"php":    {"php", "-S", "127.0.0.1:" + port, "verify.php"},
		"go":     {build(t, dir, filepath.Join(dir, "verify.go"))},
	}
}

func build(t *testing.T, dir, what string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("programs: not with -short")
	}
	binary := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command("go", "build", "-o", binary, what)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", what, err, out)
	}
	return binary
}

// built is where the program of all tests lies.
var built string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "typus-docs-")
	if err != nil {
		panic(err)
	}
	built = filepath.Join(dir, "typus")
	code := browsertest.Run(m)
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// program is the program, which the first test that asks for it links for all.
func program(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat(built); err != nil {
		if err := os.Rename(build(t, ".", "typus/cmd/typus"), built); err != nil {
			t.Fatal(err)
		}
	}
	return built
}

func TestEachReceiverTakesRealDeliveriesAndRefusesForgedOnes(t *testing.T) {
	dir := fetch(t, "https://typus.example.com", "verify.mjs", "verify.py", "verify.php", "verify.go", "send.sh", "body.json")
	for language := range receivers(t, dir, "") {
		t.Run(language, func(t *testing.T) {
			addr := porttest.Free(t)
			_, port, _ := strings.Cut(addr, ":")
			lines := start(t, addr, dir, []string{"SECRET=" + secret, "PORT=" + port}, receivers(t, dir, port)[language]...)
			url := "http://" + addr + "/typus"

			for what, secrets := range map[string]map[typus.SecretRole]string{
				"the secret":             {typus.SecretCurrent: secret},
				"a secret to come":       {typus.SecretCurrent: webhook.NewSecret(), typus.SecretNext: secret},
				"a secret that is going": {typus.SecretCurrent: webhook.NewSecret(), typus.SecretPrevious: secret},
			} {
				if out := deliver(t, url, secrets); !out.Delivered {
					t.Errorf("with %s: answered %d %s", what, out.Attempt.HTTPStatus, out.Attempt.ErrorCode)
					continue
				}
				if line := next(t, lines); !strings.HasPrefix(line, "evt_") || !strings.HasSuffix(line, " "+externalID+" "+name+" 72") {
					t.Errorf("with %s: printed %q", what, line)
				}
			}
			for what, d := range forgeries(t) {
				if got := d.send(t, url); got != http.StatusUnauthorized {
					t.Errorf("%s: answered %d", what, got)
				}
			}
			for what, d := range stale(t) {
				if got := d.send(t, url); got != http.StatusUnauthorized {
					t.Errorf("%s: answered %d", what, got)
				}
			}

			for _, tc := range []struct{ secret, answer string }{{secret, "204"}, {webhook.NewSecret(), "401"}} {
				out, err := shell(dir, []string{"SECRET=" + tc.secret}, "send.sh", url, "body.json")
				if err != nil || strings.TrimSpace(out) != tc.answer {
					t.Errorf("send.sh: %q, %v; want %s", out, err, tc.answer)
				}
			}
			if line := next(t, lines); line != "evt_test CRM-7 Jürgen Müller & Söhne <b> 81" {
				t.Errorf("after send.sh: printed %q", line)
			}
			select {
			case line := <-lines:
				t.Errorf("a forged delivery was printed: %s", line)
			default:
			}
		})
	}
}

// next is the next line that a receiver prints.
func next(t *testing.T, lines <-chan string) string {
	t.Helper()
	select {
	case line := <-lines:
		return line
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was printed")
		return ""
	}
}

// shell runs a script of the samples.
func shell(dir string, environ []string, args ...string) (string, error) {
	cmd := exec.Command("sh", args...)
	cmd.Dir, cmd.Env = dir, append(ownEnviron(), environ...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestTheShellChecksASavedDelivery(t *testing.T) {
	check := func(d delivery, secret string) error {
		dir := fetch(t, "https://typus.example.com", "verify.sh")
		var headers strings.Builder
		d.header.Write(&headers) // with the line ends of HTTP
		os.WriteFile(filepath.Join(dir, "headers.txt"), []byte(headers.String()), 0o600)
		os.WriteFile(filepath.Join(dir, "body.json"), d.body, 0o600)
		_, err := shell(dir, []string{"SECRET=" + secret}, "verify.sh")
		return err
	}
	for what, secrets := range map[string]map[typus.SecretRole]string{
		"the secret":       {typus.SecretCurrent: secret},
		"two live secrets": {typus.SecretCurrent: secret, typus.SecretNext: webhook.NewSecret()},
	} {
		if err := check(capture(t, secrets), secret); err != nil {
			t.Errorf("with %s: %v", what, err)
		}
	}
	for what, d := range forgeries(t) {
		if err := check(d, secret); err == nil {
			t.Errorf("%s passes", what)
		}
	}
}

func TestTheStepForZapierPassesOnRealDeliveriesOnly(t *testing.T) {
	dir := fetch(t, "https://typus.example.com", "zapier.js")
	// As Zapier does: the code is the body of an async function.
	runner := `const code = require('fs').readFileSync('zapier.js', 'utf8')
const step = Object.getPrototypeOf(async function () {}).constructor('inputData', 'require', code)
step(JSON.parse(process.env.INPUT), require).then((out) => console.log(JSON.stringify(out)), () => process.exit(1))`
	run := func(d delivery) (string, error) {
		input := `{"secret":"` + secret + `","signature":"` + d.header.Get("X-Service-Signature") + `","body":` + quote(t, string(d.body)) + `}`
		cmd := exec.Command("node", "-e", runner)
		cmd.Dir, cmd.Env = dir, append(ownEnviron(), "INPUT="+input)
		out, err := cmd.Output()
		return string(out), err
	}
	real := capture(t, map[typus.SecretRole]string{typus.SecretCurrent: secret})
	out, err := run(real)
	want := `{"external_id":` + quote(t, externalID) + `,"name":` + quote(t, name) + `,"report_url":"https://typus.example.com/dashboard/kandidat/100000000000001"}`
	if err != nil || strings.TrimSpace(out) != want {
		t.Errorf("got %s, %v; want %s", out, err, want)
	}
	for _, what := range []string{"another secret", "an altered body", "another signature of the body"} {
		if out, err := run(forgeries(t)[what]); err == nil {
			t.Errorf("%s passes: %s", what, out)
		}
	}
}

// quote is a JSON string as JavaScript writes it.
func quote(t *testing.T, s string) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
