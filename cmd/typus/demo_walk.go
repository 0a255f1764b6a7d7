package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"typus"
	"typus/internal/instrument"
	"typus/internal/webhook"
)

// walk is the main job of the product, done over HTTP as a customer's system
// and a candidate would: every step shows what was sent and what came back.
type walk struct {
	base     string
	key      string
	secret   string
	receiver *receiver
	test     *instrument.Instrument
	out      io.Writer
	pause    time.Duration // between steps; 0 with --fast
	clock    *hurriedClock // the server's
	client   *http.Client

	link        string
	candidateID int64
	externalID  string
}

// run does the steps in order and ends at the first that fails.
func (w *walk) run(ctx context.Context) error {
	steps := []struct {
		title string
		do    func(context.Context) error
	}{
		{"Your system invites a candidate", w.invite},
		{"The candidate opens the link and answers 97 statements", w.answer},
		{"Your system receives the signed webhook", w.receive},
		{"Your system reads the candidate back", w.readBack},
	}
	for i, step := range steps {
		fmt.Fprintf(w.out, "\n── %d of %d · %s\n\n", i+1, len(steps), step.title)
		if err := w.wait(ctx, w.pause); err != nil {
			return err
		}
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.title, err)
		}
	}
	return nil
}

func (w *walk) wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *walk) invite(ctx context.Context) error {
	body := `{"name":"Aylin Öztürk","email":"aylin.oeztuerk@example.com","external_id":"` + w.externalID + `","send_email":false}`
	var answer struct {
		OK        bool   `json:"ok"`
		InviteURL string `json:"invite_url"`
	}
	header, err := w.call(ctx, http.MethodPost, "/api/v1/invites", body, &answer)
	if err != nil {
		return err
	}
	w.link = answer.InviteURL
	location := header.Get("Location")
	w.candidateID, err = strconv.ParseInt(location[strings.LastIndexByte(location, '/')+1:], 10, 64)
	if err != nil || !answer.OK {
		return errors.New("the answer names no candidate")
	}
	return nil
}

// answer takes the test through the forms of its pages.
func (w *walk) answer(ctx context.Context) error {
	b, err := newBrowser()
	if err != nil {
		return err
	}
	if err := b.open(ctx, w.link); err != nil {
		return err
	}
	fmt.Fprintf(w.out, "  GET %s\n  %s\n\n", shortLink(w.link), b.heading())
	w.clock.pass(noticeTime)
	if err := b.submit(ctx, "/start", nil); err != nil {
		return err
	}
	if err := b.submit(ctx, "/probe", url.Values{"antwort": {"4"}}); err != nil {
		return err
	}
	began := time.Now()
	for i, g := range plausible(w.test, walkSeed) {
		path := fmt.Sprintf("/frage/%d", i+1)
		if !strings.HasSuffix(b.at.Path, path) { // a breather between two sections
			if err := b.open(ctx, w.link+path); err != nil {
				return err
			}
		}
		w.progress(i, b.heading(), g.Value)
		w.clock.pass(time.Duration(g.ActiveMS) * time.Millisecond)
		if err := b.submit(ctx, path, url.Values{"antwort": {strconv.Itoa(g.Value)}}); err != nil {
			return err
		}
		if err := w.wait(ctx, w.pause/40); err != nil {
			return err
		}
	}
	if err := b.submit(ctx, "/fertig", nil); err != nil {
		return err
	}
	fmt.Fprintf(w.out, "\n  handed in: %s\n  %d forms in %.1f s. The demo's clock skipped the reading: by it the test took %s, as long as a person needs.\n",
		b.heading(), b.forms, time.Since(began).Seconds(), readingTime(w.test).Round(time.Second))
	return nil
}

const (
	// walkSeed makes the answers of the candidate, and how long each took.
	walkSeed = 97
	// noticeTime is how long the candidate reads what stands before the test.
	noticeTime = 90 * time.Second
)

// readingTime is how long the candidate takes in all.
func readingTime(test *instrument.Instrument) time.Duration {
	all := noticeTime
	for _, g := range plausible(test, walkSeed) {
		all += time.Duration(g.ActiveMS) * time.Millisecond
	}
	return all
}

// progress shows a few of the statements; all of them would scroll the rest away.
func (w *walk) progress(i int, statement string, value int) {
	label := w.test.Labels("de")[value-1]
	switch {
	case i < 3 || i == len(w.test.Items())-1:
		fmt.Fprintf(w.out, "  %2d  %s\n      → %s\n", i+1, statement, label)
	case i == 3:
		fmt.Fprintln(w.out, "   …")
	}
}

func (w *walk) receive(ctx context.Context) error {
	a, err := w.receiver.next(ctx)
	if err != nil {
		return fmt.Errorf("no webhook came: %w", err)
	}
	fmt.Fprintf(w.out, "  POST %s\n", w.receiver.url)
	for _, name := range []string{"X-Service-Event", "X-Service-Signature", "webhook-id", "webhook-timestamp", "webhook-signature"} {
		fmt.Fprintf(w.out, "  %s: %s\n", name, short(a.header.Get(name), 60))
	}
	fmt.Fprintf(w.out, "\n%s\n\n", shortJSON(a.body))
	if !webhook.Verify(w.secret, a.header.Get("X-Service-Signature"), a.body) {
		return errors.New("X-Service-Signature does not fit the body")
	}
	fmt.Fprintln(w.out, "  ✓ X-Service-Signature: HMAC-SHA256 over the raw body fits")
	if err := webhook.VerifyStandard(w.secret, a.header, a.body, a.at); err != nil {
		return err
	}
	fmt.Fprintln(w.out, "  ✓ webhook-signature (Standard Webhooks): fits, and the time is fresh")
	var event struct {
		Data struct {
			Candidate struct {
				ID int64 `json:"id"`
			} `json:"candidate"`
		} `json:"data"`
	}
	if err := json.Unmarshal(a.body, &event); err != nil || event.Data.Candidate.ID != w.candidateID {
		return errors.New("the webhook is about another candidate")
	}
	return nil
}

// readScores is what the demo's CRM reads of a candidate.
type readScores struct {
	Overall int `json:"overall"`
	Fit     struct {
		Key string `json:"key"`
	} `json:"fit"`
	Pattern struct {
		Name string `json:"name"`
	} `json:"archetype"`
	Dimensions []struct {
		Name  string `json:"name"`
		Score int    `json:"score"`
	} `json:"dimension_scores"`
	Warnings []struct {
		Key     string `json:"key"`
		Message string `json:"message"`
	} `json:"warnings"`
}

func (w *walk) readBack(ctx context.Context) error {
	var c struct {
		ID     int64       `json:"id"`
		Status string      `json:"status"`
		Scores *readScores `json:"scores"`
	}
	if _, err := w.call(ctx, http.MethodGet, "/api/v1/candidates/"+w.externalID, "", &c); err != nil {
		return err
	}
	if c.ID != w.candidateID || c.Status != "abgeschlossen" || c.Scores == nil {
		return fmt.Errorf("candidate %d is %s", c.ID, c.Status)
	}
	c.Scores.show(w.out)
	return nil
}

// show prints a result as a system should: the warnings before any figure, and no figure
// where they say that the answers give no reliable picture.
func (s readScores) show(out io.Writer) {
	fmt.Fprintf(out, "\n  Look at the warnings first: %d here.\n", len(s.Warnings))
	for _, x := range s.Warnings {
		fmt.Fprintf(out, "  ! %s: %s\n", x.Key, x.Message)
	}
	for _, x := range s.Warnings {
		if x.Key == typus.DoubtfulAnswers {
			fmt.Fprintln(out, "  These answers give no reliable picture: show no figures, talk to the person.")
			return
		}
	}
	fmt.Fprintf(out, "  overall %d of 100, fit class %s, profile pattern %s: a self-description, which decides nothing alone\n\n", s.Overall, s.Fit.Key, s.Pattern.Name)
	widest := 0
	for _, d := range s.Dimensions {
		widest = max(widest, utf8.RuneCountInString(d.Name))
	}
	for _, d := range s.Dimensions {
		fmt.Fprintf(out, "  %-*s  %3d  %s\n", widest, d.Name, d.Score, strings.Repeat("▪", d.Score/4))
	}
}

// call is one API call, shown with its answer, which is decoded into v.
func (w *walk) call(ctx context.Context, method, path, body string, v any) (http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+w.key)
	fmt.Fprintf(w.out, "  %s %s\n  Authorization: Bearer %s\n", method, path, short(w.key, 15))
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
		fmt.Fprintf(w.out, "\n%s\n", shortJSON([]byte(body)))
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w.out, "\n  %s\n%s\n", resp.Status, shortJSON(answer))
	if resp.StatusCode >= 300 {
		return nil, fmt.Errorf("%s %s answered %s", method, path, resp.Status)
	}
	return resp.Header, json.Unmarshal(answer, v)
}

// shortJSON indents JSON for reading and leaves out the middle of long texts, but never
// the warnings, without which nobody should read a result.
func shortJSON(raw []byte) string {
	v := jsontext.Value(bytes.Clone(raw))
	if err := v.Indent(jsontext.WithIndentPrefix("  "), jsontext.WithIndent("  ")); err != nil {
		return "  " + string(raw)
	}
	lines := strings.Split("  "+string(v), "\n")
	const most, last = 22, 6
	if len(lines) > most {
		from := len(lines) - last
		if i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, `"warnings":`) }); i >= 0 {
			from = min(from, i)
		}
		if left := from - (most - last); left > 1 {
			lines = slices.Concat(lines[:most-last], []string{fmt.Sprintf("    … %d lines …", left)}, lines[from:])
		}
	}
	for i, line := range lines {
		lines[i] = short(line, 110)
	}
	return strings.Join(lines, "\n")
}

func short(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}

func shortLink(link string) string {
	i := strings.LastIndexByte(link, '/')
	return link[:i+1] + short(link[i+1:], 9)
}
