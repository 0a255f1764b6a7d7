package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"typus"
)

func (a *app) userCommand() *cobra.Command {
	return group("user", "Create and list users of the dashboard, and make links that set their passwords", a.userCreate(), a.userList(), a.userLink())
}

func (a *app) userCreate() *cobra.Command {
	c := &cobra.Command{Use: "create --account ID --email E --role owner", Short: "Create a user; without a password it prints a one-time link that sets one", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	email := c.Flags().String("email", "", "address the user logs in with")
	role := c.Flags().String("role", "owner", "owner, admin, member, viewer or interviewer")
	fromStdin := c.Flags().Bool("password-stdin", false, "read the password from the first line of standard input")
	required(c, "email")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		u := typus.User{AccountID: *account, Email: *email, Role: typus.UserRole(*role)}
		var password *string
		if *fromStdin {
			line, err := firstLine(a.in)
			if err != nil {
				return err
			}
			password = &line
		}
		id, link, err := s.access.CreateUser(c.Context(), u, password, operator)
		if err != nil {
			return err
		}
		if password != nil {
			return a.print(userAnswer{ID: id}, fmt.Sprintf("user %d", id))
		}
		return a.print(userAnswer{ID: id, Link: &link}, fmt.Sprintf("user %d\nset a password (once, within 7 days): %s", id, link))
	})
	return c
}

type userAnswer struct {
	ID   int64   `json:"id"`
	Link *string `json:"link"`
}

func (a *app) userList() *cobra.Command {
	type line struct {
		ID           int64          `json:"id"`
		Email        string         `json:"email"`
		Name         string         `json:"name"`
		Role         typus.UserRole `json:"role"`
		HasPassword  bool           `json:"has_password"`
		SecondFactor bool           `json:"second_factor"`
		LastLoginAt  *string        `json:"last_login_at"`
	}
	c := &cobra.Command{Use: "list --account ID", Short: "List the users of an account, invited ones too", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		if _, err := s.store.Account(c.Context(), *account); err != nil {
			return err
		}
		users, err := s.store.Users(c.Context(), *account)
		if err != nil {
			return err
		}
		lines := []line{}
		text := []string{fmt.Sprintf("%6s  %-11s  %-20s  %-13s  %s", "id", "role", "last login", "second factor", "e-mail and name")}
		for _, u := range users {
			l := line{u.ID, u.Email, u.Name, u.Role, u.HasPassword, u.HasTOTP, timeOrNull(u.LastLoginAt)}
			lines = append(lines, l)
			last, factor := orDash(l.LastLoginAt), "no"
			if !l.HasPassword {
				last = "no password yet"
			}
			if l.SecondFactor {
				factor = "yes"
			}
			text = append(text, strings.TrimRight(fmt.Sprintf("%6d  %-11s  %-20s  %-13s  %s  %s", l.ID, l.Role, last, factor, l.Email, l.Name), " "))
		}
		return a.print(struct {
			Users []line `json:"users"`
		}{lines}, strings.Join(text, "\n"))
	})
	return c
}

func (a *app) userLink() *cobra.Command {
	c := &cobra.Command{Use: "link --account ID --email E", Short: "Print a one-time link that sets a new password", Args: cobra.NoArgs}
	addSite(c)
	account := accountFlag(c)
	email := c.Flags().String("email", "", "address of the user")
	reset := c.Flags().Bool("reset-second-factor", false, "remove a second factor that is lost, and end all sessions; the user is told by letter")
	required(c, "email")
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		if *reset {
			return a.recoverUser(c.Context(), s, *account, *email)
		}
		link, err := s.access.NewPasswordLink(c.Context(), *account, *email, operator)
		if err != nil {
			return err
		}
		return a.print(linkAnswer{link}, link)
	})
	return c
}

type linkAnswer struct {
	Link string `json:"link"`
}

// recoverUser removes a user's second factor, which is lost, and prints a link to log
// in with.
func (a *app) recoverUser(ctx context.Context, s *site, account int64, email string) error {
	link, had, err := s.access.RecoverUser(ctx, account, email, operator)
	if err != nil {
		return err
	}
	said := "the second factor is removed, all sessions have ended"
	if !had {
		said = "there was no second factor to remove"
	}
	return a.print(linkAnswer{link}, said+"\nset a new password (once, within 7 days): "+link)
}

func firstLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}
