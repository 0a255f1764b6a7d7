package assess

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"typus"
	"typus/internal/store"
)

// A turn that would erase more than unaskedPeople, and more than one in unaskedPart of
// an account, waits for an owner's word, because so many at once are rarely meant.
const unaskedPeople, unaskedPart = 50, 5

// Retain erases the candidates whose retention was over at a settled time, in every
// account that has set one, until there are none or ctx ends. It catches up on what was
// missed while no server ran. A changed retention must have settled as well, so that a
// mistake can be corrected for a day. An account that would lose more than 50 people
// and more than a fifth of all waits for an owner's word (AllowErasure). An error for
// one candidate or account does not hold up the others; the errors are joined.
func (s *Steps) Retain(ctx context.Context, settled time.Time) error {
	accounts, err := s.store.AccountsToForget(ctx)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if ctx.Err() != nil {
			break // cut short: the next turn goes on
		}
		err = errors.Join(err, s.retain(ctx, a, settled))
	}
	return err
}

// noticesKept is how long the text of a notice stays that nobody refers to any more.
const noticesKept = 7 * day

// ForgetNotices drops the texts of notices that only erased candidates had acknowledged:
// they name people of the account.
func (s *Steps) ForgetNotices(ctx context.Context, settled time.Time) error {
	_, err := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.DropNotices(ctx, settled.Add(-noticesKept)) })
	return err
}

// retain is a turn for one account. It notes what it has done in the server's log and
// in the audit log.
func (s *Steps) retain(ctx context.Context, a typus.Account, settled time.Time) error {
	if a.KeepSetAt.After(settled) {
		return s.settleRetention(ctx, a)
	}
	waits, err := s.waitForWord(ctx, a, settled)
	if err != nil {
		return err
	}
	if waits > 0 {
		s.log.Warn("retention: an owner has to allow that so many people are deleted at once", "account", a.ID, "people", waits)
		return s.noteRetention(ctx, a, waits, typus.AuditRetentionWaits, waits)
	}
	erased := 0
	for _, r := range s.retentions(a) {
		n, failed := s.eraseDue(ctx, a, r, settled)
		erased, err = erased+n, errors.Join(err, failed)
	}
	s.log.Info("retention: a turn is over", "account", a.ID, "people", erased)
	return errors.Join(err, s.noteRetention(ctx, a, 0, typus.AuditRetentionErased, erased))
}

// settleRetention waits until a change of the retention has settled. A change with a
// time ahead of now was noted by a clock that was ahead; it settles from now on,
// because what cannot be undone had better be late.
func (s *Steps) settleRetention(ctx context.Context, a typus.Account) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		now, err := tx.Now(ctx)
		if err != nil || !a.KeepSetAt.After(now) {
			return err
		}
		locked, err := tx.LockAccount(ctx, a.ID)
		if err != nil || !locked.KeepSetAt.Equal(a.KeepSetAt) {
			return err
		}
		return tx.SetKeepSetAt(ctx, a.ID, now)
	})
}

// noteRetention stores how many people wait for an owner's word. It writes a line into
// the audit log if a turn did something or found another number than before.
func (s *Steps) noteRetention(ctx context.Context, a typus.Account, waits int, action typus.AuditAction, people int) error {
	if waits == a.ErasureWaits && (waits > 0 || people == 0) {
		return nil
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.SetErasureWaits(ctx, a.ID, waits); err != nil || people == 0 {
			return err
		}
		return s.clerk.Audit(ctx, tx, typus.Actor{Name: typus.ActorServer}, typus.AuditEntry{AccountID: a.ID, Action: action, Detail: strconv.Itoa(people)})
	})
}

// retention is one of an account's two retentions: how to find who is due, and how to
// check that a candidate still is.
type retention struct {
	days  int
	due   func(ctx context.Context, accountID int64, before time.Time, after store.Due, limit int) ([]store.Due, error)
	count func(ctx context.Context, accountID int64, before time.Time, most int) (int, error)
	still func(c typus.Candidate, before time.Time) bool
}

// before is the time before which the retention of a candidate must have begun to be
// over at a given time.
func (r retention) before(at time.Time) time.Time { return at.AddDate(0, 0, -r.days) }

func (s *Steps) retentions(a typus.Account) []retention {
	var list []retention
	if a.KeepFinishedDays > 0 {
		list = append(list, retention{a.KeepFinishedDays, s.store.FinishedBefore, s.store.CountFinishedBefore,
			func(c typus.Candidate, before time.Time) bool {
				return !c.CompletedAt.IsZero() && c.CompletedAt.Before(before)
			}})
	}
	if a.KeepUnfinishedDays > 0 {
		list = append(list, retention{a.KeepUnfinishedDays, s.store.ExpiredBefore, s.store.CountExpiredBefore,
			func(c typus.Candidate, before time.Time) bool {
				return c.CompletedAt.IsZero() && c.ExpiresAt.Before(before)
			}})
	}
	return list
}

// waitForWord is how many people a turn would erase without an owner's word, or 0 if
// that many need no word.
func (s *Steps) waitForWord(ctx context.Context, a typus.Account, settled time.Time) (int, error) {
	waits := 0
	for _, r := range s.retentions(a) {
		due, err := r.count(ctx, a.ID, r.before(settled), math.MaxInt32)
		if err != nil {
			return 0, err
		}
		allowed := 0
		if word := a.ErasureWordAt; !word.IsZero() {
			if allowed, err = r.count(ctx, a.ID, r.before(word), math.MaxInt32); err != nil {
				return 0, err
			}
		}
		waits += max(0, due-allowed)
	}
	if waits <= unaskedPeople {
		return 0, nil
	}
	all, err := s.store.CountPeople(ctx, a.ID)
	if err != nil || waits*unaskedPart <= all {
		return 0, err
	}
	return waits, nil
}

// eraseDue erases the candidates whose retention is over, and returns how many it has
// erased. Errors are those of eachDue.
func (s *Steps) eraseDue(ctx context.Context, a typus.Account, r retention, settled time.Time) (int, error) {
	erased := 0
	err := s.eachDue(ctx, "deletion by retention", func(ctx context.Context, after store.Due, limit int) ([]store.Due, error) {
		return r.due(ctx, a.ID, r.before(settled), after, limit)
	}, func(ctx context.Context, d store.Due) error {
		done, err := s.eraseIfDue(ctx, a, d.CandidateID, r, settled)
		if done {
			erased++
		}
		return err
	})
	return erased, err
}

// eraseIfDue checks again under the candidate's lock, because the invitation or the
// retention may have been extended in the meantime.
func (s *Steps) eraseIfDue(ctx context.Context, a typus.Account, id int64, r retention, settled time.Time) (bool, error) {
	erased := false
	err := s.toErase(ctx, a.ID, id, func(tx *store.Tx, c typus.Candidate) error {
		erased = false
		now, err := tx.Account(ctx, a.ID)
		if err != nil || !now.KeepSetAt.Equal(a.KeepSetAt) || !r.still(c, r.before(settled)) {
			return err
		}
		erased = true
		return s.eraseLocked(ctx, tx, c, typus.Actor{Name: typus.ActorServer})
	})
	if typus.Is(err, typus.NotFound) {
		return false, nil // erased by somebody else meanwhile
	}
	return erased && err == nil, err
}
