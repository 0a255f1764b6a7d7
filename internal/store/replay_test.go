package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// replayID makes the id of a delivery that is newer than those of newEvent.
func replayID() string { return fmt.Sprintf("dlv_z%08d", counter.Add(1)) }

// ended are n events whose only deliveries have ended in a state.
func ended(t testing.TB, s *store.Store, account int64, state typus.DeliveryState, n int) []string {
	t.Helper()
	var events []string
	for range n {
		e := newEvent(t, s, account)
		run(t, s, `update webhook_deliveries set state = '%s', outcome = case '%s' when 'delivered' then 'arrived' else 'server_error' end, failures = 0, finished_at = 1 where event_id = '%s' and state in ('pending', 'held')`, state, state, e)
		events = append(events, e)
	}
	return events
}

// quick makes an endpoint one that answers quickly.
func quick(t testing.TB, s *store.Store, id int64) {
	t.Helper()
	run(t, s, `update webhook_endpoints set last_duration_ms = 5 where id = %d`, id)
}

func newRun(t testing.TB, s *store.Store, account int64, f store.DeliveryFilter) int64 {
	t.Helper()
	var id int64
	write(t, s, func(tx *store.Tx) error {
		var err error
		id, err = tx.AddReplayRun(t.Context(), store.ReplayRun{AccountID: account, Filter: f, CreatedAt: noon})
		return err
	})
	return id
}

// replayMore takes a step of a run.
func replayMore(t testing.TB, s *store.Store, account, id int64) (made int, left bool) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error {
		r, mine, err := tx.ClaimReplayRun(t.Context(), account, id)
		if err != nil || !mine {
			return fmt.Errorf("the run is not ours: %v", err)
		}
		e, err := tx.Endpoint(t.Context(), account, r.Filter.EndpointID)
		if err != nil {
			return err
		}
		made, left, err = tx.ReplayMore(t.Context(), r, e, replayID)
		return err
	})
	return made, left
}

// replaysOf are the events that were sent again to an endpoint, in the order of that.
func replaysOf(t testing.TB, s *store.Store, endpoint int64) []string {
	t.Helper()
	return rows(t, s, fmt.Sprintf(`select event_id from webhook_deliveries where endpoint_id = %d and replay_id is not null order by id`, endpoint))
}

func TestARunSendsEachEventOnceAndTheOldestFirst(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		quick(t, s, id)
		lost := ended(t, s, account, typus.DeliveryExhausted, 5)
		arrived := ended(t, s, account, typus.DeliveryDelivered, 1)
		again := func(event string, state typus.DeliveryState) {
			finished := "2"
			if !state.Ended() {
				finished = "null"
			}
			run(t, s, `insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, next_attempt_at, finished_at)
				values ('%s', %d, '%s', %d, 'replay', '%s', 1, %s)`, replayID(), account, event, id, state, finished)
		}
		again(lost[1], typus.DeliveryDelivered) // arrived in the meantime
		again(lost[2], typus.DeliveryPending)   // is under way
		again(lost[3], typus.DeliveryExhausted) // was lost twice
		run(t, s, `update webhook_events set payload = null where id = '%s'`, lost[4])
		newTest(t, s, account, id)

		f := store.DeliveryFilter{EndpointID: id, State: typus.DeliveryExhausted}
		if n := must[int](t)(s.CountReplayable(t.Context(), account, f, 100)); n != 2 {
			t.Errorf("%d are counted, want 2", n)
		}
		for _, f := range []store.DeliveryFilter{
			{EndpointID: id, Outcome: typus.DeliveryServerError}, {EndpointID: id, State: typus.DeliveryExhausted, Outcome: typus.DeliveryServerError},
		} {
			if n := must[int](t)(s.CountReplayable(t.Context(), account, f, 100)); n != 1 {
				t.Errorf("%+v: %d are counted, want 1", f, n)
			}
		}
		for _, state := range []typus.DeliveryState{typus.DeliveryPending, "?"} {
			if n := must[int](t)(s.CountReplayable(t.Context(), account, store.DeliveryFilter{EndpointID: id, State: state}, 100)); n != 0 {
				t.Errorf("%d that are %s are counted", n, state)
			}
		}
		if n := must[int](t)(s.CountReplayable(t.Context(), account, store.DeliveryFilter{EndpointID: id}, 2)); n != 3 {
			t.Errorf("more than 2 are counted as %d", n)
		}
		all := must[int](t)(s.CountReplayable(t.Context(), account, store.DeliveryFilter{EndpointID: id}, 100))
		other := must[int](t)(s.CountReplayable(t.Context(), newAccount(t, s), f, 100))
		if all != 4 || other != 0 { // lost[0], lost[1], lost[3], arrived[0]
			t.Errorf("%d of all states are counted and %d of another account, want 4 and 0", all, other)
		}
		replay := newRun(t, s, account, f)
		late := ended(t, s, account, typus.DeliveryExhausted, 1)
		run(t, s, `update webhook_deliveries set id = '%s' where event_id = '%s'`, replayID(), late[0])
		for left := true; left; {
			_, left = replayMore(t, s, account, replay)
		}
		if got := replaysOf(t, s, id); !slices.Equal(got, []string{lost[0], lost[3]}) {
			t.Errorf("sent again: %v of %v, arrived %v, too late %v", got, lost, arrived, late)
		}
		r := must[store.ReplayRun](t)(s.ReplayRun(t.Context(), account, replay))
		if r.Made != 2 || r.Filter != f {
			t.Errorf("the run is %+v", r)
		}
	})
}

func TestAFreshResultDoesNotWaitForThoseThatAreSentAgain(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		ended(t, s, account, typus.DeliveryExhausted, 60)
		replay := newRun(t, s, account, store.DeliveryFilter{EndpointID: id})
		waits := func(what string, want int) {
			t.Helper()
			for made := 1; made > 0; {
				made, _ = replayMore(t, s, account, replay)
			}
			if got := states(t, s, account, replaysOf(t, s, id)...)[typus.DeliveryPending]; got != want {
				t.Errorf("%s: %d wait, want %d", what, got, want)
			}
		}
		run(t, s, `update webhook_endpoints set status = 'paused'`)
		waits("an endpoint that is off", 0)
		run(t, s, `update webhook_endpoints set status = 'failing'`)
		waits("an endpoint that fails", 0)
		run(t, s, `update webhook_endpoints set status = 'active', last_duration_ms = null`)
		waits("an endpoint that nobody knows", 2)
		quick(t, s, id)
		waits("a quick endpoint, for two seconds", 2*typus.DefaultPerSecond)
		fresh := newEvent(t, s, account)
		run(t, s, `update webhook_endpoints set rate_per_s = 1000, burst = 1000, max_in_flight = 32`)
		if claimed := claimAs(t, s, "me", 64); !slices.ContainsFunc(claimed, func(c store.Claimed) bool { return c.Event.ID == fresh }) {
			t.Errorf("the fresh one is not among the first %d", len(claimed))
		}
	})
}

// One that fails waits on its ladder, for days perhaps, and holds up no other.
func TestWhatFailsAgainDoesNotHoldUpTheRun(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		events := ended(t, s, account, typus.DeliveryExhausted, 4)
		replay := newRun(t, s, account, store.DeliveryFilter{EndpointID: id})
		replayMore(t, s, account, replay)
		for _, c := range claimAs(t, s, "me", 64) {
			finishAttempt(t, s, "me", c, failure(c.Delivery, time.Hour))
		}
		replayMore(t, s, account, replay)
		if got := replaysOf(t, s, id); len(got) < 3 {
			t.Errorf("of %d events %d were sent again", len(events), len(got))
		}
	})
}

func TestOneRunOfAWebhookGoesOnAtATime(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		first := newRun(t, s, account, store.DeliveryFilter{EndpointID: id})
		second := func() error {
			return s.InTx(t.Context(), func(tx *store.Tx) error {
				_, err := tx.AddReplayRun(t.Context(), store.ReplayRun{AccountID: account, Filter: store.DeliveryFilter{EndpointID: id}, CreatedAt: noon})
				return err
			})
		}
		hasKind(t, "a second run", second(), typus.Conflict)
		write(t, s, func(tx *store.Tx) error {
			r, err := tx.LockReplayRun(t.Context(), account, first)
			if err != nil {
				return err
			}
			return tx.EndReplayRun(t.Context(), r, typus.ReplayCancelled, noon.Add(time.Minute))
		})
		if err := second(); err != nil {
			t.Errorf("after the first has ended: %v", err)
		}
		r, found, err := s.LastReplayRun(t.Context(), account, id)
		if err != nil || !found || r.ID == first || r.State != typus.ReplayRunning {
			t.Errorf("the last run is %+v, %t, %v", r, found, err)
		}
		if list := must[[]store.ReplayRun](t)(s.RunningReplays(t.Context())); len(list) != 1 || list[0].ID != r.ID {
			t.Errorf("running: %+v", list)
		}
	})
}

// An erasure that comes while a page is being sent off takes it back, and one that has come
// keeps it from being sent.
func TestNothingIsSentAgainAboutWhoIsErased(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	for _, one := range []bool{true, false} {
		account := newAccount(t, s)
		id := newEndpoint(t, s, account)
		quick(t, s, id)
		event := ended(t, s, account, typus.DeliveryExhausted, 1)[0]
		of := func(column string) string {
			return rows(t, s, fmt.Sprintf(`select d.%s from webhook_deliveries d where d.event_id = '%s' order by d.id limit 1`, column, event))[0]
		}
		source := of("id")
		person := must[typus.Event](t)(eventOf(t, s, account, event)).CandidateID
		replay := newRun(t, s, account, store.DeliveryFilter{EndpointID: id})
		done := make(chan error, 1)
		write(t, s, func(tx *store.Tx) error {
			if err := sendAgain(t, tx, account, source, replay, one); err != nil {
				return err
			}
			go func() {
				done <- s.InTx(t.Context(), func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, person, noon) })
			}()
			return untilSomebodyWaits(t, tx)
		})
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got := states(t, s, account, event); got[typus.DeliveryCancelled] != 1 || got[typus.DeliveryPending] != 0 {
			t.Errorf("one %t: then they are %v", one, got)
		}
		write(t, s, func(tx *store.Tx) error {
			d, err := tx.LockToReplay(t.Context(), account, source)
			if err == nil && d.Kept {
				t.Error("there is still something to send")
			}
			return err
		})
		if n := must[int](t)(s.CountReplayable(t.Context(), account, store.DeliveryFilter{EndpointID: id}, 100)); n != 0 {
			t.Errorf("%d are counted", n)
		}
	}
}

// sendAgain sends a delivery again, by itself or by a run.
func sendAgain(t *testing.T, tx *store.Tx, account int64, source string, replay int64, one bool) error {
	if one {
		d, err := tx.LockToReplay(t.Context(), account, source)
		if err != nil {
			return err
		}
		return tx.AddReplay(t.Context(), d, replayID())
	}
	r, _, err := tx.ClaimReplayRun(t.Context(), account, replay)
	if err != nil {
		return err
	}
	e, err := tx.Endpoint(t.Context(), account, r.Filter.EndpointID)
	if err != nil {
		return err
	}
	made, _, err := tx.ReplayMore(t.Context(), r, e, replayID)
	if err == nil && made != 1 {
		t.Errorf("%d were sent again", made)
	}
	return err
}

// eventOf reads an event.
func eventOf(t *testing.T, s *store.Store, account int64, id string) (typus.Event, error) {
	t.Helper()
	person := rows(t, s, fmt.Sprintf(`select candidate_id from webhook_events where id = '%s'`, id))[0]
	var n int64
	if _, err := fmt.Sscan(strings.TrimSpace(person), &n); err != nil {
		return typus.Event{}, err
	}
	return s.EventOf(t.Context(), account, n, typus.EventCandidateCompleted)
}

// What a run sends next is found along the indexes of the log, also while the database knows
// nothing of how much there is of what.
func TestARunWalksAlongAnIndex(t *testing.T) {
	for _, known := range []bool{false, true} {
		lite, ran := recorded(t)
		account := newAccount(t, lite)
		id := newEndpoint(t, lite, account)
		quick(t, lite, id)
		for _, state := range []typus.DeliveryState{"", typus.DeliveryExhausted} {
			must[int](t)(lite.CountReplayable(t.Context(), account, store.DeliveryFilter{EndpointID: id, State: state}, 10))
		}
		replayMore(t, lite, account, newRun(t, lite, account, store.DeliveryFilter{EndpointID: id, State: typus.DeliveryExhausted}))
		if known {
			fill(t, lite, 2000)
			run(t, lite, `analyze`) //nolint:misspell // the word is PostgreSQL's
		}
		asked := func(text string) bool {
			return strings.Contains(text, "as found_id") && strings.Contains(text, "listed1")
		}
		sound := func(plan string) bool {
			for line := range strings.Lines(plan) {
				if strings.Contains(line, " d USING INDEX webhook_") && !strings.Contains(line, "<expr>=? AND id>? AND id<?)") {
					return false
				}
			}
			return true
		}
		if seen := planned(t, lite, ran, asked, sound); seen < 2 {
			t.Errorf("%d statements look for what is sent again", seen)
		}
	}
}
