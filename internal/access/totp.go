package access

import (
	"context"
	"fmt"

	"typus"
	"typus/internal/auth"
	"typus/internal/clerk"
	"typus/internal/store"
)

// TOTPPlace is the place to which the sealed seed of a user's second factor is bound.
func TOTPPlace(userID int64) string { return fmt.Sprintf("totp|%d", userID) }

// StartTOTP gives a user the seed of a second factor. It counts once a code proves that
// an app has it. Unauthorized: the password is wrong; TooMany, with the Wait; Conflict:
// there is a second factor already.
//
// Who may: the face lets users change themselves only.
func (s *Steps) StartTOTP(ctx context.Context, session typus.Session, u typus.User, password string) error {
	if u.HasTOTP {
		return typus.Errorf(typus.Conflict, "there is a second factor already")
	}
	checked, err := s.confirm(ctx, session, password)
	if err != nil {
		return err
	}
	sealed := s.box.Seal([]byte(auth.NewTOTPSeed()), TOTPPlace(u.ID))
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCredentials(ctx, u.AccountID, u.ID)
		if err == nil && c.HasTOTP {
			err = typus.Errorf(typus.Conflict, "there is a second factor already")
		}
		if err != nil {
			return err
		}
		if c.PasswordHash != checked.PasswordHash {
			return typus.Errorf(typus.Unauthorized, "the password has just been changed")
		}
		return tx.SetTOTP(ctx, u.AccountID, u.ID, sealed)
	})
}

// PendingTOTP is the seed that waits for its first code. NotFound: none does.
func (s *Steps) PendingTOTP(ctx context.Context, u typus.User) (string, error) {
	c, err := s.store.Credentials(ctx, u.AccountID, u.ID)
	if err != nil {
		return "", err
	}
	if c.HasTOTP || c.SealedTOTP == nil {
		return "", noneWaits()
	}
	return s.seed(c)
}

func (s *Steps) seed(c store.Credentials) (string, error) {
	seed, err := s.box.Open(c.SealedTOTP, TOTPPlace(c.ID))
	if err != nil {
		return "", fmt.Errorf("access: open the second factor of user %d: %w", c.ID, err)
	}
	return string(seed), nil
}

func noneWaits() error {
	return typus.Errorf(typus.NotFound, "no second factor waits for its first code")
}

// TurnOnTOTP makes the waiting seed count, once a code of it is given. It returns the
// recovery codes, which are shown only this once, and the session's new token. All
// other sessions end. Unauthorized: the code is wrong; TooMany, with the Wait;
// NotFound: no seed waits, such as for a second click on the same button.
//
// Who may: the face lets users change themselves only.
func (s *Steps) TurnOnTOTP(ctx context.Context, session typus.Session, u typus.User, code string, by typus.Actor) ([]string, LoggedIn, error) {
	c, err := s.store.Credentials(ctx, u.AccountID, u.ID)
	if err != nil {
		return nil, LoggedIn{}, err
	}
	if c.HasTOTP || c.SealedTOTP == nil {
		return nil, LoggedIn{}, noneWaits()
	}
	codes, hashes := newRecoveryCodes()
	var out LoggedIn
	err = s.proveInTx(ctx, c, code, clerk.CodeTries(u.ID, ""), func(tx *store.Tx) error {
		if err := tx.ConfirmTOTP(ctx, u.AccountID, u.ID, s.now()); err != nil {
			return err
		}
		if err := tx.SetRecoveryCodes(ctx, u.AccountID, u.ID, hashes); err != nil {
			return err
		}
		if err := s.auditBy(ctx, tx, u, typus.AuditUserTOTPOn, by); err != nil {
			return err
		}
		if err := s.tellUser(ctx, tx, c.User, typus.LetterTOTPOn); err != nil {
			return err
		}
		var err error
		out, err = s.renewSessions(ctx, tx, u, session)
		return err
	})
	return codes, out, err
}

// TurnOffTOTP removes the second factor of a user who gives password and code. All
// other sessions end, and this one gets a new token. Unauthorized: one of them is
// wrong, the code if the error names its field; TooMany, with the Wait.
//
// Who may: the face lets users change themselves only.
func (s *Steps) TurnOffTOTP(ctx context.Context, session typus.Session, u typus.User, password, code string, by typus.Actor) (LoggedIn, error) {
	var out LoggedIn
	err := s.proveBoth(ctx, session, u, password, code, func(tx *store.Tx) error {
		if err := s.dropSecondFactor(ctx, tx, u, typus.LetterTOTPOff); err != nil {
			return err
		}
		if err := s.auditBy(ctx, tx, u, typus.AuditUserTOTPOff, by); err != nil {
			return err
		}
		var err error
		out, err = s.renewSessions(ctx, tx, u, session)
		return err
	})
	return out, err
}

// dropSecondFactor removes the second factor of a user together with the recovery
// codes, and queues a letter of a kind that says so.
func (s *Steps) dropSecondFactor(ctx context.Context, tx *store.Tx, u typus.User, kind typus.LetterKind) error {
	if err := tx.SetTOTP(ctx, u.AccountID, u.ID, nil); err != nil {
		return err
	}
	if err := tx.SetRecoveryCodes(ctx, u.AccountID, u.ID, nil); err != nil {
		return err
	}
	return s.tellUser(ctx, tx, u, kind)
}

// ResetSecondFactor removes the second factor of somebody else who has lost it, with
// the recovery codes. All their sessions end, and a letter tells them. Forbidden: only
// an owner may do so, and not for their own login, for which they use code and
// password. Conflict: there is no second factor; NotFound.
func (s *Steps) ResetSecondFactor(ctx context.Context, accountID, userID int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		_, mine, err := s.lockAs(ctx, tx, accountID, by)
		if err != nil {
			return err
		}
		if mine != typus.RoleOwner || by.UserID == userID {
			return typus.Errorf(typus.Forbidden, "only another owner resets a second factor")
		}
		u, err := tx.User(ctx, accountID, userID)
		if err != nil {
			return err
		}
		had, err := s.resetSecondFactor(ctx, tx, u, by)
		if err == nil && !had {
			err = typus.Errorf(typus.Conflict, "there is no second factor")
		}
		return err
	})
}

// resetSecondFactor removes a second factor that somebody has lost. False: there is
// none.
func (s *Steps) resetSecondFactor(ctx context.Context, tx *store.Tx, u typus.User, by typus.Actor) (bool, error) {
	c, err := tx.LockCredentials(ctx, u.AccountID, u.ID)
	if err != nil || !c.HasTOTP {
		return false, err
	}
	if err := s.dropSecondFactor(ctx, tx, c.User, typus.LetterTOTPReset); err != nil {
		return false, err
	}
	if _, err := tx.DeleteSessions(ctx, c.AccountID, c.ID); err != nil {
		return false, err
	}
	return true, s.auditBy(ctx, tx, c.User, typus.AuditUserTOTPReset, by)
}

// RenewRecoveryCodes replaces the recovery codes of a user who gives password
// and code, and returns the new ones. Errors as TurnOffTOTP; Conflict: the form was
// sent before.
//
// Who may: the face lets users change themselves only.
func (s *Steps) RenewRecoveryCodes(ctx context.Context, session typus.Session, u typus.User, password, code string, by typus.Actor) ([]string, error) {
	codes, hashes := newRecoveryCodes()
	err := s.proveBoth(ctx, session, u, password, code, func(tx *store.Tx) error {
		return s.clerk.Once(ctx, tx, u.AccountID, by, func() (int64, error) {
			if err := tx.SetRecoveryCodes(ctx, u.AccountID, u.ID, hashes); err != nil {
				return 0, err
			}
			if err := s.tellUser(ctx, tx, u, typus.LetterRecoveryCodes); err != nil {
				return 0, err
			}
			return u.ID, s.auditBy(ctx, tx, u, typus.AuditUserRecoveryCodesMade, by)
		})
	})
	return codes, s.clerk.OrSent(ctx, u.AccountID, by, err)
}

func newRecoveryCodes() ([]string, []string) {
	codes := auth.NewRecoveryCodes()
	hashes := make([]string, len(codes))
	for i, code := range codes {
		plain, _ := auth.PlainRecoveryCode(code)
		hashes[i] = auth.Hash(plain)
	}
	return codes, hashes
}

// proveBoth asks for the password and a code of the second factor.
func (s *Steps) proveBoth(ctx context.Context, session typus.Session, u typus.User, password, code string, then func(tx *store.Tx) error) error {
	c, err := s.confirm(ctx, session, password)
	if err != nil {
		return err
	}
	if !c.HasTOTP {
		return typus.Errorf(typus.Conflict, "there is no second factor")
	}
	return s.proveInTx(ctx, c, code, clerk.CodeTries(u.ID, ""), then)
}

// errWrongCode is the one error for every code that is not accepted.
func errWrongCode() error {
	return &typus.Error{
		Kind: typus.Unauthorized, Msg: "the code is wrong or was used before",
		Fields: []typus.Field{{Name: "code", Code: typus.CodeInvalid, Msg: "is wrong or was used before"}},
	}
}

// proveInTx spends a code and runs then in the same transaction, so that of two
// requests with the same code only one gets there. The code is one of the second factor
// or, once the factor counts, a recovery code. Unauthorized: the code is wrong or was
// used before; TooMany, with the Wait; NotFound: the factor did not count when it was
// read and does now.
func (s *Steps) proveInTx(ctx context.Context, c store.Credentials, code string, who []string, then func(tx *store.Tx) error) error {
	if err := s.store.InTx(ctx, func(tx *store.Tx) error { return s.clerk.Try(ctx, tx, clerk.CodePace, who...) }); err != nil {
		return err
	}
	spend, err := s.spender(ctx, c, code)
	if err != nil {
		return err
	}
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		if !c.HasTOTP {
			if now, err := tx.LockCredentials(ctx, c.AccountID, c.ID); err == nil && now.HasTOTP {
				return noneWaits()
			}
		}
		if err := lockSame(ctx, tx, c); err != nil {
			return err
		}
		ok, err := spend(tx)
		if err == nil && !ok {
			err = errWrongCode()
		}
		if err != nil {
			return err
		}
		if err := s.clerk.Forgive(ctx, tx, who); err != nil {
			return err
		}
		return then(tx)
	})
	if typus.Is(err, typus.Unauthorized) {
		failed := s.store.InTx(ctx, func(tx *store.Tx) error { return s.auditUser(ctx, tx, c.User, typus.AuditUserCodeFailed, stranger) })
		if failed != nil {
			return failed
		}
	}
	return err
}

// spender finds out what kind of code this is and how it is spent.
func (s *Steps) spender(ctx context.Context, c store.Credentials, code string) (func(tx *store.Tx) (bool, error), error) {
	if c.SealedTOTP == nil {
		return func(*store.Tx) (bool, error) { return false, nil }, nil
	}
	if plain, ok := auth.PlainRecoveryCode(code); ok && c.HasTOTP {
		return func(tx *store.Tx) (bool, error) {
			used, err := tx.UseRecoveryCode(ctx, c.AccountID, c.ID, auth.Hash(plain), s.now())
			if err != nil || !used {
				return false, err
			}
			return true, s.auditUser(ctx, tx, c.User, typus.AuditUserRecoveryCodeUsed, c.Email)
		}, nil
	}
	seed, err := s.seed(c)
	if err != nil {
		return nil, err
	}
	step, right, err := auth.TOTPStep(seed, code, s.now())
	return func(tx *store.Tx) (bool, error) {
		if !right {
			return false, nil
		}
		return tx.UseTOTPStep(ctx, c.AccountID, c.ID, step)
	}, err
}
