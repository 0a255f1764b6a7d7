package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) migrateCommand() *cobra.Command {
	c := &cobra.Command{Use: "migrate", Short: "Bring the database schema up to this version; serve does it too", Args: cobra.NoArgs}
	addSite(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		settings, err := loadSettings(c.Flags(), a.environ)
		if err != nil {
			return err
		}
		s, err := openSite(c.Context(), settings, openToMigrate)
		if err != nil {
			return err
		}
		return errors.Join(a.print(struct {
			Applied []string `json:"applied"`
		}{s.applied}, migrationText(s.applied)), s.store.Close())
	}
	return c
}

func migrationText(applied []string) string {
	if len(applied) == 0 {
		return "the schema is current"
	}
	return "applied: " + strings.Join(applied, ", ")
}
