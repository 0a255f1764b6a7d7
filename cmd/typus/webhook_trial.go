package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/store"
	"typus/internal/webhook"
)

func (a *app) webhookTest() *cobra.Command {
	c := &cobra.Command{
		Use:   "test --account ID --id ID",
		Short: "Send a test event to a webhook and print what came back",
		Long: "Send a test event to a webhook: a real, signed delivery about a person who does not exist, marked with \"test\":true and attempted once. " +
			"The running server sends it; this command waits for the outcome. The exit code is 1 unless the receiver answered with 2xx.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	account := accountFlag(c)
	id := idFlag(c, "id of the webhook")
	external := c.Flags().String("external-id", webhook.TestCandidate.ExternalID, "external_id that the event carries; empty is null")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		delivery, err := s.accounts.SendTest(c.Context(), *account, *id, *external, asOperator())
		if err != nil {
			return err
		}
		done, attempt, err := s.outcomeOf(c.Context(), *account, delivery, a.testPatience)
		if err != nil {
			return err
		}
		return a.printTest(done, attempt)
	})
	return c
}

// outcomeOf waits for the end of a test delivery, but not longer than patience. If no
// server takes it up, it is withdrawn, so that it does not surprise anybody later, and
// the error is Unavailable.
func (s *site) outcomeOf(ctx context.Context, account int64, id string, patience time.Duration) (typus.Delivery, typus.Attempt, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for {
		d, err := s.store.Delivery(ctx, account, id)
		if err == nil && !d.FinishedAt.IsZero() {
			attempts, err := s.store.Attempts(ctx, account, id)
			if err != nil || len(attempts) == 0 {
				return d, typus.Attempt{}, err
			}
			return d, attempts[len(attempts)-1], nil
		}
		if err != nil && ctx.Err() == nil {
			return d, typus.Attempt{}, err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return d, typus.Attempt{}, s.takeBack(context.WithoutCancel(ctx), account, id)
		}
	}
}

func (s *site) takeBack(ctx context.Context, account int64, id string) error {
	waiting := false
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		var err error
		waiting, err = tx.CancelTest(ctx, account, id, time.Now())
		return err
	})
	if err != nil {
		return err
	}
	if waiting {
		return typus.Errorf(typus.Unavailable, "no server took the test event up, so it was taken back; is typus serve running on this database?")
	}
	return typus.Errorf(typus.Unavailable, "the test event has no outcome yet")
}

// printTest says what came of a test, and fails unless it arrived.
func (a *app) printTest(d typus.Delivery, attempt typus.Attempt) error {
	arrived := d.State == typus.DeliveryDelivered
	text := fmt.Sprintf("the receiver answered %d after %d ms", attempt.HTTPStatus, attempt.Duration.Milliseconds())
	if attempt.HTTPStatus == 0 {
		text = "no answer: " + d.LastError
	}
	code, about := webhook.SplitCode(d.LastError)
	err := a.print(struct {
		ID         string `json:"id"`
		Delivered  bool   `json:"delivered"`
		Status     int    `json:"status"`
		DurationMS int64  `json:"duration_ms"`
		Error      string `json:"error"`
		About      string `json:"about"` // what the error is about, "" for most
	}{d.ID, arrived, attempt.HTTPStatus, attempt.Duration.Milliseconds(), code, about}, text)
	if err == nil && !arrived {
		err = typus.Errorf(typus.Conflict, "the test event did not arrive (%s)", d.LastError)
	}
	return err
}
