package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/backup"
	"typus/internal/db"
	"typus/internal/store"
)

func (a *app) restoreCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a backup in the place of the database; whoever was erased stays erased",
		Long: "Put a file that typus backup has made in the place of the SQLite database, while no server runs. The database that was there stays beside it under another name. " +
			"Whoever was erased since the backup is erased again, by the list of erasures beside the database; nobody gets an id that somebody had after the backup; and everybody has to log in anew. " +
			"A backup of an older version is brought up to this one. A restored server acts: it sends what was due when the backup was made.",
		Args: cobra.ExactArgs(1),
	}
	addSite(c)
	list := c.Flags().String("erasures", "", "another list of erasures, besides the one that the server keeps")
	c.RunE = func(c *cobra.Command, args []string) error {
		settings, err := loadSettings(c.Flags(), a.environ)
		if err != nil {
			return err
		}
		if settings.postgres() {
			return typus.Errorf(typus.Invalid, "a PostgreSQL database is restored with pg_restore while no server runs; after it, before a server starts: typus erasures apply FILE")
		}
		done, err := settings.restore(c.Context(), args[0], *list)
		if err != nil {
			return err
		}
		return a.print(done, done.text())
	}
	return c
}

// restored is what a restore has done.
type restored struct {
	backup.Facts
	backup.Applied
	store.Volume
	File     string   `json:"file"`
	List     string   `json:"list"`            // of erasures
	Aside    string   `json:"aside,omitempty"` // where the database is now that was there
	Migrated []string `json:"migrations,omitempty"`

	former bool // it was made under another key than the one that seals now
}

func (r restored) text() string {
	text := fmt.Sprintf("restored %s of %s: %s, %s, %s", r.File, r.MadeAt.Format(time.RFC3339),
		counted(r.Accounts, "account"), counted(r.Candidates, "candidate"), counted(r.Results, "result"))
	text += fmt.Sprintf("\nerased again: %d, of %s that %s and the backup know of; new candidates get ids above %d", r.Erased, counted(r.Known, "erasure"), r.List, r.LastID)
	if r.Gone > 0 {
		text += "\ndeleted again: " + counted(r.Gone, "account")
	}
	if len(r.Migrated) > 0 {
		text += "\n" + migrationText(r.Migrated)
	}
	if r.former {
		text += "\nit holds values under the other secret key: once the server runs, type typus secret rotate"
	}
	if r.Aside != "" {
		text += fmt.Sprintf("\nthe database that was there is now %s: remove it once you no longer need it, because nobody is erased from it any more", r.Aside)
	}
	return text + "\nevery login has ended; look whether users, API keys and webhooks that were removed since are back; then start the server"
}

func (s *settings) restore(ctx context.Context, file, more string) (restored, error) {
	secret, keys, err := s.keysAtHand()
	if err != nil {
		return restored{}, err
	}
	staged, err := backup.Stage(ctx, file, s.Database, keys, db.FreeSpace)
	if err != nil {
		return restored{}, err
	}
	done, err := s.putInPlace(ctx, staged, secret, keys, more)
	done.File = file
	return done, errors.Join(err, staged.Close())
}

func (s *settings) putInPlace(ctx context.Context, staged *backup.Staged, secret string, keys []string, more string) (restored, error) {
	known, err := staged.Known(ctx, s.erasures(), more)
	if err != nil {
		return restored{}, err
	}
	done := restored{Facts: staged.Facts, List: s.erasures()}
	if err := s.workOnCopy(ctx, staged, secret, known, &done); err != nil {
		return restored{}, err
	}
	if err := backup.AddToList(s.erasures(), known); err != nil { // before the database goes that knows of them
		return restored{}, err
	}
	done.former = len(keys) > 1 && slices.ContainsFunc(staged.Keys(), func(key string) bool { return key != keys[0] })
	done.Aside, err = staged.Replace(ctx, backup.Facts{MadeAt: typus.Clock(nil).Now(), Version: version()})
	return done, err
}

// workOnCopy makes the copy of a backup what may be served. The copy lies beside the database
// itself, and the key beside its name, which may be a link.
func (s *settings) workOnCopy(ctx context.Context, staged *backup.Staged, secret string, known []store.Tombstone, done *restored) error {
	copied := *s
	copied.Database, copied.SecretKey = staged.Path, secret
	site, err := openSite(ctx, copied, openToMigrate)
	if err != nil {
		return err
	}
	err = staged.CarryOver(ctx, site.store)
	if err == nil {
		err = site.becomeLive(ctx, known, done)
	}
	return errors.Join(err, site.store.Close())
}

func (s *site) becomeLive(ctx context.Context, known []store.Tombstone, done *restored) error {
	var err error
	done.Migrated = s.applied
	if done.Applied, err = backup.Apply(ctx, s.store, s.steps, s.accounts, known); err != nil {
		return err
	}
	if err := backup.Unlabel(ctx, s.store); err != nil {
		return err
	}
	done.Volume, err = s.store.CountVolume(ctx)
	return err
}

// keysAtHand is the secret key that is given or lies beside the database, and the fingerprints
// of all that open. None is made. Invalid: there is none, or it is no key.
func (s *settings) keysAtHand() (string, []string, error) {
	secret, err := s.secret(true, "")
	if err != nil {
		return "", nil, err
	}
	box, err := s.boxOf(secret)
	if err != nil {
		return "", nil, err
	}
	return string(secret), box.KeyIDs(), nil
}

// erasures is the file that lists the erasures; "" on PostgreSQL, unless it is set.
func (s *settings) erasures() string {
	if s.Erasures == "" && !s.postgres() {
		return backup.ListBeside(s.Database)
	}
	return s.Erasures
}
