package dashboard

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"typus"
	"typus/internal/access"
	"typus/internal/auth"
	"typus/internal/store"
)

// during starts do and, as soon as it has begun to work on its nth password, makes
// a change in one transaction. Should the change come too late after all, it comes
// after do: the outcome that the tests want is the same.
func (w *world) during(n int64, do func(), change func(ctx context.Context, tx *store.Tx) error) {
	w.Helper()
	before, done := auth.PasswordWork(), make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	for auth.PasswordWork() < before+n {
		select {
		case <-done: // which the last of them may have brought about since the loop looked
			if auth.PasswordWork() < before+n {
				w.Fatalf("no %d passwords were worked on", n)
			}
		default:
			runtime.Gosched()
		}
	}
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return change(w.Ctx, tx) }))
	<-done
}

// verified counts the complete logins of a user.
func (w *world) verified(u typus.User) int {
	w.Helper()
	list, err := w.Store.SessionsOf(w.Ctx, u.AccountID, u.ID)
	w.Must(err)
	n := 0
	for _, s := range list {
		if s.Verified {
			n++
		}
	}
	return n
}

func (w *world) hashOf(u typus.User) string {
	w.Helper()
	c, err := w.Store.Credentials(w.Ctx, u.AccountID, u.ID)
	w.Must(err)
	return c.PasswordHash
}

func TestALoginThatBeganWithTheOldPasswordEndsWithIt(t *testing.T) {
	costlyPasswords(t)
	onBoth(t, func(t *testing.T, w *world) {
		u := w.person("ada@example.com", owner)
		// A weaker hash is replaced at the login, and must not come back either.
		weak, err := argon2id.CreateHash(goodPassword, &argon2id.Params{Memory: 19456, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
		w.Must(err)
		fresh, err := auth.HashPassword(w.Ctx, "ganz andere Wörter jetzt")
		w.Must(err)
		for round := range 3 {
			w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.SetPassword(w.Ctx, u.AccountID, u.ID, weak) }))
			w.during(2, func() {
				_, err := w.Access.LogIn(w.Ctx, u.Email, goodPassword, access.Device{IP: fmt.Sprintf("198.51.%d.1", round)})
				if err != nil && typus.KindOf(err) != typus.Unauthorized {
					t.Errorf("the login: %v", err)
				}
			}, func(ctx context.Context, tx *store.Tx) error {
				if _, err := tx.LockCredentials(ctx, u.AccountID, u.ID); err != nil {
					return err
				}
				if err := tx.SetPassword(ctx, u.AccountID, u.ID, fresh); err != nil {
					return err
				}
				_, err := tx.DeleteSessions(ctx, u.AccountID, u.ID)
				return err
			})
			if n := w.verified(u); n != 0 || w.hashOf(u) != fresh {
				t.Fatalf("round %d: %d logins with the old password are left, the new one is in force: %t", round, n, w.hashOf(u) == fresh)
			}
		}
	})
}

func TestASecondFactorCountsForLoginsThatHaveBegun(t *testing.T) {
	costlyPasswords(t)
	onBoth(t, func(t *testing.T, w *world) {
		turnOn := func(u typus.User) func(ctx context.Context, tx *store.Tx) error {
			return func(ctx context.Context, tx *store.Tx) error {
				if err := tx.SetTOTP(ctx, u.AccountID, u.ID, []byte{1}); err != nil {
					return err
				}
				if err := tx.ConfirmTOTP(ctx, u.AccountID, u.ID, w.Now()); err != nil {
					return err
				}
				_, err := tx.DeleteSessions(ctx, u.AccountID, u.ID)
				return err
			}
		}
		for round := range 3 {
			ada := w.person(fmt.Sprintf("ada%d@example.com", round), owner)
			w.during(1, func() { _, _ = w.Access.LogIn(w.Ctx, ada.Email, goodPassword, access.Device{}) }, turnOn(ada))
			if n := w.verified(ada); n != 0 {
				t.Fatalf("round %d: %d logins without the second factor", round, n)
			}
			eve := w.person(fmt.Sprintf("eve%d@example.com", round), owner)
			link, err := w.Access.NewPasswordLink(w.Ctx, w.Account, eve.Email, "operator")
			w.Must(err)
			token := link[len(link)-43:]
			w.during(1, func() {
				_, _ = w.Access.SetPasswordByLink(w.Ctx, token, "", "ganz andere Wörter jetzt", access.Device{})
			}, turnOn(eve))
			if n := w.verified(eve); n != 0 {
				t.Fatalf("round %d: %d logins by link without the second factor", round, n)
			}
		}
	})
}

func TestAResetIsNotOverwrittenByAChangeThatBeganBefore(t *testing.T) {
	costlyPasswords(t)
	onBoth(t, func(t *testing.T, w *world) {
		reset, err := auth.HashPassword(w.Ctx, "ein Passwort aus dem Brief")
		w.Must(err)
		for round := range 3 {
			u := w.person(fmt.Sprintf("ada%d@example.com", round), owner)
			in, err := w.Access.LogIn(w.Ctx, u.Email, goodPassword, access.Device{})
			w.Must(err)
			w.during(2, func() {
				_, _ = w.Access.ChangePassword(w.Ctx, in.Session, u, "", goodPassword, "ganz andere Wörter jetzt", typus.Actor{Name: u.Email, UserID: u.ID})
			}, func(ctx context.Context, tx *store.Tx) error {
				if err := tx.SetPassword(ctx, u.AccountID, u.ID, reset); err != nil {
					return err
				}
				_, err := tx.DeleteSessions(ctx, u.AccountID, u.ID)
				return err
			})
			if n := w.verified(u); n != 0 || w.hashOf(u) != reset {
				t.Fatalf("round %d: %d logins are left, the reset is in force: %t", round, n, w.hashOf(u) == reset)
			}
		}
	})
}

func TestAUserHasNoMoreThanFiftySessions(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		u := w.person("ada@example.com", owner)
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			for i := range 60 {
				at := w.Now().Add(time.Duration(i-60) * time.Minute)
				err := tx.AddSession(w.Ctx, typus.Session{
					Hash: fmt.Sprintf("%064d", i), UserID: u.ID, AccountID: u.AccountID, Verified: true,
					ConfirmedAt: at, CreatedAt: at, SeenAt: at, ExpiresAt: at.Add(typus.SessionLife),
				})
				if err != nil {
					return err
				}
			}
			return nil
		}))
		in, err := w.Access.LogIn(w.Ctx, u.Email, goodPassword, access.Device{})
		w.Must(err)
		if n := w.verified(u); n != 50 {
			t.Errorf("%d sessions are listed, want %d", n, 50)
		}
		counts, err := w.Store.SessionCounts(w.Ctx, u.AccountID, w.Now())
		w.Must(err)
		if counts[u.ID] != 50 {
			t.Errorf("%d sessions are kept, want %d", counts[u.ID], 50)
		}
		if _, err := w.Store.SessionByToken(w.Ctx, in.Session.Hash); err != nil {
			t.Errorf("the new one: %v", err)
		}
		for i, want := range map[int]bool{10: false, 11: true, 59: true} {
			if _, err := w.Store.SessionByToken(w.Ctx, fmt.Sprintf("%064d", i)); (err == nil) != want {
				t.Errorf("the session %d of 60: %v, want it kept: %t", i, err, want)
			}
		}
	})
}
