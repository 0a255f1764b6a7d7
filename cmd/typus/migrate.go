package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"typus/internal/instrument"
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

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		v := version()
		test := instrument.Own()
		return a.print(struct {
			Version    string `json:"version"`
			Instrument string `json:"instrument"`
			Hash       string `json:"instrument_hash"`
		}{v, test.Ref(), test.Hash()}, fmt.Sprintf("typus %s, instrument %s", v, test.Ref()))
	}}
}

// version is the module version of a released build, or the revision.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && info.Main.Version == "(devel)" {
			return s.Value
		}
	}
	return info.Main.Version
}
