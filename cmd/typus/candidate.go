package main

import (
	"fmt"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
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
	id := idFlag(c, "id of the candidate, a number; not your external_id")
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
		if err := s.steps.FinishFor(c.Context(), *account, *id, answers, operator); err != nil {
			return err
		}
		done, err := s.store.Candidate(c.Context(), *account, *id)
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
