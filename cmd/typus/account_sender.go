package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/accounts"
	"typus/internal/mail"
)

func (a *app) accountSender() *cobra.Command {
	c := &cobra.Command{
		Use:   "sender --account ID [--from A] [--selector S] [--bounces A] [--remove]",
		Short: "Show or change in whose name the letters of an account go out",
		Long: "Show or change in whose name the letters of an account go out: to its candidates, and to its team about them. Letters about logging in and about credits come from TYPUS_MAIL_FROM in every account. " +
			"What is not named stays as it is; without any of these flags, it is shown.\n\n" +
			"--selector gives the account a DKIM key of its own, which is kept sealed and never shown, and prints the TXT record to publish. The key is made anew, or is the one in --key-file; an empty selector removes it, and the server's key signs. " +
			"Its domain is that of the sender, or --domain, which must be above or below it. Publish the record, then let typus doctor look at it.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	account := accountFlag(c)
	from := c.Flags().String("from", "", `sender of the letters, such as "Muster GmbH <tests@example.com>"`)
	mailbox := c.Flags().String("bounces", "", "mailbox of the sender whose messages are piped to typus bounce; empty for TYPUS_BOUNCE_ADDRESS")
	selector := c.Flags().String("selector", "", "name of the DKIM key, published as SELECTOR._domainkey.DOMAIN; empty for the server's key")
	domain := c.Flags().String("domain", "", "domain of the DKIM key (default: that of the sender)")
	file := c.Flags().String("key-file", "", "private DKIM key in PEM, RSA or Ed25519 (default: a new one is made)")
	remove := c.Flags().Bool("remove", false, "letters go out in the server's name again")
	for _, flag := range []string{"from", "bounces", "selector", "domain", "key-file"} {
		c.MarkFlagsMutuallyExclusive("remove", flag)
	}
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		given := func(flag string) bool { return c.Flags().Changed(flag) }
		form := accounts.SenderForm{}
		if given("from") {
			form.From = from
		}
		if given("bounces") {
			form.BounceAddress = mailbox
		}
		if given("selector") {
			form.DKIM = &mail.DKIM{Domain: *domain, Selector: *selector}
		} else if given("domain") || given("key-file") {
			return usageError("--selector must name the key")
		}
		if given("key-file") {
			key, err := os.ReadFile(*file)
			if err != nil {
				return usageError("--key-file cannot be read: " + unreadable(*file, err))
			}
			form.DKIM.Key = strings.TrimSpace(string(key))
		}
		var err error
		switch {
		case *remove:
			err = s.accounts.DropSender(c.Context(), *account, asOperator())
		case form != (accounts.SenderForm{}):
			err = s.accounts.SetSender(c.Context(), *account, asOperator(), form)
		}
		if err != nil {
			return err
		}
		return a.printSender(c, s, *account)
	})
	return c
}

func (a *app) printSender(c *cobra.Command, s *site, account int64) error {
	now, key, own, err := s.accounts.Sender(c.Context(), account)
	if err != nil {
		return err
	}
	said := struct {
		ID            int64  `json:"id"`
		From          string `json:"from"` // "" for the server's
		BounceAddress string `json:"bounce_address"`
		DKIMDomain    string `json:"dkim_domain"`
		DKIMSelector  string `json:"dkim_selector"`
		RecordName    string `json:"dkim_record_name"`
		Record        string `json:"dkim_record"`
	}{ID: account, BounceAddress: now.BounceAddress, DKIMDomain: now.DKIMDomain, DKIMSelector: now.DKIMSelector}
	if said.RecordName, said.Record, err = key.TXT(); err != nil {
		return err
	}
	if !own {
		return a.print(said, fmt.Sprintf("account %d: letters come from the server's address (TYPUS_MAIL_FROM)", account))
	}
	said.From = senderText(now)
	lines := []string{fmt.Sprintf("account %d: letters come from %s", account, said.From)}
	if now.BounceAddress != "" {
		lines = append(lines, "reports of mail servers come to "+now.BounceAddress)
	}
	if said.Record == "" {
		lines = append(lines, "the server's DKIM key signs them")
	} else {
		lines = append(lines, "the key "+now.DKIMSelector+" of "+now.DKIMDomain+" signs them; publish this TXT record:", said.RecordName, said.Record)
	}
	return a.print(said, strings.Join(lines, "\n"))
}

// senderText is a sender as people write it.
func senderText(s typus.Sender) string {
	if s.Name == "" {
		return s.Address
	}
	return s.Name + " <" + s.Address + ">"
}
