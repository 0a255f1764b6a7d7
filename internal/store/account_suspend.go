package store

import (
	"context"
	"slices"
	"time"

	"typus"
	"typus/internal/db"
)

// isIdle is a condition on an account x for which nothing is sent: it is suspended, or being
// deleted, however long that was cut off.
const isIdle = `(x.suspended_at is not null or x.deleting_at is not null)`

// ofIdle is true of a row whose column holds the id of such an account.
func ofIdle(column string) string {
	return `exists (select 1 from accounts x where x.id = ` + column + ` and ` + isIdle + `)`
}

// servingLocks is where the numbers of ServeAccount begin. No account, no LockInviting and no
// LockHosts has one of them.
const servingLocks = 3 << 60

// ServeAccount reads an account for which something is begun, such as an invitation. Whoever
// suspends it or begins to delete it waits until the transaction ends, and whoever comes after
// them finds what they have done. It comes before anything else is locked. NotFound; Suspended;
// Conflict: it is being deleted.
func (t *Tx) ServeAccount(ctx context.Context, accountID int64) (typus.Account, error) {
	if err := t.db.ShareNumber(ctx, servingLocks+accountID); err != nil {
		return typus.Account{}, err
	}
	a, err := t.Account(ctx, accountID)
	if err == nil {
		err = a.Serving()
	}
	return a, err
}

// stopServing waits for everybody who is being served in an account and its test world, and has
// others wait until the transaction ends. It comes before anything else is locked.
func (t *Tx) stopServing(ctx context.Context, both []any) error {
	for _, id := range both {
		account := id.(int64)
		if account < 0 {
			continue // there is no test world, as in many accounts, which must not wait for each other
		}
		if err := t.db.LockNumber(ctx, servingLocks+account); err != nil {
			return err
		}
	}
	return nil
}

// LockToSuspend locks an account and its test world before they are suspended, or serve again:
// whoever is being served in them has come to an end. NotFound.
func (t *Tx) LockToSuspend(ctx context.Context, accountID int64) (typus.Account, error) {
	both, err := t.withWorld(ctx, accountID)
	if err != nil {
		return typus.Account{}, err
	}
	if err := t.stopServing(ctx, both); err != nil {
		return typus.Account{}, err
	}
	if err := t.db.Lock(ctx, bothAccounts, both...); err != nil {
		return typus.Account{}, err
	}
	return t.LockAccount(ctx, accountID)
}

// LockToResume locks the webhooks of an account and its test world, and both accounts, before
// they serve again. NotFound.
func (t *Tx) LockToResume(ctx context.Context, accountID int64) (typus.Account, error) {
	both, err := t.withWorld(ctx, accountID)
	if err != nil {
		return typus.Account{}, err
	}
	for _, rows := range []string{`select id from webhook_endpoints where ` + ofBoth + ` order by id`, bothAccounts} {
		if err := t.db.Lock(ctx, rows, both...); err != nil {
			return typus.Account{}, err
		}
	}
	return t.LockAccount(ctx, accountID)
}

// SetSuspended suspends an account and its test world from a time on, for a reason, or with the
// zero time lets both serve again. NotFound.
func (t *Tx) SetSuspended(ctx context.Context, accountID int64, at time.Time, reason string) error {
	return t.db.Must(ctx, noAccount, `update accounts set suspended_at = $1, suspended_reason = $2 where `+itsWorldToo(`$3`), db.MillisOrNull(at), reason, accountID)
}

// PutOffReminders puts the reminders of the next candidates of an account and its test world,
// after an id, that would be due before a time off until then: up to 500. It returns the last
// of these candidates, 0: there were none.
func (t *Tx) PutOffReminders(ctx context.Context, accountID, after int64, until time.Time) (int64, error) {
	both, err := t.withWorld(ctx, accountID)
	if err != nil {
		return 0, err
	}
	ids, err := db.All(ctx, t, db.ScanInt, `
		update candidates set remind_at = $1 where id in (
			select id from candidates where account_id in ($2, $3) and id > $4 and remind_at`+db.OffIndex+` < $5 order by id limit 500`+t.db.LockRows()+`)
		returning id`,
		db.Millis(until), both[0], both[1], after, db.Millis(until))
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return slices.Max(ids), nil
}

// SpareEndpoints has the failures in a row of the webhooks of an account and its test world
// count as if the time since then had not passed, in which nothing was sent to them. Those that
// began later, by what was under way, begin now. All are looked at once the transaction ends.
// The caller has locked them (LockToResume).
func (t *Tx) SpareEndpoints(ctx context.Context, accountID int64, since time.Time) error {
	both, err := t.withWorld(ctx, accountID)
	if err != nil {
		return err
	}
	now, err := db.Now(ctx, t)
	if err != nil {
		return err
	}
	_, err = t.db.Exec(ctx, `
		update webhook_endpoints set first_failure_at = case when first_failure_at <= $1 then first_failure_at + $2 else $3 end
		where account_id in ($4, $5) and first_failure_at is not null`,
		db.Millis(since), max(0, db.Millis(now)-db.Millis(since)), db.Millis(now), both[0], both[1])
	if err != nil {
		return err
	}
	endpoints, err := t.switchedOn(ctx, both)
	if err != nil {
		return err
	}
	t.makesDue()
	for _, e := range endpoints {
		if err := t.makeDue(ctx, e, now); err != nil {
			return err
		}
	}
	return nil
}

// switchedOn are the webhooks of an account and its test world that are on.
func (t *Tx) switchedOn(ctx context.Context, both []any) ([]typus.Endpoint, error) {
	return db.All(ctx, t, scanEndpoint, `
		select `+endpointColumns+` from webhook_endpoints e where e.account_id in ($1, $2) and e.status in ('active', 'failing') order by e.id`, both...)
}

// Wake makes due what has waited while an account and its test world were suspended, which is
// over. The sweep of a server does the same a little later, so nothing is lost when this is cut
// off.
func (s *Store) Wake(ctx context.Context, accountID int64) error {
	for after := int64(0); ; {
		released, err := s.wakeLetters(ctx, accountID, after)
		if err != nil {
			return err
		}
		if len(released) == 0 {
			break
		}
		after = slices.Max(released)
	}
	var endpoints []typus.Endpoint
	err := s.InTx(ctx, func(tx *Tx) error {
		both, err := tx.withWorld(ctx, accountID)
		if err != nil {
			return err
		}
		endpoints, err = tx.switchedOn(ctx, both)
		return err
	})
	if err != nil {
		return err
	}
	for _, e := range endpoints {
		if err := s.InTx(ctx, func(tx *Tx) error { return tx.lookAt(ctx, e) }); err != nil {
			return err
		}
	}
	return nil
}

// wakeLetters queues the next held letters of an account and its test world, after an id, and
// returns which. So none is queued twice that is above the daily number, and held again.
func (s *Store) wakeLetters(ctx context.Context, accountID, after int64) ([]int64, error) {
	var released []int64
	err := s.InTx(ctx, func(tx *Tx) error {
		both, err := tx.withWorld(ctx, accountID)
		if err != nil {
			return err
		}
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		released, err = tx.releaseHeld(ctx, now, `account_id in ($2, $3) and id > $4`, append(both, after)...)
		return err
	})
	return released, err
}

// lookAt has an endpoint looked at as soon as something that waits for it can be attempted.
func (t *Tx) lookAt(ctx context.Context, e typus.Endpoint) error {
	now, err := db.Now(ctx, t)
	if err != nil {
		return err
	}
	if e, err = t.lockEndpoint(ctx, e.AccountID, e.ID); err != nil {
		return err
	}
	t.makesDue()
	return t.makeDue(ctx, e, now)
}

// idle are those of some accounts for which nothing is sent, by id. They are locked, so that
// none of them serves again before the transaction ends.
func (t *Tx) idle(ctx context.Context, accounts []int64) (map[int64]typus.Account, error) {
	found, err := t.those(ctx, accounts, isIdle)
	if err != nil {
		return nil, err
	}
	list := map[int64]typus.Account{}
	for _, id := range found {
		a, err := t.LockAccount(ctx, id)
		if err != nil {
			return nil, err
		}
		if a.Serving() != nil {
			list[id] = a
		}
	}
	return list, nil
}
