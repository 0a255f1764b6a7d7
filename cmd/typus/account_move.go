package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/accountfile"
	"typus/internal/backup"
	"typus/internal/store"
)

// mostBeside is how many rows an import writes beside a server on SQLite, which has one
// writer: so many take a few seconds, during which nobody else can write.
const mostBeside = 100_000

func (a *app) accountExport() *cobra.Command {
	c := &cobra.Command{
		Use:   "export --account ID --out FILE --key-file FILE",
		Short: "Write one account with everything that belongs to it into a file, for another server",
		Long: "Write an account and its test world, as they are at one moment, into a file that typus account import reads on another server, on SQLite or PostgreSQL. " +
			"The file is sealed as a whole with the key in --key-file, which is made if there is none; keep the two apart, because whoever has both can read all personal data, links and secrets of the account. " +
			"Logins do not move: everybody logs in again, with the same password and second factor.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	account := accountFlag(c)
	out := c.Flags().String("out", "", "the file to write, which is not there yet")
	keyFile := c.Flags().String("key-file", "", "the file with the key that seals it; made if there is none")
	required(c, "out", "key-file")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		key, err := accountfile.MakeFileKey(*keyFile)
		if err != nil {
			return err
		}
		done, err := accountfile.ExportAccount(c.Context(), accountfile.AccountOrder{
			Store: s.store, Box: s.box, Account: *account, To: *out, Key: key, Version: version(), Now: typus.Clock(nil).Now(),
		})
		if err != nil {
			return err
		}
		return a.print(done, fmt.Sprintf("%s holds the account %d with %s (%d bytes, SHA-256 %s); it is personal data, and to read it you need the key in %s, which is not in it",
			done.File, done.Account, counted(done.Candidates, "candidate"), done.Bytes, done.SHA256, *keyFile))
	})
	return c
}

func (a *app) accountImport() *cobra.Command {
	var o accountfile.AccountImport
	var keyFile, erasures string
	c := &cobra.Command{
		Use:   "import FILE --key-file FILE [--new-ids FILE] [--erasures FILE] [--replace] [--start-webhooks]",
		Short: "Take in an account that typus account export has written",
		Long: "Put the account of a file into this server: all of it or nothing, and then every reason is named. Both servers must have the same schema. " +
			"Links, passwords, second factors and API keys go on working. Webhooks are paused, so that nothing is sent by both servers; switch them on once the account is deleted on the other one. " +
			"Ids that other systems know change with --new-ids only, which names the file for the list of them. Whoever is on this server's list of erasures, or on that of --erasures, is erased again. " +
			"Name the other server's list here, as it was before the account was deleted there: later, with new ids, it finds nobody any more.",
		Args: cobra.ExactArgs(1),
	}
	addSite(c)
	c.Flags().StringVar(&keyFile, "key-file", "", "the file with the key that the account was exported with")
	c.Flags().StringVar(&o.NewIDs, "new-ids", "", "where others have the ids of candidates or positions: give new ones, and list them in this file (CSV)")
	c.Flags().StringVar(&erasures, "erasures", "", "another list of erasures, as of the other server (typus erasures export)")
	c.Flags().BoolVar(&o.Start, "start-webhooks", false, "let webhooks go on at once")
	c.Flags().BoolVar(&o.Replace, "replace", false, "put it in the place of the same account, which is here in a later state: for one customer from a backup")
	required(c, "key-file")
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.workOn(openToBegin, func(c *cobra.Command, s *site) error {
			var err error
			if o.Key, err = accountfile.ReadFileKey(keyFile); err != nil {
				return err
			}
			o.Store, o.Box, o.File, o.Check, o.Alone = s.store, s.box, args[0], s.accounts.CheckMoved, s.aloneFor
			if o.Erasures, err = s.erasuresKnown(c.Context(), erasures); err != nil {
				return err
			}
			done, err := accountfile.ImportAccount(c.Context(), o)
			if err != nil {
				return err
			}
			var unlisted error
			if list := s.settings.erasures(); list != "" {
				unlisted = backup.NewKeeper(s.store, list, nil).Run(c.Context())
			}
			if err := a.print(done, importedText(done)); err != nil {
				return err
			}
			if unlisted != nil {
				return typus.Errorf(typus.Conflict, "the account is in, as account %d; only the list of erasures could not be written, which a server does as soon as it can: %s",
					done.Account, message(unlisted)).WithCause(unlisted)
			}
			return nil
		})(c, nil)
	}
	return c
}

func importedText(d accountfile.ImportedAccount) string {
	lines := []string{fmt.Sprintf("account %d, which was %d, with %s", d.Account, d.Was, counted(d.Candidates, "candidate"))}
	lines = append(lines, fmt.Sprintf("as the other server had it: plan %s, %s, host %s, letters from %s, %s, %s; what differs here you set with typus account set and typus account sender",
		d.Plan, counted(int(d.Credits), "credit"), cmp.Or(d.Host, "of the server"), cmp.Or(d.Sender, "the server's address"),
		bounded(d.MaxPeople, "at most %d people", "any number of people"), bounded(d.LettersADay, "at most %d letters a day", "letters a day as the server says")))
	if d.SuspendedAt != nil {
		line := fmt.Sprintf("it has been suspended since %s", d.SuspendedAt.Format(time.DateOnly))
		if d.SuspendedReason != "" {
			line += " (" + d.SuspendedReason + ")"
		}
		lines = append(lines, line+"; typus account resume has it serve")
	}
	if d.Erased > 0 {
		lines = append(lines, "erased again: "+counted(d.Erased, "candidate"))
	}
	if d.Paused > 0 {
		lines = append(lines, counted(d.Paused, "webhook")+" paused: switch them on in the dashboard once the other server sends nothing any more")
	}
	if d.NewIDs != "" {
		lines = append(lines, "old and new ids of candidates and positions are in "+d.NewIDs)
	}
	if d.Renumbered {
		lines = append(lines, "the candidates have new ids, by which no list of erasures of the other server finds them: whoever is on one that --erasures did not name must be erased here again")
	}
	if d.Replaced {
		lines = append(lines, "what happened in the account since the file is gone; whoever was invited since is on no list of erasures, so a backup of this server from that time still brings them back")
	}
	return strings.Join(lines, "\n")
}

// bounded says a limit, or what there is without one.
func bounded(limit int, some, none string) string {
	if limit == 0 {
		return none
	}
	return fmt.Sprintf(some, limit)
}

// erasuresKnown are all erasures that this server knows of, and those of another list, if
// there is one.
func (s *site) erasuresKnown(ctx context.Context, more string) ([]store.Tombstone, error) {
	all, err := backup.AllTombstones(ctx, s.store)
	for _, list := range []string{s.settings.erasures(), more} {
		if err != nil {
			return nil, err
		}
		var further []store.Tombstone
		if list == more && list != "" {
			further, err = backup.ReadList(list)
		} else {
			further, err = backup.ReadListIfAny(list)
		}
		all = append(all, further...)
	}
	return all, err
}

// aloneFor takes the place of a server on SQLite before an import of many rows. Conflict: a
// server runs.
func (s *site) aloneFor(rows int) error {
	if rows <= mostBeside {
		return nil
	}
	if err := s.store.Lock(); err != nil {
		return typus.Errorf(typus.Conflict, "the account has %d rows, and nobody else could write to the SQLite file while they are written: stop the server, and import again (%s)", rows, message(err)).WithCause(err)
	}
	return nil
}
