package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// Nothing moves the clocks of these worlds: no server runs beside them.

func TestAMoveThatTakesLongIsAnsweredWithItsAddress(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		_, w.key = w.testWorld()
		answered := make(chan reply)
		go func() { answered <- w.do(call{path: "/api/test/clock", body: `{"advance":"P3D"}`}) }()
		for parse[clock](t, w.do(call{path: "/api/test/clock"})).Move == nil {
			time.Sleep(time.Millisecond)
		}
		w.stop() // as after 20 seconds
		r := <-answered
		m := parse[move](t, r)
		at, here := strings.CutPrefix(r.header.Get("Location"), baseURL)
		if r.status != http.StatusAccepted || m.Done || m.Left < 1 || !here {
			t.Fatalf("%d %s %v", r.status, r.body, r.header)
		}
		if asked := parse[move](t, w.do(call{path: at})); asked.ID != m.ID || asked.Done {
			t.Errorf("%s says %+v", at, asked)
		}
		if c := parse[clock](t, w.do(call{path: "/api/test/clock"})); c.Move == nil || c.Move.ID != m.ID {
			t.Errorf("the clock says %+v", c)
		}
		for _, c := range []call{{path: "/api/test/clock", body: `{"advance":"PT1M"}`}, {method: "POST", path: "/api/test/reset"}} {
			r := w.do(c)
			if p := parse[problem](t, r); r.status != http.StatusConflict || len(p.Errors) != 1 || p.Errors[0].Code != typus.CodeBusy || r.header.Get("Retry-After") != "1" {
				t.Errorf("%s meanwhile: %d %s", c.path, r.status, r.body)
			}
		}
		for _, id := range []string{"0", "x", "99", "99999999999999999999"} {
			if r := w.do(call{path: "/api/test/clock/" + id, invalid: true}); r.status != http.StatusNotFound {
				t.Errorf("move %s: %d %s", id, r.status, r.body)
			}
		}
	})
}

func TestWaitingForEventsKeepsNothingBusyAndEndsWithTheServer(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		_, w.key = w.testWorld()
		const many = 40
		answered := make(chan reply, many)
		for range many {
			go func() { answered <- w.doWith(w.plain, call{path: "/api/test/events?wait=30"}) }()
		}
		before := w.ran.Load()
		for w.ran.Load() < before+3*many { // each has looked more than once
			time.Sleep(time.Millisecond)
		}
		if r := w.do(call{}); r.status != 200 {
			t.Errorf("meanwhile: %d %s", r.status, r.body)
		}
		w.stop()
		for range many {
			if r := <-answered; r.status != 200 || r.body != `{"events":[]}` {
				t.Errorf("%d %s", r.status, r.body)
			}
		}
	})
}

func TestACallThatWaitsIsAnsweredAsSoonAsThereIsAnEvent(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		account, key := w.testWorld()
		w.key = key
		if r := w.do(call{path: "/api/test/events"}); len(parse[eventList](t, r).Events) != 0 {
			t.Errorf("before the first: %s", r.body)
		}
		answered := make(chan reply)
		go func() { answered <- w.do(call{path: "/api/test/events?wait=30"}) }()
		w.finish(w.invite(`{` + person + `,"external_id":"x"}`).CandidateToken)
		first := parse[eventList](t, <-answered).Events
		event, err := w.Store.EventOf(t.Context(), account.ID, parse[candidate](t, w.do(call{path: "/api/v1/candidates/x"})).ID, typus.EventCandidateCompleted)
		w.Must(err)
		if len(first) != 1 || first[0].ID != event.ID || first[0].Type != event.Type || first[0].CreatedAt != "2026-11-27T10:20:30Z" || *first[0].Body != string(event.Payload) {
			t.Fatalf("got %+v, want %s with %s", first, event.ID, event.Payload)
		}
		if r := w.do(call{path: "/api/test/events?after=" + event.ID}); r.body != `{"events":[]}` {
			t.Errorf("after it: %s", r.body)
		}
	})
}
