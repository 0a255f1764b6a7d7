package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/auth"
	"typus/internal/store"
)

// linkLife is how long a set-password link made by the operator is good for.
const linkLife = 7 * 24 * time.Hour

func (a *app) userCommand() *cobra.Command {
	return group("user", "Create users of the dashboard", a.userCreate(), a.userLink())
}

func (a *app) userCreate() *cobra.Command {
	c := &cobra.Command{Use: "create --account ID --email E --role owner", Short: "Create a user; without a password it prints a one-time link that sets one", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	email := c.Flags().String("email", "", "address the user logs in with")
	role := c.Flags().String("role", "owner", "owner, admin, member or viewer")
	fromStdin := c.Flags().Bool("password-stdin", false, "read the password from the first line of standard input")
	required(c, "email")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		u := typus.User{AccountID: *account, Email: *email, Role: typus.UserRole(*role)}
		password := ""
		if *fromStdin {
			var err error
			if password, err = firstLine(a.in); err != nil {
				return err
			}
		}
		id, err := s.steps.CreateUser(c.Context(), u, password, *fromStdin)
		if err != nil {
			return err
		}
		if *fromStdin {
			return a.print(userAnswer{ID: id}, fmt.Sprintf("user %d", id))
		}
		link, err := s.passwordLink(c.Context(), id)
		if err != nil {
			return err
		}
		return a.print(userAnswer{ID: id, Link: &link}, fmt.Sprintf("user %d\nset a password (once, within 7 days): %s", id, link))
	})
	return c
}

type userAnswer struct {
	ID   int64   `json:"id"`
	Link *string `json:"link"`
}

func (a *app) userLink() *cobra.Command {
	c := &cobra.Command{Use: "link --account ID --email E", Short: "Print a one-time link that sets a new password", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	email := c.Flags().String("email", "", "address of the user")
	required(c, "email")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		u, err := s.store.UserByEmail(c.Context(), *account, *email)
		if err != nil {
			return err
		}
		link, err := s.passwordLink(c.Context(), u.ID)
		if err != nil {
			return err
		}
		return a.print(struct {
			Link string `json:"link"`
		}{link}, link)
	})
	return c
}

// passwordLink makes a one-time link; only the hash of its token is stored.
func (s *site) passwordLink(ctx context.Context, userID int64) (string, error) {
	token := auth.NewToken()
	now := time.Now()
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		return tx.AddUserLink(ctx, userID, auth.Hash(token), now, now.Add(linkLife))
	})
	return s.settings.BaseURL + "/passwort/" + token, err
}

func firstLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}
