package accounts_test

import (
	"fmt"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/webhook"
)

// hooked is a webhook of the world's account.
func (w *world) hooked() int64 {
	w.Helper()
	id, _, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, "https://hooks.example.com/", "", ada)
	if err != nil {
		w.Fatal(err)
	}
	return id
}

func TestAWebhookIsSwitchedOnAfterAClockThatWasAhead(t *testing.T) {
	run(t, func(w *world) {
		id := w.hooked()
		for _, ahead := range []time.Duration{5 * time.Hour, 240 * time.Hour} {
			w.Later(ahead)
			if err := w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
				return tx.SetEndpointStatus(w.Ctx, w.Account, id, typus.EndpointGone, "", w.Now())
			}); err != nil {
				w.Fatal(err)
			}
			w.Later(-ahead)
			if _, err := w.Accounts.ResumeEndpoint(w.Ctx, w.Account, id, true, ada); err != nil {
				w.Errorf("after a clock that was %v ahead: %v", ahead, err)
			}
		}
	})
}

func TestNoTestEventWaitsForAClockThatWasAhead(t *testing.T) {
	run(t, func(w *world) {
		id := w.hooked()
		for _, ahead := range []time.Duration{5 * time.Hour, 240 * time.Hour} {
			w.Later(ahead)
			var err error
			for n := 0; err == nil && n < 6; n++ {
				_, err = w.Accounts.TestEndpoint(w.Ctx, w.Account, id, ada)
			}
			if typus.KindOf(err) != typus.TooMany {
				w.Fatal(err)
			}
			w.Later(-ahead)
			if _, err := w.Accounts.TestEndpoint(w.Ctx, w.Account, id, ada); err != nil {
				w.Errorf("after a clock that was %v ahead: %v", ahead, err)
			}
		}
	})
}

// Until then both secrets sign, so no receiver misses anything.
func TestAChangeOfSecretsBegunByAClockThatWasAheadCanBeEnded(t *testing.T) {
	run(t, func(w *world) {
		id := w.hooked()
		w.Later(240 * time.Hour)
		if _, _, err := w.Accounts.RotateSecret(w.Ctx, w.Account, id, ada); err != nil {
			w.Fatal(err)
		}
		w.Later(-240 * time.Hour)
		if both, err := w.Accounts.ShowSecrets(w.Ctx, w.Account, id, ada); err != nil || len(both) != 2 {
			w.Errorf("%d secrets sign, %v", len(both), err)
		}
		if err := w.Accounts.EndRotation(w.Ctx, w.Account, id, ada); err != nil {
			w.Error(err)
		}
		if _, _, err := w.Accounts.RotateSecret(w.Ctx, w.Account, id, ada); err != nil {
			w.Error(err)
		}
		if err := w.Accounts.SwitchSecret(w.Ctx, w.Account, id, ada); err != nil {
			w.Error(err)
		}
	})
}

func TestAnAnswerOfAReceiverIsKeptAsLongAsTheAccountSays(t *testing.T) {
	run(t, func(w *world) {
		if a, err := w.Store.Account(w.Ctx, w.Account); err != nil || a.KeepAnswersDays != 90 {
			w.Errorf("a new account keeps answers for %d days, %v", a.KeepAnswersDays, err)
		}
		w.Must(w.Accounts.Change(w.Ctx, w.Account, ada, func(a *typus.Account) { a.KeepAnswersDays = 7 }))
		id, _, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, "https://hooks.example.com/", "", typus.Actor{Name: "operator"})
		if err != nil {
			w.Fatal(err)
		}
		delivery, err := w.Accounts.TestEndpoint(w.Ctx, w.Account, id, typus.Actor{Name: "operator"})
		if err != nil {
			w.Fatal(err)
		}
		claimed, err := w.Store.ClaimDeliveries(w.Ctx, "me", time.Minute, 1)
		if err != nil || len(claimed) != 1 {
			w.Fatalf("claimed %+v, %v", claimed, err)
		}
		arrived := webhook.Result{Outcome: webhook.Outcome{
			Delivered: true, Attempt: typus.Attempt{Outcome: webhook.OutcomeDelivered, HTTPStatus: 200, ResponseHead: "HTTP/1.1 200 OK"},
		}}
		_, err = w.Store.FinishAttempt(w.Ctx, "me", claimed[0].Delivery, arrived.Attempt, func(e typus.Endpoint, d typus.Delivery, _ bool, now time.Time) typus.Verdict {
			return webhook.Judge(e, d, arrived, now)
		})
		if err != nil {
			w.Fatal(err)
		}
		w.Later(time.Since(w.Now())) // an attempt begins by the clock of the database
		answer := func() string {
			if err := w.Accounts.ForgetAnswers(w.Ctx, w.Now()); err != nil {
				w.Fatal(err)
			}
			list, err := w.Store.Attempts(w.Ctx, w.Account, delivery)
			if err != nil || len(list) != 1 {
				w.Fatalf("attempts %+v, %v", list, err)
			}
			return list[0].ResponseHead
		}
		w.Later(6 * 24 * time.Hour)
		if answer() == "" {
			w.Error("the answer is gone before its time")
		}
		w.Later(2 * 24 * time.Hour)
		if answer() != "" {
			w.Error("the answer is still there")
		}
	})
}

func TestTheAuditLogNamesAWebhookWithoutItsSecretPath(t *testing.T) {
	run(t, func(w *world) {
		id, _, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, "https://hooks.example.com/t?token=sekret", "", typus.Actor{Name: "operator"})
		if err != nil {
			w.Fatal(err)
		}
		if err := w.Accounts.DeleteEndpoint(w.Ctx, w.Account, id, typus.Actor{Name: "operator"}); err != nil {
			w.Fatal(err)
		}
		_, _, err = w.Accounts.CreateEndpoint(w.Ctx, w.Account, "https://hooks.example.com/", "bad\xff", typus.Actor{Name: "operator"})
		w.WantKind(err, typus.Invalid)
		entries, err := w.Store.Audit(w.Ctx, w.Account, 100)
		if err != nil {
			w.Fatal(err)
		}
		for _, entry := range entries {
			if entry.Detail != fmt.Sprintf("%d hooks.example.com", id) {
				w.Errorf("audit %+v", entry)
			}
		}
	})
}
