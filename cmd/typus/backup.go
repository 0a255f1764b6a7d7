package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/backup"
	"typus/internal/db"
)

func (a *app) backupCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the database while the server runs, and check the copy",
		Long: "Copy the SQLite database to a file that is not there yet, or into a directory under a name by the time (UTC), whether or not a server runs. " +
			"The file has its name only when the copy is complete, checked and on the disk; it is readable by you alone, says by its fingerprint which secret key belongs to it, and does not hold the key. " +
			"With PostgreSQL, pg_dump of the server's version makes the file.",
		Args: cobra.ExactArgs(1),
	}
	addSite(c)
	keep := c.Flags().Int("keep", 0, "in a directory: keep this many of the newest backups that this command has named by the time, and remove older ones")
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("keep") && *keep < 1 {
			return usageError("--keep must be 1 or more")
		}
		settings, err := loadSettings(c.Flags(), a.environ)
		if err != nil {
			return err
		}
		if settings.postgres() {
			return a.dump(c.Context(), settings, args[0], *keep)
		}
		if err := settings.there(); err != nil {
			return err
		}
		made, err := backup.Make(c.Context(), backup.Order{
			Database: settings.Database, To: args[0], Keep: *keep, Erasures: settings.erasures(), Version: version(), Now: typus.Clock(nil).Now(), Free: db.FreeSpace,
		})
		if err != nil {
			return err
		}
		return a.print(made, backupText(made))
	}
	return c
}

func backupText(m backup.Made) string {
	text := fmt.Sprintf("%s holds %s, %s and %s (%d bytes, checked); to restore it you need %s",
		m.File, counted(m.Accounts, "account"), counted(m.Candidates, "candidate"), counted(m.Results, "result"), m.Bytes, keysNeeded(m.Keys()))
	if len(m.Removed) > 0 {
		text += "\nremoved: " + strings.Join(m.Removed, ", ")
	}
	return text
}

// keysNeeded says which keys belong to a backup, by their fingerprints.
func keysNeeded(keys []string) string {
	if len(keys) == 1 {
		return "the secret key of the fingerprint " + keys[0] + ", which is not in it"
	}
	return "the secret keys of the fingerprints " + strings.Join(keys, " and ") + ", which are not in it"
}
