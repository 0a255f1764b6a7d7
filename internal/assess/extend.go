package assess

import (
	"context"
	"time"

	"typus"
	"typus/internal/store"
)

// maxExtension is how far ahead an invitation may end, as for a new one.
const maxExtension = 365 * 24 * time.Hour

// Extend moves the end of an unfinished invitation, expired or not; the
// candidate goes on with the same link where they were. An invitation that could
// be repeated before it expired can be again, unless another one took its place.
// Invalid when until is not in the future or more than 365 days ahead; NotFound;
// Conflict when the test is finished or withdrawn.
func (s *Steps) Extend(ctx context.Context, accountID, id int64, until time.Time, by typus.Actor) error {
	if until.Sub(s.now()) <= 0 || until.Sub(s.now()) > maxExtension {
		f := typus.Field{Name: "until", Code: typus.CodeInvalid, Msg: "must be a day within the next 365"}
		return &typus.Error{Kind: typus.Invalid, Msg: f.Name + " " + f.Msg, Fields: []typus.Field{f}}
	}
	return s.change(ctx, accountID, id, func(tx *store.Tx, c typus.Candidate) error {
		if err := unfinished(c); err != nil {
			return err
		}
		if err := tx.ExtendCandidate(ctx, accountID, id, until); err != nil {
			return err
		}
		if ref := openRefOf(c); ref != "" {
			_, err := tx.CandidateByOpenRef(ctx, accountID, ref)
			switch {
			case err == nil: // this one, or a newer one in its place
			case typus.KindOf(err) == typus.NotFound:
				if err := tx.SetOpenRef(ctx, accountID, id, ref); err != nil {
					return err
				}
			default:
				return err
			}
		}
		return s.recordOf(ctx, tx, c, by, "candidate.extended", until.UTC().Format(time.DateOnly))
	})
}

// openRefOf is the open reference that the invitation of c has or had.
func openRefOf(c typus.Candidate) string {
	return openRef(c.AccountID, Invitation{ExternalID: c.ExternalID, Email: c.Email})
}

// Remind queues a letter that reminds the candidate, at once. NotFound; Conflict
// when the test is finished, withdrawn, expired or declined, when the candidate
// wants no reminders, or when a letter to them is on its way already.
func (s *Steps) Remind(ctx context.Context, accountID, id int64, by typus.Actor) error {
	return s.write(ctx, accountID, id, typus.LetterReminder, by, "candidate.reminded")
}

// Resend queues the invitation letter again, to the present address. NotFound;
// Conflict as for Remind.
func (s *Steps) Resend(ctx context.Context, accountID, id int64, by typus.Actor) error {
	return s.write(ctx, accountID, id, typus.LetterInvitation, by, "candidate.invitation_resent")
}

// Refusal is why something is not done to a candidate: the code of the one Field
// of the Conflict.
type Refusal string

// The refusals.
const (
	RefusedFinished  Refusal = "finished"
	RefusedCancelled Refusal = "cancelled"
	RefusedExpired   Refusal = "expired"
	RefusedDeclined  Refusal = "declined"
	RefusedUnwanted  Refusal = "unwanted" // the candidate wants no reminders
	RefusedQueued    Refusal = "queued"   // a letter of this kind is on its way
	RefusedTaken     Refusal = "taken"    // another open invitation has this external_id and address
)

// Refusal says why no letter goes to a candidate, "" when one may.
func (s *Steps) Refusal(c typus.Candidate) Refusal {
	switch {
	case c.Status == typus.StatusFinished:
		return RefusedFinished
	case c.Cancelled():
		return RefusedCancelled
	case c.Expired(s.now()):
		return RefusedExpired
	case !c.DeclinedAt.IsZero():
		return RefusedDeclined
	}
	return ""
}

func (s *Steps) write(ctx context.Context, accountID, id int64, kind typus.LetterKind, by typus.Actor, action string) error {
	err := s.change(ctx, accountID, id, func(tx *store.Tx, c typus.Candidate) error {
		why := s.Refusal(c)
		if why == "" {
			last, err := tx.LastLetter(ctx, accountID, id, kind)
			if err != nil && typus.KindOf(err) != typus.NotFound {
				return err
			}
			if last.State == typus.LetterQueued || last.State == typus.LetterSending {
				why = RefusedQueued
			}
		}
		if why == "" && kind == typus.LetterReminder {
			off, err := tx.RemindersOff(ctx, accountID, id)
			if err != nil {
				return err
			}
			if off {
				why = RefusedUnwanted
			}
		}
		if why != "" {
			return refused(why)
		}
		_, err := tx.AddLetter(ctx, typus.Letter{
			AccountID: accountID, CandidateID: id, Kind: kind, Language: c.Language, To: c.Email, CreatedAt: s.now(),
		})
		if err != nil {
			return err
		}
		return s.recordOf(ctx, tx, c, by, action, "")
	})
	if err == nil {
		s.wake()
	}
	return err
}

// refused is the Conflict of a Refusal.
func refused(why Refusal) error {
	return &typus.Error{Kind: typus.Conflict, Msg: "this is not possible: " + string(why), Fields: []typus.Field{{Name: "candidate", Code: string(why)}}}
}
