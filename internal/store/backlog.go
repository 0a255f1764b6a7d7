package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// MostCounted is where the counts of a Backlog end: what waits is counted for whoever
// watches, several times a minute, and nobody needs more figures than that.
const MostCounted = 10_000

// Backlog is what waits in the whole database, and when recurring work was last done.
type Backlog struct {
	// Deliveries are counted by state: pending, sending, held.
	Deliveries map[string]int
	// Letters are counted by what holds them: waiting; deferred, which were tried and are
	// tried again; sending; postponed to another day; failed, of candidates. Those of
	// test worlds are not among waiting.
	Letters map[string]int
	// Overdue is since when the oldest have been due.
	Overdue Overdue
	// Done is when a turn of a chore last ended well, zero if none ever did.
	Done map[string]time.Time
	// Now is the time of the database.
	Now time.Time
}

// backlogQuery counts along one index each, whose order it names so that neither planner
// takes another, and ends a count at MostCounted.
const backlogQuery = `
	select 'deliveries', 'pending', count(*) from (
		select 1 from webhook_deliveries where state = 'pending' order by endpoint_id, id limit $1) counted
	union all select 'deliveries', 'sending', count(*) from (
		select 1 from webhook_deliveries where state = 'sending' order by lease_until limit $1) counted
	union all select 'deliveries', 'held', count(*) from (
		select 1 from webhook_deliveries where state = 'held' order by endpoint_id, id limit $1) counted
	union all select 'letters', 'waiting', count(*) from (
		select 1 from letters where kept = 0 and state = 'queued' and turn is null order by urgent, next_attempt_at, id limit $1) counted
	union all select 'letters', 'waiting', count(*) from (
		select 1 from letters where kept = 0 and state = 'queued' and turn is not null order by urgent desc, turn limit $1) counted
	union all select 'letters', 'deferred', count(*) from (
		select 1 from letters where state = 'queued' and turn is null and attempts > 0 order by next_attempt_at limit $1) counted
	union all select 'letters', 'sending', count(*) from (
		select 1 from letters where state = 'sending' order by lease_until limit $1) counted
	union all select 'letters', 'postponed', count(*) from (
		select 1 from letters where held_until is not null order by held_until limit $1) counted
	union all select 'letters', 'failed', count(*) from (
		select 1 from letters where state = 'failed' and candidate_id is not null order by account_id, id limit $1) counted`

// Backlog reads what waits. It costs the same however many rows there are.
func (s *Store) Backlog(ctx context.Context) (Backlog, error) {
	b := Backlog{Deliveries: map[string]int{}, Letters: map[string]int{}, Done: map[string]time.Time{}}
	_, err := db.All(ctx, s, func(row db.Row) (struct{}, error) {
		var what, state string
		var n int
		err := row.Scan(&what, &state, &n)
		if what == "letters" {
			b.Letters[state] = min(b.Letters[state]+n, MostCounted)
		} else {
			b.Deliveries[state] = n
		}
		return struct{}{}, err
	}, backlogQuery, MostCounted)
	if err != nil {
		return Backlog{}, err
	}
	_, err = db.All(ctx, s, func(row db.Row) (struct{}, error) {
		var name string
		var at db.Instant
		err := row.Scan(&name, &at)
		b.Done[name] = time.Time(at)
		return struct{}{}, err
	}, `select name, done_at from chores`)
	if err != nil {
		return Backlog{}, err
	}
	if b.Now, err = db.Now(ctx, s); err != nil {
		return Backlog{}, err
	}
	b.Overdue, err = s.firstOverdue(ctx, b.Now)
	return b, err
}
