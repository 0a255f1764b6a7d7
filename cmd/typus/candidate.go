package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/store"
)

func (a *app) candidateCommand() *cobra.Command {
	return group("candidate", "Finish a candidate's test while connecting a system", a.candidateFinish())
}

func (a *app) candidateFinish() *cobra.Command {
	c := &cobra.Command{
		Use:   "finish --account ID --id ID",
		Short: "Walk a candidate's test with made-up answers: one credit, a real webhook",
		Long: "Walk a candidate's test as a person would: begin, answer every item, hand in. It books one credit and sends the real webhook, " +
			"for connecting and testing. The audit log says that the operator did it.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	account := accountFlag(c)
	id := idFlag(c, "id of the candidate")
	file := c.Flags().String("answers", "", `JSON file with an answer for every item: {"ad01":5,…}`)
	seed := c.Flags().Uint64("seed", 1, "makes other answers, the same for the same seed")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		answers := plausible(instrument.Own(), *seed)
		if *file != "" {
			var err error
			if answers, err = answersFrom(instrument.Own(), *file, *seed); err != nil {
				return err
			}
		}
		done, err := s.finishFor(c.Context(), *account, *id, answers)
		if err != nil {
			return err
		}
		return a.print(struct {
			ID      int64 `json:"id"`
			Overall int   `json:"overall"`
		}{done.ID, done.Scores.Overall}, fmt.Sprintf("candidate %d is finished, overall %d", done.ID, done.Scores.Overall))
	})
	return c
}

// finishFor walks the steps of a candidate and marks that the operator did it.
func (s *site) finishFor(ctx context.Context, accountID, id int64, answers []assess.Given) (typus.Candidate, error) {
	c, err := s.store.Candidate(ctx, accountID, id)
	if err != nil {
		return c, err
	}
	if c.Status == typus.StatusFinished {
		return c, typus.Errorf(typus.Conflict, "candidate %d has finished the test already", id)
	}
	token, err := s.steps.Token(c)
	if err != nil {
		return c, err
	}
	now := time.Now()
	notice := typus.Notice{Version: operator, Language: c.Language, At: now}
	if err := s.steps.Begin(ctx, token, notice, "The operator walked this test; no candidate read a notice."); err != nil {
		return c, err
	}
	if _, err := s.steps.Answer(ctx, token, answers); err != nil {
		return c, err
	}
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		return tx.AddAudit(ctx, typus.AuditEntry{
			AccountID: accountID, CandidateID: id, Actor: operator, Action: "candidate.finished_by_operator", CreatedAt: now,
		})
	})
	if err != nil {
		return c, err
	}
	if err := s.steps.Finish(ctx, token); err != nil {
		return c, err
	}
	return s.store.Candidate(ctx, accountID, id)
}

// answersFrom reads a file of item ids and values. It must name every item of
// the test once; how long each took is made up from the seed.
func answersFrom(test *instrument.Instrument, path string, seed uint64) ([]assess.Given, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, typus.Errorf(typus.Invalid, "--answers: %s cannot be read", path).WithCause(err)
	}
	var values map[string]int
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, typus.Errorf(typus.Invalid, `--answers: %s is not a JSON object such as {"ad01":5,…}`, path).WithCause(err)
	}
	given := plausible(test, seed)
	for i := range given {
		value, there := values[given[i].ItemID]
		if !there {
			return nil, typus.Errorf(typus.Invalid, "--answers: %s has no answer for item %s", path, given[i].ItemID)
		}
		given[i].Value = value
	}
	if len(values) != len(given) {
		return nil, typus.Errorf(typus.Invalid, "--answers: %s names items that are not in the test", path)
	}
	return given, nil
}
