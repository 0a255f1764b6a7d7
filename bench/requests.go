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
	now, before := b.loaded(load{want: http.StatusOK, request: request})
	p, was, err := b.against(ctx, "1-read", now, before, request(nil, 0, 0))
	if err != nil {
		return err
	}
	b.add("1", "`GET /candidates/:id`", p.String(), "≥ 0.30 × hello", p.ratio >= 0.30)
	b.wasBeside(p, was)
	return nil
}

// lists is row 2: the first page and a page from the middle, among few
// candidates and among all.
func (b *bench) lists(ctx context.Context) error {
	small, err := start(filepath.Join(b.dir, "few.log"), "serve", b.small.Path)
	if err != nil {
		return err
	}
	defer func() { _ = small.stop() }()
	var smallBefore, fullBefore *child
	if b.before != nil {
		fullBefore = b.before.site
		if smallBefore, err = startAs(b.before.program, filepath.Join(b.dir, "few-before.log"), "serve", b.before.small); err != nil {
			return err
		}
		defer func() { _ = smallBefore.stop() }()
	}
	var speeds []float64
	for _, of := range []struct {
		now, before *child
		stock       *stock
	}{{small, smallBefore, b.small}, {b.site, fullBefore, b.full}} {
		for _, page := range []struct {
			name string
			path func(context.Context, *child, *stock) (string, error)
		}{{"first page", newestPage}, {"page in the middle", middle}} {
			now, sample, err := paged(ctx, of.now, of.stock, page.path)
			if err != nil {
				return err
			}
			before, _, err := paged(ctx, of.before, of.stock, page.path)
			if err != nil {
				return err
			}
			p, was, err := b.against(ctx, fmt.Sprintf("2-list-%d-%s", of.stock.Candidates, page.name[:4]), now, before, sample)
			if err != nil {
				return err
			}
			speeds = append(speeds, p.ours.perSecond())
			b.add("2", fmt.Sprintf("`GET /candidates?limit=50`, %s of %s", page.name, thousands(of.stock.Candidates)),
				p.String(), "≥ 0.11 × hello", p.ratio >= 0.11)
			b.wasBeside(p, was)
		}
	}
	b.flat(speeds)
	return nil
}

// paged drives a server with one page of its list; there may be no such server.
func paged(ctx context.Context, site *child, of *stock, page func(context.Context, *child, *stock) (string, error)) (contender, []byte, error) {
	if site == nil {
		return contender{}, nil, nil
	}
	path, err := page(ctx, site, of)
	request := func(buf []byte, _, _ int) []byte { return appendGet(buf, path, of.Key) }
	return contender{site, load{want: http.StatusOK, request: request}}, request(nil, 0, 0), err
}

// flat compares the full database with the small one.
func (b *bench) flat(speeds []float64) {
	first, deep := speeds[2]/speeds[0], speeds[3]/speeds[1]
	within := func(x float64) bool { return x >= 0.90 && x <= 1.10 }
	b.add("2", fmt.Sprintf("the same, %s against %s", thousands(b.full.Candidates), thousands(b.small.Candidates)),
		fmt.Sprintf("first page %.2f, middle %.2f", first, deep), "0.90 to 1.10", within(first) && within(deep))
}

const firstPage = "/api/v1/candidates?limit=50"

func newestPage(context.Context, *child, *stock) (string, error) { return firstPage, nil }

// middle follows the Link header to the middle of the list and returns the
// address of the page there.
func middle(ctx context.Context, site *child, of *stock) (string, error) {
	path := "/api/v1/candidates?limit=100"
	for range of.Candidates / 2 / 100 {
		next, err := nextPage(ctx, "http://"+site.addr+path, of.Key)
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
	return b.writes(ctx, "3", "3-invite", "`POST /invites`, answered after the sync", 0.09, load{want: http.StatusCreated, request: request})
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
	return b.writes(ctx, "4", "4-answer", "saving one answer (the form of the test page)", 0.12, load{want: http.StatusSeeOther, request: request})
}

const items = 97 // of the test

// appendForm appends the POST of a form as a browser sends it.
func appendForm(buf []byte, path, body string) []byte {
	return fmt.Appendf(buf, "POST %s HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

// writes is a row of acknowledged writes, at least so many times as fast as the reference,
// and how many of them one sync answered.
func (b *bench) writes(ctx context.Context, number, name, work string, least float64, l load) error {
	now, before := b.loaded(l)
	var earliest counted
	first, err := written(ctx, b.site, b.full.Path)
	if err == nil && b.before != nil {
		earliest, err = written(ctx, b.before.site, b.before.full)
	}
	if err != nil {
		return err
	}
	p, was, err := b.against(ctx, name, now, before, l.request(nil, 0, 0))
	if err != nil {
		return err
	}
	b.add(number, work, p.String(), fmt.Sprintf("≥ %.2f × hello", least), p.ratio >= least)
	b.wasBeside(p, was)
	each, words, err := perSync(ctx, b.site, b.full.Path, first, p)
	if err != nil {
		return err
	}
	b.add(number, "the same, acknowledged writes per sync of the disk", words, "≥ 5", each >= 5)
	if b.before == nil {
		return nil
	}
	_, words, err = perSync(ctx, b.before.site, b.before.full, earliest, was)
	b.was("%s", words)
	return err
}

// counted is what the server has written so far.
type counted struct{ commits, checkpoints int }

// written reads the counter of commits, and from the head of the log file how
// often it was folded into the database (https://sqlite.org/fileformat2.html, 4.1).
func written(ctx context.Context, site *child, path string) (counted, error) {
	commits, err := site.commits(ctx)
	if err != nil {
		return counted{}, err
	}
	f, err := os.Open(path + "-wal")
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
func perSync(ctx context.Context, site *child, path string, before counted, p pair) (float64, string, error) {
	after, err := written(ctx, site, path)
	commits := after.commits - before.commits
	folded := after.checkpoints - before.checkpoints
	each := float64(p.written) / float64(max(1, commits+5*folded))
	return each, fmt.Sprintf("%.1f (%s writes, %s commits, %s checkpoints)", each, thousands(p.written), thousands(commits), thousands(folded)), err
}
