package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/access"
	"typus/internal/auth"
)

const operator = typus.ActorOperator

// asOperator is who the audit log names for a command.
func asOperator() typus.Actor { return typus.Actor{Name: operator} }

func (a *app) keyCommand() *cobra.Command {
	return group("key", "Create, list and revoke API keys", a.keyCreate(), a.keyList(), a.keyRevoke())
}

func (a *app) keyCreate() *cobra.Command {
	c := &cobra.Command{
		Use: "create --account ID --name N [--test] [--scope S] [--position P]", Short: "Create an API key; it is shown once", Args: cobra.NoArgs,
		Long: "Create an API key; it is shown once. What it may do is never changed: revoke it and create another one.",
	}
	addSite(c)
	account := accountFlag(c)
	name := c.Flags().String("name", "", "what the key is for")
	scope := c.Flags().String("scope", string(typus.ScopeAll), "what it may do: all, invite (and read nobody) or read-without-scores (and invite nobody)")
	position := c.Flags().String("position", "", "the only position that it is for, by its own reference or its id, 0 for the default one; all unless given")
	inWorld := testFlag(c, "a key of the account's test world, typ_test_…; the first one makes the world", func(s *site) worldOf { return s.sandbox.World })
	required(c, "name")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		if err := saidSomething(c, "scope", "position"); err != nil {
			return err
		}
		world, err := inWorld(c.Context(), s, account)
		if err != nil {
			return err
		}
		limit, err := keyLimit(c.Context(), s, *account, *scope, *position)
		if err != nil {
			return err
		}
		id, key, err := s.access.CreateLimitedKey(c.Context(), *account, *name, limit, asOperator())
		if err != nil {
			return err
		}
		return a.print(struct {
			ID    int64  `json:"id"`
			Key   string `json:"key"`
			World int64  `json:"world,omitzero"` // the account that is the test world, for other commands
		}{id, key, world}, fmt.Sprintf("key %d: %s\nIt may: %s. It is shown this once; keep it safe. Its fingerprint in lists: %.8s%s", id, key, limitInWords(*scope, *position), auth.Hash(key), worldInWords(world)))
	})
	return c
}

// worldOf is how a command comes to the test world of an account.
type worldOf func(ctx context.Context, account int64) (typus.Account, error)

// thereIs is the world of an account that has one. NotFound.
func thereIs(s *site) worldOf { return s.store.World }

// testFlag adds --test. Its function has a command work on the account's test world, and
// returns the world's account, 0 without the flag. NotFound.
func testFlag(c *cobra.Command, usage string, world func(*site) worldOf) func(ctx context.Context, s *site, account *int64) (int64, error) {
	test := c.Flags().Bool("test", false, usage)
	return func(ctx context.Context, s *site, account *int64) (int64, error) {
		if !*test {
			return 0, nil
		}
		found, err := world(s)(ctx, *account)
		*account = found.ID
		return found.ID, err
	}
}

// worldInWords says which account a test world is, for other commands.
func worldInWords(world int64) string {
	if world == 0 {
		return ""
	}
	return fmt.Sprintf("\nIt opens the test world, which is account %[1]d for other commands, such as typus webhook create --account %[1]d", world)
}

// saidSomething finds fault with flags that are given and empty, as by a variable of a
// script that is not set: their defaults let a key do everything.
func saidSomething(c *cobra.Command, flags ...string) error {
	for _, name := range flags {
		if f := c.Flags().Lookup(name); f.Changed && f.Value.String() == "" {
			return typus.Errorf(typus.Invalid, "--%s is empty; say what it is, or leave it out", name)
		}
	}
	return nil
}

// limitInWords is what a new key may do, as it was asked for.
func limitInWords(scope, position string) string {
	if position == "" {
		return scope + ", of all positions"
	}
	return scope + ", of the position " + position + " only"
}

// keyLimit is what a command says that a new key may do. NotFound: there is no such position.
func keyLimit(ctx context.Context, s *site, account int64, scope, position string) (access.KeyLimit, error) {
	limit := access.KeyLimit{Scope: typus.KeyScope(scope), OnePosition: position != ""}
	if position == "" {
		return limit, nil
	}
	p, err := s.store.PositionByRef(ctx, account, position)
	if typus.Is(err, typus.NotFound) && position == "0" {
		return limit, nil
	}
	limit.PositionID = p.ID
	return limit, err
}

func (a *app) keyList() *cobra.Command {
	type line struct {
		ID          int64   `json:"id"`
		Name        string  `json:"name"`
		Fingerprint string  `json:"fingerprint"`
		CreatedAt   string  `json:"created_at"`
		LastUsedAt  *string `json:"last_used_at"`
		RevokedAt   *string `json:"revoked_at"`
		Scope       string  `json:"scope"`
		Position    *int64  `json:"position"` // null for every one
	}
	c := &cobra.Command{Use: "list --account ID [--test]", Short: "List the API keys of an account", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	inWorld := testFlag(c, "those of its test world", thereIs)
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		if _, err := inWorld(c.Context(), s, account); err != nil {
			return err
		}
		if _, err := s.store.Account(c.Context(), *account); err != nil {
			return err
		}
		keys, err := s.store.APIKeys(c.Context(), *account)
		if err != nil {
			return err
		}
		lines := []line{}
		text := []string{fmt.Sprintf("%6s  %-11s  %-20s  %-20s  %-19s  %-8s  %s", "id", "fingerprint", "last used", "revoked", "may", "position", "name")}
		for _, k := range keys {
			l := line{k.ID, k.Name, k.Fingerprint(), k.CreatedAt.UTC().Format(time.RFC3339), timeOrNull(k.LastUsedAt), timeOrNull(k.RevokedAt), string(k.Scope), nil}
			of := "all"
			if k.PositionID != 0 {
				l.Position, of = &k.PositionID, fmt.Sprint(k.PositionID)
			}
			lines = append(lines, l)
			text = append(text, fmt.Sprintf("%6d  %-11s  %-20s  %-20s  %-19s  %-8s  %s", l.ID, l.Fingerprint, orDash(l.LastUsedAt), orDash(l.RevokedAt), l.Scope, of, l.Name))
		}
		return a.print(struct {
			Keys []line `json:"keys"`
		}{lines}, strings.Join(text, "\n"))
	})
	return c
}

func (a *app) keyRevoke() *cobra.Command {
	c := &cobra.Command{Use: "revoke --account ID --id ID [--test]", Short: "Revoke an API key for ever", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	inWorld := testFlag(c, "of its test world", thereIs)
	id := idFlag(c, "id of the key")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		if _, err := inWorld(c.Context(), s, account); err != nil {
			return err
		}
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

// timeOrNull is a time in UTC in whole seconds, nil for the zero time.
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
