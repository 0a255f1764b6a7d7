package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/store"
)

// replayFlags say what is to be sent again.
type replayFlags struct {
	delivery, state, outcome, since *string
	id                              *int64
	dryRun                          *bool
}

func (a *app) webhookReplay() *cobra.Command {
	c := &cobra.Command{
		Use:   "replay --account ID {--delivery ID | --id ID [--state S] [--outcome O] [--since T]}",
		Short: "Send deliveries again, one or many",
		Long: "Send deliveries again with the same webhook-id. With --delivery it is one: at once if it waits for its next attempt, as a new delivery if it has ended. " +
			"With --id it is all that have ended of a webhook, oldest first and each result once. The running server sends them, at the pace of the webhook.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	account := accountFlag(c)
	f := replayFlags{
		delivery: c.Flags().String("delivery", "", "id of one delivery"),
		id:       c.Flags().Int64("id", 0, "id of the webhook"),
		state:    c.Flags().String("state", "", "only those that are exhausted, delivered or cancelled"),
		outcome:  c.Flags().String("outcome", "", "only those whose last attempt ended so: "+strings.Join(typus.DeliveryOutcomes(), ", ")),
		since:    c.Flags().String("since", "", "only those made since a day (UTC) or a time, 2026-04-02 or 2026-04-02T18:00:00Z"),
		dryRun:   c.Flags().Bool("dry-run", false, "count them and send nothing"),
	}
	c.MarkFlagsOneRequired("delivery", "id")
	for _, many := range []string{"id", "state", "outcome", "since", "dry-run"} {
		c.MarkFlagsMutuallyExclusive("delivery", many)
	}
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		if *f.delivery != "" {
			return a.replayOne(c, s, *account, *f.delivery)
		}
		return a.replayMany(c, s, *account, f)
	})
	return c
}

func (a *app) replayOne(c *cobra.Command, s *site, account int64, id string) error {
	next, err := s.accounts.ReplayDelivery(c.Context(), account, id, asOperator())
	if err != nil {
		return err
	}
	text := fmt.Sprintf("delivery %s goes out again as %s", id, next)
	if next == id {
		text = fmt.Sprintf("delivery %s goes out now", id)
	}
	return a.print(struct {
		ID string `json:"id"`
	}{next}, text)
}

func (a *app) replayMany(c *cobra.Command, s *site, account int64, f replayFlags) error {
	filter, err := f.filter()
	if err != nil {
		return err
	}
	if _, err := s.store.Endpoint(c.Context(), account, filter.EndpointID); err != nil {
		return err
	}
	if *f.dryRun {
		n, err := s.store.CountReplayable(c.Context(), account, filter, store.ReplayCounted)
		if err != nil {
			return err
		}
		return a.printReplay(0, n, "%s would be sent again")
	}
	id, err := s.accounts.StartReplay(c.Context(), account, filter, asOperator())
	if err != nil {
		return err
	}
	run, err := s.store.ReplayRun(c.Context(), account, id)
	if err != nil {
		return err
	}
	return a.printReplay(id, run.Total, "%s are sent again, oldest first; the page of the webhook says how far that is")
}

// printReplay says how many are sent again by a run, or would be.
func (a *app) printReplay(run int64, n int, text string) error {
	many, said := n > store.ReplayCounted, fmt.Sprintf("%d deliveries", n)
	if many {
		n, said = store.ReplayCounted, fmt.Sprintf("more than %d deliveries", store.ReplayCounted)
	}
	return a.print(struct {
		Run        int64 `json:"run,omitempty"`
		Deliveries int   `json:"deliveries"`
		More       bool  `json:"more"` // there are more than are counted
	}{run, n, many}, fmt.Sprintf(text, said))
}

// filter is what the flags ask for. Invalid names every wrong one.
func (f replayFlags) filter() (store.DeliveryFilter, error) {
	q := store.DeliveryFilter{EndpointID: *f.id, State: typus.DeliveryState(*f.state), Outcome: *f.outcome}
	var wrong []typus.Field
	if q.State != "" && !q.State.Ended() {
		wrong = append(wrong, typus.Field{Name: "state", Code: typus.CodeInvalid, Msg: "must be exhausted, delivered or cancelled"})
	}
	if q.Outcome != "" && !slices.Contains(typus.DeliveryOutcomes(), q.Outcome) {
		wrong = append(wrong, typus.Field{Name: "outcome", Code: typus.CodeInvalid, Msg: "must be one of " + strings.Join(typus.DeliveryOutcomes(), ", ")})
	}
	var err error
	if q.From, err = since(*f.since); err != nil {
		wrong = append(wrong, typus.Field{Name: "since", Code: typus.CodeInvalid, Msg: "must be a day or a time, 2026-04-02 or 2026-04-02T18:00:00Z"})
	}
	return q, typus.WrongFields(wrong)
}

// since reads a day, in UTC, or a time; "" is the zero time.
func since(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	return at.UTC(), err
}
