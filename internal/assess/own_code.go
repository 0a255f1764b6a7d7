package assess

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
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
// NotFound; Conflict where there is neither a result nor a test to begin, or no address;
// TooMany, with a clerk.Wait.
func (s *Steps) SendOwnCode(ctx context.Context, token, ip string) error {
	return s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		if !s.coded(c) || c.Email == "" {
			return typus.Errorf(typus.Conflict, "there is nothing to open with a code, or no address to send it to")
		}
		now := s.now()
		before, err := tx.OwnCode(ctx, c.ID)
		if err != nil || before.Tries == 0 && before.Usable(now) && typus.Recent(before.MadeAt, now, codePause) {
			return err
		}
		if err := s.clerk.Try(ctx, tx, clerk.LetterPace, clerk.OwnCodeLetters(c.TokenHash, ip)...); err != nil {
			return err
		}
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
	})
}

// coded reports whether a code opens anything for a candidate.
func (s *Steps) coded(c typus.Candidate) bool {
	return c.Status == typus.StatusFinished || Unbegun(c, s.now()) == nil
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

// EnterOwnCode is what a device keeps (see Proof) on which the candidate's code is entered,
// which is good for one time. Each try counts before its outcome is known. A wrong code, one
// that has run out, one that was used, and none at all are told the same, after the same work.
// NotFound; Invalid; TooMany, with a clerk.Wait.
func (s *Steps) EnterOwnCode(ctx context.Context, token, typed, ip string) (string, error) {
	kept := ""
	err := s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		kept = ""
		who := clerk.OwnCodeTries(c.TokenHash, ip)
		if err := s.clerk.Try(ctx, tx, clerk.CodePace, who...); err != nil {
			return err
		}
		code, err := tx.OwnCode(ctx, c.ID)
		if err != nil {
			return err
		}
		same := subtle.ConstantTimeCompare([]byte(code.Hash), []byte(s.ownCodeMark(c, digits(typed)))) == 1
		if !same || !code.Usable(s.now()) || !s.coded(c) {
			code.Tries++
			return tx.SetOwnCode(ctx, c.ID, code)
		}
		if err := tx.SetOwnCode(ctx, c.ID, typus.OwnCode{}); err != nil {
			return err
		}
		kept = s.ownSession(c)
		return s.clerk.Forgive(ctx, tx, who)
	})
	if err == nil && kept == "" {
		err = typus.WrongFields([]typus.Field{{Name: "code", Code: typus.CodeInvalid, Msg: "is not the code that was sent last, or is no longer good"}})
	}
	return kept, err
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
