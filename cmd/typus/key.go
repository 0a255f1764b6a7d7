package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/auth"
)

const operator = typus.ActorOperator

// asOperator is who the audit log names for a command.
func asOperator() typus.Actor { return typus.Actor{Name: operator} }

func (a *app) keyCommand() *cobra.Command {
	return group("key", "Create, list and revoke API keys", a.keyCreate(), a.keyList(), a.keyRevoke())
}

func (a *app) keyCreate() *cobra.Command {
	c := &cobra.Command{Use: "create --account ID --name N", Short: "Create an API key; it is shown once", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	name := c.Flags().String("name", "", "what the key is for")
	required(c, "name")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		id, key, err := s.access.CreateKey(c.Context(), *account, *name, asOperator())
		if err != nil {
			return err
		}
		return a.print(struct {
			ID  int64  `json:"id"`
			Key string `json:"key"`
		}{id, key}, fmt.Sprintf("key %d: %s\nIt is shown this once; keep it safe. Its fingerprint in lists: %.8s", id, key, auth.Hash(key)))
	})
	return c
}

func (a *app) keyList() *cobra.Command {
	type line struct {
		ID          int64   `json:"id"`
		Name        string  `json:"name"`
		Fingerprint string  `json:"fingerprint"`
		CreatedAt   string  `json:"created_at"`
		LastUsedAt  *string `json:"last_used_at"`
		RevokedAt   *string `json:"revoked_at"`
	}
	c := &cobra.Command{Use: "list --account ID", Short: "List the API keys of an account", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		if _, err := s.store.Account(c.Context(), *account); err != nil {
			return err
		}
		keys, err := s.store.APIKeys(c.Context(), *account)
		if err != nil {
			return err
		}
		lines := []line{}
		text := []string{fmt.Sprintf("%6s  %-11s  %-20s  %-20s  %s", "id", "fingerprint", "last used", "revoked", "name")}
		for _, k := range keys {
			l := line{k.ID, k.Name, k.Fingerprint(), k.CreatedAt.UTC().Format(time.RFC3339), timeOrNull(k.LastUsedAt), timeOrNull(k.RevokedAt)}
			lines = append(lines, l)
			text = append(text, fmt.Sprintf("%6d  %-11s  %-20s  %-20s  %s", l.ID, l.Fingerprint, orDash(l.LastUsedAt), orDash(l.RevokedAt), l.Name))
		}
		return a.print(struct {
			Keys []line `json:"keys"`
		}{lines}, strings.Join(text, "\n"))
	})
	return c
}

func (a *app) keyRevoke() *cobra.Command {
	c := &cobra.Command{Use: "revoke --account ID --id ID", Short: "Revoke an API key for ever", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	id := idFlag(c, "id of the key")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		if err := s.access.RevokeKey(c.Context(), *account, *id, asOperator()); err != nil {
			return err
		}
		return a.print(idOnly{*id}, fmt.Sprintf("key %d is revoked", *id))
	})
	return c
}

// idOnly is the JSON answer of commands that change one thing.
type idOnly struct {
	ID int64 `json:"id"`
}

func idFlag(c *cobra.Command, usage string) *int64 {
	id := c.Flags().Int64("id", 0, usage)
	required(c, "id")
	return id
}

func timeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format(time.RFC3339)
	return &text
}

func orDash(s *string) string {
	if s == nil {
		return "–"
	}
	return *s
}
