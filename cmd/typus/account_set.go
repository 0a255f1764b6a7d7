package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"typus"
)

func (a *app) accountSet() *cobra.Command {
	c := &cobra.Command{
		Use:   "set --account ID [--plan P] [--name N] [--zone Z] [--host H] [--max-people M] [--letters-a-day L] [--retention-days D]",
		Short: "Change the plan, the name, the time zone, the host, the limits or the retention of an account",
		Long: "Change an account. The starter plan refuses new invitations at a balance of 0 or less; the business plan never does. " +
			"--zone says where the account's days begin and end, and in which zone its pages and letters give the time. " +
			"--host is the name by which the account's candidates reach this server, such as tests.example.com: links in letters, files and the API begin with it. Its DNS, certificate and proxy are yours to set first; an empty one is that of TYPUS_BASE_URL again. " +
			"--max-people bounds how many candidates the account stores at once: nobody is invited beyond it, nobody is deleted for it; 0 is any number. " +
			"--letters-a-day bounds what the account may send to candidates and new team members in a day (UTC), in the place of TYPUS_LETTERS_PER_DAY; 0 is the server's number again. " +
			"--retention-days says how many days after their test people are deleted, which cannot be undone; 0 is never.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	account := accountFlag(c)
	plan := c.Flags().String("plan", "", "starter or business")
	name := c.Flags().String("name", "", "name of the account, shown to candidates")
	zone := zoneFlag(c, "")
	host := c.Flags().String("host", "", "host in the links of the account's candidates; empty for that of TYPUS_BASE_URL")
	people := c.Flags().Int("max-people", 0, "people stored at once, beyond whom nobody is invited; 0: any number")
	letters := c.Flags().Int("letters-a-day", 0, "letters to others in a day, what is above it waits for the next; 0: as TYPUS_LETTERS_PER_DAY says")
	days := c.Flags().Int("retention-days", 0, "delete people so many days after their test, 1 to 3650; 0: never")
	c.MarkFlagsOneRequired("plan", "name", "zone", "host", "max-people", "letters-a-day", "retention-days")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		given := func(flag string) bool { return c.Flags().Changed(flag) }
		if *days < 0 || *days > 3650 {
			return usageError("--retention-days must be 0 to 3650")
		}
		err := s.accounts.Operate(c.Context(), *account, asOperator(), func(x *typus.Account) {
			if given("plan") {
				x.Plan = typus.Plan(*plan)
			}
			if given("name") {
				x.Name = *name
			}
			if given("zone") {
				x.Zone = typus.Zone(*zone)
			}
			if given("host") {
				x.Host = *host
			}
			if given("max-people") {
				x.MaxPeople = *people
			}
			if given("letters-a-day") {
				x.LettersADay = *letters
			}
			if given("retention-days") {
				*x = x.FinishedKeptFor(*days)
			}
		})
		if err != nil {
			return err
		}
		return a.printAccount(c.Context(), s, *account)
	})
	return c
}

// printAccount says what the operator has set of an account.
func (a *app) printAccount(ctx context.Context, s *site, id int64) error {
	now, err := s.store.Account(ctx, id)
	if err != nil {
		return err
	}
	stored, err := s.store.CountPeople(ctx, id)
	if err != nil {
		return err
	}
	return a.print(struct {
		ID            int64      `json:"id"`
		Name          string     `json:"name"`
		Plan          typus.Plan `json:"plan"`
		Zone          typus.Zone `json:"zone"`
		Host          string     `json:"host"`          // "" for the server's
		People        int        `json:"people"`        // stored now
		MaxPeople     int        `json:"max_people"`    // 0 for any number
		LettersADay   int        `json:"letters_a_day"` // 0 for the server's
		RetentionDays int        `json:"retention_days"`
	}{now.ID, now.Name, now.Plan, now.Zone, now.Host, stored, now.MaxPeople, now.LettersADay, now.KeepFinishedDays},
		fmt.Sprintf("account %d: %s, plan %s, zone %s, host %s, %s, %s, retention %s", now.ID, now.Name, now.Plan, now.Zone, cmp.Or(now.Host, "of the server"), peopleOf(now, stored), lettersADay(now, s.settings), retentionFrom(now.KeepFinishedDays, now.KeepFromDecision)))
}

// peopleOf says how many people an account stores, and how many it may.
func peopleOf(a typus.Account, stored int) string {
	if a.MaxPeople == 0 {
		return fmt.Sprintf("%d of any number of people", stored)
	}
	return fmt.Sprintf("%d of at most %d people", stored, a.MaxPeople)
}

// lettersADay says how many letters an account may send to others in a day.
func lettersADay(a typus.Account, server settings) string {
	switch {
	case a.LettersADay > 0:
		return counted(a.LettersADay, "letter") + " a day"
	case server.LettersPerDay > 0:
		return counted(server.LettersPerDay, "letter") + " a day as the server says"
	}
	return "any number of letters"
}

func retentionFrom(days int, decision bool) string {
	switch {
	case days == 0:
		return "off"
	case decision:
		return counted(days, "day") + " after the decision"
	}
	return counted(days, "day") + " after the test"
}
