package assess

import (
	"context"
	"crypto/rand"
	"fmt"
	"math/big"
	"strings"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// codePause is how long after a code no other is sent: whoever presses twice gets one letter.
const codePause = time.Minute

// SendOwnCode sends a candidate a code, in place of an earlier one, whether letters of ours
// were wanted or not: the candidate has just asked. After the test it is to their own result,
// before it to answers that they gave earlier, and it is sent whether there are any or not.
// kept is what the device keeps (see Proof), "" for nothing. NotFound; Conflict where there is
// neither a result nor a test to begin, no address, or one to which a code proves nobody
// (CodeAddress); TooMany, with a clerk.Wait.
func (s *Steps) SendOwnCode(ctx context.Context, token, kept, ip string) error {
	return s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		if err := s.mayHaveCode(ctx, tx, c, kept); err != nil {
			return err
		}
		now := s.now()
		before, err := tx.OwnCode(ctx, c.ID)
		if err != nil || before.Tries == 0 && before.Usable(now) && typus.Recent(before.MadeAt, now, codePause) {
			return err
		}
		if err := s.clerk.Try(ctx, tx, clerk.LetterPace, clerk.OwnCodeLetters(c.TokenHash, ip)...); err != nil {
			return err
		}
		return s.writeOwnCode(ctx, tx, c, now)
	})
}

// mayHaveCode refuses, with a Conflict, where a code opens nothing, reaches or proves nobody.
func (s *Steps) mayHaveCode(ctx context.Context, tx *store.Tx, c typus.Candidate, kept string) error {
	if !s.coded(c) || c.Email == "" {
		return typus.Errorf(typus.Conflict, "there is nothing to open with a code, or no address to send it to")
	}
	proves, err := s.codeProves(ctx, tx, c, kept)
	if err == nil && !proves {
		err = &typus.Error{Kind: typus.Conflict, Msg: "the team has changed the address", Fields: []typus.Field{{Name: "email", Code: CodeAddress}}}
	}
	return err
}

func (s *Steps) writeOwnCode(ctx context.Context, tx *store.Tx, c typus.Candidate, now time.Time) error {
	code, err := newOwnCode()
	if err != nil {
		return err
	}
	if err := tx.SetOwnCode(ctx, c.ID, typus.OwnCode{Hash: s.ownCodeMark(c, code), MadeAt: now}); err != nil {
		return err
	}
	l := letterTo(c, typus.LetterOwnCode, now)
	l.Detail = s.box.Seal([]byte(code), l.DetailAAD())
	_, err = tx.AddLetter(ctx, l)
	return err
}

// coded reports whether a code opens anything for a candidate.
func (s *Steps) coded(c typus.Candidate) bool {
	return c.Status == typus.StatusFinished || Unbegun(c, s.now()) == nil
}

// CodeAddress is the code of an address that the team has changed, so that whoever reads its
// letters need not be the candidate.
const CodeAddress = "address"

// codeProves reports whether whoever gets a candidate's code is the candidate. Of a result that
// is so at the address of the invitation, and at another once the candidate has confirmed it:
// on the device that handed in.
func (s *Steps) codeProves(ctx context.Context, tx *store.Tx, c typus.Candidate, kept string) (bool, error) {
	if c.Status != typus.StatusFinished || s.proof(c, kept) == typus.ConfirmedByDevice {
		return true, nil
	}
	own, err := tx.OwnResult(ctx, c.ID)
	return !own.AddressChanged, err
}

// newOwnCode is one of a million codes.
func newOwnCode() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%06d", n), nil
}

// ownCodeMark is what is stored of a code. A million are tried in no time, so it is keyed.
func (s *Steps) ownCodeMark(c typus.Candidate, code string) string {
	return s.box.Mark(code, c.OwnCodePlace())
}

// An Entry is a code that somebody enters on a page.
type Entry struct {
	Code string // as it was typed
	Kept string // what the device keeps, "" for nothing
	Form string // names the page, which may be sent twice; "" for none
	IP   string
}

// form names the page with what was entered, and for whom: the same code elsewhere, or after
// the address or the test has changed, is another form. "" where no page is named.
func (e Entry) form(c typus.Candidate) string {
	if e.Form == "" {
		return ""
	}
	return "own-code\n" + e.Form + "\n" + digits(e.Code) + "\n" + ownCodePlace(c)
}

// sentAt is when a form with the right code was sent, zero for never.
func sentAt(ctx context.Context, tx *store.Tx, c typus.Candidate, form string) (time.Time, error) {
	if form == "" {
		return time.Time{}, nil
	}
	ms, before, err := tx.SentForm(ctx, c.AccountID, form)
	if err != nil || !before {
		return time.Time{}, err
	}
	return time.UnixMilli(ms), nil
}

// noteSent keeps, of a form with the right code, when it was sent.
func noteSent(ctx context.Context, tx *store.Tx, c typus.Candidate, form string, at time.Time) error {
	if form == "" {
		return nil
	}
	if _, err := tx.ClaimForm(ctx, c.AccountID, form, at); err != nil {
		return err
	}
	return tx.SettleForm(ctx, c.AccountID, form, at.UnixMilli())
}

// EnterOwnCode is what a device keeps (see Proof) on which the candidate's code is entered,
// which is good for one time. Each try counts before its outcome is known. A wrong code, one
// that has run out, one that was used, and none at all are told the same, after the same work.
// The right one sent once more by the same page is answered as the first time, and is no try.
// NotFound; Invalid; TooMany, with a clerk.Wait.
func (s *Steps) EnterOwnCode(ctx context.Context, token string, e Entry) (string, error) {
	kept := ""
	err := s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		kept = ""
		form := formOf(c, e.form(c))
		before, err := sentAt(ctx, tx, c, form)
		if err != nil || !before.IsZero() {
			kept = s.ownSession(c, before)
			return err
		}
		who := clerk.OwnCodeTries(c.TokenHash, e.IP)
		if err := s.clerk.Try(ctx, tx, clerk.CodePace, who...); err != nil {
			return err
		}
		code, err := tx.OwnCode(ctx, c.ID)
		if err != nil {
			return err
		}
		proves, err := s.codeProves(ctx, tx, c, e.Kept)
		if err != nil {
			return err
		}
		same := s.box.IsMark(code.Hash, digits(e.Code), c.OwnCodePlace())
		if !same || !code.Usable(s.now()) || !s.coded(c) || !proves {
			code.Tries++
			return tx.SetOwnCode(ctx, c.ID, code)
		}
		if err := s.enter(ctx, tx, c); err != nil {
			return err
		}
		kept = s.ownSession(c, s.now())
		if err := noteSent(ctx, tx, c, form, s.now()); err != nil {
			return err
		}
		return s.clerk.Forgive(ctx, tx, who)
	})
	if err == nil && kept == "" {
		err = typus.WrongFields([]typus.Field{{Name: "code", Code: typus.CodeInvalid, Msg: "is not the code that was sent last, or is no longer good"}})
	}
	return kept, err
}

// enter uses a candidate's code up. Of a result it confirms the address, and the log says so.
func (s *Steps) enter(ctx context.Context, tx *store.Tx, c typus.Candidate) error {
	if err := tx.SetOwnCode(ctx, c.ID, typus.OwnCode{}); err != nil || c.Status != typus.StatusFinished {
		return err
	}
	if err := tx.ProveAddress(ctx, c.ID); err != nil {
		return err
	}
	return s.recordOf(ctx, tx, c, typus.Actor{Name: typus.ActorCandidate}, typus.AuditOwnEntered, "")
}

// digits leaves the digits of what was typed: letters show codes with a space in them.
func digits(typed string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, typed)
}
