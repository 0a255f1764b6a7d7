package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus/internal/server/servertest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

type letterList struct {
	Letters []struct {
		ID          int64   `json:"id"`
		Kind        string  `json:"kind"`
		CandidateID *int64  `json:"candidate_id"`
		FromName    string  `json:"from_name"`
		To          string  `json:"to"`
		ReplyTo     *string `json:"reply_to"`
		Subject     string  `json:"subject"`
		Text        string  `json:"text"`
		HTML        string  `json:"html"`
		CreatedAt   string  `json:"created_at"`
	} `json:"letters"`
}

// player is a program that plays a test world of a whole server.
type player struct {
	*testing.T
	site   *servertest.Site
	client *http.Client
	key    string
}

func (p player) do(method, path, body string) reply {
	p.Helper()
	req, err := http.NewRequestWithContext(p.Context(), method, p.site.URL+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+p.key)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := p.client.Do(req)
	if err != nil {
		p.Fatal(err)
	}
	defer resp.Body.Close()
	read, err := io.ReadAll(resp.Body)
	if err != nil {
		p.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(read)}
}

// advance moves the clock on and waits for the end.
func (p player) advance(by string) {
	p.Helper()
	r := p.do("POST", "/api/test/clock", `{"advance":"`+by+`"}`)
	at := strings.TrimPrefix(r.header.Get("Location"), p.site.URL)
	for begun := time.Now(); ; r = p.do("GET", at, "") {
		if r.status != http.StatusOK && r.status != http.StatusAccepted || time.Since(begun) > 2*time.Minute {
			p.Fatalf("moved on by %s: %d %s", by, r.status, r.body)
		}
		if parse[move](p.T, r).Done {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (p player) invite(address, externalID string) reply {
	body, err := json.Marshal(map[string]string{"name": "Jana Öztürk", "email": address, "external_id": externalID})
	if err != nil {
		p.Fatal(err)
	}
	return p.do("POST", "/api/v1/invites", string(body))
}

func TestAProgramPlaysATestWorld(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole server: not with -short")
	}
	storetest.Run(t, func(t *testing.T, st *store.Store) {
		site := servertest.Start(t, st)
		_, key := site.TestWorld(t)
		p := player{t, site, &http.Client{Transport: newChecker(t, http.DefaultTransport)}, key}
		if c := parse[clock](t, p.do("GET", "/api/test/clock", "")); c.Ahead != 0 || c.Move != nil {
			t.Errorf("at first %+v", c)
		}
		p.invite("finish+closer@example.com", "a")
		p.invite("never@example.com", "b")
		p.advance("PT1M")
		if c := parse[candidate](t, p.do("GET", "/api/v1/candidates/a", "")); c.Status != "abgeschlossen" {
			t.Errorf("a minute later %+v", c)
		}
		if events := parse[eventList](t, p.do("GET", "/api/test/events?wait=30", "")).Events; len(events) != 1 {
			t.Errorf("events %+v", events)
		}
		p.advance("P3D")
		p.reminded()
		if c := parse[clock](t, p.do("GET", "/api/test/clock", "")); c.Ahead < 3*24*3600 || c.Ahead > 3*24*3600+60 {
			t.Errorf("the clock is %d s ahead", c.Ahead)
		}
		p.runsDry()
		if r := p.do("POST", "/api/test/reset", ""); r.status != 200 || parse[clock](t, r).Ahead != 0 {
			t.Errorf("reset: %d %s", r.status, r.body)
		}
		if r := p.do("GET", "/api/v1/candidates", ""); r.body != `{"candidates":[]}` {
			t.Errorf("after the reset %s", r.body)
		}
		if r := p.invite("never@example.com", "b"); r.status != 201 {
			t.Errorf("after the reset: %d %s", r.status, r.body)
		}
	})
}

// reminded finds the letters of a world in which somebody was invited and reminded, and
// somebody finished.
func (p player) reminded() {
	p.Helper()
	never := parse[letterList](p.T, p.do("GET", "/api/test/letters?to=NEVER@example.com", "")).Letters
	if len(never) != 2 || never[0].Kind != "reminder" || never[1].Kind != "invitation" || never[0].CandidateID == nil || !strings.Contains(never[1].Text, p.site.URL+"/t/") {
		p.Fatalf("letters %+v", never)
	}
	all := parse[letterList](p.T, p.do("GET", "/api/test/letters", "")).Letters
	var paged []int64
	for path := "/api/test/letters?limit=1"; path != ""; {
		r := p.do("GET", path, "")
		for _, l := range parse[letterList](p.T, r).Letters {
			paged = append(paged, l.ID)
		}
		link, _, _ := strings.Cut(strings.TrimPrefix(r.header.Get("Link"), "<"+p.site.URL), ">")
		path = link
	}
	if len(paged) != len(all) || len(all) < 3 {
		p.Errorf("%d letters, page by page %v", len(all), paged)
	}
	for i, l := range all[:min(len(all), len(paged))] {
		if l.ID != paged[i] {
			p.Errorf("letter %d is %d, page by page %v", i, l.ID, paged)
		}
	}
}

// runsDry sees what happens without credits.
func (p player) runsDry() {
	p.Helper()
	if r := p.do("POST", "/api/test/credits", `{"balance":0}`); r.status != 200 || r.body != `{"balance":0}` {
		p.Errorf("no credits: %d %s", r.status, r.body)
	}
	if r := p.invite("never@example.com", "c"); r.status != http.StatusPaymentRequired {
		p.Errorf("without credits: %d %s", r.status, r.body)
	}
	if r := p.do("POST", "/api/test/credits", `{"balance":5}`); r.status != 200 {
		p.Errorf("five credits: %d %s", r.status, r.body)
	}
	if r := p.invite("never@example.com", "c"); r.status != 201 {
		p.Errorf("with credits: %d %s", r.status, r.body)
	}
}
