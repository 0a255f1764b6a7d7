package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"typus"
	"typus/internal/backup"
	"typus/internal/db"
	"typus/internal/store"
)

func (a *app) accountDelete() *cobra.Command {
	c := &cobra.Command{
		Use:   "delete --account ID --confirm NAME [--protocol FILE]",
		Short: "Delete an account and everything that belongs to it, for good",
		Long: "Delete an account for good, with its test world, users, keys, webhooks and candidates, beside a running server. From the first moment on nobody is let in any more, and nothing is sent. " +
			"Whatever cuts it off: the same command goes on where it was. No backup brings the account back. " +
			"The protocol says how many rows of each table there were and are deleted, without personal data: it is the proof that you give to your customer. It is printed, and with --protocol written to a file that is not there yet.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	account := accountFlag(c)
	name := c.Flags().String("confirm", "", "the name of the account")
	file := c.Flags().String("protocol", "", "a file for the protocol, in JSON")
	required(c, "confirm")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		if *file != "" {
			if err := backup.Writable(*file); err != nil {
				return err
			}
		}
		done, err := s.accounts.Delete(c.Context(), *account, *name)
		if err != nil {
			return err
		}
		p := protocolOf(done, s.settings.BaseURL)
		if *file != "" {
			if err := p.write(*file); err != nil {
				return err
			}
		}
		return a.print(p, p.text())
	})
	return c
}

// protocol is the proof that an account was deleted. It has no personal data.
type protocol struct {
	Server     string              `json:"server"`
	Version    string              `json:"version"`
	AccountID  int64               `json:"account_id"`
	CreatedAt  time.Time           `json:"created_at"`
	BegunAt    time.Time           `json:"begun_at"`
	EndedAt    time.Time           `json:"ended_at"`
	Candidates int                 `json:"candidates"`
	Rows       int                 `json:"rows"`
	Tables     []store.DeletedRows `json:"tables"`
}

func protocolOf(d store.Deletion, server string) protocol {
	p := protocol{Server: server, Version: version(), AccountID: d.AccountID, CreatedAt: d.CreatedAt.UTC(), BegunAt: d.BegunAt.UTC(), EndedAt: d.EndedAt.UTC(), Tables: d.Tables}
	for _, t := range d.Tables {
		p.Rows += t.Deleted
		if t.Table == "candidates" {
			p.Candidates = t.Deleted
		}
	}
	return p
}

func (p protocol) write(file string) error {
	text, err := json.Marshal(p, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator names the file
	if errors.Is(err, fs.ErrExist) {
		return typus.Errorf(typus.Conflict, "%s is there already; name another file", file)
	}
	if err == nil {
		_, err = f.Write(append(text, '\n'))
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err != nil {
		return typus.Errorf(typus.KindOf(db.Refused(file, err)), "the account is deleted, but not its protocol written: %s; the same command writes it", message(db.Refused(file, err))).WithCause(err)
	}
	return nil
}

func (p protocol) text() string {
	lines := []string{
		fmt.Sprintf("account %d of %s, created %s, is deleted: begun %s, ended %s", p.AccountID, p.Server,
			p.CreatedAt.Format(time.RFC3339), p.BegunAt.Format(time.RFC3339), p.EndedAt.Format(time.RFC3339)),
		fmt.Sprintf("%s, %s in all; no rows are left", counted(p.Candidates, "candidate"), counted(p.Rows, "row")),
		fmt.Sprintf("%-20s  %9s  %9s", "table", "present", "deleted"),
	}
	for _, t := range p.Tables {
		if t.Present > 0 || t.Deleted > 0 {
			lines = append(lines, fmt.Sprintf("%-20s  %9d  %9d", t.Table, t.Present, t.Deleted))
		}
	}
	return strings.Join(lines, "\n")
}
