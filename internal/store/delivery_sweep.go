package store

import (
	"context"
	"math"
	"time"

	"typus"
	"typus/internal/db"
)

// sweepBatch bounds what one step of a sweep looks at.
const sweepBatch = 500

// ReleaseDeliveries gives back what this owner has claimed and not finished, for a
// clean stop, and returns how many deliveries that were. judge says what follows for
// each.
func (s *Store) ReleaseDeliveries(ctx context.Context, owner string, judge Judge) (int, error) {
	return s.endAttempts(ctx, leases{owner: owner}, judge)
}

// TakeBackDeliveries ends the attempts of all owners and returns how many. The caller
// must know that none of the owners is alive.
func (s *Store) TakeBackDeliveries(ctx context.Context, judge Judge) (int, error) {
	return s.endAttempts(ctx, leases{all: true}, judge)
}

// SweepDeliveries ends the attempts whose lease has expired, as judge says, and returns
// how many. A lease that ends further ahead than a lease can was written by a wrong
// clock and counts as expired.
func (s *Store) SweepDeliveries(ctx context.Context, lease time.Duration, judge Judge) (int, error) {
	return s.endAttempts(ctx, leases{length: lease}, judge)
}

// SweepEndpoints checks up to 500 endpoints with ids after the given one. It mends
// those whose due_at is too late or missing, and those with deliveries that do not
// match their status. It returns the last id it has checked, or 0 at the end, and how
// many it has mended. It should find nothing, because every change keeps both right.
// Times that a wrong clock has put too far ahead are found in every call, for all
// endpoints.
func (s *Store) SweepEndpoints(ctx context.Context, after int64) (int64, int, error) {
	now, err := db.Now(ctx, s)
	if err != nil {
		return after, 0, err
	}
	seen, err := db.All(ctx, s, scanSwept, sweptQuery+`where e.id > $1 order by e.id limit $2`, after, sweepBatch)
	if err != nil {
		return after, 0, err
	}
	last := int64(0)
	if len(seen) == sweepBatch {
		last = seen[len(seen)-1].ID
	}
	for _, lane := range typus.Lanes {
		far, err := db.All(ctx, s, scanSwept, sweptQuery+`where `+inLane[lane]+` and e.due_at > $1 limit $2`, db.Millis(now.Add(farthestAttempt)), sweepBatch)
		if err != nil {
			return after, 0, err
		}
		seen = append(seen, far...)
	}
	mended, done := 0, map[int64]bool{}
	for _, e := range seen {
		if e.sound(now) || done[e.ID] {
			continue
		}
		done[e.ID] = true
		if err := s.mend(ctx, e); err != nil {
			return after, mended, err
		}
		mended++
	}
	return last, mended, s.InTx(ctx, func(tx *Tx) error {
		_, err := tx.dueNow(ctx, `
			update webhook_endpoints set settle_at = $1
			where id in (select id from webhook_endpoints where settle_at > $2 order by settle_at, id limit 500`+tx.db.SkipLocked()+`)`, db.Millis(now), db.Millis(now.Add(typus.Skew)))
		return err
	})
}

// swept is an endpoint as the sweep looks at it.
type swept struct {
	typus.Endpoint
	next    time.Time // when the first of what is pending is due, zero for nothing
	last    time.Time // when the last of it is
	first   time.Time // when the last of the newest is that were never attempted, zero for none
	held    bool
	settles bool
	idle    bool // nothing is sent for its account, so it need not be looked at
}

var sweptQuery = `
	select ` + endpointColumns + `,
		(select min(d.next_attempt_at) from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'pending'),
		(select max(d.next_attempt_at) from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'pending'),
		(select max(n.next_attempt_at) from (
			select d.attempt, d.next_attempt_at from webhook_deliveries d
			where d.endpoint_id = e.id and d.state = 'pending' order by d.id desc limit 20) n where n.attempt = 0),
		case when exists (select 1 from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'held') then 1 else 0 end,
		case when e.settle_at is null then 0 else 1 end, ` + suspended + `
	from webhook_endpoints e `

func scanSwept(row db.Row) (swept, error) {
	var s swept
	err := row.Scan(append(endpointFields(&s.Endpoint), (*db.Instant)(&s.next), (*db.Instant)(&s.last), (*db.Instant)(&s.first),
		(*db.Truth)(&s.held), (*db.Truth)(&s.settles), (*db.Truth)(&s.idle))...)
	return s, err
}

// sound reports whether everything about the endpoint is as it should be.
func (e swept) sound(now time.Time) bool {
	switch {
	case e.settles:
		return true // under way
	case !e.On():
		return !e.pending() && (!e.held || e.Status != typus.EndpointDeleted)
	case e.held || e.far(now):
		return false
	default:
		return !e.pending() || e.idle || !e.DueAt.IsZero() && !e.DueAt.After(latest(earliest(e.Endpoint, e.next, now), now.Add(lookAgain)))
	}
}

// pending reports whether anything is.
func (e swept) pending() bool { return !e.next.IsZero() }

// far reports whether an attempt lies further ahead than it can, because the clock was
// ahead when it was written. The first attempt of a delivery cannot lie ahead at all.
func (e swept) far(now time.Time) bool {
	return e.last.Sub(now) > farthestAttempt || e.first.Sub(now) > typus.Skew
}

func (s *Store) mend(ctx context.Context, e swept) error {
	return s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		if _, err := tx.lockEndpoint(ctx, e.AccountID, e.ID); err != nil {
			return err
		}
		if e.far(now) {
			return tx.DrainEndpoint(ctx, e.AccountID, e.ID)
		}
		return tx.settleNow(ctx, e.AccountID, e.ID)
	})
}

// leases selects leases: those of one owner, all of them, or those that have run out.
type leases struct {
	owner  string
	all    bool
	length time.Duration
}

// bounds are two times. A lease that ends between them is not selected.
func (l leases) bounds(now time.Time) (from, until int64) {
	switch {
	case l.all:
		return math.MaxInt64, math.MaxInt64
	case l.owner != "":
		return 0, math.MaxInt64
	default:
		return db.Millis(now), db.Millis(now.Add(l.length))
	}
}

// endAttempts ends the attempts under some leases, all attempts of one endpoint in one
// step, and returns how many those were.
func (s *Store) endAttempts(ctx context.Context, l leases, judge Judge) (int, error) {
	now, err := db.Now(ctx, s)
	if err != nil {
		return 0, err
	}
	from, until := l.bounds(now)
	endpoints, err := db.All(ctx, s, scanEndpoint, `
		select `+endpointColumns+` from webhook_endpoints e where e.id in (
			select endpoint_id from webhook_deliveries where state = 'sending' and (lease_owner = $1 or lease_until < $2 or lease_until > $3))
		order by e.id`, l.owner, from, until)
	if err != nil {
		return 0, err
	}
	sum := 0
	for _, e := range endpoints {
		n := 0
		err := s.InTx(ctx, func(tx *Tx) error {
			var err error
			n, err = tx.endAttempts(ctx, e.AccountID, e.ID, l, judge)
			return err
		})
		if err != nil {
			return sum, err
		}
		sum += n
	}
	return sum, nil
}

func (t *Tx) endAttempts(ctx context.Context, accountID, endpointID int64, l leases, judge Judge) (int, error) {
	e, err := t.lockEndpoint(ctx, accountID, endpointID)
	if err != nil {
		return 0, err
	}
	now, err := db.Now(ctx, t)
	if err != nil {
		return 0, err
	}
	// They are looked for again under the lock. What was finished in the meantime is no
	// longer under way, and what was claimed in the meantime has a lease that ends
	// within the length of a lease from now.
	from, until := l.bounds(now)
	list, err := db.All(ctx, t, scanDelivery, `
		select `+deliveryColumns+` from webhook_deliveries d
		where d.endpoint_id = $1 and d.state = 'sending' and (d.lease_owner = $2 or d.lease_until < $3 or d.lease_until > $4)
		order by d.id`+t.db.LockRows(), e.ID, l.owner, from, until)
	if err != nil {
		return 0, err
	}
	if len(list) > 0 {
		t.makesDue()
	}
	for _, d := range list {
		v := judge(e, d, false, now)
		_, err := t.db.Exec(ctx, `update webhook_attempts set outcome = $1 where delivery_id = $2 and n = $3 and outcome = 'started'`, v.Outcome, d.ID, d.Attempt)
		if err != nil {
			return 0, err
		}
		if err := t.follow(ctx, e, d, v, now); err != nil {
			return 0, err
		}
		e = v.Endpoint
	}
	return len(list), nil
}
