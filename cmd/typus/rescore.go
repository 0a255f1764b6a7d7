package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"typus"
)

// differing is a difference as --json prints it.
type differing struct {
	AccountID   int64  `json:"account_id"`
	CandidateID int64  `json:"candidate_id"`
	Instrument  string `json:"instrument"`
	Place       string `json:"place"`
	Stored      string `json:"stored"`
	Computed    string `json:"computed"`
}

func (a *app) rescoreCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "rescore --verify", Short: "Compute every stored result again and print what differs",
		Long: "Compute every stored result again from its answers, with the version of the test and the role profile that it was made with, " +
			"and print each difference. Test worlds are left out. It changes nothing and works beside a running server. The exit code is 1 if anything differs.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	verify := c.Flags().Bool("verify", false, "compare, and change nothing; there is no other way, because a result is never overwritten")
	c.RunE = func(c *cobra.Command, args []string) error {
		if !*verify {
			return usageError("typus rescore needs --verify: a stored result is compared, never overwritten")
		}
		return a.work(a.verifyResults)(c, args)
	}
	return c
}

func (a *app) verifyResults(c *cobra.Command, s *site) error {
	accounts, err := s.store.Accounts(c.Context())
	if err != nil {
		return err
	}
	results, list, persons := 0, []differing{}, map[int64]bool{}
	var text strings.Builder
	for _, account := range accounts {
		count, found, err := s.steps.Verify(c.Context(), account.ID)
		if err != nil {
			return err
		}
		results += count
		for _, d := range found {
			list = append(list, differing(d))
			persons[d.CandidateID] = true
			fmt.Fprintf(&text, "account %d, candidate %d, %s: %s is %s, computed %s\n", d.AccountID, d.CandidateID, d.Instrument, d.Place, orNothing(d.Stored), orNothing(d.Computed))
		}
	}
	fmt.Fprintf(&text, "%s computed again, %s", counted(results, "result"), counted(len(list), "difference"))
	err = a.print(struct {
		Results     int         `json:"results"`
		Differences []differing `json:"differences"`
	}{results, list}, text.String())
	if err == nil && len(list) > 0 {
		verb := "say"
		if len(persons) == 1 {
			verb = "says"
		}
		return typus.Errorf(typus.Conflict, "%d of %s %s something else than the answers give", len(persons), counted(results, "stored result"), verb)
	}
	return err
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}
