package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// appendGet appends a GET with the key.
func appendGet(buf []byte, path, key string) []byte {
	return fmt.Appendf(buf, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nAccept: */*\r\n\r\n", path, key)
}

// reads is row 1: candidates in random order, out of all that have a result.
func (b *bench) reads(ctx context.Context) error {
	request := func(buf []byte, _, _ int) []byte {
		id := b.full.Finished[rand.IntN(len(b.full.Finished))]
		return appendGet(buf, fmt.Sprintf("/api/v1/candidates/%d", id), b.full.Key)
	}
	p, err := b.against(ctx, "1-read", b.site, load{want: http.StatusOK, request: request}, request(nil, 0, 0))
	b.add("1", "`GET /candidates/:id`", p.String(), "≥ 0.30 × hello", p.ratio >= 0.30)
	return err
}

// lists is row 2: the first page and a page from the middle, among few
// candidates and among all.
func (b *bench) lists(ctx context.Context) error {
	small, err := start(filepath.Join(b.dir, "few.log"), "serve", b.small.Path)
	if err != nil {
		return err
	}
	defer func() { _ = small.stop() }()
	var speeds []float64
	for _, of := range []struct {
		site  *child
		stock *stock
	}{{small, b.small}, {b.site, b.full}} {
		deep, err := middle(ctx, of.site.addr, of.stock)
		if err != nil {
			return err
		}
		for _, page := range []struct{ name, path string }{{"first page", firstPage}, {"page in the middle", deep}} {
			request := func(buf []byte, _, _ int) []byte { return appendGet(buf, page.path, of.stock.Key) }
			name := fmt.Sprintf("2-list-%d-%s", of.stock.Candidates, page.name[:4])
			p, err := b.against(ctx, name, of.site, load{want: http.StatusOK, request: request}, request(nil, 0, 0))
			if err != nil {
				return err
			}
			speeds = append(speeds, p.ours.perSecond())
			b.add("2", fmt.Sprintf("`GET /candidates?limit=50`, %s of %s", page.name, thousands(of.stock.Candidates)),
				p.String(), "≥ 0.11 × hello", p.ratio >= 0.11)
		}
	}
	b.flat(speeds)
	return nil
}

// flat compares the full database with the small one.
func (b *bench) flat(speeds []float64) {
	first, deep := speeds[2]/speeds[0], speeds[3]/speeds[1]
	within := func(x float64) bool { return x >= 0.90 && x <= 1.10 }
	b.add("2", fmt.Sprintf("the same, %s against %s", thousands(b.full.Candidates), thousands(b.small.Candidates)),
		fmt.Sprintf("first page %.2f, middle %.2f", first, deep), "0.90 to 1.10", within(first) && within(deep))
}

const firstPage = "/api/v1/candidates?limit=50"

// middle follows the Link header to the middle of the list and returns the
// address of the page there.
func middle(ctx context.Context, addr string, of *stock) (string, error) {
	path := "/api/v1/candidates?limit=100"
	for range of.Candidates / 2 / 100 {
		next, err := nextPage(ctx, "http://"+addr+path, of.Key)
		if err != nil {
			return "", err
		}
		path = next
	}
	u, err := url.Parse(path)
	if err != nil {
		return "", err
	}
	return firstPage + "&cursor=" + url.QueryEscape(u.Query().Get("cursor")), nil
}

func nextPage(ctx context.Context, address, key string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return "", err
	}
	link, _, found := strings.Cut(strings.TrimPrefix(resp.Header.Get("Link"), "<"), ">")
	u, err := url.Parse(link)
	if err != nil || !found {
		return "", errors.Join(err, fmt.Errorf("the list ended early, with %s", resp.Status))
	}
	return u.RequestURI(), nil
}

// invitations is row 3. Each is another person, gets a letter into the outbox,
// and is answered once it is synced.
func (b *bench) invitations(ctx context.Context) error {
	var invited atomic.Int64
	request := func(buf []byte, _, _ int) []byte {
		n := int(invited.Add(1))
		name, email := person(n)
		body := fmt.Sprintf(`{"name":%q,"email":%q,"external_id":"bench-%d"}`, name, email, n)
		return fmt.Appendf(buf, "POST /api/v1/invites HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", b.full.Key, len(body), body)
	}
	before, err := b.written(ctx)
	if err != nil {
		return err
	}
	p, err := b.against(ctx, "3-invite", b.site, load{want: http.StatusCreated, request: request}, request(nil, 0, 0))
	if err != nil {
		return err
	}
	b.add("3", "`POST /invites`, answered after the sync", p.String(), "≥ 0.09 × hello", p.ratio >= 0.09)
	return b.perSync(ctx, "3", before, p)
}

// answers is row 4: people answer one statement after the other, each
// connection for a hundred people in turn.
func (b *bench) answers(ctx context.Context) error {
	each := len(b.full.Answering) / connections
	request := func(buf []byte, conn, n int) []byte {
		token := b.full.Answering[conn*each+n%each]
		body := fmt.Sprintf("gezeigt=%d&antwort=%d&aktion=weiter", time.Now().UnixMilli(), 1+(conn+n)%6)
		return appendForm(buf, fmt.Sprintf("/t/%s/frage/%d", token, 1+n/each%items), body)
	}
	before, err := b.written(ctx)
	if err != nil {
		return err
	}
	p, err := b.against(ctx, "4-answer", b.site, load{want: http.StatusSeeOther, request: request}, request(nil, 0, 0))
	if err != nil {
		return err
	}
	b.add("4", "saving one answer (the form of the test page)", p.String(), "≥ 0.12 × hello", p.ratio >= 0.12)
	return b.perSync(ctx, "4", before, p)
}

const items = 97 // of the test

// appendForm appends the POST of a form as a browser sends it.
func appendForm(buf []byte, path, body string) []byte {
	return fmt.Appendf(buf, "POST %s HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

// completions is row 5: every test that waits to be handed in, while the
// courier delivers the webhooks. Where profiles are wanted, the second half is
// handed in under the profiler.
func (b *bench) completions(ctx context.Context) error {
	waiting := b.full.Finishing
	if b.profile != "" {
		waiting = waiting[:len(waiting)/2]
	}
	handIn := func(tokens []string) (speed, error) {
		request := func(buf []byte, conn, n int) []byte {
			place := n*connections + conn
			if place >= len(tokens) {
				return nil
			}
			return appendForm(buf, "/t/"+tokens[place]+"/fertig", "")
		}
		return load{want: http.StatusSeeOther, request: request}.run(ctx, b.site.addr, time.Hour)
	}
	arrived := b.received.Load()
	before, err := b.site.commits(ctx)
	if err != nil {
		return err
	}
	s, each, err := timed(b.site, func() (speed, error) { return handIn(waiting) })
	if err != nil {
		return err
	}
	after, err := b.site.commits(ctx)
	arrived = b.received.Load() - arrived
	b.add("5", "finishing a test: scores, ledger, result, event, delivery in one transaction",
		fmt.Sprintf("%s/s over %s tests; CPU a test %d µs, its webhook included; p50 %s, p99 %s; beside them %s webhooks/s delivered; %s commits",
			thousands(int(s.perSecond())), thousands(s.requests), each.Microseconds(), short(s.quantile(0.50)), short(s.quantile(0.99)),
			thousands(int(float64(arrived)/s.elapsed.Seconds())), thousands(after-before)),
		"≥ 1,900/s", s.perSecond() >= 1900)
	if err != nil {
		return err
	}
	_, err = b.profiled(ctx, "5-finish", b.site, func() (speed, error) { return handIn(b.full.Finishing[len(waiting):]) })
	return err
}

// counted is what the server has written so far.
type counted struct{ commits, checkpoints int }

// written reads the counter of commits, and from the head of the log file how
// often it was folded into the database (https://sqlite.org/fileformat2.html, 4.1).
func (b *bench) written(ctx context.Context) (counted, error) {
	commits, err := b.site.commits(ctx)
	if err != nil {
		return counted{}, err
	}
	f, err := os.Open(b.full.Path + "-wal")
	if err != nil {
		return counted{}, err
	}
	defer f.Close()
	var head [16]byte
	if _, err := io.ReadFull(f, head[:]); err != nil && err != io.EOF {
		return counted{}, err
	}
	return counted{commits, int(head[12])<<24 | int(head[13])<<16 | int(head[14])<<8 | int(head[15])}, nil
}

// perSync says how many acknowledged writes one sync of the disk answered. A
// commit syncs the log once; folding the log in syncs it and the database twice, beside
// the writer and for what came meanwhile, and the head of the new log.
func (b *bench) perSync(ctx context.Context, number string, before counted, p pair) error {
	after, err := b.written(ctx)
	if err != nil {
		return err
	}
	commits := after.commits - before.commits
	folded := after.checkpoints - before.checkpoints
	perSync := float64(p.written) / float64(commits+5*folded)
	b.add(number, "the same, acknowledged writes per sync of the disk",
		fmt.Sprintf("%.1f (%s writes, %s commits, %s checkpoints)", perSync, thousands(p.written), thousands(commits), thousands(folded)),
		"≥ 5", perSync >= 5)
	return nil
}
