package store

import (
	"context"
	"strings"
	"time"

	"typus/internal/db"
)

// MoveWorld moves the clock of a test world on by d: every time of it goes back by so much,
// and what is shown of it is so much further ahead (decision 0070). The caller holds its move
// (GoOn) or nobody is there to hold one. NotFound: there is no such world.
func (t *Tx) MoveWorld(ctx context.Context, worldID int64, d time.Duration) error {
	for _, statement := range moveStatements {
		if _, err := t.dueNow(ctx, statement, d.Milliseconds(), worldID); err != nil {
			return err
		}
	}
	return t.db.Must(ctx, noWorld, `update accounts set ahead = ahead + $1 where id = $2 and parent_id is not null`, d.Milliseconds(), worldID)
}

const noWorld = "there is no such test world"

// moveStatements are one for each table of worldTimes.
var moveStatements = func() []string {
	var list []string
	for _, table := range worldTimes {
		var sets []string
		for _, c := range table.columns {
			sets = append(sets, c+" = "+c+" - $1")
		}
		list = append(list, `update `+table.name+` set `+strings.Join(sets, ", ")+` where `+table.whose)
	}
	return list
}()

// nextDues are when something falls due in a test world ($1) after a time ($2), of each sort.
var nextDues = []string{
	`select min(due_at) from world_acts where account_id = $1 and due_at > $2`,
	`select min(remind_at) from candidates where account_id = $1 and remind_at` + db.OffIndex + ` > $2`,
	`select min(expires_at) from candidates where account_id = $1 and expires_at` + db.OffIndex + ` > $2 and ` + invited + ` and expired_at is null`,
	`select min(next_attempt_at) from letters where account_id = $1 and state = 'queued' and next_attempt_at` + db.OffIndex + ` > $2`,
	`select min(held_until) from letters where account_id = $1 and state = 'held' and held_until` + db.OffIndex + ` > $2`,
	`select min(case when due_at > coalesce(probe_after, 0) then due_at else probe_after end) from webhook_endpoints
		where account_id = $1 and status in ('active', 'failing') and due_at is not null and (due_at > $2 or probe_after > $2)`,
}

// NextDue is the first time after another at which something falls due in a test world:
// what somebody does by themselves, a reminder, the end of an invitation, a letter, an attempt
// at a webhook. Zero: nothing does.
func (r *reads) NextDue(ctx context.Context, worldID int64, after time.Time) (time.Time, error) {
	var next time.Time
	for _, query := range nextDues {
		at, err := db.One(ctx, r, db.ScanInstant, "", query, worldID, db.Millis(after))
		if err != nil {
			return time.Time{}, err
		}
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next, nil
}

// Unsettled is what of a test world's is due to be brought or being brought.
type Unsettled struct {
	Due     int // letters and deliveries
	Sending int // and imports that invite people
}

// Unsettled counts what has to be brought in a test world at this moment.
func (s *Store) Unsettled(ctx context.Context, worldID int64) (Unsettled, error) {
	now, err := db.Now(ctx, s)
	if err != nil {
		return Unsettled{}, err
	}
	return db.One(ctx, s, func(row db.Row) (Unsettled, error) {
		var u Unsettled
		err := row.Scan(&u.Due, &u.Sending)
		return u, err
	}, "", `
		select
			(select count(*) from letters where account_id = $1 and state = 'queued' and next_attempt_at <= $2) +
			(select count(*) from webhook_endpoints e join webhook_deliveries d on d.endpoint_id = e.id and d.state = 'pending' and d.next_attempt_at <= $2
				where e.account_id = $1 and e.status in ('active', 'failing') and coalesce(e.probe_after, 0) <= $2),
			(select count(*) from letters where account_id = $1 and state = 'sending') +
			(select count(*) from webhook_endpoints e join webhook_deliveries d on d.endpoint_id = e.id and d.state = 'sending' where e.account_id = $1) +
			(select count(*) from imports where account_id = $1 and finished_at is null and state = 'running')`,
		worldID, db.Millis(now))
}
