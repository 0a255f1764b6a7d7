package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/accounts"
)

func (a *app) creditsCommand() *cobra.Command {
	return group("credits", "Show and add credits", a.creditsShow(), a.creditsAdd())
}

// shownEntries is how many bookings the command line lists.
const shownEntries = 10

// booking is an entry of the ledger as --json prints it.
type booking struct {
	ID           int64              `json:"id"`
	CreatedAt    string             `json:"created_at"`
	Delta        int64              `json:"delta"`
	BalanceAfter int64              `json:"balance_after"`
	Reason       typus.CreditReason `json:"reason"`
	Note         string             `json:"note"`
	Reference    string             `json:"reference"`
	Actor        string             `json:"actor"`
}

func (a *app) creditsShow() *cobra.Command {
	c := &cobra.Command{Use: "show --account ID", Short: "Show the balance of an account and its newest bookings", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		found, err := s.store.Account(c.Context(), *account)
		if err != nil {
			return err
		}
		entries, err := s.store.CreditEntries(c.Context(), *account, shownEntries)
		if err != nil {
			return err
		}
		list := bookings(found, entries)
		text := []string{fmt.Sprintf("balance: %d", found.Credits)}
		if found.Plan == typus.PlanBusiness && found.Credits <= 0 {
			text[0] += " (plan business: invitations are never refused)"
		}
		for _, b := range list {
			text = append(text, strings.TrimRight(fmt.Sprintf("%s  %+6d → %6d  %-10s  %-12s  %s", b.CreatedAt, b.Delta, b.BalanceAfter, b.Reason, b.Reference, b.Note), " "))
		}
		return a.print(struct {
			Balance  int64     `json:"balance"`
			Bookings []booking `json:"bookings"`
		}{found.Credits, list}, strings.Join(text, "\n"))
	})
	return c
}

// bookings are entries of the ledger as they are shown, with the times of the account's clock.
func bookings(of typus.Account, entries []typus.CreditEntry) []booking {
	list := make([]booking, 0, len(entries))
	for _, e := range entries {
		list = append(list, booking{e.ID, of.WorldTime(e.CreatedAt).UTC().Format(time.RFC3339), e.Delta, e.BalanceAfter, e.Reason, e.Note, e.Reference, e.Actor})
	}
	return list
}

func (a *app) creditsAdd() *cobra.Command {
	c := &cobra.Command{
		Use: "add --account ID --amount N --note T", Short: "Add credits to an account",
		Long: "Add credits to an account. With --reference, such as the number of an invoice, they are booked once however often the command is repeated: " +
			"a repeat gives the same answer and says that nothing was booked.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	account := accountFlag(c)
	amount := c.Flags().Int64("amount", 0, "how many credits, 1 or more")
	note := c.Flags().String("note", "", "why, for the ledger")
	reference := c.Flags().String("reference", "", "your name of this grant, once in an account: a repeat books nothing")
	required(c, "amount", "note")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		entry, booked, err := s.accounts.GrantCredits(c.Context(), *account, accounts.Grant{Amount: *amount, Note: *note, Reference: *reference, Actor: operator})
		if err != nil {
			return perhapsBooked(err, *account, *reference)
		}
		text := fmt.Sprintf("balance: %d", entry.BalanceAfter)
		if !booked {
			of, err := s.store.Account(c.Context(), *account)
			if err != nil {
				return err
			}
			text += fmt.Sprintf("\nBooked already under this reference, on %s; nothing was booked now. The balance is the one of then: typus credits show --account %d has today's.",
				bookings(of, []typus.CreditEntry{entry})[0].CreatedAt, *account)
		}
		return a.print(struct {
			Balance int64 `json:"balance"`
			Booked  bool  `json:"booked"`
		}{entry.BalanceAfter, booked}, text)
	})
	return c
}

// perhapsBooked tells an operator what to do if it is unknown whether the grant was
// booked. If it was, repeating the command without a reference would book it twice.
func perhapsBooked(err error, account int64, reference string) error {
	if !typus.Is(err, typus.OutcomeUnknown) {
		return err
	}
	remedy := fmt.Sprintf("look with \"typus credits show --account %d\" before you repeat it (with --reference you could repeat it as it is)", account)
	if reference != "" {
		remedy = "repeat the same command: under its reference it books once"
	}
	return typus.Errorf(typus.OutcomeUnknown, "the credits may be booked or not, the database did not say; %s", remedy).WithCause(err)
}
