package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"typus/internal/seal"
	"typus/internal/store"
)

// quiet does all that is due in a database, so that nothing is worked off beside what
// is measured: a quiet server, as it is most of the time. A database that an earlier
// program has kept is brought up to date.
func quiet(ctx context.Context, path string) error {
	st, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	if err := errors.Join(doDue(ctx, st), st.Close()); err != nil {
		return err
	}
	return bringAll(ctx, path)
}

// doDue is what the server's chores do for candidates.
func doDue(ctx context.Context, st *store.Store) error {
	if _, err := st.Migrate(ctx); err != nil {
		return err
	}
	box, err := seal.New([]byte(secretKey))
	if err != nil {
		return err
	}
	now := time.Now()
	steps := stepsOn(st, box, time.Now)
	return errors.Join(steps.RemindDue(ctx, now), steps.ExpireDue(ctx, now), steps.IndexCandidates(ctx))
}

// bringAll makes every letter a sent one and every webhook a delivered one, with the
// log line of the first.
func bringAll(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, q := range []string{
		`pragma synchronous = off`,
		`update letters set state = 'sent', attempts = 1, last_code = 250, sent_at = created_at + 2000 where state = 'queued'`,
		`insert into webhook_attempts (delivery_id, n, started_at, duration_ms, url, remote_ip, request_headers, http_status, error_code, response_head, response_body, outcome)
			select d.id, 1, d.next_attempt_at, a.duration_ms, a.url, a.remote_ip, a.request_headers, a.http_status, a.error_code, a.response_head, a.response_body, a.outcome
			from webhook_deliveries d, (select * from webhook_attempts order by id limit 1) a where d.state = 'pending'`,
		`update webhook_deliveries set state = 'delivered', attempt = 1, last_status = 200, finished_at = next_attempt_at + 20 where state = 'pending'`,
		`pragma wal_checkpoint(truncate)`,
	} {
		if _, err := db.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return nothingDue(ctx, db)
}

// nothingDue finds fault with a database in which a server would have something to do.
func nothingDue(ctx context.Context, db *sql.DB) error {
	var due int
	err := db.QueryRowContext(ctx, `select
		(select count(*) from candidates where remind_at <= $1) +
		(select count(*) from candidates where expires_at <= $1 and status <> 'abgeschlossen' and expired_at is null and cancelled_at is null and erased_at is null) +
		(select count(*) from candidates where name_key is null) +
		(select count(*) from letters where state in ('queued', 'sending')) +
		(select count(*) from webhook_deliveries where state in ('pending', 'sending'))`, time.Now().UnixMilli()).Scan(&due)
	if err == nil && due > 0 {
		err = fmt.Errorf("%d things are still due", due)
	}
	return err
}

// A process that uses less than eased of a processor in easedOver is at rest.
const (
	eased     = 2 * tick
	easedOver = 5 * time.Second
)

// atEase waits until a server that has just started has done what it does by itself
// then: 20 seconds after its start it begins to look at the whole file.
func (b *bench) atEase(ctx context.Context, pid int) error {
	pause(ctx, b.ease)
	for begun := time.Now(); time.Since(begun) < 10*time.Minute; {
		before, err := processorTime(pid)
		if err != nil {
			return err
		}
		pause(ctx, min(b.ease, easedOver))
		after, err := processorTime(pid)
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if after-before <= eased {
			return nil
		}
	}
	return errors.New("the server does not come to rest")
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
