package dashboard

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
	"typus/internal/webhook"
)

// logged adds an event about a candidate, 0 for a test event, and makes one attempt at each
// delivery that is due, which ends as attempt and change say. It returns the ids of the
// deliveries.
func (w *world) logged(hook, candidate int64, attempt typus.Attempt, change func(d *typus.Delivery)) []string {
	w.Helper()
	var ids []string
	newID := func() string {
		ids = append(ids, webhook.NewDeliveryID(w.Now()))
		return ids[len(ids)-1]
	}
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		e := typus.Event{ID: webhook.NewEventID(w.Now()), AccountID: w.Account, Type: typus.EventCandidateCompleted, CandidateID: candidate, OccurredAt: w.Now(), Payload: []byte(loggedBody)}
		if candidate == 0 {
			return tx.AddTestEvent(w.Ctx, e, hook, newID())
		}
		_, err := tx.AddEvent(w.Ctx, e, newID)
		return err
	}))
	w.attempt(attempt, change)
	return ids
}

const loggedBody = `{"event":"candidate.completed","data":{"candidate":{"name":"Jana <b>Muster"}}}`

// attempt ends an attempt at each delivery that is due.
func (w *world) attempt(attempt typus.Attempt, change func(d *typus.Delivery)) {
	w.Helper()
	for {
		claimed, err := w.Store.ClaimDeliveries(w.Ctx, "me", time.Minute, 64)
		w.Must(err)
		for _, c := range claimed {
			attempt.URL = c.Endpoint.URL
			_, err := w.Store.FinishAttempt(w.Ctx, "me", c.Delivery, attempt, func(e typus.Endpoint, d typus.Delivery, _ bool, now time.Time) typus.Verdict {
				d.LastStatus, d.LastError, d.Outcome = attempt.HTTPStatus, attempt.ErrorCode, webhook.OutcomeOf(attempt.ErrorCode, attempt.HTTPStatus)
				d.NextAttemptAt, d.FinishedAt = now.Add(time.Hour), now
				if change(&d); !d.Finished() {
					d.FinishedAt = time.Time{}
				}
				return typus.Verdict{Endpoint: e, Delivery: d, Outcome: attempt.Outcome}
			})
			w.Must(err)
		}
		if len(claimed) == 0 {
			return
		}
	}
}

// becomes lets a delivery end in a state.
func becomes(state typus.DeliveryState, failures int) func(d *typus.Delivery) {
	return func(d *typus.Delivery) { d.State, d.Failures = state, failures }
}

func TestTheDeliveryLogListsAndFilters(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(admin)
		c.get(deliveriesPath).want(t, 200, "Noch keine Zustellung", "Wenn Sie einen Webhook anlegen")
		crm, _ := w.newEndpoint("http://127.0.0.1:65535/geheimer-pfad")
		c.get(deliveriesPath).want(t, 200, "Noch keine Zustellung", "Sobald jemand einen Test abschließt")
		jana, kim := w.invited("Jana <b>Muster", ""), w.invited("Kim Muster", "CRM-8")
		w.logged(crm, jana.Candidate.ID, typus.Attempt{HTTPStatus: 503, ErrorCode: webhook.Code5xx}, becomes(typus.DeliveryPending, 1))
		w.Later(24 * time.Hour)
		c = w.as(admin)
		other, _ := w.newEndpoint("http://127.0.0.1:65534/")
		w.logged(0, kim.Candidate.ID, typus.Attempt{HTTPStatus: 204, Outcome: webhook.OutcomeDelivered}, becomes(typus.DeliveryDelivered, 0))
		w.logged(crm, 0, typus.Attempt{ErrorCode: webhook.CodeDNS}, becomes(typus.DeliveryExhausted, 1))
		all := c.get(deliveriesPath).want(t, 200, "Jana &lt;b&gt;Muster", "Kim Muster", "Testereignis", "Wird wiederholt", "Nächster Versuch", "Bittet zu warten", "Angekommen", "Aufgegeben", "Keine Verbindung", "127.0.0.1:65535")
		if strings.Contains(all.body, "geheimer-pfad") {
			t.Error("the list shows a path, which may hold a secret")
		}
		if strings.Index(all.body, "Kim Muster") > strings.Index(all.body, "Jana &lt;b&gt;") {
			t.Error("the newest does not come first")
		}
		for query, want := range map[string][3]bool{ // Jana, Kim, the test event
			"?stand=pending": {true, false, false}, "?stand=delivered": {false, true, false}, "?antwort=busy": {true, false, false},
			"?antwort=unreachable": {false, false, true}, "?stand=pending&antwort=arrived": {}, "?stand=nonsense&antwort=nonsense": {true, true, true},
			fmt.Sprint("?webhook=", crm): {true, true, true}, fmt.Sprint("?webhook=", other): {false, true, false}, "?webhook=999": {},
			fmt.Sprint("?person=", jana.Candidate.ID): {true, false, false}, "?person=CRM-7": {}, "?person=CRM-8": {false, true, false}, "?person=" + strings.Repeat("x", 500): {},
			"?von=" + w.Now().Format(time.DateOnly):                   {false, true, true},
			"?bis=" + w.Now().AddDate(0, 0, -1).Format(time.DateOnly): {true, false, false},
			"?von=gestern": {}, "?vor=dlv_0": {true, true, true},
		} {
			page := c.get(deliveriesPath+query).want(t, 200)
			_, table, _ := strings.Cut(page.body, "<tbody>")
			for i, name := range []string{"Jana &lt;b&gt;Muster", "Kim Muster", "<span>Testereignis"} {
				if strings.Contains(table, name) != want[i] {
					t.Errorf("%s lists %s: %v", query, name, !want[i])
				}
			}
		}
		c.get(deliveriesPath+"?webhook=999").want(t, 200, "Unbekannter Webhook (Nr. 999)").without(t, "Gelöschter Webhook")
		w.Must(w.Accounts.DeleteEndpoint(w.Ctx, w.Account, other, typus.Actor{Name: "ada"}))
		c.get(fmt.Sprint(deliveriesPath, "?webhook=", other)).want(t, 200, fmt.Sprintf("Gelöschter Webhook (Nr. %d)", other)).without(t, "Unbekannter")
		c.get(deliveriesPath+"?von=gestern").want(t, 200, "Das ist kein Tag", `value="gestern"`)
		c.get(deliveriesPath+"?stand=cancelled").want(t, 200, "Keine Zustellung gefunden")
		w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), jana.Candidate.ID, typus.Actor{Name: "ada"}))
		c.get(fmt.Sprint(deliveriesPath, "?person=", jana.Candidate.ID)).want(t, 200, "Gelöschte Person", "Verworfen")
		w.as(member).get(deliveriesPath).want(t, 403)
		stranger := w.asOf(w.newAccount("Fremd GmbH"), owner)
		if page := stranger.get(deliveriesPath).want(t, 200, "Noch keine Zustellung"); strings.Contains(page.body, "Muster") {
			t.Error("another account sees it")
		}
	})
}

// Several people may have an external_id; nobody hides another, and none who is out of reach
// stands in for one who is not.
func TestPeopleWithTheSameExternalIDAreAllFound(t *testing.T) {
	w := newWorld(t)
	hook, _ := w.newEndpoint("http://127.0.0.1:65535/")
	boss, c := w.as(owner), w.as(admin)
	c.get(endpointsPath).want(t, 200, deliveriesPath)
	position := boss.place("Nachfolge")
	old := w.invited("Jana Muster", "CRM-8")
	w.Later(time.Minute)
	hidden := w.invitedBy(w.Account, assess.Invitation{Name: "Robin Muster", Email: "robin@example.com", ExternalID: "CRM-8", PositionID: placed(t, position)})
	for _, out := range []assess.Invited{old, hidden} {
		w.Later(time.Minute)
		w.logged(hook, out.Candidate.ID, typus.Attempt{HTTPStatus: 204, Outcome: webhook.OutcomeDelivered}, becomes(typus.DeliveryDelivered, 0))
	}
	first := c.get(deliveriesPath+"?person=CRM-8").want(t, 200, "Robin Muster", "haben mehrere Personen", fmt.Sprintf("Jana Muster (%d)", old.Candidate.ID), fmt.Sprint(deliveriesPath, "?person=", old.Candidate.ID))
	if _, table, _ := strings.Cut(first.body, "<tbody>"); strings.Contains(table, "Jana") {
		t.Error("the log mixes them")
	}
	boss.post(position+"/mitglieder", url.Values{"confidential": {"1"}, "mitglied": {strconv.FormatInt(boss.user.ID, 10)}}).want(t, 303)
	c.get(deliveriesPath+"?person=CRM-8").want(t, 200, "Jana Muster").without(t, "Robin", "haben mehrere Personen", "Keine Zustellung gefunden")
}

// What was sent is found when the last webhook is gone.
func TestTheDeliveryLogIsLinkedWithoutAWebhook(t *testing.T) {
	w := newWorld(t)
	w.as(admin).get(endpointsPath).want(t, 200, `href="`+deliveriesPath+`"`)
}

func TestTheDeliveryLogTurnsPages(t *testing.T) {
	w := newWorld(t)
	hook, _ := w.newEndpoint("http://127.0.0.1:65535/")
	var ids []string
	for range 2*store.DeliveriesOnPage + 1 {
		w.Later(time.Second)
		id := webhook.NewDeliveryID(w.Now())
		ids = append(ids, id)
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			e := typus.Event{ID: webhook.NewEventID(w.Now()), AccountID: w.Account, Type: typus.EventCandidateCompleted, OccurredAt: w.Now(), Payload: []byte(loggedBody)}
			if err := tx.AddTestEvent(w.Ctx, e, hook, id); err != nil {
				return err
			}
			_, err := tx.CancelTest(w.Ctx, w.Account, id, w.Now())
			return err
		}))
	}
	c, seen := w.as(admin), 0
	for path := deliveriesPath + "?stand=cancelled"; path != ""; {
		page := c.get(path).want(t, 200)
		seen += strings.Count(page.body, "<tr>") - 1
		_, older, found := strings.Cut(page.body, `href="`+deliveriesPath+`?stand=cancelled&amp;vor=`)
		path = ""
		if found {
			before, _, _ := strings.Cut(older, `"`)
			path = deliveriesPath + "?stand=cancelled&vor=" + before
		}
	}
	if seen != len(ids) {
		t.Errorf("the pages have %d deliveries, want %d", seen, len(ids))
	}
}
