package dashboard

import (
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/webhook"
)

// replayRun is a run of a webhook that has sent nothing yet, or has ended.
func (w *world) replayRun(account, hook int64, over bool) int64 {
	w.Helper()
	var id int64
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		var err error
		id, err = tx.AddReplayRun(w.Ctx, store.ReplayRun{AccountID: account, Filter: store.DeliveryFilter{EndpointID: hook}, Total: 3, CreatedAt: w.Now()})
		if err != nil || !over {
			return err
		}
		run, err := tx.LockReplayRun(w.Ctx, account, id)
		if err != nil {
			return err
		}
		return tx.EndReplayRun(w.Ctx, run, typus.ReplayDone, w.Now())
	}))
	return id
}

// completed is an event about a person, and its delivery.
func (w *world) completed(account, person int64) typus.Delivery {
	w.Helper()
	e := typus.Event{ID: webhook.NewEventID(w.Now()), AccountID: account, Type: typus.EventCandidateCompleted, CandidateID: person, OccurredAt: w.Now(), Payload: []byte(`{}`)}
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		_, err := tx.AddEvent(w.Ctx, e, func() string { return webhook.NewDeliveryID(w.Now()) })
		return err
	}))
	list, err := w.Store.DeliveriesOf(w.Ctx, account, e.ID)
	w.Must(err)
	return list[0]
}

// attempted makes the next attempt at whatever is due, with that status.
func (w *world) attempted(status int) {
	w.Helper()
	for {
		list, err := w.Store.ClaimDeliveries(w.Ctx, "me", time.Minute, 64)
		w.Must(err)
		for _, c := range list {
			w.endAttempt(c, status)
		}
		if len(list) == 0 {
			return
		}
	}
}

// endAttempt ends an attempt with a status.
func (w *world) endAttempt(c store.Claimed, status int) {
	w.Helper()
	r := webhook.Result{Outcome: webhook.Outcome{Delivered: status < 300, Attempt: typus.Attempt{
		Outcome: webhook.OutcomeDelivered, HTTPStatus: status, URL: c.Endpoint.URL, Duration: time.Millisecond,
	}}, Wait: time.Hour}
	if !r.Delivered {
		r.Attempt.Outcome, r.Attempt.ErrorCode = webhook.OutcomeFailed, webhook.Code5xx
	}
	_, err := w.Store.FinishAttempt(w.Ctx, "me", c.Delivery, r.Attempt, func(e typus.Endpoint, d typus.Delivery, late bool, now time.Time) typus.Verdict {
		r.Late = late
		return webhook.Judge(e, d, r, now)
	})
	w.Must(err)
}

func TestADeliveryIsSentAgainFromThePagesOfItsWebhook(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		id, _ := w.newEndpoint("http://127.0.0.1:65535/")
		person := w.invited("Kim Muster", "kim-1").Candidate.ID
		d := w.completed(w.Account, person)
		for range 3 {
			w.attempted(500)
			c := w.as(admin)
			send := deliveryPath(d.ID) + "/senden"
			page := c.get(endpointPath(id))
			if strings.Contains(page.body, send) {
				c.follow(c.post(send, url.Values{formName: {"0123456789abcdef"}})).want(t, 200, "Die Zustellung geht jetzt hinaus")
				c.follow(c.post(send, url.Values{formName: {"0123456789abcdef"}})).want(t, 200)
			} else {
				w.Must(errorOf(w.Accounts.ReplayDelivery(w.Ctx, w.Account, d.ID, by)))
			}
		}
		w.attempted(200)
		c := w.as(admin)
		send := deliveryPath(d.ID) + "/senden"
		c.get(deliveryPath(d.ID)).want(t, 200, "Noch einmal senden", send)
		for range 2 { // a double click
			c.post(send, url.Values{formName: {"fedcba9876543210"}}).want(t, 303)
		}
		if list, err := w.Store.DeliveriesOf(w.Ctx, w.Account, d.EventID); err != nil || len(list) != 2 {
			t.Errorf("%d deliveries, %v", len(list), err)
		}
		w.Must(w.Accounts.PauseEndpoint(w.Ctx, w.Account, id, by))
		c.follow(c.post(send, nil)).want(t, 200, "Der Webhook ist ausgeschaltet. Schalten Sie ihn zuerst ein.")
		c.post(deliveryPath("dlv_x")+"/senden", nil).want(t, 404)
		w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), person, by))
		c.follow(c.post(send, nil)).want(t, 200, "Die Daten der Person sind gelöscht")
		w.Must(w.Accounts.DeleteEndpoint(w.Ctx, w.Account, id, by))
		w.as(member).post(send, nil).want(t, 403)
	})
}

func TestManyAreSentAgainOnceTheyAreCounted(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(admin)
		c.get(replaysPath).want(t, 200, "Dieses Konto hat keinen Webhook")
		id, _ := w.newEndpoint("http://127.0.0.1:65535/")
		for n := range 3 {
			w.completed(w.Account, int64(1000+n))
			w.attempted(200)
		}
		c.get(replaysPath).want(t, 200, "3 Zustellungen erneut senden", "mit derselben webhook-id")
		c.get(replaysPath+"?stand=exhausted").want(t, 200, "Hier gibt es nichts")
		c.get(replaysPath+"?von=x").want(t, 303)
		c.get(replaysPath+"?webhook=999").want(t, 404)
		c.follow(c.post(replaysPath+"?stand=exhausted", nil)).want(t, 200, "Hier gibt es nichts")
		w.Must(w.Accounts.PauseEndpoint(w.Ctx, w.Account, id, by))
		c.get(replaysPath).want(t, 200, "Der Webhook ist ausgeschaltet.")
		c.follow(c.post(replaysPath, nil)).want(t, 200, "Der Webhook ist ausgeschaltet.")
		w.Must(errorOf(w.Accounts.ResumeEndpoint(w.Ctx, w.Account, id, true, by)))
		w.attempted(200)

		form := url.Values{formName: {"0123456789abcdef"}}
		a := c.post(replaysPath+"?stand=delivered", form).want(t, 303)
		page := a.Header.Get("Location")
		c.get(page).want(t, 200, "3 von 3 auf den Weg gebracht")
		w.Must(w.Accounts.RunReplays(w.Ctx))
		c.get(page).want(t, 200, "abgeschlossen", "3 Zustellungen auf den Weg gebracht")
		if again := c.post(replaysPath+"?stand=delivered", form); again.Header.Get("Location") != page {
			t.Errorf("a double click leads to %s, not %s", again.Header.Get("Location"), page)
		}
		c.get(page+"/stand").want(t, 200, `{"running":false,"done":3,"text":"3 von 3 auf den Weg gebracht"}`)

		running := replayPath(w.replayRun(w.Account, id, false))
		c.get(running).want(t, 200, "0 von 3 auf den Weg gebracht", "Nachsenden abbrechen")
		c.get(endpointPath(id)).want(t, 200, "An diesen Webhook wird gerade nachgesendet", running)
		w.attempted(200)
		c.get(replaysPath).want(t, 200, "Das läuft schon", running)
		c.follow(c.post(replaysPath, nil)).want(t, 200, "Das läuft schon")
		w.as(member).post(running+"/abbrechen", nil).want(t, 403)
		c.follow(c.post(running+"/abbrechen", nil)).want(t, 200, "abgebrochen", "3 weitere wurden nicht mehr gesendet")
		c.get(replaysPath+"/999").want(t, 404)

		w.newEndpoint("http://127.0.0.1:65535/two")
		c.get(replaysPath+"?stand=delivered").want(t, 200, "einen Webhook nach dem anderen", `name="stand" value="delivered"`)
		c.post(replaysPath, nil).want(t, 303)
	})
}

// What has failed for good stands on the page of its webhook, which leads to where it can be
// sent again.
func TestTheWebhookOffersWhatItHasMissed(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		id, _ := w.newEndpoint("http://127.0.0.1:65535/")
		d := w.completed(w.Account, 1000)
		c := w.as(admin)
		if page := c.get(endpointPath(id)).want(t, 200); strings.Contains(page.body, "Nachsenden …") {
			t.Error("what still waits is offered")
		}
		for n := range typus.DeliveryAttempts {
			if n > 0 {
				w.Must(errorOf(w.Accounts.ReplayDelivery(w.Ctx, w.Account, d.ID, by))) // at once
			}
			w.attempted(500)
		}
		path := replaysPath + "?stand=exhausted&amp;von=" + w.Now().AddDate(0, 0, -30).Format(time.DateOnly) + "&amp;webhook=" + fmt.Sprint(id)
		c.get(endpointPath(id)).want(t, 200, "1 Ergebnis ist in den letzten 30 Tagen endgültig nicht angekommen", path)
		c.get(html.UnescapeString(path)).want(t, 200, "1 Zustellung erneut senden")
		w.Must(w.Accounts.PauseEndpoint(w.Ctx, w.Account, id, by))
		c.get(endpointPath(id)).want(t, 200, "Sobald der Webhook eingeschaltet ist")
		w.Must(errorOf(w.Accounts.ResumeEndpoint(w.Ctx, w.Account, id, true, by)))
		w.Must(errorOf(w.Accounts.ReplayDelivery(w.Ctx, w.Account, d.ID, by)))
		if page := c.get(endpointPath(id)).want(t, 200); strings.Contains(page.body, "endgültig nicht angekommen") {
			t.Error("what is being sent again is offered")
		}
	})
}

func errorOf[T any](_ T, err error) error { return err }
