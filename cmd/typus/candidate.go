package main

import (
	"context"
	"fmt"
	"os"

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
		Short: "Take a candidate's test with made-up answers: one credit, a real webhook",
		Long: "Take a candidate's test as a person would: begin, answer every item, hand in. It books one credit and sends the real webhook, " +
			"for connecting and testing. The report, the list of candidates, its export and the audit log say that the answers are made up. A test that a person has begun to answer is left alone.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	account := accountFlag(c)
	ref := c.Flags().String("id", "", "id of the candidate, or your external_id: of several with one external_id the newest")
	required(c, "id")
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
		meant, err := s.candidate(c.Context(), *account, *ref)
		if err != nil {
			return err
		}
		if err := s.steps.FinishFor(c.Context(), *account, meant.ID, answers, operator); err != nil {
			return err
		}
		done, err := s.store.Candidate(c.Context(), *account, meant.ID)
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

// candidate finds whom --id means, as the API reads a reference.
func (s *site) candidate(ctx context.Context, account int64, ref string) (typus.Candidate, error) {
	if _, err := s.store.Account(ctx, account); err != nil {
		return typus.Candidate{}, err
	}
	c, _, err := s.store.CandidateByRef(ctx, account, ref, store.ByEither, store.AnyPosition)
	if typus.Is(err, typus.NotFound) {
		err = typus.Errorf(typus.NotFound, "account %d has no candidate with the id or external_id %q", account, ref)
	}
	return c, err
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
