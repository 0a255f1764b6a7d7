package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"typus"
)

func (a *app) accountSuspend() *cobra.Command {
	c := &cobra.Command{
		Use:   "suspend --account ID [--reason TEXT]",
		Short: "Suspend an account: its API is shut, nobody is invited, and what it sends waits",
		Long: "Suspend an account and its test world at once, beside running servers. Calls of the API are refused (403 account_suspended), nobody is invited, no test is begun, and letters and webhooks wait, except those already on their way. " +
			"Whoever has begun a test finishes it. The account's team can log in, read, export and erase; deletion by retention goes on. " +
			"Owners and admins of the account see the reason. typus account resume ends the suspension.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	account := accountFlag(c)
	reason := c.Flags().String("reason", "", "why, for the account's owners and admins, one line; without it a suspended account keeps its own")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		if !c.Flags().Changed("reason") {
			reason = nil
		}
		now, err := s.accounts.Suspend(c.Context(), *account, reason, asOperator())
		if err != nil {
			return err
		}
		return a.print(suspensionOf(now), fmt.Sprintf("account %d has been suspended since %s", now.ID, *timeOrNull(now.SuspendedAt)))
	})
	return c
}

func (a *app) accountResume() *cobra.Command {
	c := &cobra.Command{
		Use:   "resume --account ID",
		Short: "Have a suspended account serve again; what has waited goes out",
		Long: "End the suspension of an account and its test world. Letters and webhooks that have waited go out, each once; what is no longer true is not sent. " +
			"Reminders begin again two days later. If it is cut off, call it again. Invitations that have expired meanwhile stay expired.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	account := accountFlag(c)
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		resumed, err := s.accounts.Resume(c.Context(), *account, asOperator())
		if err != nil {
			return err
		}
		said := fmt.Sprintf("account %d serves again", *account)
		if !resumed {
			said = fmt.Sprintf("account %d was not suspended", *account)
		}
		return a.print(suspensionOf(typus.Account{ID: *account}), said)
	})
	return c
}

// suspension says since when an account is suspended.
type suspension struct {
	ID          int64   `json:"id"`
	SuspendedAt *string `json:"suspended_at"` // null: it is not
	Reason      string  `json:"reason"`
}

func suspensionOf(a typus.Account) suspension {
	return suspension{ID: a.ID, SuspendedAt: timeOrNull(a.SuspendedAt), Reason: a.SuspendedReason}
}
