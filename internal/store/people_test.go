package store_test

import (
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func newUser(t testing.TB, s *store.Store, u typus.User, passwordHash string) int64 {
	t.Helper()
	var id int64
	u.CreatedAt = noon
	write(t, s, func(tx *store.Tx) error {
		var err error
		id, err = tx.AddUser(t.Context(), u, passwordHash)
		return err
	})
	return id
}

func newSession(t testing.TB, s *store.Store, account, user int64, hash string) typus.Session {
	t.Helper()
	session := typus.Session{Hash: hash, UserID: user, AccountID: account, Verified: true, ConfirmedAt: noon, CreatedAt: noon,
		SeenAt: noon.Truncate(time.Minute), ExpiresAt: noon.Add(typus.SessionLife), IP: "192.0.2.7", Agent: "Firefox, Windows"}
	write(t, s, func(tx *store.Tx) error { return tx.AddSession(t.Context(), session) })
	return session
}

func TestASessionComesWithItsUserAndAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		user := newUser(t, s, typus.User{AccountID: account, Email: "ada@example.com", Name: "Ada Ä", Language: "en", Role: typus.RoleAdmin}, "$argon2id$")
		want := newSession(t, s, account, user, "hash")
		found, err := s.SessionByToken(t.Context(), "hash")
		if err != nil {
			t.Fatal(err)
		}
		if found.Session != want {
			t.Errorf("session %+v, want %+v", found.Session, want)
		}
		wantUser := typus.User{ID: user, AccountID: account, Email: "ada@example.com", Name: "Ada Ä", Language: "en", Role: typus.RoleAdmin, HasPassword: true, CreatedAt: noon}
		if found.User != wantUser {
			t.Errorf("user %+v, want %+v", found.User, wantUser)
		}
		if wantAccount := must[typus.Account](t)(s.Account(t.Context(), account)); found.Account != wantAccount {
			t.Errorf("account %+v, want %+v", found.Account, wantAccount)
		}
		_, err = s.SessionByToken(t.Context(), "other")
		hasKind(t, "an unknown session", err, typus.NotFound)
	})
}

func TestASessionIsEndedByItsOwnUserOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		ada := newUser(t, s, typus.User{AccountID: account, Email: "ada@example.com", Role: typus.RoleOwner}, "x")
		eve := newUser(t, s, typus.User{AccountID: other, Email: "eve@example.com", Role: typus.RoleOwner}, "x")
		newSession(t, s, account, ada, "one")
		newSession(t, s, account, ada, "two")
		for what, ids := range map[string][2]int64{"another user": {account, eve}, "another account": {other, ada}} {
			err := s.InTx(t.Context(), func(tx *store.Tx) error { return tx.DeleteSession(t.Context(), ids[0], ids[1], "one") })
			hasKind(t, what, err, typus.NotFound)
		}
		write(t, s, func(tx *store.Tx) error { return tx.DeleteSession(t.Context(), account, ada, "one") })
		if list := must[[]typus.Session](t)(s.SessionsOf(t.Context(), account, ada)); len(list) != 1 || list[0].Hash != "two" {
			t.Errorf("left: %+v", list)
		}
		if counts := must[map[int64]int](t)(s.SessionCounts(t.Context(), account, noon)); len(counts) != 1 || counts[ada] != 1 {
			t.Errorf("counted: %v", counts)
		}
		write(t, s, func(tx *store.Tx) error { return tx.RemoveUser(t.Context(), account, ada) })
		_, err := s.SessionByToken(t.Context(), "two")
		hasKind(t, "the session of a removed user", err, typus.NotFound)
	})
}

func TestAnInvitedAddressIsALoginOnlyWithItsPassword(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		ctx := t.Context()
		newUser(t, s, typus.User{AccountID: other, Email: "Ada@example.com", Role: typus.RoleOwner}, "x")
		var invited int64
		write(t, s, func(tx *store.Tx) error {
			var err error
			invited, err = tx.AddInvitedUser(ctx, typus.User{AccountID: account, Email: "ada@example.com", Role: typus.RoleMember, CreatedAt: noon})
			return err
		})
		if u := must[typus.User](t)(s.UserByEmail(ctx, account, "ADA@example.com")); u.ID != invited || u.HasPassword {
			t.Errorf("the invited user: %+v", u)
		}
		c, found, err := s.CredentialsByLogin(ctx, "ada@example.com")
		if err != nil || !found || c.AccountID != other {
			t.Errorf("the login: %+v, %t, %v", c, found, err)
		}
		err = s.InTx(ctx, func(tx *store.Tx) error { return tx.SetPassword(ctx, account, invited, "y") })
		hasKind(t, "accepting with an address that is a login already", err, typus.Conflict)
		write(t, s, func(tx *store.Tx) error { return tx.SetEmail(ctx, account, invited, "ada2@example.com") })
		write(t, s, func(tx *store.Tx) error { return tx.SetPassword(ctx, account, invited, "y") })
		if c, found, err := s.CredentialsByLogin(ctx, "Ada2@Example.com"); err != nil || !found || c.ID != invited || c.PasswordHash != "y" {
			t.Errorf("after accepting: %+v, %t, %v", c, found, err)
		}
	})
}

func TestALinkIsUsedOnceAndEndsTheOthersOfItsUser(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		user := newUser(t, s, typus.User{AccountID: account, Email: "ada@example.com", Role: typus.RoleOwner}, "x")
		for _, hash := range []string{"one", "two"} {
			write(t, s, func(tx *store.Tx) error {
				return tx.AddUserLink(t.Context(), account, typus.UserLink{Hash: hash, UserID: user, Purpose: typus.LinkPassword, CreatedAt: noon, ExpiresAt: noon.Add(time.Hour)})
			})
		}
		useAs := func(account int64, hash string, at time.Time) bool {
			var used bool
			write(t, s, func(tx *store.Tx) error {
				var err error
				used, err = tx.UseUserLink(t.Context(), account, user, hash, at)
				return err
			})
			return used
		}
		use := func(hash string, at time.Time) bool { return useAs(account, hash, at) }
		other := newAccount(t, s)
		write(t, s, func(tx *store.Tx) error { return tx.EndUserLinks(t.Context(), other, user, noon) })
		if useAs(other, "one", noon) {
			t.Error("another account used a link")
		}
		if use("one", noon.Add(time.Hour)) {
			t.Error("a link was used after its end")
		}
		var wins atomic.Int64
		dbtest.AtOnce(8, func(int) {
			if use("one", noon.Add(time.Minute)) {
				wins.Add(1)
			}
		})
		if wins.Load() != 1 {
			t.Errorf("a link was used %d times", wins.Load())
		}
		if use("two", noon.Add(time.Minute)) {
			t.Error("the other link of the user still works")
		}
	})
}

func TestATOTPStepIsUsedOnceAndNeverGoesBack(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		user := newUser(t, s, typus.User{AccountID: account, Email: "ada@example.com", Role: typus.RoleOwner}, "x")
		write(t, s, func(tx *store.Tx) error { return tx.SetTOTP(t.Context(), account, user, []byte{1}) })
		use := func(step int64) bool {
			var ok bool
			write(t, s, func(tx *store.Tx) error {
				var err error
				ok, err = tx.UseTOTPStep(t.Context(), account, user, step)
				return err
			})
			return ok
		}
		var wins atomic.Int64
		dbtest.AtOnce(8, func(int) {
			if use(7) {
				wins.Add(1)
			}
		})
		if wins.Load() != 1 || use(6) || use(7) || !use(8) {
			t.Errorf("the step was used %d times, or an earlier one after it", wins.Load())
		}
		// Ten days ahead by a wrong clock, which must not lock anybody out for ten days.
		if !use(8+10*2880) || !use(9) || use(8) {
			t.Error("after a clock that was ahead the right codes are refused, or an old one is not")
		}
	})
}

func TestTriesAtTheSameTimeCountEachOther(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		count := func(at time.Time) store.Try {
			var try store.Try
			write(t, s, func(tx *store.Tx) error {
				var err error
				try, err = tx.CountTry(t.Context(), "login x", at, time.Hour)
				return err
			})
			return try
		}
		var highest atomic.Int64
		dbtest.AtOnce(10, func(int) {
			if n := count(noon).Failures; n > highest.Load() {
				highest.Store(n)
			}
		})
		if try := count(noon); try.Failures != 11 {
			t.Errorf("after ten tries: %+v", try)
		}
		write(t, s, func(tx *store.Tx) error { return tx.Delay(t.Context(), "login x", noon.Add(time.Minute)) })
		if try := count(noon); !try.Until.Equal(noon.Add(time.Minute)) {
			t.Errorf("the delay: %+v", try)
		}
		if try := count(noon.Add(2 * time.Hour)); try.Failures != 1 {
			t.Errorf("after two quiet hours: %+v", try)
		}
	})
}

func TestWhatHasRunOutIsForgotten(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		account := newAccount(t, s)
		user := newUser(t, s, typus.User{AccountID: account, Email: "ada@example.com", Role: typus.RoleOwner}, "x")
		newSession(t, s, account, user, "hash")
		write(t, s, func(tx *store.Tx) error {
			if err := tx.AddSignUp(ctx, typus.SignUp{Hash: "s", Email: "eve@example.com", CreatedAt: noon, ExpiresAt: noon}); err != nil {
				return err
			}
			if err := tx.AddUserLink(ctx, account, typus.UserLink{Hash: "l", UserID: user, CreatedAt: noon, ExpiresAt: noon}); err != nil {
				return err
			}
			_, err := tx.CountTry(ctx, "w", noon, time.Hour)
			return err
		})
		later := noon.Add(typus.SessionLife + time.Second)
		for what, drop := range map[string]func(tx *store.Tx) (int, error){
			"sessions": func(tx *store.Tx) (int, error) { return tx.DropSessions(ctx, later) },
			"links":    func(tx *store.Tx) (int, error) { return tx.DropUserLinks(ctx, later) },
			"tries":    func(tx *store.Tx) (int, error) { return tx.DropTries(ctx, later) },
			"sign-ups": func(tx *store.Tx) (int, error) { return tx.DropSignUps(ctx, later) },
		} {
			for _, want := range []int{1, 0} {
				write(t, s, func(tx *store.Tx) error {
					n, err := drop(tx)
					if err == nil && n != want {
						t.Errorf("%s: %d dropped, want %d", what, n, want)
					}
					return err
				})
			}
		}
	})
}

func TestTheAuditLogKeepsWhoAskedAndIsFiltered(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		ctx := typus.WithActor(t.Context(), typus.Actor{UserID: 7, IP: "192.0.2.7", RequestID: "req"})
		for _, e := range []typus.AuditEntry{
			{Actor: "ada@example.com", Action: "key.created"},
			{Actor: "operator", Action: "key.created", UserID: 8},
			{Actor: "operator", Action: "key.revoked", UserID: 8},
		} {
			e.AccountID, e.CreatedAt = account, noon
			write(t, s, func(tx *store.Tx) error { return tx.AddAudit(ctx, e) })
		}
		for want, f := range map[string]store.AuditFilter{
			"3 2 1": {}, "2 1": {Action: "key.created"}, "1": {UserID: 7}, "3 2": {Actor: "operator"},
			"2": {Action: "key.created", UserID: 8}, "3": {Action: "key.revoked", Actor: "operator"}, "": {Action: "nothing"},
		} {
			f.Limit = 10
			got := ""
			for i, e := range must[[]typus.AuditEntry](t)(s.AuditLog(t.Context(), store.WholeAccount(account), f)) {
				if i > 0 {
					got += " "
				}
				got += string(rune('0' + e.ID))
			}
			if got != want {
				t.Errorf("%+v: %q, want %q", f, got, want)
			}
		}
		first := must[[]typus.AuditEntry](t)(s.AuditLog(t.Context(), store.WholeAccount(account), store.AuditFilter{UserID: 7, Limit: 1}))[0]
		if first.IP != "192.0.2.7" || first.RequestID != "req" || first.UserID != 7 {
			t.Errorf("who asked: %+v", first)
		}
		if list := must[[]typus.AuditEntry](t)(s.AuditLog(t.Context(), store.WholeAccount(account), store.AuditFilter{Before: 2, Limit: 10})); len(list) != 1 {
			t.Errorf("older than the second: %+v", list)
		}
	})
}

// The names stand with the candidates, not in the log: a correction is followed, and
// after an erasure nothing but the id is left.
func TestTheAuditLogNamesCandidatesWhoAreThere(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		kept, erased, foreign := newCandidate(t, s, account, nil), newCandidate(t, s, account, nil), newCandidate(t, s, other, nil)
		write(t, s, func(tx *store.Tx) error {
			for _, id := range []int64{kept, erased, foreign, 0} {
				if err := tx.AddAudit(t.Context(), typus.AuditEntry{AccountID: account, CandidateID: id, Action: "report.viewed", Actor: "ada@example.com", CreatedAt: noon}); err != nil {
					return err
				}
			}
			return tx.EraseCandidate(t.Context(), account, erased, noon)
		})
		c := must[typus.Candidate](t)(s.Candidate(t.Context(), account, kept))
		for _, f := range []store.AuditFilter{{}, {Action: "report.viewed"}, {Actor: "ada@example.com"}} {
			f.Limit = 10
			lines, plain := must[[]store.AuditLine](t)(s.AuditLines(t.Context(), store.WholeAccount(account), f)), must[[]typus.AuditEntry](t)(s.AuditLog(t.Context(), store.WholeAccount(account), f))
			if len(lines) != 4 || len(plain) != 4 {
				t.Fatalf("%d lines with names, %d without", len(lines), len(plain))
			}
			for i, want := range []string{"", "", "", c.Name} {
				if lines[i].Candidate != want || lines[i].AuditEntry != plain[i] {
					t.Errorf("line %d: %+v, want %q and %+v", i, lines[i], want, plain[i])
				}
			}
		}
	})
}
