package db

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "modernc.org/sqlite/lib"

	"typus"
)

// dialect holds what differs between the two databases. The list is complete:
//
//   - the type of a counting key in migrations ({id}, {id:N}), what sets its
//     start value, and what moves it on
//   - the lock that lets one migration run at a time, where the names of the
//     tables are read, and the id that marks an SQLite file as ours
//   - how a select locks the rows it reads: waiting for them, passing over those
//     that are taken, so that they stay (as a foreign key does), or only if not even
//     that is done to them; and the locks that are no row's but have a number (SQLite's
//     one writer needs none of them)
//   - the clock of leases and due checks: the database's own where several
//     servers share it, this process's on SQLite
//   - whether several servers may share it, who then count requests in it
//     (store/rate.go): SQLite's one server counts in its memory
//   - whether a statement has a way to go on which it can be lost, and so an end of its
//     own, and what takes the server's end from it, or from waiting for a lock
//   - the settings, and how they are read
//   - which codes of the driver mean "exists already", "try again later" and
//     "run the closure again"
//   - what is left in pages beside the cells, which on SQLite is zeroed (tidy.go)
//   - how to open, and how to run a transaction (sqlite.go and writer.go,
//     postgres.go)
//
// Everything else is one SQL text with $1 parameters, which are first used in ascending
// order. What the databases do by their locale is left to Go: SQL neither lowers a text
// nor sorts texts that people see.
type dialect struct {
	name          string
	key           string // {start} is the first value
	keyStart      string // run once {table} is created whose first value is not 1; {before} is one less
	keyCount      string // "", or run before keyMove: {table} counts its keys, even if it has given none yet
	keyMove       string // moves the keys of {table} past the number $1, and on by $2, and answers with the new one
	migrationLock string
	hasMigrations string // a query for the number of our columns in a table named schema_migrations
	relations     string // a query for the names of some tables and views, whosever they are
	sign          string // marks the database as ours; "" where nothing does but its tables
	lockRows      string
	skipLocked    string
	lockNumber    string // locks a number until the transaction ends
	shareNumber   string // so do any number of transactions; whoever locks it waits
	takeTime      string // "", or lets the statements of the transaction take their time
	waitLong      string // "", or lets them wait for locks as long as it takes
	waitBriefly   string // takes that back
	keepRows      string
	shareRows     string
	aloneRows     string
	deleteRows    string
	clock         string            // a query for unix milliseconds, "" for the process's clock
	version       string            // a query
	setting       string            // a query for the setting {name}
	asserted      map[string]string // the settings that every connection makes, as they are read back
	shown         []string          // other settings that tell how the database is run
	shared        bool              // by several servers, which count requests in it together
	distant       bool              // the database is another process's, perhaps on another machine
	classify      func(error) fault
}

// fault says what a driver's error means for the caller.
type fault int

const (
	faultOther fault = iota
	faultExists
	faultLater // full, busy, away
	faultAgain // the server has rolled back so that others could go on
	faultLost  // the connection is gone; what was sent last may have been done
)

var sqliteDialect = dialect{
	name:          "sqlite",
	key:           `integer primary key autoincrement`,
	keyStart:      `insert into sqlite_sequence (name, seq) values ('{table}', {before})`,
	keyCount:      `insert into sqlite_sequence (name, seq) select '{table}', 0 where not exists (select 1 from sqlite_sequence where name = '{table}')`,
	keyMove:       `update sqlite_sequence set seq = max(seq, $1) + $2 where name = '{table}' returning seq`,
	hasMigrations: `select count(*) from pragma_table_info('schema_migrations') where name in ('name', 'applied_at')`,
	relations:     `select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite!_%' escape '!' order by name limit 3`,
	sign:          `pragma application_id = ` + strconv.Itoa(applicationID),
	version:       `select sqlite_version()`,
	setting:       `pragma {name}`,
	// synchronous=2 (FULL) syncs each commit before it is acknowledged; the
	// others keep the file healthy, the write-ahead log small and a hostile schema
	// powerless.
	asserted: map[string]string{
		"journal_mode":       "wal",
		"synchronous":        "2",
		"foreign_keys":       "1",
		"busy_timeout":       "5000",
		"wal_autocheckpoint": "0", // the log is copied beside the writer (filler)
		"journal_size_limit": "67108864",
		"secure_delete":      "1", // what is erased is gone from the file, too
		"temp_store":         "2",
		"trusted_schema":     "0",
		"cell_size_check":    "1",
		"cache_size":         "-4000", // KB; what is not in it lies in the cache of the system
	},
	classify: classifySQLite,
}

// "no key update" leaves the foreign keys of concurrent inserts alone: with the
// full lock a completion that adds deliveries would hide their endpoint from
// the courier's claim.
var postgresDialect = dialect{
	name: "postgres",
	key:  `bigint generated by default as identity (start with {start}) primary key`,
	keyMove: `
		select setval(s.name, greatest($1, coalesce(pg_sequence_last_value(s.name), 0)) + $2)
		from (select cast(pg_get_serial_sequence('{table}', 'id') as regclass) as name) s`,
	// Nobody knows how long the other server's migration takes; its locks on
	// tables in use are waited for as briefly as any.
	migrationLock: `set local statement_timeout = 0; set local lock_timeout = 0; select pg_advisory_xact_lock(8437209561); set local lock_timeout to default`,
	hasMigrations: `
		select count(*) from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = current_schema and c.relname = 'schema_migrations' and a.attname in ('name', 'applied_at')`,
	// What belongs to an extension, such as PostGIS, is no program's.
	relations: `
		select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = current_schema and c.relkind in ('r', 'p', 'v', 'm', 'f')
			and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
		order by c.relname limit 3`,
	lockRows:    ` for no key update`,
	skipLocked:  ` for no key update skip locked`,
	lockNumber:  `select pg_advisory_xact_lock($1)`,
	shareNumber: `select pg_advisory_xact_lock_shared($1)`,
	takeTime:    `set local statement_timeout = 0`,
	waitLong:    `set local lock_timeout = 0`,
	waitBriefly: `set local lock_timeout to default`,
	keepRows:    ` for key share`,
	shareRows:   ` for share`,
	aloneRows:   ` for update skip locked`,
	deleteRows:  ` for update`,
	shared:      true,
	distant:     true,
	clock:       `select cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
	version:     `select current_setting('server_version')`,
	setting:     `select current_setting('{name}')`,
	// These bound what one statement, one lock or one forgotten transaction can
	// hold up.
	asserted: map[string]string{
		"statement_timeout":                   "15s",
		"lock_timeout":                        "5s",
		"idle_in_transaction_session_timeout": "30s",
	},
	// A crash of the machine loses what was acknowledged where these are off, but
	// they are the server's own.
	shown:    []string{"fsync", "synchronous_commit"},
	classify: classifyPostgres,
}

// Now is the time by the clock that all users of this database share, unless the
// DB was given another. Errors are those of any query.
func Now(ctx context.Context, from Querier) (time.Time, error) {
	a := from.through()
	if a.clock != nil || a.d.clock == "" {
		return a.clock.Now(), nil
	}
	ms, err := One(ctx, a, ScanInt, "", a.d.clock)
	return time.UnixMilli(ms), err
}

// What follows a column by which no row is to be found: with it, neither database can
// use an index of the column, and looks the rows up by what else is asked. Their
// planners would take the index, SQLite's for want of statistics, PostgreSQL's for the
// sake of an order that a few rows need no index for.
const (
	OffIndex     = " + 0"   // behind a number
	OffTextIndex = " || ''" // behind a text
)

// What is true of every row, which PostgreSQL does not know: it expects few rows of what
// says so, and looks for what belongs to each along an index. Without it, it takes an
// account, or a test world, for one that owns most of a table, and reads whole tables.
const (
	FewOnes     = " and id" + OffIndex + " = id"     // of rows whose id is a number
	FewTextOnes = " and id" + OffTextIndex + " = id" // of rows whose id is a text
)

// LockRows ends a select that locks the rows it reads and waits for those that others
// have locked. Foreign keys may point to them meanwhile.
func (t *Tx) LockRows() string { return t.d.lockRows }

// SkipLocked ends a select that locks the rows it reads and passes over those that
// others have locked.
func (t *Tx) SkipLocked() string { return t.d.skipLocked }

// KeepRows ends a select of rows that have to stay, as those do that a foreign key
// points to.
func (t *Tx) KeepRows() string { return t.d.keepRows }

// ShareRows ends a select of rows that have to stay as they are until the transaction ends,
// for any number of transactions that want the same; whoever changes them waits.
func (t *Tx) ShareRows() string { return t.d.shareRows }

// Lock locks the rows of a select by an id, as LockRows does, for a caller who needs
// nothing of them but that. SQLite's one writer has no need to.
func (t *Tx) Lock(ctx context.Context, query string, args ...any) error {
	return t.lock(ctx, t.d.lockRows, query, args)
}

// LockToDelete is Lock of rows that are going to be deleted, as the deletion locks them: no
// foreign key may point to them meanwhile. Whoever has added a row that does is waited for.
func (t *Tx) LockToDelete(ctx context.Context, query string, args ...any) error {
	return t.lock(ctx, t.d.deleteRows, query, args)
}

func (t *Tx) lock(ctx context.Context, as, query string, args []any) error {
	if as == "" {
		return nil
	}
	_, err := All(ctx, t, ScanInt, query+as, args...)
	return err
}

// LockAlone says which of some rows, which the caller has locked and the query selects
// by their ids, nobody keeps (KeepRows). Who wants to waits from then on. With SQLite's
// one writer it is all.
func (t *Tx) LockAlone(ctx context.Context, ids []int64, query string, args ...any) ([]int64, error) {
	if t.d.aloneRows == "" {
		return ids, nil
	}
	return All(ctx, t, ScanInt, query+t.d.aloneRows, args...)
}

// LockNumber locks a number, which is no row's, until the transaction ends.
func (t *Tx) LockNumber(ctx context.Context, n int64) error {
	return t.number(ctx, t.d.lockNumber, n)
}

// AwaitNumber is LockNumber for who has taken time (TakeTime): it waits however long others
// hold the number.
func (t *Tx) AwaitNumber(ctx context.Context, n int64) error {
	if t.d.waitLong == "" {
		return t.LockNumber(ctx, n)
	}
	if _, err := t.Exec(ctx, t.d.waitLong); err != nil {
		return err
	}
	if err := t.LockNumber(ctx, n); err != nil {
		return err
	}
	_, err := t.Exec(ctx, t.d.waitBriefly)
	return err
}

// ShareNumber is LockNumber for any number of transactions at the same time; whoever locks the
// number waits for all of them.
func (t *Tx) ShareNumber(ctx context.Context, n int64) error {
	return t.number(ctx, t.d.shareNumber, n)
}

func (t *Tx) number(ctx context.Context, query string, n int64) error {
	if query == "" {
		return nil
	}
	_, err := t.Exec(ctx, query, n)
	return err
}

// Shared reports whether several servers may work on the database at the same time.
func (d *DB) Shared() bool { return d.d.shared }

// translate gives a driver's error the kind and the words that may be shown.
func (d *dialect) translate(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return unavailable(err)
	}
	if errors.Is(err, context.Canceled) {
		return typus.Errorf(typus.Unavailable, "the request ended before the database answered").WithCause(err)
	}
	switch d.classify(err) {
	case faultExists:
		return typus.Errorf(typus.Conflict, "this exists already").WithCause(err)
	case faultLater, faultAgain, faultLost:
		return unavailable(err)
	default:
		return typus.Errorf(typus.Internal, "the database refused a statement").WithCause(err)
	}
}

func unavailable(cause error) error {
	if DiskFull(cause) {
		return noRoom(cause)
	}
	return typus.Errorf(typus.Unavailable, "the database is busy or away; try again in a moment").WithCause(cause)
}

func outcomeUnknown(cause error) error {
	return typus.Errorf(typus.OutcomeUnknown, "the database did not say whether it has stored this; look before you try again").WithCause(cause)
}

// classifySQLite goes by the result code, https://sqlite.org/rescode.html.
func classifySQLite(err error) fault {
	e, ok := errors.AsType[*sqliteError](err)
	if !ok {
		return faultOther
	}
	switch e.code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return faultExists
	}
	switch e.code & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT:
		return faultLater
	}
	return faultOther
}

const lockTimeout = "55P03" // of PostgreSQL

// WaitedInVain reports whether an error says that others held a lock for longer than a
// statement waits for one.
func WaitedInVain(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == lockTimeout
}

// classifyPostgres goes by the SQLSTATE,
// https://www.postgresql.org/docs/current/errcodes-appendix.html, and takes
// every error that is not the server's own for a lost connection.
func classifyPostgres(err error) fault {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		if lostConnection(err) {
			return faultLost
		}
		return faultOther
	}
	switch e.Code {
	case "23505":
		return faultExists
	case "40001", "40P01": // serialisation failure, deadlock
		return faultAgain
	case "25006", "25P03", lockTimeout, "57014": // read-only, idle in transaction, lock timeout, statement timeout
		return faultLater
	}
	switch e.Code[:2] {
	case "08", "57": // connection exception, operator intervention: the server is going down or coming up
		return faultLost
	case "53", "58": // out of resources (disk full, too many connections), input and output
		return faultLater
	}
	return faultOther
}

func lostConnection(err error) bool {
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	return pgconn.SafeToRetry(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// readOnly reports whether the server has become a standby (SQLSTATE 25006).
func readOnly(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == "25006"
}

// LockTimeout reports whether a wait for another transaction took too long.
func LockTimeout(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == "55P03"
}
