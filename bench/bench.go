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
	"strings"
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
	site     *child   // the server on the full database
	before   *earlier // what ours is compared with, nil for none
	full     *stock
	small    *stock
	lines    []line
	machine  machine
	sizes    []tableSize
	tests    map[string]string // programs of tests that were built, by the package's directory
}

// step is a part of a run, by the name that -only gives.
type step struct {
	name string
	do   func(context.Context) error
}

func (b *bench) steps() []step {
	return []step{
		{"disk", b.disk}, {"program", b.program}, {"scoring", b.scoring}, {"claims", b.claims}, {"webhooks", b.webhooks}, {"paper", b.paper}, {"desk", b.desk}, {"servers", b.startServers},
		{"reads", b.reads}, {"lists", b.lists}, {"invitations", b.invitations},
		{"answers", b.answers}, {"completions", b.completions}, {"memory", b.underLoad}, {"pages", b.pages},
	}
}

// checkOnly refuses a name in -only that no step has: nothing would be measured for it, and
// nothing said.
func (b *bench) checkOnly() error {
	if b.only == "" {
		return nil
	}
	var known []string
	for _, s := range b.steps() {
		known = append(known, s.name)
	}
	for name := range strings.SplitSeq(b.only, ",") {
		if !slices.Contains(known, name) {
			return fmt.Errorf("-only: there is no step %q, only %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

func (b *bench) run(ctx context.Context) error {
	if err := b.checkOnly(); err != nil {
		return err
	}
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
	for _, step := range b.steps() {
		if b.only != "" && step.name != "servers" && !slices.Contains(strings.Split(b.only, ","), step.name) {
			continue
		}
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
	if b.full, err = b.stocked(ctx, "full", b.rows, b.finish, receiver); err != nil {
		return err
	}
	b.say("%d candidates stored: %s", b.full.Candidates, time.Since(begun).Round(time.Second))
	return b.readEarlier(ctx, receiver)
}

func (b *bench) startServers(ctx context.Context) error {
	var err error
	if b.hello, err = start(filepath.Join(b.dir, "hello.log"), "hello"); err != nil {
		return err
	}
	if b.site, err = start(filepath.Join(b.dir, "serve.log"), "serve", b.full.Path); err != nil {
		return err
	}
	return errors.Join(b.atEase(ctx, b.site.cmd.Process.Pid), b.startEarlier(ctx))
}

// end stops everything; what fails then is of no interest any more.
func (b *bench) end() {
	children := []*child{b.hello, b.site}
	if b.before != nil {
		children = append(children, b.before.site)
	}
	for _, c := range children {
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

// contender is a server, and the load that it is driven with.
type contender struct {
	site *child
	load load
}

// loaded are both servers with the same load.
func (b *bench) loaded(l load) (now, before contender) {
	if b.before != nil {
		before = contender{b.before.site, l}
	}
	return contender{b.site, l}, before
}

// against drives a server and the reference with the same load, in turns, and between them
// the earlier server, where there is one, once before and once after ours. It returns of each
// server the turn with the median ratio. sample is one request of the load: its answer is
// what the reference gives.
func (b *bench) against(ctx context.Context, name string, now, before contender, sample []byte) (pair, pair, error) {
	if err := b.prime(ctx, now.site.addr, sample); err != nil {
		return pair{}, pair{}, err
	}
	contenders := []contender{now}
	if b.before != nil {
		contenders = append(contenders, before)
	}
	turns := make([][]pair, len(contenders))
	written := make([]int, len(contenders))
	written[0] = 1 // the sample
	for i, c := range contenders {
		warm, err := c.load.run(ctx, c.site.addr, b.turn/3) // fills the caches
		if err != nil {
			return pair{}, pair{}, err
		}
		written[i] += warm.requests
	}
	for round := range b.rounds {
		reference, idle, err := timed(b.hello, func() (speed, error) { return now.load.run(ctx, b.hello.addr, b.turn/2) })
		if err != nil {
			return pair{}, pair{}, err
		}
		for i := range contenders {
			i = (i + round) % len(contenders)
			c := contenders[i]
			ours, busy, err := timed(c.site, func() (speed, error) { return c.load.run(ctx, c.site.addr, b.turn) })
			if err != nil {
				return pair{}, pair{}, err
			}
			written[i] += ours.requests
			turns[i] = append(turns[i], pair{
				ours: ours, hello: reference, ratio: ours.perSecond() / reference.perSecond(), cpu: [2]time.Duration{busy, idle},
			})
		}
	}
	medians := make([]pair, 2)
	for i := range contenders {
		medians[i] = medianOf(turns[i])
		medians[i].written = written[i]
	}
	extra, err := b.profiled(ctx, name, now.site, func() (speed, error) { return now.load.run(ctx, now.site.addr, b.turn) })
	medians[0].written += extra.requests
	return medians[0], medians[1], err
}

// wasBeside says what the earlier server reached in its turns beside those of now.
func (b *bench) wasBeside(now, before pair) {
	if b.before != nil {
		b.was("%s; now %.2f × before, CPU %.2f ×", before, now.ratio/before.ratio, float64(now.cpu[0])/float64(max(1, before.cpu[0])))
	}
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
		median.cpu[i] = middleOf(each)
	}
	return median
}

func middleOf[T cmp.Ordered](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
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
	done := make(chan error, 2)
	for path, file := range map[string]string{"profile": name + ".pprof", "allocs": name + "-allocs.pprof"} {
		go func() {
			text, err := get(ctx, fmt.Sprintf("http://%s/%s?seconds=%d", site.control, path, max(1, int(b.turn.Seconds())-1)))
			if err == nil {
				err = os.WriteFile(filepath.Join(b.profile, file), text, 0o600)
			}
			done <- err
		}()
	}
	s, err := run()
	return s, errors.Join(err, <-done, <-done)
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
