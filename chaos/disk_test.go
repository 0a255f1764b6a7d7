//go:build chaos

package chaos

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"typus/internal/processtest"
	"typus/internal/waittest"
)

// A disk gets full under a server at work. Whoever wants something stored is told so in words,
// what was stored can be read, the server rests instead of trying in vain, and says in its log
// once what is the matter. When there is room again it goes on by itself, and has lost nothing.
func TestAFullDiskRefusesInWordsAndHealsByItself(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "192m")
	s := siteOn(filepath.Join(dir, "data", "typus.db"))
	hook := newReceiver(t, nil)
	a := s.newAccount(t, 100_000, 4)
	s.hook(t, a, hook.url)
	d := newDriver(t, a, 4)
	d.every = 20 * time.Millisecond // else webhooks, ten a second, take long to arrive
	addr := address(t)
	p := s.serveAt(t, addr)
	v := visiting(t, s, p, a)
	times := rounds(t, 1, 3)
	full, refused, slept := 0, 0, time.Duration(0)
	for n := range times {
		before, refusedBefore := d.acknowledged(), d.refusals()[503]
		stop := d.drive(t, addr)
		waittest.Until(t, "a load", func() bool { return d.acknowledged() > before+300 })
		if n == 0 {
			v.wants(t, d, false)
		}
		free := filled(t, dir)
		waittest.Until(t, "the disk is full", func() bool { return d.refusals()[503] > refusedBefore+20 })
		stop()
		full++
		v.wants(t, d, true)
		check(t, s, d)
		waittest.Until(t, "the log says that the disk is full", func() bool { return strings.Count(p.Log.String(), saysFull) == full })
		v.rests(t, p, hook, size(4*time.Second, 20*time.Second))
		free()
		begun := time.Now()
		waittest.Until(t, "the server is ready again", func() bool { return v.ask(t, "GET", "/readyz", nil).status == http.StatusOK })
		slept = max(slept, time.Since(begun))
		waittest.Until(t, "the log says that there is room", func() bool { return strings.Count(p.Log.String(), saysRoom) == full })
		refused = d.refusals()[503]
		v.wants(t, d, false)
		d.driveFor(t, time.Second, addr)
		if again := d.refusals()[503]; again > refused {
			t.Errorf("%d requests were refused after there was room", again-refused)
		}
		awaitDeliveries(t, s, time.Minute)
		check(t, s, d)
	}
	events, requests, again := checkDelivered(t, s, hook)
	p.Stop(t)
	check(t, s, d)
	for status := range maps.Keys(d.refusals()) {
		if status != 503 && status != 429 {
			t.Errorf("refused: %v", d.refusals())
		}
	}
	for said, want := range map[string]int{saysFull: full, saysRoom: full} {
		if n := strings.Count(p.Log.String(), said); n != want {
			t.Errorf("%q stands %d times in the log, want %d", said, n, want)
		}
	}
	figures(t, "P12 full %d times: %d requests acknowledged, %d refused with 503, lost 0, %d events in %d deliveries, %d of them again; ready again %.1f s after there was room",
		full, d.acknowledged(), refused, events, requests, again, slept.Seconds())
}

// What the log says of a disk.
const (
	saysFull = "the disk of the database is full: nothing is stored until there is room"
	saysRoom = "the disk of the database has room again"
)

// smallDisk mounts a disk of so many bytes, which goes with the test.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("typus-chaos", dir, "tmpfs", 0, "size="+size+",mode=0700"); err != nil {
		if errors.Is(err, unix.EPERM) {
			lacks(t, "this machine lets nobody mount a small disk")
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// filled takes all room of a disk, and returns how that is given back.
func filled(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path) //nolint:gosec // of this test
	if err != nil {
		t.Fatal(err)
	}
	for piece := make([]byte, 64<<10); err == nil; {
		_, err = f.Write(piece)
	}
	if shut := f.Close(); !errors.Is(err, unix.ENOSPC) || shut != nil {
		t.Fatal(err, shut)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}

// visitor is a customer's system and one of its people at once.
type visitor struct {
	base   string
	key    string
	client http.Client
}

// visiting logs somebody in to the dashboard of an account.
func visiting(t *testing.T, s *site, p *processtest.Running, a *account) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{base: p.Base, key: a.keys[0], client: http.Client{Timeout: time.Minute, Jar: jar}}
	link := said[struct {
		Link string `json:"link"`
	}](t, s, "user", "create", a.flag(), "--email", "kim@example.com", "--role", "owner").Link
	at, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	const password = "vier lose Wörter hier"
	for _, step := range []struct {
		path string
		form url.Values
	}{
		{at.Path, url.Values{"password": {password}}},
		{"/anmelden", url.Values{"email": {"kim@example.com"}, "password": {password}}},
	} {
		if got := v.ask(t, "POST", step.path, step.form); got.status != http.StatusOK {
			t.Fatalf("%s: %d %s", step.path, got.status, got.body)
		}
	}
	return v
}

// answered is what a request got.
type answered struct {
	status int
	header http.Header
	body   string
}

// ask sends one request, as a browser or, below /api, as a customer's system.
func (v *visitor) ask(t *testing.T, method, path string, form url.Values) answered {
	t.Helper()
	body := form.Encode()
	if form.Has("json") {
		body = form.Get("json")
	}
	req, err := http.NewRequestWithContext(t.Context(), method, v.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Language", "de")
	if strings.HasPrefix(path, "/api/") {
		req.Header.Set("Authorization", "Bearer "+v.key)
		req.Header.Set("Content-Type", "application/json")
	} else {
		req.Header.Set("Content-Type", formType)
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	resp, err := v.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answered{resp.StatusCode, resp.Header, string(text)}
}

// wants asks for something of every face: what is read is there in any case, and what would be
// stored is refused in words while the disk is full.
func (v *visitor) wants(t *testing.T, d *driver, full bool) {
	t.Helper()
	d.mu.Lock()
	at := slices.IndexFunc(d.people, func(p *person) bool {
		return p.begun && !p.tried && slices.Contains(p.stored, true) && slices.Contains(p.stored, false)
	})
	if at < 0 {
		d.mu.Unlock()
		t.Fatal("nobody is in the middle of the test")
	}
	one := *d.people[at]
	next := slices.Index(one.stored, false)
	d.people[at].sent[next] = true // the same value, whoever sends it
	d.mu.Unlock()
	read := []string{"/healthz", fmt.Sprint("/api/v1/candidates/", one.id), "/t/" + one.token, "/dashboard", "/dashboard/kandidaten", fmt.Sprint("/dashboard/kandidat/", one.id)}
	for _, path := range read {
		if got := v.ask(t, "GET", path, nil); got.status != http.StatusOK {
			t.Errorf("full %t: %s is answered with %d: %.300s", full, path, got.status, got.body)
		}
	}
	if got := v.ask(t, "GET", "/readyz", nil); full != (got.status == http.StatusServiceUnavailable) || full != strings.Contains(got.body, "disk of the database is full") {
		t.Errorf("full %t: /readyz says %d %s", full, got.status, got.body)
	}
	if !full {
		return
	}
	for _, c := range []struct {
		path string
		form url.Values
		says string
	}{
		{"/api/v1/invites", url.Values{"json": {`{"name":"Jana","email":"jana@example.com","send_email":false}`}}, "the disk of the database is full"},
		{fmt.Sprintf("/t/%s/frage/%d", one.token, next+1), url.Values{"gezeigt": {strconv.FormatInt(time.Now().UnixMilli(), 10)}, "antwort": {strconv.Itoa(one.values[next])}, "aktion": {"weiter"}}, "Was schon gespeichert war, bleibt gespeichert."},
		{"/dashboard/einladen", url.Values{"name": {"Jana"}, "email": {"jana@example.com"}}, "Was schon gespeichert war, bleibt gespeichert."},
	} {
		got := v.ask(t, "POST", c.path, c.form)
		if got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, c.says) {
			t.Errorf("%s is answered with %d: %s", c.path, got.status, got.body)
		}
		if strings.HasPrefix(c.path, "/api") && got.header.Get("Retry-After") == "" {
			t.Errorf("%s does not say when to try again: %v", c.path, got.header)
		}
	}
}

// rests watches a server with a full disk for a while: nearly nothing is done, sent or logged.
func (v *visitor) rests(t *testing.T, p *processtest.Running, hook *receiver, while time.Duration) {
	t.Helper()
	before, came, lines := worked(t, p), hook.count(), strings.Count(p.Log.String(), "\n")
	time.Sleep(while)
	if more := worked(t, p) - before; more > while/5 {
		t.Errorf("the server worked for %s of %s on a full disk", more, while)
	}
	if more := hook.count() - came; more > 4 {
		t.Errorf("%d webhooks were sent of which nothing could be stored", more)
	}
	log := strings.Split(p.Log.String(), "\n")
	if more := log[lines:]; len(more) > 6 {
		t.Errorf("a full disk is said again and again:\n%s", strings.Join(more, "\n"))
	}
}

// worked is how long a process has used a core.
func worked(t *testing.T, p *processtest.Running) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var ticks int
	for _, field := range fields[11:13] { // of its own, and of the system for it
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond // a hundred a second, on every Linux
}
