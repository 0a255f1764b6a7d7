package db

import (
	"context"
	"crypto/rand"
	"database/sql"
	"time"

	"github.com/jackc/pgx/v5"

	"typus"
)

const (
	// channel is where the servers on one database tell each other that something is due.
	channel = "typus_due"
	// tellEvery bounds how often a server tells: those that hear of it look at everything
	// that is due, so that one word is enough for many commits.
	tellEvery = 5 * time.Millisecond
	// lastWord is how long a server that stops takes for what it has not told yet: that it
	// has given something back, or what a command has stored.
	lastWord = time.Second
	// listenAgain is the first wait before a server listens again, listenLate the longest.
	listenAgain = 250 * time.Millisecond
	listenLate  = 30 * time.Second
)

// Whoever listens is a server, and says so by a lock that goes with its connection. It is of
// the schema: there may be one for each installation. Its key shows as an unsigned number.
const (
	presence = `select pg_advisory_lock_shared(84372095, hashtext(current_schema()))`
	present  = `
		select coalesce(string_agg(concat_ws(' ', 'PostgreSQL process', l.pid, 'from ' || host(a.client_addr),
			'since ' || to_char(a.backend_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')), ', ' order by l.pid), '')
		from pg_locks l left join pg_stat_activity a on a.pid = l.pid
		where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = 84372095
			and cast(l.objid as bigint) = cast(hashtext(current_schema()) as bigint) & 4294967295
			and l.database = (select oid from pg_database where datname = current_database())`
)

// alone implements engine.
func (p *postgresEngine) alone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var servers string
	if err := p.db.QueryRowContext(ctx, present).Scan(&servers); err != nil {
		return p.d.translate(err)
	}
	if servers != "" {
		return typus.Errorf(typus.Conflict, "a server runs on this database (%s; pg_terminate_backend ends what a dead machine has left); stop all of them", servers)
	}
	return nil
}

// teller tells the other servers on a database that something is due. It does so on its
// own and after the commit: in a transaction a notification takes a lock that all commits
// of the database wait for.
type teller struct {
	name string        // of this server, which does not listen to itself
	due  chan struct{} // holds one word at most
	stop context.CancelFunc
	done chan struct{}
}

func startTeller(db *sql.DB) *teller {
	ctx, stop := context.WithCancel(context.Background())
	t := &teller{name: rand.Text(), due: make(chan struct{}, 1), stop: stop, done: make(chan struct{})}
	go t.run(ctx, db)
	return t
}

// run tells until it is stopped, and then what still waits to be told. What cannot be told
// is found by asking.
func (t *teller) run(ctx context.Context, db *sql.DB) {
	defer close(t.done)
	for ctx.Err() == nil {
		select {
		case <-t.due:
			if t.tellAll(ctx, db, patience) != nil && ctx.Err() != nil {
				t.note() // the stop has cut it
			}
		case <-ctx.Done():
		}
		select {
		case <-time.After(tellEvery):
		case <-ctx.Done():
		}
	}
	select {
	case <-t.due:
		_ = t.tellAll(context.WithoutCancel(ctx), db, lastWord)
	default:
	}
}

// tellAll does not wait for the disk: a word that a crash of the database loses has lost
// its hearers, too.
func (t *teller) tellAll(ctx context.Context, db *sql.DB, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	_, err := db.ExecContext(ctx, `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`, channel, t.name)
	return err
}

// note has it told soon that something is due.
func (t *teller) note() {
	select {
	case t.due <- struct{}{}:
	default:
	}
}

// tell implements engine.
func (p *postgresEngine) tell() {
	if p.teller != nil {
		p.teller.note()
	}
}

// listen implements engine. It has a connection of its own, besides those of the pool. A
// transaction pooler passes no notifications on, so that with one nobody listens.
func (p *postgresEngine) listen(ctx context.Context, heard func()) {
	if p.teller == nil {
		return
	}
	for pause := listenAgain; ctx.Err() == nil; pause = min(2*pause, listenLate) {
		if p.hear(ctx, heard) {
			pause = listenAgain
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// hear listens until the connection is lost or its server is left, and reports whether
// there was one. It calls heard once at the beginning: something may have been told while
// nobody listened.
func (p *postgresEngine) hear(ctx context.Context, heard func()) bool {
	ctx, deafened := context.WithCancel(ctx)
	defer deafened()
	p.mu.Lock()
	p.deafened = deafened
	p.mu.Unlock()
	conn, err := pgx.ConnectConfig(ctx, p.pools.now.Load().Config().ConnConfig)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, presence+`; listen `+channel); err != nil {
		return false
	}
	heard()
	for {
		word, err := conn.WaitForNotification(ctx)
		if err != nil {
			return true
		}
		if word.Payload != p.teller.name {
			heard()
		}
	}
}
