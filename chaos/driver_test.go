//go:build chaos

package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus/internal/instrument"
	"typus/internal/waittest"
)

// person is somebody whom the driver leads through the test, and what was acknowledged of it.
// The values that they answer are drawn before: whatever is stored must be these.
type person struct {
	ref    string // external_id
	values []int  // by item, what they answer
	sent   []bool // by item: a request with it was sent
	stored []bool // by item: and acknowledged

	id       int64  // 0: the invitation is not acknowledged
	token    string // likewise
	begun    bool
	finished bool
	tried    bool // a request to hand in was sent
	asked    bool // a request to invite was sent
}

// journal is everything that a driver sent and that was acknowledged, and how it went.
type journal struct {
	mu      sync.Mutex
	people  []*person
	refused map[int]int // answers that are no acknowledgement, by status
	cut     int         // requests without an answer
	took    []time.Duration
	slowest time.Duration // of all requests, answered or not
	acked   int
}

// driver sends what customers and candidates send, from several workers at once, each with
// one person at a time. It goes on where it was when it is started again, and repeats what
// was not acknowledged.
type driver struct {
	journal
	account *account
	every   time.Duration // of a worker from one request to the next; 0: at once
	client  *http.Client
	test    *instrument.Instrument
	workers []*worker
	name    string
	parks   bool // tests that only need to be handed in are left as they are, see ready
	invites bool // people are invited, and no more

	notice sync.Mutex
	read   string // version of the notice that candidates acknowledge
}

type worker struct {
	d      *driver
	n      int
	key    string
	random *rand.Rand
	now    *person
	led    int
}

// newDriver makes a driver for an account. Each worker takes a key of it in turn: its
// hundred requests a minute are invitations.
func newDriver(t *testing.T, a *account, workers int) *driver {
	t.Helper()
	return newNamedDriver(t, a, "p", workers)
}

// newNamedDriver is newDriver where an account has several: their people are named apart.
func newNamedDriver(t *testing.T, a *account, name string, workers int) *driver {
	t.Helper()
	d := &driver{account: a, test: instrument.Own(), name: name}
	d.refused = map[int]int{}
	transport := &http.Transport{MaxIdleConnsPerHost: workers}
	d.client = &http.Client{
		Transport: transport, Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(transport.CloseIdleConnections)
	for n := range workers {
		d.workers = append(d.workers, &worker{d: d, n: n, key: a.keys[n%len(a.keys)], random: rand.New(rand.NewPCG(drawn(t).Uint64(), uint64(n)))})
	}
	return d
}

// drive lets all workers work until stop is called, which waits for them. Each sends to the
// targets, "127.0.0.1:port", in turn.
func (d *driver) drive(t *testing.T, targets ...string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for _, w := range d.workers {
		all.Go(func() { w.work(ctx, t, targets) })
	}
	return func() {
		cancel()
		all.Wait()
		d.client.CloseIdleConnections()
	}
}

// driveFor drives for so long.
func (d *driver) driveFor(t *testing.T, how time.Duration, targets ...string) {
	t.Helper()
	stop := d.drive(t, targets...)
	time.Sleep(how)
	stop()
}

// ready leads at least n people so far that they only need to hand in, and returns them. The
// driver is not running.
func (d *driver) ready(t *testing.T, n int, targets ...string) []*person {
	t.Helper()
	waiting := func() []*person {
		d.mu.Lock()
		defer d.mu.Unlock()
		return slices.DeleteFunc(slices.Clone(d.people), func(p *person) bool { return p.tried || slices.Contains(p.stored, false) })
	}
	d.parks = true
	stop := d.drive(t, targets...)
	waittest.Within(t, 5*time.Minute, fmt.Sprint(n, " people are ready to hand in"), func() bool { return t.Failed() || len(waiting()) >= n })
	stop()
	d.parks = false
	return waiting()
}

// handIn hands in a test that is ready, as any number of callers may at once, and reports
// whether that was acknowledged.
func (d *driver) handIn(ctx context.Context, t *testing.T, p *person, target string) bool {
	err := (&worker{d: d, now: p}).finish(ctx, "http://"+target)
	if errors.As(err, new(wrong)) {
		t.Error(err)
	}
	return err == nil
}

// acknowledged is how many requests were.
func (d *driver) acknowledged() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.acked
}

// unanswered is how many requests ended without an answer.
func (d *driver) unanswered() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cut
}

// refusals are the answers that were no acknowledgement, by status.
func (d *driver) refusals() map[int]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.refused)
}

// counts are the acknowledged invitations, answers and tests handed in.
func (d *driver) counts() (invited, answers, finished int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.people {
		if p.id != 0 {
			invited++
		}
		for _, is := range p.stored {
			if is {
				answers++
			}
		}
		if p.finished {
			finished++
		}
	}
	return invited, answers, finished
}

// finished is how many tests were handed in.
func (d *driver) finished() int {
	_, _, n := d.counts()
	return n
}

func (w *worker) work(ctx context.Context, t *testing.T, targets []string) {
	for n := w.n; ctx.Err() == nil; n++ {
		begun := time.Now()
		if w.now == nil || w.d.invites && w.now.id != 0 || w.d.parks && !slices.Contains(w.now.stored, false) {
			w.now = w.next()
		}
		err := w.step(ctx, "http://"+targets[n%len(targets)])
		wait := w.d.every - time.Since(begun)
		if err != nil {
			if errors.As(err, new(wrong)) {
				t.Error(err)
				return
			}
			wait = max(wait, 20*time.Millisecond)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// next is another person.
func (w *worker) next() *person {
	w.led++
	p := &person{ref: fmt.Sprintf("%s-%d-%d", w.d.name, w.n, w.led)}
	for _, item := range w.d.test.Items() {
		value := 1 + w.random.IntN(w.d.test.Points())
		if item.Type == instrument.Instructed {
			value = item.Expect
		}
		p.values = append(p.values, value)
	}
	p.sent, p.stored = make([]bool, len(p.values)), make([]bool, len(p.values))
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	w.d.people = append(w.d.people, p)
	return p
}

// wrong is an answer that the server must not give.
type wrong struct{ error }

// step makes one request for the worker's person, and takes down what was acknowledged.
func (w *worker) step(ctx context.Context, base string) error {
	p := w.now
	switch {
	case p.id == 0:
		return w.invite(ctx, base)
	case !p.begun:
		return w.begin(ctx, base)
	case slices.Contains(p.stored, false):
		return w.answer(ctx, base)
	default:
		return w.finish(ctx, base)
	}
}

// taken changes what is known of a person.
func (w *worker) taken(change func(p *person)) {
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	change(w.now)
}

func (w *worker) invite(ctx context.Context, base string) error {
	p := w.now
	w.taken(func(p *person) { p.asked = true })
	body := fmt.Sprintf(`{"name":"Kim Beispiel","email":"%s@example.com","external_id":%q,"language":"de","send_email":false}`, p.ref, p.ref)
	header, answer, err := w.send(ctx, base+"/api/v1/invites", "application/json", body, http.StatusCreated, http.StatusOK)
	if err != nil {
		return err
	}
	var made struct {
		Token string `json:"candidate_token"`
	}
	location := header.Get("Location")
	id, err := strconv.ParseInt(location[strings.LastIndexByte(location, '/')+1:], 10, 64)
	if err := errors.Join(err, json.Unmarshal(answer, &made)); err != nil || made.Token == "" {
		return wrong{fmt.Errorf("an invitation was answered with %s, %s: %w", location, answer, err)}
	}
	w.taken(func(p *person) { p.id, p.token = id, made.Token })
	return nil
}

var noticeVersion = regexp.MustCompile(`name="hinweise"[^>]* value="([0-9a-f]{64})"`)

// noticeRead is the version of the notice, which is the same for everybody.
func (w *worker) noticeRead(ctx context.Context, base string) (string, error) {
	w.d.notice.Lock()
	defer w.d.notice.Unlock()
	if w.d.read != "" {
		return w.d.read, nil
	}
	_, page, err := w.send(ctx, base+"/t/"+w.now.token, "", "", http.StatusOK)
	if err != nil {
		return "", err
	}
	found := noticeVersion.FindSubmatch(page)
	if found == nil {
		return "", wrong{errors.New("the start page has no notice")}
	}
	w.d.read = string(found[1])
	return w.d.read, nil
}

const formType = "application/x-www-form-urlencoded"

func (w *worker) begin(ctx context.Context, base string) error {
	version, err := w.noticeRead(ctx, base)
	if err != nil {
		return err
	}
	_, _, err = w.send(ctx, base+"/t/"+w.now.token+"/start", formType, "hinweise="+version, http.StatusSeeOther)
	if err == nil {
		w.taken(func(p *person) { p.begun = true })
	}
	return err
}

// answer sends some of the answers that come next, of one block: several as the script of
// the pages does, or one as its form.
func (w *worker) answer(ctx context.Context, base string) error {
	p, items := w.now, w.d.test.Items()
	from := slices.Index(p.stored, false)
	to := from + 1
	for to < len(items) && items[to].Block == items[from].Block && to < from+1+w.random.IntN(20) {
		to++
	}
	w.taken(func(p *person) {
		for i := from; i < to; i++ {
			p.sent[i] = true
		}
	})
	var err error
	if to == from+1 {
		body := fmt.Sprintf("gezeigt=%d&antwort=%d&aktion=weiter", time.Now().UnixMilli(), p.values[from])
		_, _, err = w.send(ctx, fmt.Sprintf("%s/t/%s/frage/%d", base, p.token, to), formType, body, http.StatusSeeOther)
	} else {
		_, _, err = w.send(ctx, base+"/t/"+p.token+"/antworten", "application/json", several(p, from, to), http.StatusOK)
	}
	if err == nil {
		w.taken(func(p *person) {
			for i := from; i < to; i++ {
				p.stored[i] = true
			}
		})
	}
	return err
}

// several are answers as the script sends them.
func several(p *person, from, to int) string {
	var b strings.Builder
	b.WriteString(`{"answers":[`)
	for i := from; i < to; i++ {
		if i > from {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"n":%d,"value":%d,"was":[0],"ms":3000,"changes":0,"age":0}`, i+1, p.values[i])
	}
	b.WriteString(`]}`)
	return b.String()
}

func (w *worker) finish(ctx context.Context, base string) error {
	w.taken(func(p *person) { p.tried = true })
	header, _, err := w.send(ctx, base+"/t/"+w.now.token+"/fertig", formType, "", http.StatusSeeOther)
	if err != nil {
		return err
	}
	if at := header.Get("Location"); !strings.HasSuffix(at, "fertig") {
		return wrong{fmt.Errorf("handing in %s led to %s", w.now.ref, at)}
	}
	w.taken(func(p *person) { p.finished = true })
	w.now = nil
	return nil
}

// refusal is an answer that is no acknowledgement.
type refusal int

func (r refusal) Error() string { return fmt.Sprint("answered with ", int(r)) }

// send makes one request and reads its answer. Only an answer with one of the statuses that
// are wanted acknowledges anything; 429, 500, 502, 503 and 504 are refusals, all others wrong.
func (w *worker) send(ctx context.Context, address, kind, body string, want ...int) (http.Header, []byte, error) {
	method := http.MethodPost
	if kind == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if strings.HasSuffix(address, "/invites") {
		req.Header.Del("Sec-Fetch-Site")
		req.Header.Set("Authorization", "Bearer "+w.key)
		req.Header.Set("Idempotency-Key", w.now.ref)
	}
	begun := time.Now()
	resp, err := w.d.client.Do(req)
	var answer []byte
	if err == nil {
		answer, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	took := time.Since(begun)
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	w.d.slowest = max(w.d.slowest, took)
	if err != nil {
		if ctx.Err() == nil { // else the driver itself was stopped
			w.d.cut++
		}
		return nil, nil, err
	}
	if slices.Contains(want, resp.StatusCode) {
		w.d.acked++
		w.d.took = append(w.d.took, took)
		return resp.Header, answer, nil
	}
	w.d.refused[resp.StatusCode]++
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return nil, nil, refusal(resp.StatusCode)
	}
	answer = answer[:min(len(answer), 500)]
	return nil, nil, wrong{fmt.Errorf("%s %s was answered with %s: %s", method, address, resp.Status, bytes.TrimSpace(answer))}
}
