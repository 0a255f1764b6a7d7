package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// bench is one run.
type bench struct {
	plan
	dir      string
	receiver *http.Server
	received atomic.Int64 // webhooks
	hello    *child
	site     *child // the server on the full database
	full     *stock
	small    *stock
	lines    []line
	machine  machine
	sizes    []tableSize
}

func (b *bench) run(ctx context.Context) error {
	var err error
	if b.machine, err = readMachine(ctx, b.dir); err != nil {
		return err
	}
	receiver, err := b.startReceiver()
	if err != nil {
		return err
	}
	if err := b.seedBoth(ctx, receiver); err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"disk", b.disk}, {"program", b.program}, {"scoring", b.scoring}, {"claims", b.claims}, {"webhooks", b.webhooks}, {"paper", b.paper}, {"desk", b.desk}, {"servers", b.startServers},
		{"reads", b.reads}, {"lists", b.lists}, {"invitations", b.invitations},
		{"answers", b.answers}, {"completions", b.completions}, {"memory", b.underLoad}, {"pages", b.pages},
	} {
		begun := time.Now()
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		b.say("%s: %s", step.name, time.Since(begun).Round(time.Millisecond))
	}
	return nil
}

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

// startReceiver takes the webhooks of the account.
func (b *bench) startReceiver() (string, error) {
	ln, err := listen()
	if err != nil {
		return "", err
	}
	b.receiver = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		b.received.Add(1)
	})}
	go func() { _ = b.receiver.Serve(ln) }()
	return "http://" + ln.Addr().String() + "/hook", nil
}

func (b *bench) seedBoth(ctx context.Context, receiver string) error {
	begun := time.Now()
	var err error
	if b.small, err = b.stocked(ctx, "few", b.few, 0, receiver); err != nil {
		return err
	}
	b.full, err = b.stocked(ctx, "full", b.rows, b.finish, receiver)
	if err == nil {
		b.say("%d candidates stored: %s", b.full.Candidates, time.Since(begun).Round(time.Second))
	}
	return err
}

func (b *bench) startServers(ctx context.Context) error {
	var err error
	if b.hello, err = start(filepath.Join(b.dir, "hello.log"), "hello"); err != nil {
		return err
	}
	if b.site, err = start(filepath.Join(b.dir, "serve.log"), "serve", b.full.Path); err != nil {
		return err
	}
	return b.atEase(ctx, b.site.cmd.Process.Pid)
}

// end stops everything; what fails then is of no interest any more.
func (b *bench) end() {
	for _, c := range []*child{b.hello, b.site} {
		if c != nil {
			_ = c.stop()
		}
	}
	if b.receiver != nil {
		_ = b.receiver.Close()
	}
}

// pair is the server beside the reference.
type pair struct {
	ours, hello speed            // of the turn with the median ratio
	cpu         [2]time.Duration // that server and reference spent on one request, each the median of all turns
	ratio       float64
	written     int // requests that the server has answered, in all turns
}

func (p pair) String() string {
	return fmt.Sprintf("**%.2f × hello**: %s/s against %s/s; CPU a request %d µs against %d µs; p50 %s, p99 %s", p.ratio,
		thousands(int(p.ours.perSecond())), thousands(int(p.hello.perSecond())), p.cpu[0].Microseconds(), p.cpu[1].Microseconds(),
		short(p.ours.quantile(0.50)), short(p.ours.quantile(0.99)))
}

// against drives the server at site and the reference with the same load, in
// turns, and returns the turn with the median ratio. sample is one request of
// the load: its answer is what the reference gives.
func (b *bench) against(ctx context.Context, name string, site *child, l load, sample []byte) (pair, error) {
	if err := b.prime(ctx, site.addr, sample); err != nil {
		return pair{}, err
	}
	warm, err := l.run(ctx, site.addr, b.turn/3) // fills the caches
	if err != nil {
		return pair{}, err
	}
	var turns []pair
	written := 1 + warm.requests
	for range b.rounds {
		reference, idle, err := timed(b.hello, func() (speed, error) { return l.run(ctx, b.hello.addr, b.turn/2) })
		if err != nil {
			return pair{}, err
		}
		ours, busy, err := timed(site, func() (speed, error) { return l.run(ctx, site.addr, b.turn) })
		if err != nil {
			return pair{}, err
		}
		written += ours.requests
		turns = append(turns, pair{
			ours: ours, hello: reference, ratio: ours.perSecond() / reference.perSecond(), cpu: [2]time.Duration{busy, idle},
		})
	}
	median := medianOf(turns)
	extra, err := b.profiled(ctx, name, site, func() (speed, error) { return l.run(ctx, site.addr, b.turn) })
	median.written = written + extra.requests
	return median, err
}

// medianOf is the turn with the median ratio. The processor times are medians by
// themselves: they move least with what else the machine does.
func medianOf(turns []pair) pair {
	slices.SortFunc(turns, func(a, b pair) int { return cmp.Compare(a.ratio, b.ratio) })
	median := turns[len(turns)/2]
	for i := range median.cpu {
		var each []time.Duration
		for _, t := range turns {
			each = append(each, t.cpu[i])
		}
		slices.Sort(each)
		median.cpu[i] = each[len(each)/2]
	}
	return median
}

// timed runs a load and says what processor time each request cost the process
// that answered it. Other work on the machine moves this figure least.
func timed(c *child, run func() (speed, error)) (speed, time.Duration, error) {
	before, err := processorTime(c.cmd.Process.Pid)
	if err != nil {
		return speed{}, 0, err
	}
	s, err := run()
	if err != nil {
		return s, 0, err
	}
	after, err := processorTime(c.cmd.Process.Pid)
	return s, (after - before) / time.Duration(max(1, s.requests)), err
}

// profiled runs a load under the profiler, if profiles are wanted, and says how fast it was.
func (b *bench) profiled(ctx context.Context, name string, site *child, run func() (speed, error)) (speed, error) {
	if b.profile == "" {
		return speed{}, nil
	}
	done := make(chan error, 1)
	go func() {
		text, err := get(ctx, fmt.Sprintf("http://%s/profile?seconds=%d", site.control, max(1, int(b.turn.Seconds())-1)))
		if err == nil {
			err = os.WriteFile(filepath.Join(b.profile, name+".pprof"), text, 0o600)
		}
		done <- err
	}()
	s, err := run()
	return s, errors.Join(err, <-done)
}

// get reads a small answer of a process of ours.
func get(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := (&http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{}).DialContext}}).Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// commits is how many write transactions a server has committed.
func (c *child) commits(ctx context.Context) (int, error) {
	text, err := get(ctx, "http://"+c.control+"/commits")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(text))
}
