package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"typus/internal/backup"
)

func (a *app) erasuresCommand() *cobra.Command {
	return group("erasures", "List whom a backup must not bring back, and erase them again", a.erasuresExport(), a.erasuresApply())
}

func (a *app) erasuresExport() *cobra.Command {
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "Write the list of all erasures to a file that is not there yet",
		Long: "Write a line for each erased candidate: id, created_at and erased_at in milliseconds, and nothing about who it was; of a deleted account the same after the word account. " +
			"A server keeps this list by itself beside an SQLite database, and in the file that TYPUS_ERASURES names.",
		Args: cobra.ExactArgs(1),
	}
	addSite(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.work(func(c *cobra.Command, s *site) error {
			n, err := backup.Export(c.Context(), s.store, s.settings.erasures(), args[0])
			if err != nil {
				return err
			}
			return a.print(struct {
				Erasures int    `json:"erasures"`
				File     string `json:"file"`
			}{n, args[0]}, fmt.Sprintf("%s in %s", counted(n, "erasure"), args[0]))
		})(c, nil)
	}
	return c
}

func (a *app) erasuresApply() *cobra.Command {
	c := &cobra.Command{
		Use:   "apply FILE",
		Short: "After a restore: erase again whoever is on the list; ids go on where none was given",
		Long: "Erase again those candidates whose id and created_at are on the list, delete again the accounts on it, and let the ids of new candidates begin " +
			"1,000,000 past the highest that the database or the list knows; all other ids go on likewise, those of accounts, users, positions, keys, webhooks and role profiles by 1,000. All logins end. typus restore does all this by itself; with PostgreSQL do it after pg_restore, before a server starts.",
		Args: cobra.ExactArgs(1),
	}
	addSite(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		list, err := backup.ReadList(args[0])
		if err != nil {
			return err
		}
		return a.work(func(c *cobra.Command, s *site) error {
			done, err := backup.Apply(c.Context(), s.store, s.steps, s.accounts, list)
			if err == nil && s.settings.erasures() != "" {
				err = backup.AddToList(s.settings.erasures(), list)
			}
			if err != nil {
				return err
			}
			return a.print(done, fmt.Sprintf("erased again: %d, of %s in %s, and deleted again: %s; new candidates get ids above %d; every login has ended",
				done.Erased, counted(done.Known, "erasure"), args[0], counted(done.Gone, "account"), done.LastID))
		})(c, nil)
	}
	return c
}
