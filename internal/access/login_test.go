package access_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/access"
)

// Who mistyped while the clock was ahead waits no longer than anybody else.
func TestNobodyWaitsForAClockThatWasAhead(t *testing.T) {
	run(t, func(w *world) {
		password := "ganz andere Wörter jetzt"
		_, _, err := w.Access.CreateUser(w.Ctx, typus.User{AccountID: w.Account, Email: "ada@example.com", Role: typus.RoleOwner}, &password, "operator")
		if err != nil {
			w.Fatal(err)
		}
		from := access.Device{IP: "192.0.2.7"}
		for _, ahead := range []time.Duration{5 * time.Hour, 240 * time.Hour} {
			w.Later(ahead)
			for typus.KindOf(err) != typus.TooMany {
				_, err = w.Access.LogIn(w.Ctx, "ada@example.com", "falsch falsch falsch", from)
			}
			w.Later(-ahead)
			if _, err = w.Access.LogIn(w.Ctx, "ada@example.com", password, from); err != nil {
				w.Errorf("after a clock that was %v ahead: %v", ahead, err)
			}
		}
	})
}
