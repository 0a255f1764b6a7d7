package assess

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/store"
)

// OwnResultLife is how long the device on which a test was handed in shows what depends on
// the result.
const OwnResultLife = 24 * time.Hour

// HandIn is Finish for the button on a page. It returns what the device with that page
// keeps, so that OwnResult knows it; "" where another device has handed in. form names the
// page: whoever sends it again, because no answer came, has the same device. "" names none.
// seen is the test as it was read for that page; what it amounts to is worked out before the
// transaction, and counts only if the transaction finds the same answers.
func (s *Steps) HandIn(ctx context.Context, token, form string, seen Test) (string, error) {
	kept, before := "", seen.evidence()
	err := s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		kept = ""
		form := formOf(c, form)
		stand := c.Stand(s.now())
		if stand == typus.StandFinished {
			ours, err := sent(ctx, tx, c, form)
			if ours {
				kept = s.ownDevice(c)
			}
			return err
		}
		if err := Working(stand); err != nil {
			return err
		}
		in, sheet, _, err := s.sheet(ctx, tx, c)
		if err != nil {
			return err
		}
		role, err := s.asked(ctx, tx, c)
		if err != nil {
			return err
		}
		e, err := before.or(in, sheet, role)
		if err != nil {
			return err
		}
		c.CompletedAt = s.now()
		if err := s.finish(ctx, tx, c, e, typus.ActorCandidate); err != nil || form == "" {
			return err
		}
		kept = s.ownDevice(c)
		_, err = tx.ClaimForm(ctx, c.AccountID, form, c.CompletedAt)
		return err
	})
	return kept, err
}

// formOf is how a page of a test is remembered among the forms of an account.
func formOf(c typus.Candidate, form string) string {
	if form == "" {
		return ""
	}
	return auth.Hash("hand-in\n" + c.TokenHash + "\n" + form)
}

func sent(ctx context.Context, tx *store.Tx, c typus.Candidate, form string) (bool, error) {
	if form == "" {
		return false, nil
	}
	_, before, err := tx.SentForm(ctx, c.AccountID, form)
	return before, err
}

// A Proof is how somebody on a candidate's page is known to be the candidate: by the device
// that handed in, or by a code to the candidate's address. It is stored with what they say,
// so the words must not change.
type Proof = typus.Confirmation

// OwnResult is the result for the device that keeps what HandIn returned; nil for any
// other, later than OwnResultLife, and while there is none. The link alone shows nothing
// of it: the team knows the link, too.
func (s *Steps) OwnResult(t Test, kept string) *typus.Scores {
	if s.Proof(t, kept) != typus.ConfirmedByDevice {
		return nil
	}
	return t.scores
}

// Proof says what a device proves that keeps what HandIn or EnterOwnCode returned; "" for
// nothing, later than OwnResultLife, and while there is no result.
func (s *Steps) Proof(t Test, kept string) Proof {
	if t.scores == nil {
		return ""
	}
	return s.proof(t.Candidate, kept)
}

func (s *Steps) proof(c typus.Candidate, kept string) Proof {
	sealed, err := base64.RawURLEncoding.DecodeString(kept)
	if err != nil {
		return ""
	}
	said, err := s.box.Open(sealed, ownResultPlace(c))
	if err != nil {
		said, err = s.box.Open(sealed, ownCodePlace(c))
	}
	if err != nil {
		return ""
	}
	proof, at := typus.ConfirmedByDevice, c.CompletedAt
	if how, ms, known := strings.Cut(string(said), " "); known {
		since, err := strconv.ParseInt(ms, 10, 64)
		if err != nil {
			return ""
		}
		proof, at = Proof(how), time.UnixMilli(since)
	}
	if !typus.Recent(at, s.now(), OwnResultLife) {
		return ""
	}
	return proof
}

// ownDevice is what the device keeps that has handed in. It says nothing: that it opens in
// this place, since the time of handing in, is what it proves.
func (s *Steps) ownDevice(c typus.Candidate) string {
	return base64.RawURLEncoding.EncodeToString(s.box.Seal(nil, ownResultPlace(c)))
}

// ownSession is what a device keeps on which a code was entered at a time.
func (s *Steps) ownSession(c typus.Candidate, at time.Time) string {
	said := fmt.Sprintf("%s %d", typus.ConfirmedByCode, at.UnixMilli())
	return base64.RawURLEncoding.EncodeToString(s.box.Seal([]byte(said), ownCodePlace(c)))
}

// ownResultPlace binds to one candidate and one handing-in.
func ownResultPlace(c typus.Candidate) string {
	return fmt.Sprintf("own_result|%d|%d", c.ID, c.CompletedAt.UnixMilli())
}

// ownCodePlace binds to the address that the code went to, too: once it is corrected,
// whoever reads its letters is not known to be the candidate any more.
func ownCodePlace(c typus.Candidate) string {
	return ownResultPlace(c) + "|" + auth.Hash("own-code\n"+typus.MailboxKey(c.Email))
}
