package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/accounts"
	"typus/internal/webhook"
)

func (a *app) webhookCommand() *cobra.Command {
	return group("webhook", "Create, list, test and delete webhooks, check their signatures, and send deliveries again", a.webhookCreate(), a.webhookList(), a.webhookTest(), a.webhookVerify(), a.webhookCheck(), a.webhookReplay(), a.webhookDelete())
}

func (a *app) webhookCreate() *cobra.Command {
	c := &cobra.Command{Use: "create --account ID --url U", Short: "Create a webhook and print its secret", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	url := c.Flags().String("url", "", "address that receives candidate.completed")
	description := c.Flags().String("description", "", "what the receiver is")
	header := ownHeaderFlags(c)
	required(c, "url")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		own, err := a.ownHeader(header)
		if err != nil {
			return err
		}
		form := accounts.EndpointForm{URL: *url, Description: *description, Header: own}
		id, secret, err := s.accounts.AddEndpoint(c.Context(), *account, form, asOperator())
		if err != nil {
			return err
		}
		return a.print(struct {
			ID     int64  `json:"id"`
			Secret string `json:"secret"`
		}{id, secret}, fmt.Sprintf("webhook %d, secret: %s", id, secret))
	})
	return c
}

// headerFlags are where webhook create finds a header of the customer's own. Its value is
// a secret, and therefore no argument.
type headerFlags struct{ name, file, variable string }

func ownHeaderFlags(c *cobra.Command) *headerFlags {
	var h headerFlags
	c.Flags().StringVar(&h.name, "header-name", "", "name of a header that each request carries as well, for a receiver behind a gateway")
	c.Flags().StringVar(&h.file, "header-value-file", "", "file with its value; one line break at its end is left out")
	c.Flags().StringVar(&h.variable, "header-value-env", "", "name of the environment variable with its value")
	c.MarkFlagsMutuallyExclusive("header-value-file", "header-value-env")
	return &h
}

func (a *app) ownHeader(h *headerFlags) (webhook.Header, error) {
	if h.file == "" && h.variable == "" {
		return webhook.Header{Name: h.name}, nil
	}
	value, err := a.secretFrom(h.file, h.variable)
	if err != nil {
		return webhook.Header{}, typus.WrongFields([]typus.Field{{Name: "header_value", Code: typus.CodeInvalid, Msg: err.Error()}})
	}
	return webhook.Header{Name: h.name, Value: value}, nil
}

func (a *app) webhookList() *cobra.Command {
	type line struct {
		ID     int64                `json:"id"`
		URL    string               `json:"url"`
		Status typus.EndpointStatus `json:"status"`
	}
	c := &cobra.Command{Use: "list --account ID", Short: "List the webhooks of an account", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		if _, err := s.store.Account(c.Context(), *account); err != nil {
			return err
		}
		endpoints, err := s.store.Endpoints(c.Context(), *account)
		if err != nil {
			return err
		}
		lines := []line{}
		text := []string{fmt.Sprintf("%6s  %-13s  %s", "id", "status", "url")}
		for _, e := range endpoints {
			lines = append(lines, line{e.ID, e.URL, e.Status})
			text = append(text, fmt.Sprintf("%6d  %-13s  %s", e.ID, e.Status, e.URL))
		}
		return a.print(struct {
			Webhooks []line `json:"webhooks"`
		}{lines}, strings.Join(text, "\n"))
	})
	return c
}

func (a *app) webhookDelete() *cobra.Command {
	c := &cobra.Command{Use: "delete --account ID --id ID", Short: "Delete a webhook; what it has not received is cancelled", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	id := idFlag(c, "id of the webhook")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		if err := s.accounts.DeleteEndpoint(c.Context(), *account, *id, asOperator()); err != nil {
			return err
		}
		return a.print(idOnly{*id}, fmt.Sprintf("webhook %d is deleted", *id))
	})
	return c
}
