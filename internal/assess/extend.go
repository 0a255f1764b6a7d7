package assess

import (
	"context"
	"errors"
	"time"

	"typus"
	"typus/internal/store"
)

// MaxExtension is how far ahead an invitation may end, as for a new one.
const MaxExtension = typus.MaxInviteDays * 24 * time.Hour

// Extend moves the end of an unfinished invitation, expired or not. The candidate goes
// on where they were, with the same link. An invitation that could be repeated before
// it expired can be repeated again, unless another one took its place. Invalid when
// until is not in the future or more than 365 days ahead; NotFound; Conflict when the
// test is finished or withdrawn, or has not begun and its position is closed
// (typus.CodePositionClosed).
//
// agreed is asked, perhaps more than once, about the candidate as they are stored at that
// moment. Nothing changes unless it agrees; nil agrees to everything.
func (s *Steps) Extend(ctx context.Context, reader store.Reader, id int64, until time.Time, by typus.Actor, agreed func(now typus.Candidate) bool) error {
	return s.extend(ctx, reader, extension{id, until, by, agreed, nil})
}

// RenewLink is Extend that writes the invitation letter again, for who asks for a new link.
// Errors as for Extend and Resend; then nothing is changed.
func (s *Steps) RenewLink(ctx context.Context, reader store.Reader, id int64, until time.Time, by typus.Actor, agreed func(now typus.Candidate) bool) error {
	return s.extend(ctx, reader, extension{id, until, by, agreed, func(tx *store.Tx, c typus.Candidate) error {
		c.ExpiresAt = until
		return s.writeAgain(ctx, tx, c, typus.LetterInvitation)
	}})
}

// extension is the end that an invitation is to get.
type extension struct {
	id     int64
	until  time.Time
	by     typus.Actor
	agreed func(now typus.Candidate) bool         // nil: whatever is stored
	then   func(*store.Tx, typus.Candidate) error // what is done with it, nil: nothing
}

func (s *Steps) extend(ctx context.Context, reader store.Reader, e extension) error {
	if e.until.Sub(s.now()) <= 0 || e.until.Sub(s.now()) > MaxExtension {
		return typus.WrongFields([]typus.Field{{Name: "until", Code: typus.CodeInvalid, Msg: "must be a day within the next 365"}})
	}
	err := s.moveEnd(ctx, reader, e)
	if errors.Is(err, errTaken) {
		err = s.moveEnd(ctx, reader, e) // now the other invitation is found
	}
	return err
}

// errTaken says that another invitation took a reference between the look for it and
// the write.
var errTaken = errors.New("assess: the reference is taken meanwhile")

func (s *Steps) moveEnd(ctx context.Context, reader store.Reader, e extension) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		closed, err := whyNotInvited(ctx, tx, reader, e.id)
		if err != nil {
			return err
		}
		c, err := tx.LockCandidateFor(ctx, reader, e.id)
		if err != nil {
			return err
		}
		if err := s.refuse(c, typus.StandFinished, typus.StandWithdrawn); err != nil {
			return err
		}
		if closed != nil && c.Status == typus.StatusOpen {
			return closed
		}
		if e.agreed != nil && !e.agreed(c) {
			return nil
		}
		if e.then == nil && c.ExpiresAt.Equal(e.until) {
			return nil // it ends then already
		}
		if err := tx.ExtendCandidate(ctx, c.AccountID, e.id, e.until); err != nil {
			return err
		}
		if err := s.makeRepeatable(ctx, tx, c); err != nil {
			return err
		}
		if e.then != nil {
			if err := e.then(tx, c); err != nil {
				return err
			}
		}
		until, err := s.clerk.DayOf(ctx, tx, c.AccountID, e.until)
		if err != nil {
			return err
		}
		return s.recordOf(ctx, tx, c, e.by, typus.AuditCandidateExtended, until)
	})
}

// whyNotInvited is why nobody is invited to the position of a candidate, nil where somebody may
// be; the position stays so until the transaction ends. Whoever closes it locks it before its
// candidates, and so does this before the caller locks theirs, who stays in their position.
func whyNotInvited(ctx context.Context, tx *store.Tx, reader store.Reader, candidateID int64) (*typus.Error, error) {
	c, err := tx.CandidateFor(ctx, reader, candidateID)
	if err != nil {
		return nil, err
	}
	_, err = forPosition(ctx, tx, typus.Account{ID: c.AccountID}, c.PositionID)
	if closed, is := errors.AsType[*typus.Error](err); is && ClosedPosition(err) {
		return closed, nil
	}
	return nil, err
}

// makeRepeatable makes an invitation repeatable again unless a newer one took its place.
func (s *Steps) makeRepeatable(ctx context.Context, tx *store.Tx, c typus.Candidate) error {
	ref := openRefOf(c)
	if ref == "" {
		return nil
	}
	_, err := tx.CandidateByOpenRef(ctx, c.AccountID, ref)
	if !typus.Is(err, typus.NotFound) {
		return err
	}
	if err = tx.SetOpenRef(ctx, c.AccountID, c.ID, ref); typus.Is(err, typus.Conflict) {
		return errTaken
	}
	return err
}

// openRefOf is the open reference that the invitation of c has or had.
func openRefOf(c typus.Candidate) string {
	return openRef(c.AccountID, Invitation{ExternalID: c.ExternalID, Email: c.Email, PositionID: c.PositionID})
}
