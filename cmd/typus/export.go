package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/backup"
	"typus/internal/dashboard"
	"typus/internal/instrument"
	"typus/internal/page"
)

func (a *app) exportCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "export --account ID --candidate ID",
		Short: "Write everything that is stored about one person into a ZIP file",
		Long: "Write everything that is stored about one candidate, and about all others of the account with the same e-mail address, into a ZIP file, for a request of access (GDPR Art. 15): all data as JSON and as tables, " +
			"the report as PDF in German and English, and what every name means. It is readable by you alone, holds addresses of people of the team, too, and the audit log says that it was made.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	account := accountFlag(c)
	ref := c.Flags().String("candidate", "", "id of the candidate, or your external_id: of several with one external_id the newest")
	required(c, "candidate")
	to := c.Flags().String("to", "", "the file, which must not be there yet; without it typus-auskunft-ID.zip, here")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		meant, err := s.candidate(c.Context(), *account, *ref)
		if err != nil {
			return err
		}
		name := *to
		if name == "" {
			name = dashboard.ArchiveName(meant)
		}
		if err := backup.Writable(name); err != nil {
			return err
		}
		pages, err := page.New()
		if err != nil {
			return err
		}
		body, ids, err := dashboard.PersonArchive(c.Context(), dashboard.Options{
			Store: s.store, Steps: s.steps, Access: s.access, Accounts: s.accounts, Box: s.box, Instrument: instrument.Own(), Site: pages, BaseURL: s.settings.BaseURL,
		}, meant, typus.Actor{Name: operator})
		if err != nil {
			return err
		}
		if err := writeNew(name, body); err != nil {
			return err
		}
		return a.print(struct {
			ID    int64   `json:"id"`
			IDs   []int64 `json:"ids"` // and of all others with the same address
			File  string  `json:"file"`
			Bytes int     `json:"bytes"`
		}{meant.ID, ids, name, len(body)}, fmt.Sprintf("everything about candidate %d is in %s, %d bytes%s", meant.ID, name, len(body), alsoIn(ids[1:])))
	})
	return c
}

// alsoIn names the candidates who are in a file for having the same address.
func alsoIn(ids []int64) string {
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf(", with a folder each for it and others of the same address: %s", strings.Trim(fmt.Sprint(ids), "[]"))
}

// writeNew writes a file that was not there, for its owner's eyes.
func writeNew(name string, body []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // whoever runs the command says where
	if errors.Is(err, fs.ErrExist) {
		return typus.Errorf(typus.Conflict, "%s is there already; name another file with --to", name)
	}
	if err != nil {
		return typus.Errorf(typus.Invalid, "%s cannot be written", name).WithCause(err)
	}
	_, err = f.Write(body)
	return errors.Join(err, f.Close())
}
