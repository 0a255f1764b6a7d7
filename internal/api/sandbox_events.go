package api

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"typus"
)

// maxEvents is the longest page of events.
const maxEvents = 100

// eventsView are events, oldest first.
type eventsView struct {
	Events []eventView `json:"events"`
}

// eventView is an event. Its body is a text with the exact bytes that webhooks get, because
// JSON that was parsed and written again is not the same bytes for certain.
type eventView struct {
	ID        string  `json:"id"`
	Type      string  `json:"type"`
	CreatedAt string  `json:"created_at"`
	Body      *string `json:"body"` // null once the person is erased
}

// events answers the events after one of them, and waits for the first if asked to.
func (a *api) events(w http.ResponseWriter, r *http.Request) error {
	q := readQuery(w, r, []string{"after", "wait"}, foreign{[]string{"cursor", "limit", "page", "offset", "since"}, "is not supported; ask with after=<id of the last event> for more"})
	after, wait := q.eventID("after"), q.seconds("wait")
	if err := invalid(q.faults); err != nil {
		return err
	}
	found, err := a.awaitEvents(w, r, after, wait)
	if err == nil && len(found) > 0 {
		err = a.unmoved(r.Context())
	}
	if err != nil {
		return err
	}
	v := eventsView{Events: []eventView{}}
	for _, e := range found {
		v.Events = append(v.Events, eventView{ID: e.ID, Type: e.Type, CreatedAt: timestamp(worldOf(r.Context()).WorldTime(e.OccurredAt)), Body: orNull(string(e.Payload))})
	}
	return answer(w, http.StatusOK, v)
}

// awaitEvents are the events after one. A call that waits is one of few of its key.
func (a *api) awaitEvents(w http.ResponseWriter, r *http.Request, after string, wait time.Duration) ([]typus.Event, error) {
	if wait == 0 {
		return a.store.WorldEvents(r.Context(), worldOf(r.Context()).ID, after, maxEvents)
	}
	keyID := keyOf(r.Context()).ID
	if err := a.waiting.enter(keyID); err != nil {
		w.Header().Set("Retry-After", "1")
		return nil, err
	}
	defer a.waiting.leave(keyID)
	return a.eventsAfter(r.Context(), after, wait)
}

// eventsAfter looks again and again until there is an event, the wait is over, or the server
// stops. Each look is one statement, and between two looks it holds no connection of the
// database.
func (a *api) eventsAfter(ctx context.Context, after string, wait time.Duration) ([]typus.Event, error) {
	over := time.NewTimer(wait)
	defer over.Stop()
	for looks := 1; ; looks++ {
		found, err := a.store.WorldEvents(ctx, worldOf(ctx).ID, after, maxEvents)
		if err != nil || len(found) > 0 {
			return found, err
		}
		select {
		case <-time.After(lookAgain(looks)):
		case <-over.C:
			return nil, nil
		case <-a.ending:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// lookAgain is how long a call waits after so many looks: most events come soon.
func lookAgain(looks int) time.Duration {
	if looks < 8 {
		return 250 * time.Millisecond
	}
	return time.Second
}

var eventIDForm = regexp.MustCompile(`^evt_[0-9A-HJKMNP-TV-Z]{26}$`)

// eventID reads the id of an event; absent or empty is none.
func (q *query) eventID(name string) string {
	id := q.values.Get(name)
	if id != "" && !eventIDForm.MatchString(id) {
		q.fault(name, "must be the id of an event, such as evt_01JDPQ4X5Y6Z7A8B9CADBECFDG")
	}
	return id
}

// longestWait is how long a call may wait for an event: less than gateways mostly allow.
const longestWait = 30

// seconds reads how long a call waits, 0 unless given.
func (q *query) seconds(name string) time.Duration {
	if !q.values.Has(name) {
		return 0
	}
	n, err := strconv.ParseUint(q.values.Get(name), 10, 16)
	if err != nil || n > longestWait {
		q.fault(name, "must be 0 to 30, in whole seconds")
	}
	return time.Duration(n) * time.Second
}
