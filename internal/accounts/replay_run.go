package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"typus"
	"typus/internal/store"
)

// StartReplay begins a run that sends again what a filter, which names a webhook, finds of
// it now, and returns its id. Conflict with its ReplayObstacle as cause; NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) StartReplay(ctx context.Context, accountID int64, f store.DeliveryFilter, by typus.Actor) (int64, error) {
	total, err := s.store.CountReplayable(ctx, accountID, f, store.ReplayCounted)
	if err != nil {
		return 0, err
	}
	run := store.ReplayRun{AccountID: accountID, Filter: f, Total: total, CreatedAt: s.now()}
	err = s.onEndpoint(ctx, accountID, f.EndpointID, typus.AuditReplayStarted, by, func(tx *store.Tx, e typus.Endpoint, _ time.Time) error {
		return s.clerk.Once(ctx, tx, accountID, by, func() (int64, error) {
			last, found, err := tx.LastReplayRun(ctx, accountID, e.ID)
			switch {
			case err != nil:
				return 0, err
			case found && last.State == typus.ReplayRunning:
				return 0, ReplayBusy.fault()
			case !e.On():
				return 0, ReplayOff.fault()
			case total == 0:
				return 0, ReplayNothing.fault()
			}
			run.ID, err = tx.AddReplayRun(ctx, run)
			return run.ID, err
		})
	})
	if err == nil {
		// The first go out at once. If that fails the chore does it, and says so.
		_, _ = s.replayPage(ctx, run)
	}
	return run.ID, err
}

// CancelReplay ends a run; what it has sent off goes on. A run that has ended stays as it
// is. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) CancelReplay(ctx context.Context, accountID, id int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		run, err := tx.LockReplayRun(ctx, accountID, id)
		if err != nil || run.State != typus.ReplayRunning {
			return err
		}
		return s.endReplay(ctx, tx, run, typus.ReplayCancelled, by)
	})
}

// endReplay ends a locked run and writes that into the audit log.
func (s *Steps) endReplay(ctx context.Context, tx *store.Tx, run store.ReplayRun, state typus.ReplayState, by typus.Actor) error {
	if err := tx.EndReplayRun(ctx, run, state, s.now()); err != nil {
		return err
	}
	e, err := tx.Endpoint(ctx, run.AccountID, run.Filter.EndpointID)
	if err != nil {
		return err
	}
	action := typus.AuditReplayFinished
	if state == typus.ReplayCancelled {
		action = typus.AuditReplayCancelled
	}
	return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: run.AccountID, Action: action, Detail: e.Trace()})
}

// RunReplays sends off, of each run, as much as its webhook takes in a moment. It is called
// again and again by every instance: a run is at one of them at a time, and since each page
// is one transaction, another goes on where one has died. A run that fails holds up no
// other.
func (s *Steps) RunReplays(ctx context.Context) error {
	runs, err := s.store.RunningReplays(ctx)
	faults := []error{err}
	for _, run := range runs {
		if ctx.Err() != nil {
			break
		}
		if err := s.runReplay(ctx, run); err != nil {
			faults = append(faults, fmt.Errorf("run %d: %w", run.ID, err))
		}
	}
	return errors.Join(faults...)
}

// runReplay sends off pages of a run until its webhook has enough waiting.
func (s *Steps) runReplay(ctx context.Context, run store.ReplayRun) error {
	for ctx.Err() == nil {
		if more, err := s.replayPage(ctx, run); err != nil || !more {
			return err
		}
	}
	return nil
}

// replayPage sends off one page of a run, and reports whether there may be room for another.
func (s *Steps) replayPage(ctx context.Context, run store.ReplayRun) (bool, error) {
	more := false
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		var err error
		more, err = s.replayNext(ctx, tx, run)
		return err
	})
	return more, err
}

func (s *Steps) replayNext(ctx context.Context, tx *store.Tx, run store.ReplayRun) (bool, error) {
	run, mine, err := tx.ClaimReplayRun(ctx, run.AccountID, run.ID)
	if err != nil || !mine {
		return false, err
	}
	server := typus.Actor{Name: typus.ActorServer}
	e, err := tx.Endpoint(ctx, run.AccountID, run.Filter.EndpointID)
	if err != nil {
		return false, err
	}
	if e.Status == typus.EndpointDeleted {
		return false, s.endReplay(ctx, tx, run, typus.ReplayCancelled, server)
	}
	made, left, err := tx.ReplayMore(ctx, run, e, s.newDeliveryID)
	if err != nil || left {
		return made > 0, err
	}
	return false, s.endReplay(ctx, tx, run, typus.ReplayDone, server)
}
