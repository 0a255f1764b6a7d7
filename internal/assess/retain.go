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

// retain is a turn for one account. It notes what it has done in the server's log, in the
// audit log, and among the account's turns.
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
		return s.noteRetention(ctx, a, store.RetentionTurn{Waiting: waits})
	}
	var turn store.RetentionTurn
	for _, r := range s.retentions(a) {
		n, failed := s.eraseDue(ctx, a, r, settled)
		err = errors.Join(err, failed)
		if failed != nil {
			turn.Failed++
		}
		*r.erased(&turn) += n
	}
	s.log.Info("retention: a turn is over", "account", a.ID, "people", turn.Finished+turn.Unfinished)
	return errors.Join(err, s.noteRetention(ctx, a, turn))
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

// noteRetention stores how many people wait for an owner's word. It keeps the turn, with a
// line in the audit log, if it did something or found another number than before.
func (s *Steps) noteRetention(ctx context.Context, a typus.Account, turn store.RetentionTurn) error {
	action, people := typus.AuditRetentionErased, turn.Finished+turn.Unfinished
	if turn.Waiting > 0 {
		action, people = typus.AuditRetentionWaits, turn.Waiting
	}
	if turn.Waiting == a.ErasureWaits && (turn.Waiting > 0 || people+turn.Failed == 0) {
		return nil
	}
	turn.At = s.now()
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		err := tx.SetErasureWaits(ctx, a.ID, turn.Waiting)
		if err == nil && people+turn.Failed > 0 {
			err = tx.AddRetentionTurn(ctx, a.ID, turn)
		}
		if err != nil || people == 0 {
			return err
		}
		return s.clerk.Audit(ctx, tx, typus.Actor{Name: typus.ActorServer}, typus.AuditEntry{AccountID: a.ID, Action: action, Detail: strconv.Itoa(people)})
	})
}

// retention is one of an account's two retentions: how to find who is due, and where a turn
// counts them.
type retention struct {
	due    func(ctx context.Context, a typus.Account, at time.Time, after store.Due, limit int) ([]store.Due, error)
	count  func(ctx context.Context, a typus.Account, at time.Time, most int) (int, error)
	erased func(turn *store.RetentionTurn) *int
}

func (s *Steps) retentions(a typus.Account) []retention {
	var list []retention
	if a.KeepFinishedDays > 0 {
		list = append(list, retention{s.store.DueFinished, s.store.CountDueFinished, func(t *store.RetentionTurn) *int { return &t.Finished }})
	}
	if a.KeepUnfinishedDays > 0 {
		list = append(list, retention{s.store.DueUnfinished, s.store.CountDueUnfinished, func(t *store.RetentionTurn) *int { return &t.Unfinished }})
	}
	return list
}

// waitForWord is how many people a turn would erase without an owner's word, or 0 if
// that many need no word. A test world never waits.
func (s *Steps) waitForWord(ctx context.Context, a typus.Account, settled time.Time) (int, error) {
	if a.IsWorld() {
		return 0, nil // nobody in it is real
	}
	waits := 0
	for _, r := range s.retentions(a) {
		due, err := r.count(ctx, a, settled, math.MaxInt32)
		if err != nil {
			return 0, err
		}
		allowed := 0
		if word := a.ErasureWordAt; !word.IsZero() {
			if allowed, err = r.count(ctx, a, word, math.MaxInt32); err != nil {
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
		return r.due(ctx, a, settled, after, limit)
	}, func(ctx context.Context, d store.Due) error {
		done, err := s.eraseIfDue(ctx, a, d.CandidateID, settled)
		if done {
			erased++
		}
		return err
	})
	return erased, err
}

// eraseIfDue checks again under the candidate's lock, because the invitation or the
// retention may have been extended in the meantime, or something decided.
func (s *Steps) eraseIfDue(ctx context.Context, a typus.Account, id int64, settled time.Time) (bool, error) {
	erased := false
	err := s.toErase(ctx, a.ID, id, func(tx *store.Tx, c typus.Candidate) error {
		erased = false
		now, err := tx.Account(ctx, a.ID)
		if err != nil || !now.KeepSetAt.Equal(a.KeepSetAt) {
			return err
		}
		k, err := tx.KeepingOf(ctx, a.ID, id)
		if err != nil {
			return err
		}
		if at := a.EraseAt(c, k); at.IsZero() || !at.Before(settled) {
			return nil
		}
		erased = true
		return s.eraseLocked(ctx, tx, c, typus.Actor{Name: typus.ActorServer})
	})
	if typus.Is(err, typus.NotFound) {
		return false, nil // erased by somebody else meanwhile
	}
	return erased && err == nil, err
}
