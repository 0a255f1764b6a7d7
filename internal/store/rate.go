package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// Taken is what became of one request of a key.
type Taken struct {
	Accepted bool
	Counted  int           // accepted requests in the window, this one included
	Wait     time.Duration // until the oldest of them leaves the window
}

// takeRequest is one statement, so that servers need no other lock: the row of the key
// puts its requests in order. The clock is read once the row is locked. Requests that
// have left the window are dropped. Requests in the future, from before the clock was
// set back, are moved to now, so that nobody waits longer than one window.
const takeRequest = `
	with clock as materialized (select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now)
	insert into rate_log as l (key_id, at, ok) select $1, array[now], true from clock
	on conflict (key_id) do update set (at, ok) = (
		select case when count(t) < $2 then array_agg(t order by t) filter (where t is not null) || array[c.now]
				else array_agg(t order by t) end,
			count(t) < $2
		from (select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now) c
			left join lateral (select least(old, c.now) as t from unnest(l.at) old where old > c.now - $3) kept on true
		group by c.now)
	returning ok, cardinality(at), at[1] + $3 - cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)`

// TakeRequest counts a request of a key if fewer than limit requests were accepted in
// the window before it. It is an exact sliding log over all servers. It is for
// PostgreSQL only, because the one server of an SQLite file counts in memory.
// Unavailable: the database does not answer.
func (s *Store) TakeRequest(ctx context.Context, keyID int64, limit int, window time.Duration) (Taken, error) {
	if !s.Shared() {
		return Taken{}, typus.Errorf(typus.Internal, "requests are counted in the database on PostgreSQL only")
	}
	return db.One(ctx, s, scanTaken, "", takeRequest, keyID, limit, window.Microseconds())
}

func scanTaken(row db.Row) (Taken, error) {
	var t Taken
	var micros int64
	err := row.Scan(&t.Accepted, &t.Counted, &micros)
	t.Wait = max(time.Duration(micros)*time.Microsecond, time.Microsecond)
	return t, err
}
