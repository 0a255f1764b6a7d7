package access_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/auth"
)

// secondFactor turns on the second factor of a user and returns its seed, the recovery
// codes, and the session that goes on.
func secondFactor(w *world, u typus.User) (string, []string, access.LoggedIn) {
	w.Helper()
	in := logIn(w, u.Email)
	w.Must(w.Access.StartTOTP(w.Ctx, in.Session, u, passphrase))
	seed, err := w.Access.PendingTOTP(w.Ctx, u)
	w.Must(err)
	codes, in, err := w.Access.TurnOnTOTP(w.Ctx, in.Session, u, codeAt(w, seed), actor(u))
	w.Must(err)
	w.Later(time.Minute) // the code that was spent is over
	return seed, codes, in
}

// codeAt is the code that an app shows now.
func codeAt(w *world, seed string) string {
	w.Helper()
	code, err := auth.TOTPCode(seed, w.Now())
	w.Must(err)
	return code
}

// halfIn is a login that waits for the second factor.
func halfIn(w *world, email string) typus.Session {
	w.Helper()
	in, err := w.Access.LogIn(w.Ctx, email, passphrase, office)
	w.Must(err)
	if in.Session.Verified || in.Device != "" {
		w.Fatalf("a login with the password alone is complete: %+v", in.Session)
	}
	return in.Session
}

func TestASecondFactorCountsOnceACodeProvesIt(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		in, other := logIn(w, ada.Email), logIn(w, ada.Email)
		w.WantKind(w.Access.StartTOTP(w.Ctx, in.Session, ada, "falsch falsch falsch"), typus.Unauthorized)
		w.Must(w.Access.StartTOTP(w.Ctx, in.Session, ada, passphrase))
		seed, err := w.Access.PendingTOTP(w.Ctx, ada)
		w.Must(err)
		logIn(w, ada.Email) // it does not count yet
		_, _, err = w.Access.TurnOnTOTP(w.Ctx, in.Session, ada, "000000", actor(ada))
		w.WantKind(err, typus.Unauthorized)
		codes, now, err := w.Access.TurnOnTOTP(w.Ctx, in.Session, ada, codeAt(w, seed), actor(ada))
		w.Must(err)
		if len(codes) != auth.RecoveryCodes || visits(w, other) || !visits(w, now) {
			w.Errorf("%d codes; another session opens %t, this one %t", len(codes), visits(w, other), visits(w, now))
		}
		halfIn(w, ada.Email)
		if _, err := w.Access.PendingTOTP(w.Ctx, ada); !typus.Is(err, typus.NotFound) {
			w.Errorf("the seed can still be read: %v", err)
		}
	})
}

func TestACodeOpensOneLogin(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		seed, _, _ := secondFactor(w, ada)
		code := codeAt(w, seed)
		in, err := w.Access.EnterCode(w.Ctx, halfIn(w, ada.Email), code, office)
		w.Must(err)
		if !in.Session.Verified || in.Device == "" || !visits(w, in) {
			w.Errorf("the login is not complete: %+v", in.Session)
		}
		_, err = w.Access.EnterCode(w.Ctx, halfIn(w, ada.Email), code, office)
		w.WantKind(err, typus.Unauthorized)
		w.Later(30 * time.Second)
		_, err = w.Access.EnterCode(w.Ctx, halfIn(w, ada.Email), codeAt(w, seed), office)
		w.Must(err)
	})
}

// Of many who enter the same code at once, whoever it is, one gets in.
func TestOneCodeEnteredAtOnceOpensOneLogin(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		seed, codes, _ := secondFactor(w, ada)
		for _, code := range []string{codeAt(w, seed), codes[0]} {
			var waiting []typus.Session
			for range 4 {
				waiting = append(waiting, halfIn(w, ada.Email))
			}
			var in atomic.Int64
			var all sync.WaitGroup
			for _, s := range waiting {
				all.Go(func() {
					if _, err := w.Access.EnterCode(w.Ctx, s, code, office); err == nil {
						in.Add(1)
					}
				})
			}
			all.Wait()
			if in.Load() != 1 {
				w.Errorf("%d logins by one code", in.Load())
			}
			w.Later(time.Hour)
		}
	})
}

func TestCodesAreNotGuessed(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		seed, _, _ := secondFactor(w, ada)
		half := halfIn(w, ada.Email)
		for range 5 {
			_, err := w.Access.EnterCode(w.Ctx, half, "000000", office)
			w.WantKind(err, typus.Unauthorized)
		}
		_, err := w.Access.EnterCode(w.Ctx, half, codeAt(w, seed), office)
		w.WantKind(err, typus.TooMany)
		w.Later(time.Minute)
		_, err = w.Access.EnterCode(w.Ctx, half, codeAt(w, seed), office)
		w.Must(err)
	})
}

func TestALoginWaitsForItsCodeAQuarterOfAnHour(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		secondFactor(w, ada)
		half := halfIn(w, ada.Email)
		if life := half.ExpiresAt.Sub(half.CreatedAt); life != 15*time.Minute {
			w.Errorf("it waits for %v", life)
		}
	})
}

func TestRecoveryCodesStandInOnceEachAndAreReplacedTogether(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		seed, codes, in := secondFactor(w, ada)
		_, err := w.Access.EnterCode(w.Ctx, halfIn(w, ada.Email), codes[0], office)
		w.Must(err)
		_, err = w.Access.EnterCode(w.Ctx, halfIn(w, ada.Email), codes[0], office)
		w.WantKind(err, typus.Unauthorized)
		fresh, err := w.Access.RenewRecoveryCodes(w.Ctx, in.Session, ada, passphrase, codeAt(w, seed), actor(ada))
		w.Must(err)
		_, err = w.Access.EnterCode(w.Ctx, halfIn(w, ada.Email), codes[1], office)
		w.WantKind(err, typus.Unauthorized)
		_, err = w.Access.EnterCode(w.Ctx, halfIn(w, ada.Email), fresh[1], office)
		w.Must(err)
		letter(w, typus.LetterRecoveryCodes, ada.Email)
	})
}

func TestTheSecondFactorIsTurnedOffByPasswordAndCode(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		seed, _, in := secondFactor(w, ada)
		_, err := w.Access.TurnOffTOTP(w.Ctx, in.Session, ada, "falsch falsch falsch", codeAt(w, seed), actor(ada))
		w.WantKind(err, typus.Unauthorized)
		_, err = w.Access.TurnOffTOTP(w.Ctx, in.Session, ada, passphrase, "000000", actor(ada))
		w.WantKind(err, typus.Unauthorized)
		_, err = w.Access.TurnOffTOTP(w.Ctx, in.Session, ada, passphrase, codeAt(w, seed), actor(ada))
		w.Must(err)
		logIn(w, ada.Email)
		letter(w, typus.LetterTOTPOff, ada.Email)
	})
}

func TestOnlyAnotherOwnerResetsASecondFactor(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		bo := user(w, "bo@example.com", typus.RoleOwner)
		cleo := user(w, "cleo@example.com", typus.RoleAdmin)
		_, _, in := secondFactor(w, ada)
		w.WantKind(w.Access.ResetSecondFactor(w.Ctx, w.Account, ada.ID, actor(cleo)), typus.Forbidden)
		w.WantKind(w.Access.ResetSecondFactor(w.Ctx, w.Account, ada.ID, actor(ada)), typus.Forbidden)
		w.WantKind(w.Access.ResetSecondFactor(w.Ctx, w.Account, cleo.ID, actor(bo)), typus.Conflict)
		stranger := w.NewAccount(typus.Account{Name: "Andere GmbH", ContactEmail: "other@example.com"}, 1)
		w.WantKind(w.Access.ResetSecondFactor(w.Ctx, stranger, ada.ID, typus.Actor{Name: "operator"}), typus.NotFound)
		w.Must(w.Access.ResetSecondFactor(w.Ctx, w.Account, ada.ID, actor(bo)))
		if visits(w, in) {
			w.Error("a session outlives the reset")
		}
		logIn(w, ada.Email)
		letter(w, typus.LetterTOTPReset, ada.Email)
	})
}

// The operator lets in who has lost password and second factor.
func TestTheOperatorRecoversAUser(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		secondFactor(w, ada)
		link, had, err := w.Access.RecoverUser(w.Ctx, w.Account, ada.Email, "operator")
		w.Must(err)
		in, err := w.Access.SetPasswordByLink(w.Ctx, tokenIn(link), "", otherPassphrase, office)
		w.Must(err)
		if !had || !in.Session.Verified {
			w.Errorf("had one: %t; the login is complete: %t", had, in.Session.Verified)
		}
		_, had, err = w.Access.RecoverUser(w.Ctx, w.Account, ada.Email, "operator")
		w.Must(err)
		if had {
			w.Error("there is none any more")
		}
		_, _, err = w.Access.RecoverUser(w.Ctx, w.Account, "nobody@example.com", "operator")
		w.WantKind(err, typus.NotFound)
	})
}
