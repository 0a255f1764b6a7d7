package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/roster"
	"typus/internal/store"
)

func (a *app) usageCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "usage --month YYYY-MM [--csv]", Short: "Count what each account has used in a month, for invoices",
		Long: "Count for each account, without its test world: completions as booked in the ledger (a credit each), earlier answers taken over (0 credits), invitations, letters sent, webhooks delivered, " +
			"and the people stored at the end of the month, or now while it lasts. Erased people still count for what they cost. A month begins and ends in the zone of each account. " +
			"Of an account that was deleted, the numbers of the month of its deletion, as they were when that began, and of the one before are kept, without its name.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	month := c.Flags().String("month", "", "the month, such as 2026-11")
	csv := c.Flags().Bool("csv", false, "print a table for spreadsheets")
	required(c, "month")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		m, ok := typus.ParseMonth(*month)
		if !ok {
			return usageError("--month must be a month such as 2026-11")
		}
		if *csv && a.json {
			return usageError("give --csv or --json, not both")
		}
		lines, err := s.usage(c, m)
		if err != nil {
			return err
		}
		if *csv {
			return writeUsage(c, m, lines)
		}
		return a.print(struct {
			Month    string      `json:"month"`
			Accounts []usageLine `json:"accounts"`
		}{m.String(), lines}, usageText(m, lines))
	})
	return c
}

// usageLine is what an account has used. Of a deleted one only the numbers are left.
type usageLine struct {
	ID         int64      `json:"id"`
	Name       string     `json:"name"`
	Zone       typus.Zone `json:"zone"`
	Plan       typus.Plan `json:"plan"`
	PeopleAsOf string     `json:"people_as_of"`         // when the people were counted; "" of one that an earlier version has deleted
	DeletedAt  string     `json:"deleted_at,omitempty"` // when the account was deleted
	store.Usage
}

// usage counts one account after the other, so that no statement takes long. Of an account that
// is being deleted, or was since the list was read, only the numbers count that were kept: its
// rows are going.
func (s *site) usage(c *cobra.Command, m typus.Month) ([]usageLine, error) {
	lines := []usageLine{}
	accounts, err := s.store.Accounts(c.Context())
	if err != nil {
		return nil, err
	}
	for _, x := range accounts {
		now := typus.Clock(nil).Now()
		from, to := m.In(x.Zone)
		if from.After(now) {
			return nil, usageError("the month " + m.String() + " has not begun")
		}
		u, err := s.store.Usage(c.Context(), x.ID, from, to)
		if err != nil {
			return nil, err
		}
		is, err := s.store.Account(c.Context(), x.ID) // after the count
		if typus.Is(err, typus.NotFound) || err == nil && !is.DeletingAt.IsZero() {
			continue
		}
		if err != nil {
			return nil, err
		}
		counted := to
		if now.Before(to) {
			counted = now
		}
		lines = append(lines, usageLine{ID: x.ID, Name: x.Name, Zone: x.Zone, Plan: x.Plan, PeopleAsOf: counted.UTC().Format(time.RFC3339), Usage: u})
	}
	gone, err := s.store.DeletedUsage(c.Context(), m)
	for _, d := range gone {
		line := usageLine{ID: d.AccountID, DeletedAt: d.DeletedAt.UTC().Format(time.RFC3339), Usage: d.Usage}
		if !d.PeopleAt.IsZero() {
			line.PeopleAsOf = d.PeopleAt.UTC().Format(time.RFC3339)
		}
		lines = append(lines, line)
	}
	return lines, err
}

func usageText(m typus.Month, lines []usageLine) string {
	text := []string{
		fmt.Sprintf("%s, in the zone of each account; people: stored at the end of the month, or now while it lasts", m),
		fmt.Sprintf("%6s  %11s  %10s  %11s  %8s  %10s  %8s  %s", "id", "completions", "taken over", "invitations", "letters", "deliveries", "people", "name"),
	}
	for _, l := range lines {
		name := l.Name
		if l.DeletedAt != "" {
			name = "(deleted " + l.DeletedAt + ")"
		}
		text = append(text, fmt.Sprintf("%6d  %11d  %10d  %11d  %8d  %10d  %8d  %s", l.ID, l.Completions, l.TakenOver, l.Invitations, l.Letters, l.Deliveries, l.People, name))
	}
	return strings.Join(text, "\n")
}

func writeUsage(c *cobra.Command, m typus.Month, lines []usageLine) error {
	w := roster.NewWriter(c.OutOrStdout(), "en")
	w.Row("month", "account_id", "name", "zone", "plan", "completions", "taken_over", "invitations", "letters", "deliveries", "people", "people_as_of", "deleted_at")
	for _, l := range lines {
		w.Row(m.String(), strconv.FormatInt(l.ID, 10), l.Name, string(l.Zone), string(l.Plan), strconv.Itoa(l.Completions), strconv.Itoa(l.TakenOver),
			strconv.Itoa(l.Invitations), strconv.Itoa(l.Letters), strconv.Itoa(l.Deliveries), strconv.Itoa(l.People), l.PeopleAsOf, l.DeletedAt)
	}
	return w.Flush()
}
