package store_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
)

// deliveryFilters are one filter for each text that a statement can have.
func deliveryFilters() []store.DeliveryFilter {
	var list []store.DeliveryFilter
	for _, endpoint := range []int64{0, 1} {
		for _, candidate := range []int64{0, 1} {
			for _, state := range append(typus.DeliveryStates(), "") {
				for _, outcome := range []string{"", typus.DeliveryArrived, typus.DeliveryTimeout} {
					list = append(list, store.DeliveryFilter{EndpointID: endpoint, CandidateID: candidate, State: state, Outcome: outcome, From: noon, Until: noon.Add(time.Hour)})
				}
			}
		}
	}
	return list
}

// logged fills the log of an account: a delivery a minute to one of two endpoints, in each
// state and with each outcome in turn, about few candidates. It returns them newest first.
func logged(t testing.TB, s *store.Store, account int64, n int) []store.LoggedDelivery {
	t.Helper()
	endpoints := []int64{newEndpoint(t, s, account), newEndpoint(t, s, account)}
	var people []int64
	for range 7 {
		people = append(people, newCandidate(t, s, account, nil))
	}
	states, outcomes := typus.DeliveryStates(), append(typus.DeliveryOutcomes()[1:], "")
	var list []store.LoggedDelivery
	write(t, s, func(tx *store.Tx) error {
		for i := range n {
			d := store.LoggedDelivery{CandidateID: people[i%7], MadeAt: noon.Add(time.Duration(i) * time.Minute)}
			d.ID, d.EventID, d.EndpointID = webhook.NewDeliveryID(d.MadeAt), unique("evt_"), endpoints[i%2]
			d.State, d.Outcome, d.Kind = states[i%len(states)], outcomes[i%len(outcomes)], "auto"
			if d.State == typus.DeliveryDelivered {
				d.Outcome = typus.DeliveryArrived
			}
			// A second event of a type about a person is no news to the log, but to its index.
			test := 0
			if i >= 7 {
				test, d.Kind, d.CandidateID = 1, typus.DeliveryTest, 0
			}
			for _, q := range []string{
				fmt.Sprintf(`insert into webhook_events (id, account_id, type, candidate_id, test, occurred_at, payload_sha256)
					values ('%s', %d, 'candidate.completed', %d, %d, %d, 'sum')`, d.EventID, account, d.CandidateID, test, d.MadeAt.UnixMilli()),
				fmt.Sprintf(`insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, outcome, next_attempt_at)
					values ('%s', %d, '%s', %d, '%s', '%s', '%s', 0)`, d.ID, account, d.EventID, d.EndpointID, d.Kind, d.State, d.Outcome),
			} {
				if err := tx.Exec(t.Context(), q); err != nil {
					return err
				}
			}
			list = append(list, d)
		}
		return nil
	})
	slices.Reverse(list)
	return list
}

// matches says what a filter lets through, in the plainest way.
func matches(f store.DeliveryFilter, d store.LoggedDelivery) bool {
	return (f.EndpointID == 0 || f.EndpointID == d.EndpointID) && (f.State == "" || f.State == d.State) &&
		(f.Outcome == "" || f.Outcome == d.Outcome) && (f.CandidateID == 0 || f.CandidateID == d.CandidateID) &&
		(f.From.IsZero() || !d.MadeAt.Before(f.From)) && (f.Until.IsZero() || d.MadeAt.Before(f.Until))
}

// pages reads the log to its end.
func pages(t testing.TB, s *store.Store, reader store.Reader, f store.DeliveryFilter) []store.LoggedDelivery {
	t.Helper()
	var all []store.LoggedDelivery
	for before := ""; ; {
		list, more, err := s.DeliveryLog(t.Context(), reader, f, before)
		if err != nil || more != (len(list) == store.DeliveriesOnPage && more) {
			t.Fatalf("%d deliveries, more %t, %v", len(list), more, err)
		}
		all = append(all, list...)
		if !more {
			return all
		}
		before = list[len(list)-1].ID
	}
}

func idsOf(list []store.LoggedDelivery) []string {
	var ids []string
	for _, d := range list {
		ids = append(ids, d.ID)
	}
	return ids
}

func TestTheDeliveryLogHasWhatAFilterAsksForNewestFirst(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		logged(t, s, other, 20)
		all := logged(t, s, account, 400)
		first := all[len(all)-1]
		span := []time.Time{{}, noon.Add(100 * time.Minute), noon.Add(300 * time.Minute)}
		for _, endpoint := range []int64{0, first.EndpointID} {
			for _, person := range []int64{0, first.CandidateID} {
				for _, state := range append(typus.DeliveryStates(), "") {
					for _, outcome := range append(typus.DeliveryOutcomes(), "") {
						for i := range span {
							f := store.DeliveryFilter{EndpointID: endpoint, CandidateID: person, State: state, Outcome: outcome, From: span[i], Until: span[(i+i)%3]}
							var want []store.LoggedDelivery
							for _, d := range all {
								if matches(f, d) {
									want = append(want, d)
								}
							}
							if got := idsOf(pages(t, s, store.WholeAccount(account), f)); !slices.Equal(got, idsOf(want)) {
								t.Fatalf("%+v: %d deliveries, want %d", f, len(got), len(want))
							}
						}
					}
				}
			}
		}
	})
}

func TestTheDeliveryLogSaysWhatADeliveryIs(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		all := logged(t, s, account, 8)
		reader := store.WholeAccount(account)
		test, real := all[0], all[1]
		got := must[store.LoggedDelivery](t)(s.DeliveryFor(t.Context(), reader, test.ID))
		if !got.Test() || got.CandidateID != 0 || got.Name != "" || got.Erased || got.URL != hookURL || !got.MadeAt.Equal(test.MadeAt) {
			t.Errorf("a test event is %+v", got)
		}
		got = must[store.LoggedDelivery](t)(s.DeliveryFor(t.Context(), reader, real.ID))
		if got.Test() || got.CandidateID != real.CandidateID || got.Name != "Jürgen Müller" || got.Erased || got.EventType != typus.EventCandidateCompleted || !got.OccurredAt.Equal(real.MadeAt) {
			t.Errorf("a delivery is %+v", got)
		}
		for n, url := range []string{"https://first.example.com/", "https://old.example.com/"} {
			run(t, s, `insert into webhook_attempts (account_id, delivery_id, n, started_at, url, outcome) values (%d, '%s', %d, 0, '%s', 'failed')`, account, real.ID, n+1, url)
		}
		if got := must[store.LoggedDelivery](t)(s.DeliveryFor(t.Context(), reader, real.ID)); got.URL != "https://old.example.com/" {
			t.Errorf("it is said to have gone to %s", got.URL)
		}
		write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, real.CandidateID, noon) })
		got = must[store.LoggedDelivery](t)(s.DeliveryFor(t.Context(), reader, real.ID))
		if got.CandidateID != real.CandidateID || got.Name != "" || !got.Erased {
			t.Errorf("of somebody erased it says %+v", got)
		}
		for _, id := range []string{real.ID, test.ID, "", "dlv_\x00"} {
			_, err := s.DeliveryFor(t.Context(), store.WholeAccount(other), id)
			hasKind(t, "another account's "+id, err, typus.NotFound)
		}
		if body := must[store.SentBody](t)(s.SentBody(t.Context(), account, real.EventID)); body.Payload != nil || body.SHA256 != "sum" {
			t.Errorf("the body is %+v", body)
		}
		_, err := s.SentBody(t.Context(), other, real.EventID)
		hasKind(t, "another account's body", err, typus.NotFound)
		for _, f := range []store.DeliveryFilter{{State: "x"}, {Outcome: "x"}, {Outcome: "\x00"}} {
			if list, _, err := s.DeliveryLog(t.Context(), reader, f, ""); len(list) > 0 || err != nil {
				t.Errorf("%+v finds %d, %v", f, len(list), err)
			}
		}
	})
}

// Whoever may not read a position learns nothing of its candidates from the log, nor, whoever
// is to rate first, when a test was completed.
func TestTheDeliveryLogHasNobodyOutOfReach(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		all := logged(t, s, account, 8)
		secret := must[int64](t)(0, nil)
		write(t, s, func(tx *store.Tx) error {
			var err error
			if secret, err = tx.AddPosition(t.Context(), typus.Position{AccountID: account, Name: "Leitung", State: typus.PositionOpen, CreatedAt: noon}); err != nil {
				return err
			}
			return tx.Exec(t.Context(), fmt.Sprintf(`update positions set confidential = 1 where id = %d`, secret))
		})
		hidden := all[1]
		run(t, s, `update candidates set position_id = %d where id = %d`, secret, hidden.CandidateID)
		admin := store.Reader{AccountID: account, UserID: 1, Role: typus.RoleAdmin, Positions: store.Positions{Open: true, Standard: true}}
		blind := store.WholeAccount(account)
		blind.Blind = store.Blind{Somewhere: true, Standard: true}
		for name, want := range map[string]struct {
			reader store.Reader
			has    []store.LoggedDelivery
		}{
			"a user without the position": {admin, slices.Concat(all[:1], all[2:])},
			"who rates first":             {blind, []store.LoggedDelivery{all[0], hidden}}, // blind at the default position only
			"nobody":                      {store.Reader{AccountID: account}, all[:1]},
			"who reads everything":        {store.WholeAccount(account), all},
		} {
			if got := idsOf(pages(t, s, want.reader, store.DeliveryFilter{})); !slices.Equal(got, idsOf(want.has)) {
				t.Errorf("%s is told of %d deliveries, want %d", name, len(got), len(want.has))
			}
			for _, d := range all {
				there := slices.Contains(idsOf(want.has), d.ID)
				if _, err := s.DeliveryFor(t.Context(), want.reader, d.ID); there != (err == nil) {
					t.Errorf("%s opens %s: %v", name, d.ID, err)
				}
				if d.CandidateID == 0 {
					continue
				}
				f := store.DeliveryFilter{CandidateID: d.CandidateID, State: d.State}
				if got := pages(t, s, want.reader, f); there != (len(got) == 1) {
					t.Errorf("%s finds %d by candidate", name, len(got))
				}
			}
		}
	})
}

// Whatever an account asks for, the log walks along an index, in its order.
func TestThePagesOfTheDeliveryLogWalkAlongAnIndex(t *testing.T) {
	lite, ran := recorded(t)
	account := newAccount(t, lite)
	for _, f := range deliveryFilters() {
		if _, _, err := lite.DeliveryLog(t.Context(), store.WholeAccount(account), f, ""); err != nil {
			t.Fatal(err)
		}
	}
	asked := func(text string) bool { return strings.Contains(text, "page as materialized") }
	sound := func(plan string) bool {
		for line := range strings.Lines(plan) {
			walks := strings.Contains(line, " d USING") && !strings.Contains(line, "(id=?)")
			if walks && !strings.Contains(line, "<expr>=? AND id>? AND id<?)") && !strings.Contains(line, "endpoint_id=? AND id>? AND id<?)") &&
				!strings.Contains(line, "webhook_deliveries_account (account_id=? AND id>? AND id<?)") && !strings.Contains(line, "(event_id=?") {
				return false
			}
		}
		return true
	}
	if seen := planned(t, lite, ran, asked, sound); seen < 16 {
		t.Errorf("%d statements read the log", seen)
	}
}

// What was stored before the log came is classed as the program classes it.
func TestWhatWasStoredHasTheOutcomeOfItsCode(t *testing.T) {
	text := string(must[[]byte](t)(os.ReadFile("migrations/0043_delivery_log.sql")))
	_, update, _ := strings.Cut(text, "update webhook_deliveries")
	update, _, _ = strings.Cut(update, ";")
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		endpoint, event := newEndpoint(t, s, account), newEvent(t, s, account)
		want := map[string]string{}
		add := func(state typus.DeliveryState, code string, status int, outcome string) {
			id := unique("dlv_")
			want[id] = outcome
			run(t, s, `insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, last_error, last_status, next_attempt_at)
				values ('%s', %d, '%s', %d, 'replay', '%s', '%s', %d, 0)`, id, account, event, endpoint, state, code, status)
		}
		for _, code := range webhook.Codes() {
			add(typus.DeliveryExhausted, code, 0, webhook.OutcomeOf(code, 0))
			if strings.HasPrefix(code, "tls") || code == webhook.CodeHTTP2Reset { // some say what they are about
				add(typus.DeliveryPending, code+" about", 0, webhook.OutcomeOf(code+" about", 0))
			}
		}
		add(typus.DeliveryExhausted, webhook.Code5xx, 503, typus.DeliveryAskedToWait)
		add(typus.DeliveryDelivered, "", 204, typus.DeliveryArrived)
		add(typus.DeliveryHeld, "", 0, "")
		run(t, s, "update webhook_deliveries%s", update)
		for _, row := range rows(t, s, `select id || '|' || outcome from webhook_deliveries where kind = 'replay'`) {
			id, outcome, _ := strings.Cut(row, "|")
			if outcome != want[id] || !slices.Contains(append(typus.DeliveryOutcomes(), ""), outcome) {
				t.Errorf("%s is %q, want %q", id, outcome, want[id])
			}
		}
	})
}

// The log's indexes begin with the account, and must not draw away what goes by an event.
func TestTheDeliveriesOfAnEventAreFoundByIt(t *testing.T) {
	s, ran := everythingRecorded(t)
	asked := func(text string) bool {
		return strings.Contains(text, "webhook_deliveries") && strings.Contains(text, "event_id = $")
	}
	sound := func(plan string) bool {
		return strings.Contains(plan, "webhook_deliveries_event (event_id=?") && !strings.Contains(plan, "(account_id=?)")
	}
	if seen := planned(t, s, ran, asked, sound); seen < 3 {
		t.Errorf("%d statements go by an event", seen)
	}
}
