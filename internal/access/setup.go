package access

import (
	"context"
	"strconv"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/clerk"
	"typus/internal/store"
)

// Founding is what the first user of an account types to set it up.
type Founding struct {
	Company  string
	Language string     // of the account; "" for German
	Zone     typus.Zone // as the browser names it; one that is not known is FirstZone
	Name     string     // the person's; may be empty
	Email    string
	Password string
	KeepDays int        // for how long results are kept after the decision, 0 to 3650; 0: until erased by hand
	Plan     typus.Plan // "" for starter; never what the person says
}

// maxKeepDays bounds KeepDays as the settings of an account do.
const maxKeepDays = 3650

// founded are the account and the owner that a founding makes.
func (s *Steps) founded(f Founding) (typus.Account, typus.User) {
	if !f.Zone.Known() {
		f.Zone = typus.FirstZone
	}
	a := s.withDefaults(typus.Account{Name: f.Company, Language: f.Language, Zone: f.Zone, ContactEmail: f.Email, Plan: f.Plan}.KeptFor(f.KeepDays))
	return a, typus.User{
		Email: a.ContactEmail, Name: given(f.Name), Role: typus.RoleOwner, HasPassword: true, CreatedAt: a.CreatedAt,
	}
}

// checkFounding names every wrong field by the form's names.
func (s *Steps) checkFounding(a typus.Account, u typus.User, password string) error {
	var f clerk.Faults
	f.Text("company", a.Name)
	f.Language(a.Language, s.instrument)
	f.Remark("name", u.Name)
	f.Email("email", u.Email)
	f.When(a.KeepFinishedDays < 0 || a.KeepFinishedDays > maxKeepDays, "keep_finished_days", "must be 0 to 3650")
	checkPasswordOf(&f, "password", password, u, a.Name)
	return f.Err()
}

// setupPrefix begins the names of the marks of set-up links.
const setupPrefix = "setup "

// setupMark is the name of the mark that stands for a set-up link. The mark's value is
// the end of the link in unix milliseconds. Each server on a database has a link of its
// own.
func setupMark(token string) string { return setupPrefix + auth.Hash(token) }

// setupEnd is the end of a set-up link, read from its mark. A link without a mark ended
// long ago.
func setupEnd(mark []byte) time.Time {
	ms, _ := strconv.ParseInt(string(mark), 10, 64)
	return time.UnixMilli(ms)
}

// dropSetupLinks removes the marks of set-up links that have ended by a time.
func dropSetupLinks(ctx context.Context, tx *store.Tx, at time.Time) error {
	marks, err := tx.Marks(ctx, setupPrefix)
	if err != nil {
		return err
	}
	for name, mark := range marks {
		if typus.Ahead(setupEnd(mark), at, typus.SetUpLinkLife+typus.Skew) > 0 {
			continue
		}
		if _, err := tx.TakeMark(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// NewSetUpLink makes the one-time link by which the first account is made while
// there is none, good for an hour. "" when there is an account.
func (s *Steps) NewSetUpLink(ctx context.Context) (string, error) {
	if any, err := s.store.AnyAccount(ctx); err != nil || any {
		return "", err
	}
	token, now := auth.NewSession(), s.now()
	ends := strconv.FormatInt(now.Add(typus.SetUpLinkLife).UnixMilli(), 10)
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := dropSetupLinks(ctx, tx, now); err != nil {
			return err
		}
		return tx.ReplaceMark(ctx, setupMark(token), []byte(ends))
	})
	return s.links.SetUp(token), err
}

// SetUpOpen says whether the token makes the first account now. NotFound: it
// does not, or there is an account.
func (s *Steps) SetUpOpen(ctx context.Context, token string) error {
	any, err := s.store.AnyAccount(ctx)
	if err != nil {
		return err
	}
	ends, err := s.store.Mark(ctx, setupMark(token))
	if err != nil {
		return err
	}
	if any || typus.Ahead(setupEnd(ends), s.now(), typus.SetUpLinkLife+typus.Skew) == 0 {
		return errNoSetup()
	}
	return nil
}

func errNoSetup() error {
	return typus.Errorf(typus.NotFound, "this link sets nothing up; it was used or has run out, or there is an account already")
}

// SetUp makes the first account, its owner, and the owner's session, once. Of two
// at the same time one wins. NotFound: the token does not open the set-up any more;
// Invalid names every wrong field.
func (s *Steps) SetUp(ctx context.Context, token string, f Founding, credits int64, d Device) (LoggedIn, error) {
	if err := s.SetUpOpen(ctx, token); err != nil {
		return LoggedIn{}, err
	}
	a, u := s.founded(f)
	if err := s.checkFounding(a, u, f.Password); err != nil {
		return LoggedIn{}, err
	}
	hash, err := auth.HashPassword(ctx, f.Password)
	if err != nil {
		return LoggedIn{}, err
	}
	var out LoggedIn
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		// The first attempt that commits wins; the others wait here until it ends.
		attempt := auth.NewSession()
		first, err := tx.SetMark(ctx, "set up by", []byte(auth.Hash(attempt)))
		if err != nil {
			return err
		}
		open, err := tx.TakeMark(ctx, setupMark(token))
		if err != nil {
			return err
		}
		any, err := tx.AnyAccount(ctx)
		if err != nil {
			return err
		}
		if string(first) != auth.Hash(attempt) || !open || any {
			return errNoSetup()
		}
		// The other servers' links have nothing left to open.
		if err := dropSetupLinks(ctx, tx, s.now().Add(typus.SetUpLinkLife)); err != nil {
			return err
		}
		out, err = s.found(ctx, tx, a, u, hash, credits, typus.AuditAccountSetUp, d)
		return err
	})
	return out, err
}

// found makes the account, its owner, and a session.
func (s *Steps) found(ctx context.Context, tx *store.Tx, a typus.Account, u typus.User, hash string, credits int64, action typus.AuditAction, d Device) (LoggedIn, error) {
	var err error
	if u.AccountID, err = s.addAccount(ctx, tx, a, credits); err != nil {
		return LoggedIn{}, err
	}
	if u.ID, err = tx.AddUser(ctx, u, hash); err != nil {
		return LoggedIn{}, err
	}
	if err := s.auditUser(ctx, tx, u, action, u.Email); err != nil {
		return LoggedIn{}, err
	}
	out := s.newSession(u, d)
	return out, s.beginSession(ctx, tx, &out)
}

// SignUp stores what somebody has entered who wants an account, and sends a letter with
// a link that makes the account, good for 24 hours. The answer and the work are the
// same if there is already a login with the address. Invalid names every wrong field;
// TooMany, with the Wait.
func (s *Steps) SignUp(ctx context.Context, f Founding, d Device) error {
	a, u := s.founded(f)
	if err := s.checkFounding(a, u, f.Password); err != nil {
		return err
	}
	// This comes before the costly part, so that strangers cannot keep the server busy.
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		return s.clerk.Try(ctx, tx, clerk.LetterPace, clerk.LetterTries(u.Email, d.IP)...)
	})
	if err != nil {
		return err
	}
	hash, err := auth.HashPassword(ctx, f.Password)
	if err != nil {
		return err
	}
	token, now := auth.NewSession(), s.now()
	l := typus.Letter{Kind: typus.LetterSignUp, Language: a.Language, To: u.Email, CreatedAt: now}
	l.Detail = s.box.Seal([]byte(token), l.DetailAAD())
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		err := tx.AddSignUp(ctx, typus.SignUp{
			Hash: auth.Hash(token), Email: u.Email, Name: u.Name, AccountName: a.Name, Language: a.Language, PasswordHash: hash, KeepDays: f.KeepDays, Zone: a.Zone,
			CreatedAt: now, ExpiresAt: now.Add(typus.SignUpLinkLife),
		})
		if err != nil {
			return err
		}
		if err := tx.AddServerAccount(ctx, now); err != nil {
			return err
		}
		_, err = tx.AddLetter(ctx, l)
		return err
	})
	return err
}

// SignUpOf finds a sign-up whose link still holds. NotFound.
func (s *Steps) SignUpOf(ctx context.Context, token string) (typus.SignUp, error) {
	waiting, err := s.store.SignUpByToken(ctx, auth.Hash(token))
	if err == nil && !waiting.Usable(s.now()) {
		err = typus.Errorf(typus.NotFound, "this link has run out")
	}
	return waiting, err
}

// ConfirmSignUp makes the account of a sign-up, its owner, and the owner's session. It
// needs the link and the password that was chosen. Without the password, somebody could
// sign up with another person's address and let that person confirm it. Unauthorized:
// the password is another one; TooMany, with the Wait; NotFound: the link; Conflict:
// the address is a login already.
func (s *Steps) ConfirmSignUp(ctx context.Context, token, password string, credits int64, d Device) (LoggedIn, error) {
	waiting, err := s.SignUpOf(ctx, token)
	if err != nil {
		return LoggedIn{}, err
	}
	err = s.store.InTx(ctx, func(tx *store.Tx) error { return s.clerk.Try(ctx, tx, clerk.LoginPace, "signup "+waiting.Hash) })
	if err != nil {
		return LoggedIn{}, err
	}
	right, err := auth.CheckPassword(ctx, password, waiting.PasswordHash)
	if err == nil && !right {
		err = typus.Errorf(typus.Unauthorized, "the password is wrong")
	}
	if err != nil {
		return LoggedIn{}, err
	}
	a, u := s.founded(Founding{Company: waiting.AccountName, Language: waiting.Language, Name: waiting.Name, Email: waiting.Email, KeepDays: waiting.KeepDays, Zone: waiting.Zone})
	var out LoggedIn
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.RemoveSignUp(ctx, waiting.Hash); err != nil {
			return err
		}
		var err error
		out, err = s.found(ctx, tx, a, u, waiting.PasswordHash, credits, typus.AuditAccountSignedUp, d)
		return err
	})
	return out, err
}
