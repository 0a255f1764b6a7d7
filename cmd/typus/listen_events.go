package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
)

// The bounds of a call that waits for events.
const (
	eventsWait   = 30 // seconds that the server waits
	eventsWithin = 45 * time.Second
	eventsBytes  = 16 << 20 // a hundred bodies of 64 KiB, and the quotation marks in them
)

// testEvents are the events of a test world, read by its key.
type testEvents struct {
	server string // origin, without a slash at the end
	key    string
	client *http.Client
}

func newTestEvents(server, key string) *testEvents {
	return &testEvents{server: strings.TrimRight(server, "/"), key: key, client: &http.Client{
		Timeout:       eventsWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key goes to one server
	}}
}

// testEvent is an event, with the bytes that webhooks get.
type testEvent struct {
	ID        string  `json:"id"`
	Type      string  `json:"type"`
	CreatedAt string  `json:"created_at"`
	Body      *string `json:"body"` // null once the person is erased
}

// badAnswer is an answer other than 2xx.
type badAnswer struct {
	status int
	wait   time.Duration // that the server asks for, 0 if it does not
	detail string
}

func (r *badAnswer) Error() string {
	return fmt.Sprintf("the server answered %d: %s", r.status, r.detail)
}

// final reports whether asking again brings nothing else.
func (r *badAnswer) final() bool {
	return r.status < 500 && r.status != http.StatusTooManyRequests && r.status != http.StatusRequestTimeout
}

// after are the events after one, oldest first, as soon as there are any or after so many
// seconds. A bad answer is an error; others come from the way to the server.
func (t *testEvents) after(ctx context.Context, last string, wait int) ([]testEvent, error) {
	query := url.Values{"after": {last}, "wait": {strconv.Itoa(wait)}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.server+"/api/test/events?"+query.Encode(), nil)
	if err != nil {
		return nil, typus.Errorf(typus.Invalid, "--server is no address of a server, such as https://typus.example.com")
	}
	req.Header.Set("Authorization", "Bearer "+t.key)
	resp, err := t.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, eventsBytes))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, badAnswerOf(resp, body)
	}
	var list struct {
		Events []testEvent `json:"events"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, &badAnswer{status: http.StatusOK, detail: "it is no Typus server, or an older one"}
	}
	return list.Events, nil
}

func badAnswerOf(resp *http.Response, body []byte) *badAnswer {
	var problem struct {
		Detail string `json:"detail"`
	}
	_ = json.Unmarshal(body, &problem) // a gateway's answer has no detail
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	return &badAnswer{
		status: resp.StatusCode, wait: time.Duration(min(max(seconds, 0), 60)) * time.Second,
		detail: cmp.Or(problem.Detail, http.StatusText(resp.StatusCode)),
	}
}

// ids are those of all events that there are, oldest first.
func (t *testEvents) ids(ctx context.Context) ([]string, error) {
	var all []string
	for last := ""; ; last = all[len(all)-1] {
		page, err := t.after(ctx, last, 0)
		if err != nil || len(page) == 0 {
			return all, err
		}
		for _, e := range page {
			all = append(all, e.ID)
		}
	}
}

// backOff is how long to wait before the server is asked again after so many failures in a row.
func backOff(err error, failures int) time.Duration {
	const most = 30 * time.Second
	if r, ok := errors.AsType[*badAnswer](err); ok && r.wait > 0 {
		return r.wait
	}
	return min(time.Second<<min(failures-1, 5), most)
}
