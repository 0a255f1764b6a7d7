package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) creditsCommand() *cobra.Command {
	return group("credits", "Show and add credits", a.creditsShow(), a.creditsAdd())
}

type balance struct {
	Balance int64 `json:"balance"`
}

func (a *app) creditsShow() *cobra.Command {
	c := &cobra.Command{Use: "show --account ID", Short: "Show the balance of an account", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		found, err := s.store.Account(c.Context(), *account)
		if err != nil {
			return err
		}
		return a.print(balance{found.Credits}, fmt.Sprintf("balance: %d", found.Credits))
	})
	return c
}

func (a *app) creditsAdd() *cobra.Command {
	c := &cobra.Command{Use: "add --account ID --amount N --note T", Short: "Add credits to an account", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	amount := c.Flags().Int64("amount", 0, "how many credits, 1 or more")
	note := c.Flags().String("note", "", "why, for the ledger")
	required(c, "amount", "note")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		left, err := s.steps.GrantCredits(c.Context(), *account, *amount, *note, operator)
		if err != nil {
			return err
		}
		return a.print(balance{left}, fmt.Sprintf("balance: %d", left))
	})
	return c
}
