package store

import (
	"context"
	"time"

	"typus/internal/db"
)

// readingsKept is the longest over which a time settles.
const readingsKept = 24 * time.Hour

// reading is a row of clock_readings.
type reading struct {
	machine time.Duration // that servers had run
	wall    time.Time     // what the clock showed
}

func scanReading(row db.Row) (reading, error) {
	var r reading
	var ms int64
	err := row.Scan(&ms, (*db.Instant)(&r.wall))
	r.machine = time.Duration(ms) * time.Millisecond
	return r, err
}

// ReadClock notes what the clock shows. ran is how long the caller has run since its
// last reading, by a monotonic clock. Several servers run side by side, so no more of
// it counts than the time since the last reading by any of them.
func (s *Store) ReadClock(ctx context.Context, ran time.Duration) error {
	return s.InTx(ctx, func(tx *Tx) error {
		last, found, err := db.Maybe(ctx, tx, scanReading, `select machine, wall from clock_readings order by machine desc limit 1`+tx.db.LockRows())
		if err != nil {
			return err
		}
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		next := reading{last.machine, now}
		if found {
			next.machine += max(0, min(ran, now.Sub(last.wall)))
		}
		// Of two readings at the same moment the earlier time is kept.
		_, err = tx.db.Exec(ctx, `
			insert into clock_readings (machine, wall) values ($1, $2)
			on conflict (machine) do update set wall = excluded.wall where excluded.wall < clock_readings.wall`,
			next.machine.Milliseconds(), db.Millis(next.wall))
		if err != nil {
			return err
		}
		return tx.dropReadings(ctx, next.machine)
	})
}

// ClockShown is the time by the clock that all users of the database share, or on SQLite,
// where that is this machine's, the latest that a server has noted of it; the zero time if
// none has.
func (s *Store) ClockShown(ctx context.Context) (time.Time, error) {
	if s.Shared() {
		return db.Now(ctx, s)
	}
	return db.One(ctx, s, db.ScanInstant, "", `select max(wall) from clock_readings`)
}

// dropReadings forgets the readings before the one that Settled begins with.
func (t *Tx) dropReadings(ctx context.Context, machine time.Duration) error {
	_, err := t.db.Exec(ctx, `
		delete from clock_readings where machine < (select max(machine) from clock_readings where machine <= $1)`,
		(machine - readingsKept).Milliseconds())
	return err
}

// Settled is a time that is certainly past: the latest time that the clock has shown as
// past at every reading while servers ran for the given while, at most 24 hours. It is
// the zero time if servers have not run that long. What cannot be undone goes by this
// time and so happens later, but a clock that is ahead for less than while does no harm
// (decision 0030).
func (r *reads) Settled(ctx context.Context, while time.Duration) (time.Time, error) {
	return db.One(ctx, r, db.ScanInstant, "", `
		select min(wall) from clock_readings where machine >= (
			select max(machine) from clock_readings where machine <= (select max(machine) from clock_readings) - $1)`,
		while.Milliseconds())
}
