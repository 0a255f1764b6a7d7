package api_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/waittest"
)

// Nothing moves the clocks of these worlds: no server runs beside them.

// countLooks counts from now on how often somebody has looked for events.
func (w *world) countLooks() *atomic.Int64 {
	looks := new(atomic.Int64)
	count := func(query string) {
		if strings.Contains(query, "join webhook_events") {
			looks.Add(1)
		}
	}
	w.saw.Store(&count)
	return looks
}

func TestAMoveThatTakesLongIsAnsweredWithItsAddress(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		_, w.key = w.testWorld()
		answered := make(chan reply)
		go func() { answered <- w.do(call{path: "/api/test/clock", body: `{"advance":"P3D"}`}) }()
		waittest.Until(w, "the clock is on its way", func() bool {
			r := w.do(call{path: "/api/test/clock"})
			if r.status != http.StatusOK {
				t.Fatalf("the clock: %d %s", r.status, r.body)
			}
			return parse[clock](t, r).Move != nil
		})
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
		again := w.do(call{path: "/api/test/clock", body: `{"advance":"PT1M"}`})
		if p := parse[problem](t, again); again.status != http.StatusConflict || len(p.Errors) != 1 || p.Errors[0].Code != typus.CodeBusy || again.header.Get("Retry-After") != "1" {
			t.Errorf("a second move meanwhile: %d %s", again.status, again.body)
		}
		for _, id := range []string{"0", "x", "99", "99999999999999999999"} {
			if r := w.do(call{path: "/api/test/clock/" + id, invalid: true}); r.status != http.StatusNotFound {
				t.Errorf("move %s: %d %s", id, r.status, r.body)
			}
		}
		if r := w.do(call{method: "POST", path: "/api/test/reset"}); r.status != http.StatusOK || parse[clock](t, r).Move != nil {
			t.Errorf("a reset ends the move: %d %s", r.status, r.body)
		}
	})
}

// A reset ends a move, and whoever waits for it hears of that: at the first look for the move
// and at a later one.
func TestWhoMovesAClockHearsThatTheWorldWasResetMeanwhile(t *testing.T) {
	onBothDatabases(t, func(w mover) {
		for _, n := range []int{1, 2} {
			world, key := w.testWorld()
			w.key = key
			w.resetAtLook(n, world.ID)
			r := w.do(call{path: "/api/test/clock", body: `{"advance":"P3D"}`})
			p := parse[problem](w.T, r)
			if r.status != http.StatusConflict || len(p.Errors) != 1 || p.Errors[0].Code != typus.CodeWorldReset || p.Errors[0].Field != "clock" || !strings.Contains(p.Detail, "the world was reset meanwhile") {
				w.Errorf("at look %d: %d %s", n, r.status, r.body)
			}
			if r.header.Get("Location") != "" || r.header.Get("Retry-After") != "" {
				w.Errorf("at look %d: %v", n, r.header)
			}
		}
	})
}

// resetAtLook resets a test world right before somebody looks for the n-th time how far a move
// of its clock is.
func (m mover) resetAtLook(n int, worldID int64) {
	m.onQuery(func(query string) bool {
		if strings.Contains(query, "from world_moves where account_id = $1 and id = $2") {
			n--
		}
		return n == 0
	}, func() { m.Must(m.sandbox.Reset(m.Context(), worldID, typus.Actor{Name: "operator"})) })
}

func TestTheClockIsReadWhileTheWorldIsReset(t *testing.T) {
	onBothDatabases(t, func(w mover) {
		world, key := w.testWorld()
		w.key = key
		_, err := w.sandbox.Advance(w.Context(), world.ID, time.Hour, typus.Actor{Name: "operator"})
		w.Must(err)
		w.resetAtLook(1, world.ID)
		if r := w.do(call{path: "/api/test/clock"}); r.status != http.StatusOK || parse[clock](w.T, r).Move != nil {
			w.Errorf("%d %s", r.status, r.body)
		}
	})
}

func TestWaitingForEventsKeepsNothingBusyAndEndsWithTheServer(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		const keys, many = 8, 40
		looks, answered := w.countLooks(), make(chan reply, many)
		for range keys {
			_, key := w.testWorld()
			for range many / keys {
				go func() { answered <- w.doWith(w.plain, call{path: "/api/test/events?wait=30", key: key}) }()
			}
			w.key = key
		}
		waittest.Until(w, "all have looked, and most of them again", func() bool { return looks.Load() >= 3*many })
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

func TestFiveCallsOfAKeyMayWaitAtOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		_, key := w.testWorld()
		_, w.key = w.testWorld()
		const most = 5
		waiting, answered := call{path: "/api/test/events?wait=30", key: key}, make(chan reply, most)
		w.do(call{path: "/api/test/events", key: key}) // the key is remembered
		looks, before := w.countLooks(), w.ran.Load()
		for range most {
			go func() { answered <- w.doWith(w.plain, waiting) }()
		}
		waittest.Until(w, "they have looked again", func() bool { return looks.Load() >= 4*most })
		if looked, ran := looks.Load(), w.ran.Load()-before; ran > looked+2*most { // each has read its world, and may just look
			t.Errorf("%d statements for %d looks", ran, looked)
		}
		r := w.do(waiting)
		if p := parse[problem](t, r); r.status != http.StatusTooManyRequests || !strings.Contains(p.Detail, "5 calls of this key wait") || r.header.Get("Retry-After") != "1" {
			t.Errorf("one more: %d %s", r.status, r.body)
		}
		if r := w.do(call{path: "/api/test/events", key: key}); r.status != 200 {
			t.Errorf("one that does not wait: %d %s", r.status, r.body)
		}
		w.stop()
		for range most {
			<-answered
		}
		for _, c := range []call{waiting, {path: waiting.path}} { // an end has made room; another key has its own
			if r := w.do(c); r.status != 200 {
				t.Errorf("afterwards: %d %s", r.status, r.body)
			}
		}
	})
}
