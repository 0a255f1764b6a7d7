package assess

import (
	"context"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// Keep lets a candidate be kept until a time, although the retention is over before, because
// somebody needs them for a reason, such as a lawsuit; again, the newer word counts. It keeps
// nobody from being erased by hand. agreed is asked, perhaps more than once, about what is
// stored at that moment, and nothing changes unless it agrees. Invalid names every wrong field:
// until, not in the future or more than typus.MaxKeep ahead, and reason. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) Keep(ctx context.Context, reader store.Reader, id int64, until time.Time, reason string, by typus.Actor, agreed func(now typus.Keeping) bool) error {
	var f clerk.Faults
	ahead := until.Sub(s.now())
	f.When(ahead <= 0 || ahead > typus.MaxKeep, "until", "must be a day within the next three years")
	reason = f.Note("reason", reason)
	if err := f.Err(); err != nil {
		return err
	}
	return s.setKeep(ctx, reader, id, until, reason, typus.AuditCandidateKept, by, agreed)
}

// EndKeep takes the word of Keep back: the retention counts again as for others. Where nobody
// gave one, it changes nothing. agreed is that of Keep. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) EndKeep(ctx context.Context, reader store.Reader, id int64, by typus.Actor, agreed func(now typus.Keeping) bool) error {
	return s.setKeep(ctx, reader, id, time.Time{}, "", typus.AuditCandidateKeepEnded, by, agreed)
}

func (s *Steps) setKeep(ctx context.Context, reader store.Reader, id int64, until time.Time, reason string, action typus.AuditAction, by typus.Actor, agreed func(now typus.Keeping) bool) error {
	return s.change(ctx, reader, id, func(tx *store.Tx, c typus.Candidate) error {
		was, err := tx.KeepingOf(ctx, c.AccountID, id)
		if err != nil || was.Until.Equal(until) && was.Reason == reason || agreed != nil && !agreed(was) {
			return err
		}
		if err := tx.SetKeep(ctx, c.AccountID, id, until, reason); err != nil {
			return err
		}
		detail := ""
		if !until.IsZero() {
			detail, err = s.clerk.DayOf(ctx, tx, c.AccountID, until)
		}
		if err != nil {
			return err
		}
		return s.recordOf(ctx, tx, c, by, action, detail)
	})
}
