package dashboard

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/alexedwards/argon2id"

	"typus"
	"typus/internal/access"
	"typus/internal/auth"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// weaken gives a user a hash of their password that is cheaper than today's.
func (w *world) weaken(u typus.User) string {
	w.Helper()
	weak, err := argon2id.CreateHash(goodPassword, &argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	w.Must(err)
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.SetPassword(w.Ctx, u.AccountID, u.ID, weak) }))
	return weak
}

// Three servers on one database count together: a thousand guesses from one network
// are five tries, from a hundred networks five each. A device that has logged in before is let
// in all the same.
func TestAThousandGuessesAtThreeServersAreFew(t *testing.T) {
	dsn := storetest.Postgres(t)
	w := newWorldOn(t, storetest.Open(t, dsn))
	servers := []*access.Steps{w.Access}
	for range 2 {
		servers = append(servers, access.New(access.Options{
			Store: storetest.Open(t, dsn), Box: w.face.Box, Instrument: w.face.Instrument, BaseURL: w.server.URL, Clock: w.Now,
		}))
	}
	u := w.person("ada@example.com", owner)
	known, err := servers[0].LogIn(w.Ctx, u.Email, goodPassword, access.Device{IP: "203.0.113.9"})
	w.Must(err)
	w.weaken(u) // so that five hundred tries take no minute

	guess := func(networks int) int64 {
		before := auth.PasswordWork()
		var next atomic.Int64
		var all sync.WaitGroup
		for worker := range 12 {
			all.Go(func() {
				for {
					n := int(next.Add(1)) - 1
					if n >= 1000 {
						return
					}
					from := access.Device{IP: fmt.Sprintf("198.%d.%d.%d", networks, n%networks, 1+n/networks%200)}
					_, err := servers[(n+worker)%3].LogIn(w.Ctx, u.Email, "wrong wrong wrong", from)
					if kind := typus.KindOf(err); err == nil || kind != typus.Unauthorized && kind != typus.TooMany {
						t.Errorf("a guess: %v", err)
					}
				}
			})
		}
		all.Wait()
		return auth.PasswordWork() - before
	}
	if got := guess(1); got != 5 {
		t.Errorf("%d of a thousand guesses from one network were tried, want 5", got)
	}
	if got := guess(100); got != 500 {
		t.Errorf("%d of a thousand guesses from a hundred networks were tried, want 500", got)
	}
	here := access.Device{IP: "198.100.7.1"}
	if _, err := servers[1].LogIn(w.Ctx, u.Email, goodPassword, here); err == nil || typus.KindOf(err) != typus.TooMany {
		t.Errorf("an unknown device among the guessers: %v", err)
	}
	here.Cookie = known.Device
	if _, err := servers[2].LogIn(w.Ctx, u.Email, goodPassword, here); err != nil {
		t.Errorf("the known device: %v", err)
	}
}

// A password that was hashed with less than today's work is hashed again when it
// is next given, and only then.
func TestAWeakHashIsReplacedAtTheLogin(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		u := w.person("ada@example.com", owner)
		weak := w.weaken(u)
		hashNow := func() string {
			c, err := w.Store.Credentials(w.Ctx, w.Account, u.ID)
			w.Must(err)
			return c.PasswordHash
		}
		w.stranger().login(u.Email, "wrong wrong wrong").want(t, 422)
		if hashNow() != weak {
			t.Fatal("a wrong password replaces the hash")
		}
		c := w.loggedIn(u.Email)
		strong := hashNow()
		if ok, err := auth.CheckPassword(w.Ctx, goodPassword, strong); strong == weak || auth.Outdated(strong) || !ok || err != nil {
			t.Errorf("after the login the hash is %s: %v", strong, err)
		}
		if !c.in() {
			t.Error("the login that replaced the hash does not hold")
		}
		if w.loggedIn(u.Email); hashNow() != strong {
			t.Error("a strong hash is replaced")
		}
	})
}
