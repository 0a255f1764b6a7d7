package db

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"typus"
)

const (
	// postgresOldest is the oldest server that the statements run on.
	postgresOldest = 130000
	// closureRuns is how often a closure is run at most, runAgainWithin how late it may
	// be run again. Together with patience this bounds a request.
	closureRuns    = 5
	runAgainWithin = 4 * time.Second
	// connections is how many a server keeps open at most unless the address says
	// otherwise (pool_max_conns): a waiting transaction holds one.
	connections = 16
)

// postgresEngine runs each closure in an ordinary transaction.
type postgresEngine struct {
	pools  pools
	db     *sql.DB // of the pool in use
	d      *dialect
	teller *teller // nil with a transaction pooler in between

	leaves   leaves
	mu       sync.Mutex
	deafened func() // ends the connection that listens; nil: there is none
}

func openPostgres(ctx context.Context, dsn string, schema Schema) (*DB, error) {
	config, err := postgresConfig(dsn)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, typus.Errorf(typus.Invalid, "the postgres:// address cannot be used").WithCause(err)
	}
	d := &postgresDialect
	e := &postgresEngine{d: d}
	e.pools.now.Store(lenderOf(pool))
	e.db = sql.OpenDB(&e.pools)
	e.db.SetMaxIdleConns(0) // idle ones are the pool's
	a := &Access{db: sqlSession{e.db}, d: d, schema: schema, gone: new(atomic.Bool), silent: e.leaveSilent}
	if err := checkPostgres(ctx, a, config); err != nil {
		return nil, errors.Join(connectFault(config.ConnConfig, err), e.close())
	}
	if !pooled(config.ConnConfig) {
		e.teller = startTeller(e.db)
	}
	return &DB{Access: a, engine: e, closing: new(sync.Once), full: new(atomic.Bool)}, nil
}

// postgresConfig adds to the address what keeps callers from hanging on a lost server:
// short time-outs, a writable server, connections of limited age.
func postgresConfig(dsn string) (*pgxpool.Config, error) {
	config, err := readAddress(dsn)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(dsn, "pool_max_conns=") {
		config.MaxConns = connections
	}
	config.MaxConnLifetime = 30 * time.Minute
	config.MaxConnLifetimeJitter = 5 * time.Minute
	config.HealthCheckPeriod = 15 * time.Second
	c := config.ConnConfig
	c.ConnectTimeout = 5 * time.Second
	c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	c.DialFunc = (&net.Dialer{Control: limitUnacknowledged, KeepAlive: 15 * time.Second}).DialContext
	if !pooled(c) {
		c.RuntimeParams["application_name"] = "typus"
		// A statement that is long and reads little is guessed to be dear, and compiling
		// it takes longer than running it.
		c.RuntimeParams["jit"] = "off"
		for name, value := range postgresDialect.asserted {
			c.RuntimeParams[name] = value
		}
	}
	return config, nil
}

// pooled reports whether the address says that a transaction pooler such as PgBouncer
// stands in between. A pooler refuses start-up parameters, so the settings have to be
// made with "alter role … set".
func pooled(c *pgx.ConnConfig) bool { return c.DefaultQueryExecMode == pgx.QueryExecModeExec }

func checkPostgres(ctx context.Context, a *Access, config *pgxpool.Config) error {
	version, err := One(ctx, a, ScanText, "", `select current_setting('server_version_num')`)
	if err != nil {
		return err
	}
	if n, err := strconv.Atoi(version); err != nil || n < postgresOldest {
		return typus.Errorf(typus.Conflict, "PostgreSQL %s is too old; 13 or newer is needed", version)
	}
	encoding, err := One(ctx, a, ScanText, "", `select current_setting('server_encoding')`)
	if err != nil {
		return err
	}
	if encoding != "UTF8" {
		return typus.Errorf(typus.Conflict, "the database is encoded in %s; UTF8 is needed", encoding)
	}
	if err := checkOwn(ctx, a); err != nil || pooled(config.ConnConfig) {
		return err
	}
	return a.assertSettings(ctx)
}

// inTx runs the closure again after a deadlock, a serialisation failure or a
// connection that was lost before the commit; nothing of such a run is left.
func (p *postgresEngine) inTx(ctx context.Context, fn func(*Tx) error) error {
	late := time.After(runAgainWithin)
	for run := 1; ; run++ {
		again, err := p.try(ctx, fn)
		switch {
		case err == nil:
			p.leaves.answered()
		case readOnly(err):
			p.leave() // the server is a standby now: find the writable one
		case ctx.Err() == nil && endedByTime(err):
			p.leaveSilent()
		}
		if !again || run == closureRuns {
			return err
		}
		pause := time.Duration(run*run)*5*time.Millisecond + rand.N(10*time.Millisecond)
		select {
		case <-time.After(pause):
		case <-late:
			return err
		case <-ctx.Done():
			return err
		}
	}
}

// endedByTime reports whether a step was given up because it took too long.
func endedByTime(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// leave closes all connections, each as soon as nobody uses it. Those that are made next
// lead to a server that takes writes.
func (p *postgresEngine) leave() {
	p.pools.now.Load().Reset()
	p.deafen()
}

// deafen ends the connection that listens, so that it is made anew.
func (p *postgresEngine) deafen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deafened != nil {
		p.deafened()
	}
}

// leaveSilent leaves a server that has not answered within patience, since each of the
// other connections would be waited for as long. Those that wait at the same moment say
// the same.
func (p *postgresEngine) leaveSilent() {
	if p.leaves.due(time.Now()) {
		if p.pools.exchange() != nil { // the settings were good for the first pool
			p.pools.now.Load().Reset()
		}
		p.deafen()
	}
}

// try runs the closure once. Statements end with ctx. The commit does not, because its
// outcome has to be known. Each single step ends after patience, even if the server
// neither answers nor closes the connection.
func (p *postgresEngine) try(ctx context.Context, fn func(*Tx) error) (bool, error) {
	conn, err := p.acquire(ctx)
	if err != nil {
		return p.retryable(err), p.d.translate(err)
	}
	defer func() { _ = conn.Close() }()
	// Begin, commit and rollback hold on to the context of the transaction.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	late := time.AfterFunc(patience, end)
	defer late.Stop()
	tx, err := conn.BeginTx(life, nil)
	if err != nil {
		return p.retryable(err), p.d.translate(err)
	}
	late.Stop()
	// After a commit this does nothing; after a panic, runtime.Goexit or an error
	// it ends the transaction.
	defer func() {
		late.Reset(patience)
		_ = tx.Rollback()
	}()
	t := newTx(sqlSession{tx}, p.d)
	j := job{fn: fn}
	j.call(t)
	if err := t.outcome(j.err); err != nil {
		return *t.failed != nil && p.retryable(*t.failed), err
	}
	if ctx.Err() != nil {
		return false, notRun(ctx)
	}
	late.Reset(patience)
	return p.commit(tx)
}

func (p *postgresEngine) acquire(ctx context.Context) (*sql.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return p.db.Conn(ctx)
}

// commit returns OutcomeUnknown if it is unknown whether the server has committed. Then
// the closure is not run again, because it might do its work twice.
func (p *postgresEngine) commit(tx *sql.Tx) (bool, error) {
	err := tx.Commit()
	switch {
	case err == nil:
		return false, nil
	case undecided(err):
		return false, outcomeUnknown(err)
	default:
		return p.d.classify(err) == faultAgain, p.d.translate(err)
	}
}

// undecided reports whether the error of a commit leaves the outcome open. A server
// that refuses returns an error of its own and has undone the transaction. A server
// that goes down may have written the commit to its log before. The driver's
// SafeToRetry is no help: it says yes to a connection that broke after the commit was
// sent.
func undecided(err error) bool {
	if _, refused := errors.AsType[*pgconn.PgError](err); refused {
		return classifyPostgres(err) == faultLost
	}
	return !errors.Is(err, pgx.ErrTxCommitRollback)
}

func (p *postgresEngine) retryable(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return false // it has waited long enough, or is not wanted any more
	}
	f := p.d.classify(err)
	return f == faultAgain || f == faultLost
}

// lock does nothing: any number of servers may share the database.
func (p *postgresEngine) lock() error { return nil }

func (p *postgresEngine) close() error {
	if p.teller != nil {
		p.teller.stop()
		<-p.teller.done
	}
	err := p.db.Close()
	p.pools.close()
	return err
}
