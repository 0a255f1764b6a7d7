package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestALostSecondFactorIsResetByTheOperator(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		must[id](t, environ, "account", "create", "--name", "Muster GmbH")
		user := must[id](t, environ, "user", "create", "--account", "1", "--email", "ada@example.com").ID
		s := storetest.Open(t, strings.TrimPrefix(environ[0], "TYPUS_DATABASE="))
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			if err := tx.SetTOTP(t.Context(), 1, user, []byte{1}); err != nil {
				return err
			}
			return tx.ConfirmTOTP(t.Context(), 1, user, time.Now())
		})
		if err != nil {
			t.Fatal(err)
		}
		reset := []string{"user", "link", "--account", "1", "--email", "ada@example.com", "--reset-second-factor"}
		first := must[linkAnswer](t, environ, reset...)
		u, err := s.User(t.Context(), 1, user)
		if err != nil || u.HasTOTP || !strings.Contains(first.Link, "/passwort/") {
			t.Errorf("%+v, %v, %q", u, err, first.Link)
		}
		letters, err := s.Letters(t.Context(), 1, 10)
		if err != nil || len(letters) != 1 || letters[0].Kind != typus.LetterTOTPReset || letters[0].To != "ada@example.com" {
			t.Errorf("letters %+v, %v", letters, err)
		}
		audit, err := s.Audit(t.Context(), 1, 2)
		if err != nil || len(audit) != 2 || audit[1].Action != "user.totp_reset" || audit[1].Actor != operator {
			t.Errorf("audit log %+v, %v", audit, err)
		}
		if code, out, _ := command(t, environ, reset...); code != 0 || !strings.Contains(out, "there was no second factor") || strings.Contains(out, first.Link) {
			t.Errorf("a second time: exit %d, %s", code, out)
		}
	})
}

func TestTheOperatorSeesWhoMayLogIn(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	for _, name := range []string{"Muster GmbH", "Beispiel GmbH"} {
		must[id](t, environ, "account", "create", "--name", name)
	}
	must[id](t, environ, "user", "create", "--account", "1", "--email", "ada@example.com")
	must[id](t, environ, "user", "create", "--account", "1", "--email", "bo@example.com", "--role", "interviewer")
	must[id](t, environ, "user", "create", "--account", "2", "--email", "cleo@example.com")
	type listed struct {
		Users []struct {
			Email       string `json:"email"`
			Role        string `json:"role"`
			HasPassword bool   `json:"has_password"`
		} `json:"users"`
	}
	users := must[listed](t, environ, "user", "list", "--account", "1").Users
	if len(users) != 2 || users[0].Email != "ada@example.com" || users[0].Role != "owner" || users[0].HasPassword || users[1].Role != "interviewer" {
		t.Errorf("users %+v", users)
	}
	_, out, _ := command(t, environ, "user", "list", "--account", "1")
	if want := []string{"2", "interviewer", "no", "password", "yet", "no", "bo@example.com"}; !slices.Equal(strings.Fields(out[strings.LastIndex(out[:len(out)-1], "\n"):]), want) {
		t.Error(out)
	}
}
