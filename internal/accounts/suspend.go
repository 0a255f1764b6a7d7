package accounts

import (
	"context"
	"strings"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// reminderRest is how long nobody is reminded after an account was resumed: first goes out what
// has waited, and who is reminded hears of a test that they can take (our choice).
const reminderRest = 48 * time.Hour

// Suspend suspends an account and its test world at once, on every server: whoever is being
// invited is invited before, and nobody after. Doing it again only changes the reason; nil
// keeps the one that it has. NotFound; Forbidden: it is a test world; Conflict: it is being
// deleted; Invalid: the reason is too long or has more than one line.
func (s *Steps) Suspend(ctx context.Context, accountID int64, reason *string, by typus.Actor) (typus.Account, error) {
	var f clerk.Faults
	if reason != nil {
		reason = new(strings.TrimSpace(*reason))
		f.Remark("reason", *reason)
	}
	if err := f.Err(); err != nil {
		return typus.Account{}, err
	}
	var a typus.Account
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		var err error
		if a, err = tx.LockToSuspend(ctx, accountID); err == nil {
			err = a.Itself()
		}
		why := a.SuspendedReason
		if reason != nil {
			why = *reason
		}
		if err != nil || a.Suspended() && a.SuspendedReason == why {
			return err
		}
		if !a.Suspended() {
			a.SuspendedAt = s.now()
		}
		a.SuspendedReason = why
		if err := tx.SetSuspended(ctx, accountID, a.SuspendedAt, why); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditAccountSuspended, Detail: why})
	})
	return a, err
}

// Resume has an account and its test world serve again, and reports whether they were
// suspended. What has waited goes out now, each once; nobody is reminded within two days. What
// was cut off goes on where it was when it is called again. NotFound; Forbidden: it is a test
// world; Conflict: it is being deleted.
func (s *Steps) Resume(ctx context.Context, accountID int64, by typus.Actor) (bool, error) {
	a, err := s.store.Account(ctx, accountID)
	if err == nil {
		err = a.Itself()
	}
	if err != nil {
		return false, err
	}
	resumed := false
	if a.Suspended() {
		until := s.now().Add(reminderRest)
		if err := s.putOffReminders(ctx, accountID, until); err != nil {
			return false, err
		}
		if resumed, err = s.resume(ctx, accountID, by); err != nil {
			return false, err
		}
	}
	return resumed, s.store.Wake(ctx, accountID)
}

func (s *Steps) putOffReminders(ctx context.Context, accountID int64, until time.Time) error {
	for after := int64(0); ; {
		last := int64(0)
		err := s.store.InTx(ctx, func(tx *store.Tx) error {
			var err error
			last, err = tx.PutOffReminders(ctx, accountID, after, until)
			return err
		})
		if err != nil || last == 0 {
			return err
		}
		after = last
	}
}

func (s *Steps) resume(ctx context.Context, accountID int64, by typus.Actor) (bool, error) {
	resumed := false
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		a, err := tx.LockToResume(ctx, accountID)
		if err == nil {
			err = a.Itself()
		}
		if resumed = a.Suspended(); err != nil || !resumed {
			return err
		}
		if err := tx.SpareEndpoints(ctx, accountID, a.SuspendedAt); err != nil {
			return err
		}
		if err := tx.SetSuspended(ctx, accountID, time.Time{}, ""); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditAccountResumed})
	})
	return resumed && err == nil, err
}
