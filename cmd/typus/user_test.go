package main

import (
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
