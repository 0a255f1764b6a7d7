//go:build chaos

package chaos

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/go-json-experiment/json"

	"typus/internal/db"
	"typus/internal/db/dbtest"
)

// renamed are columns that a migration gives another name.
var renamed = map[string]string{
	"sent_forms.candidate_id": "made_id",
	"notices.created_at":      "used_at",
}

// dropped are columns that a migration takes away, and why nothing is lost by it.
var dropped = map[string]string{
	"accounts.logo":         "0017: stands in account_logos",
	"idempotency_keys.body": "0015: the answer is written again from the candidate",
	"retention_turns.kept":  "0041: was never counted",
}

// rewritten are columns whose rows a migration writes anew, and why.
var rewritten = map[string]string{
	"candidates.email_key":       "0053: mailboxes instead of lower case",
	"candidates.open_ref":        "0053",
	"users.email_key":            "0053",
	"signups.email_key":          "0053",
	"enrolments.email_key":       "0053",
	"import_rows.email_key":      "0053",
	"kept_letters.recipient_key": "0053",
	"idempotency_keys.key":       "0015: its hash",
	"candidates.name_key":        "0020, 0050, 0055: indexed anew",
	"candidates.notice_version":  "0026: nobody's, of who is erased",
	"candidates.notice_language": "0026",
	"candidates.notice_at":       "0026",
	"chores.next_at":             "0050: a turn is due",
	"positions.client_name":      "0037: what is described has a column of its own",
}

// A schema of each earlier version, with rows in every table, is brought up to date by the real
// program, which is killed on the way: what the kill leaves is the old schema with all rows, or
// the new one; and then everything is there, on the schema that an empty database gets.
func TestEveryEarlierSchemaIsBroughtUpToDateWhateverKillsIt(t *testing.T) {
	t.Parallel()
	dbtest.RunEmpty(t, func(t *testing.T, dsn string) {
		u := &upgrade{rand: drawn(t), touched: map[string]bool{}}
		if strings.HasPrefix(dsn, "postgres://") {
			u.dialect = "postgres"
		} else {
			u.dialect = "sqlite"
		}
		names := u.migrations(t)
		if applied := u.migrate(t, dsn); !slices.Equal(applied, names) {
			t.Fatalf("an empty database gets %q", applied)
		}
		u.want = u.schema(t, dsn)
		first := 1
		if short() {
			first = len(names) - 3
		}
		began := time.Now()
		for n := first; n < len(names); n++ {
			t.Run(names[n-1], func(t *testing.T) { u.from(t, names, n) })
		}
		figures(t, "P16 %s: %d earlier schemas with rows in every table, %d kills (%d left the old schema, %d came too late), all rows kept, %.0f s",
			u.dialect, len(names)-first, u.kills, u.old, u.kills-u.old, time.Since(began).Seconds())
		if u.dialect == "postgres" && u.old < u.kills/4 {
			t.Errorf("of %d kills %d hit a migration", u.kills, u.old)
		}
		if short() {
			return
		}
		for column, why := range rewritten {
			if !u.touched[column] {
				t.Errorf("no migration writes %s anew (%s)", column, why)
			}
		}
	})
}

// upgrade is what the upgrades on one database have in common.
type upgrade struct {
	rand       *rand.Rand
	dialect    string
	want       []string        // the schema of an empty database that was migrated
	touched    map[string]bool // columns that were written anew
	kills, old int             // how often it was killed, and how often that left the old schema
}

// migrations lists those of this database, in order.
func (u *upgrade) migrations(t *testing.T) []string {
	t.Helper()
	paths, err := fs.Glob(os.DirFS("../internal/store"), "migrations/*.sql")
	if err != nil || len(paths) < 50 {
		t.Fatalf("%d migrations, %v", len(paths), err)
	}
	var names []string
	for _, path := range paths {
		name := filepath.Base(path)
		if of := strings.Split(name, "."); len(of) == 2 || of[1] == u.dialect {
			names = append(names, name)
		}
	}
	return names
}

// empty is the address of a database of which nothing is made yet.
func (u *upgrade) empty(t *testing.T) string {
	t.Helper()
	if u.dialect == "postgres" {
		return dbtest.EmptyPostgres(t)
	}
	return filepath.Join(t.TempDir(), "typus.db")
}

// from upgrades a database that has the first n migrations.
func (u *upgrade) from(t *testing.T, names []string, n int) {
	dsn := u.empty(t)
	u.make(t, dsn, names[:n])
	u.fill(t, dsn)
	before := u.contents(t, dsn)
	if u.dialect == "postgres" {
		u.killBetween(t, dsn)
		u.isOldOrNew(t, dsn, names, before, true)
		u.killSometime(t, dsn)
	} else {
		u.killAtAWrite(t, dsn)
	}
	now := u.isOldOrNew(t, dsn, names, before, false)
	applied := u.migrate(t, dsn)
	if now && len(applied) > 0 || !now && !slices.Equal(applied, names[n:]) {
		t.Errorf("after the kill a start applies %q", applied)
	}
	if got := u.schema(t, dsn); !slices.Equal(got, u.want) {
		t.Errorf("the schema is not that of an empty database: %s", differing(u.want, got))
	}
	u.kept(t, before, u.contents(t, dsn))
}

// make gives an empty database these migrations, as the program of that day did. What they
// leave to Go concerns rows alone, and there are none.
func (u *upgrade) make(t *testing.T, dsn string, names []string) {
	t.Helper()
	some := fstest.MapFS{}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("../internal/store/migrations", name))
		if err != nil {
			t.Fatal(err)
		}
		some["migrations/"+name] = &fstest.MapFile{Data: text}
	}
	d, err := db.Open(t.Context(), dsn, db.Schema{Migrations: some})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Migrate(t.Context())
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
}

// command is the program with a database.
func (u *upgrade) command(dsn string, args ...string) *exec.Cmd {
	c := exec.Command(program, args...) //nolint:gosec // just built
	c.Env = []string{"TYPUS_DATABASE=" + dsn, "TYPUS_SECRET_KEY=" + strings.Repeat("s", 40)}
	return c
}

// migrate runs typus migrate to its end and returns what it applied.
func (u *upgrade) migrate(t *testing.T, dsn string) []string {
	t.Helper()
	c := u.command(dsn, "migrate", "--json")
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	var answer struct {
		Applied []string `json:"applied"`
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	return answer.Applied
}

// killAtAWrite lets the kernel kill the program at a drawn one of its writes to the file: what
// is on a disk changes at these alone. How many there are, it shows on a copy. Where strace
// cannot be had, it is killed at a drawn time; CI has it.
func (u *upgrade) killAtAWrite(t *testing.T, dsn string) {
	t.Helper()
	u.kills++
	atSomeTime := func(why error) {
		if os.Getenv("CI") != "" {
			t.Fatalf("strace: %v", why)
		}
		u.killAfter(t, u.command(dsn, "migrate"), time.Duration(u.rand.IntN(300))*time.Millisecond)
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		atSomeTime(err)
		return
	}
	traced := func(dsn string, args ...string) error {
		c := u.command(dsn)
		args = append(append([]string{strace, "-f", "-qq"}, args...), program, "migrate")
		c.Path, c.Args = strace, args
		return c.Run()
	}
	seen := filepath.Join(t.TempDir(), "writes")
	if err := traced(onDisk(t, dsn), "-o", seen, "-e", "trace=pwrite64"); err != nil { // a container may forbid it
		atSomeTime(err)
		return
	}
	text, err := os.ReadFile(seen) //nolint:gosec // just written
	if err != nil {
		t.Fatal(err)
	}
	writes, most := map[string]int{}, 0 // by thread, as strace counts them
	for line := range strings.Lines(string(text)) {
		thread, call, _ := strings.Cut(line, " ")
		if strings.Contains(call, "pwrite64(") {
			writes[thread]++
			most = max(most, writes[thread])
		}
	}
	if most < 5 {
		t.Fatalf("a migration writes %d times", most)
	}
	_ = traced(dsn, "-o", os.DevNull, "-e", "trace=pwrite64", "-e", fmt.Sprintf("inject=pwrite64:signal=KILL:when=%d", 1+u.rand.IntN(most))) // it is killed
}

func (u *upgrade) killAfter(t *testing.T, c *exec.Cmd, wait time.Duration) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(wait)
	_ = c.Process.Kill() // it may have ended
	_ = c.Wait()
}

// killBetween kills the program when it has made all that the next migration makes, and is
// about to write that down.
func (u *upgrade) killBetween(t *testing.T, dsn string) {
	t.Helper()
	u.kills++
	other := opened(t, dsn)
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), `lock table schema_migrations in share mode`); err != nil {
		t.Fatal(err)
	}
	c := u.command(dsn, "migrate")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	if !u.sees(t, other, ended, `select count(*) > 0 from pg_locks where relation = 'schema_migrations'::regclass and not granted`) {
		t.Error("the program ended although it could not write down what it did")
	}
	_ = c.Process.Kill() // it has ended only if that was said
	<-ended
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	u.alone(t, other)
}

// killSometime kills the program at a drawn time after it has begun to migrate.
func (u *upgrade) killSometime(t *testing.T, dsn string) {
	t.Helper()
	u.kills++
	other := opened(t, dsn)
	c := u.command(dsn, "migrate")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	u.sees(t, other, ended, `select count(*) > 0 from pg_locks where locktype = 'advisory' and granted and mode = 'ExclusiveLock'
		and database = (select oid from pg_database where datname = current_database())`)
	time.Sleep(time.Millisecond << u.rand.IntN(7))
	_ = c.Process.Kill() // it may have ended
	<-ended
	u.alone(t, other)
}

// sees asks until the answer is yes; no if the program ends before.
func (u *upgrade) sees(t *testing.T, other *sql.DB, ended chan error, query string) bool {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		var yes bool
		if err := other.QueryRowContext(t.Context(), query).Scan(&yes); err != nil {
			t.Fatal(err)
		}
		if yes {
			return true
		}
		select {
		case err := <-ended:
			ended <- err
			return false
		default:
		}
	}
	t.Fatalf("nothing is seen by %s", query)
	return false
}

// alone waits until the server has ended what the killed program began, and lets go of the
// database.
func (u *upgrade) alone(t *testing.T, other *sql.DB) {
	t.Helper()
	other.SetMaxIdleConns(1)
	never := make(chan error)
	u.sees(t, other, never, `select count(*) = 0 from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`)
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
}

// isOldOrNew wants the database to be as it was or whole, and says whether it is whole.
func (u *upgrade) isOldOrNew(t *testing.T, dsn string, names []string, before map[string]*table, old bool) bool {
	t.Helper()
	now := u.contents(t, dsn)
	applied := len(now["schema_migrations"].rows)
	if !old && applied == len(names) {
		u.kept(t, before, now)
		return true
	}
	u.old++
	for name, was := range before {
		if is := now[name]; is == nil || !slices.Equal(is.columns, was.columns) || !slices.EqualFunc(is.rows, was.rows, slices.Equal) {
			t.Errorf("%d migrations are noted after a kill; of %s is left %v, it was %v", applied, name, is, was)
		}
	}
	if len(now) != len(before) {
		t.Errorf("a kill leaves %d tables of %d", len(now), len(before))
	}
	return false
}

// table is what a table holds, each cell as text, sorted by its key.
type table struct {
	columns []string
	key     []int // places in columns
	rows    [][]string
}

func (a *table) column(name string) int { return slices.Index(a.columns, name) }

// keyOf is what tells a row from all others.
func (a *table) keyOf(row []string) string {
	var parts []string
	for _, k := range a.key {
		parts = append(parts, row[k])
	}
	return strings.Join(parts, "|")
}

// kept wants every row of before in after: each column that is not renamed, dropped or written
// anew holds what it held.
func (u *upgrade) kept(t *testing.T, before, after map[string]*table) {
	t.Helper()
	for name, was := range before {
		is := after[name]
		if is == nil {
			t.Errorf("the table %s is gone", name)
			continue
		}
		to := make([]int, len(was.columns))
		for i, column := range was.columns {
			of := name + "." + column
			if to[i] = is.column(column); to[i] < 0 {
				to[i] = is.column(renamed[of])
			}
			if to[i] < 0 && dropped[of] == "" {
				t.Errorf("the column %s is gone", of)
			}
		}
		rows := map[string][]string{}
		for _, row := range is.rows {
			rows[u.stable(name, is, row)] = row
		}
		for _, row := range was.rows {
			now := rows[u.stable(name, was, row)]
			if now == nil {
				t.Errorf("%s: the row %s is gone", name, was.keyOf(row))
				continue
			}
			for i, column := range was.columns {
				if to[i] < 0 || now[to[i]] == row[i] {
					continue
				}
				if of := name + "." + column; rewritten[of] != "" {
					u.touched[of] = true
				} else {
					t.Errorf("%s of %s was %q, is %q", of, was.keyOf(row), row[i], now[to[i]])
				}
			}
		}
	}
}

// stable is the key of a row by what no migration writes anew.
func (u *upgrade) stable(name string, a *table, row []string) string {
	if name == "idempotency_keys" { // its key becomes a hash
		return row[a.column("api_key_id")]
	}
	return a.keyOf(row)
}

// differing are the lines that one of two lists lacks.
func differing(want, got []string) string {
	var lines []string
	for _, line := range want {
		if !slices.Contains(got, line) {
			lines = append(lines, "- "+line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			lines = append(lines, "+ "+line)
		}
	}
	return strings.Join(lines, "\n")
}

// opened is a database as other programs open it, until the test ends.
func opened(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	driver := "sqlite"
	if strings.HasPrefix(dsn, "postgres://") {
		driver = "pgx"
	}
	d, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// onDisk is a copy of what a file and its log hold: to look at it must not mend it.
func onDisk(t *testing.T, path string) string {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "copy-")
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "typus.db")
	for _, end := range []string{"", "-wal"} {
		text, err := os.ReadFile(path + end)
		if errors.Is(err, fs.ErrNotExist) && end != "" {
			continue
		}
		if err == nil {
			err = os.WriteFile(copied+end, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return copied
}

// Catalogues of either database. A column is its table, name and type, and whether it is a part
// of the key.
const (
	sqliteColumns = `select m.name, c.name, lower(c.type), c.pk > 0 from sqlite_master m join pragma_table_info(m.name) c
		where m.type = 'table' and m.name not like 'sqlite%' order by m.name, c.cid`
	postgresColumns = `select c.table_name, c.column_name, c.data_type, exists (select 1 from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
			where i.indisprimary and i.indrelid = c.table_name::regclass and a.attname = c.column_name)
		from information_schema.columns c where c.table_schema = current_schema and c.table_name <> 'rate_log' order by c.table_name, c.ordinal_position`
	sqliteSchema   = `select type || ' ' || name || ': ' || coalesce(sql, '') from sqlite_master where name not like 'sqlite%' order by 1`
	postgresSchema = `
		select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') || is_identity from information_schema.columns where table_schema = current_schema
		union all select indexdef from pg_indexes where schemaname = current_schema
		union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = current_schema::regnamespace
		order by 1`
)

// schema lists all that a database consists of, without its rows.
func (u *upgrade) schema(t *testing.T, dsn string) []string {
	t.Helper()
	query := sqliteSchema
	if u.dialect == "postgres" {
		query = postgresSchema
	}
	d := opened(t, dsn)
	defer d.Close()
	var lines []string
	for _, row := range rowsOf(t, d, query) {
		lines = append(lines, row[0])
	}
	return lines
}

// rowsOf are the rows of an answer, each cell as text.
func rowsOf(t *testing.T, d *sql.DB, query string) [][]string {
	t.Helper()
	rows, err := d.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for rows.Next() {
		cells, texts := make([]any, len(names)), make([]string, len(names))
		for i := range cells {
			cells[i] = new(any)
		}
		if err := rows.Scan(cells...); err != nil {
			t.Fatal(err)
		}
		for i := range cells {
			switch v := (*cells[i].(*any)).(type) {
			case nil:
				texts[i] = "null"
			case []byte:
				texts[i] = string(v)
			default:
				texts[i] = fmt.Sprint(v)
			}
		}
		all = append(all, texts)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// tables are those of a database, without their rows, and the type of each column.
func (u *upgrade) tables(t *testing.T, d *sql.DB) (map[string]*table, map[string]string) {
	t.Helper()
	query := sqliteColumns
	if u.dialect == "postgres" {
		query = postgresColumns
	}
	all, types := map[string]*table{}, map[string]string{}
	for _, c := range rowsOf(t, d, query) {
		if all[c[0]] == nil {
			all[c[0]] = &table{}
		}
		a := all[c[0]]
		if c[3] == "1" || c[3] == "true" {
			a.key = append(a.key, len(a.columns))
		}
		a.columns = append(a.columns, c[1])
		types[c[0]+"."+c[1]] = c[2]
	}
	return all, types
}

// contents are all rows of a database, as they would be found after a crash.
func (u *upgrade) contents(t *testing.T, dsn string) map[string]*table {
	t.Helper()
	if u.dialect == "sqlite" {
		dsn = onDisk(t, dsn)
	}
	d := opened(t, dsn)
	defer d.Close()
	all, _ := u.tables(t, d)
	for name, a := range all {
		a.rows = rowsOf(t, d, "select "+strings.Join(a.columns, ", ")+" from "+name)
		slices.SortFunc(a.rows, func(x, y []string) int { return strings.Compare(a.keyOf(x), a.keyOf(y)) })
	}
	return all
}

// people is how many rows each table gets. The first has every column, the second only those
// that must be there, and the third is of somebody who was erased.
const people = 3

// fill writes rows into every table. What refers to a row is its number.
func (u *upgrade) fill(t *testing.T, dsn string) {
	t.Helper()
	d := opened(t, dsn)
	defer d.Close()
	d.SetMaxOpenConns(1)
	run := func(query string, args ...any) {
		t.Helper()
		if _, err := d.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatalf("%s %v: %v", query, args, err)
		}
	}
	if u.dialect == "postgres" {
		run(`set session_replication_role = replica`) // tables refer to each other
	}
	optional := map[string]bool{}
	for _, row := range rowsOf(t, d, map[string]string{
		"sqlite":   `select m.name || '.' || c.name from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table' and c."notnull" = 0 and c.pk = 0`,
		"postgres": `select table_name || '.' || column_name from information_schema.columns where table_schema = current_schema and is_nullable = 'YES'`,
	}[u.dialect]) {
		optional[row[0]] = true
	}
	all, types := u.tables(t, d)
	for name, a := range all {
		if name == "schema_migrations" {
			continue
		}
		for n := 1; n <= people; n++ {
			var columns, places []string
			var args []any
			for _, column := range a.columns {
				of := name + "." + column
				if optional[of] && n == 2 || of == "accounts.parent_id" || of == "candidates.erased_at" && n == 1 {
					continue
				}
				columns, args = append(columns, column), append(args, cell(of, types[of], n))
				places = append(places, fmt.Sprintf("$%d", len(args)))
			}
			run("insert into "+name+" ("+strings.Join(columns, ", ")+") values ("+strings.Join(places, ", ")+")", args...)
		}
		if u.dialect == "postgres" && a.column("id") >= 0 && types[name+".id"] == "bigint" {
			run(`select setval(pg_get_serial_sequence('` + name + `', 'id'), (select max(id) from ` + name + `))`)
		}
	}
}

// firstCandidate is the first id that is given to anybody.
const firstCandidate = 100_000_000_000_001

// cells are what columns hold whose text or number means something.
var cells = map[string]func(n int) any{
	"candidates.id":                 func(n int) any { return int64(firstCandidate + n) },
	"candidates.status":             func(n int) any { return []string{"abgeschlossen", "offen", "abgeschlossen"}[n-1] },
	"candidates.open_ref":           func(n int) any { return fmt.Sprintf("%d\u001fcrm-%d\u001fkim.%d@müller.example", n, n, n) },
	"candidates.scores":             func(n int) any { return []byte(`{"overall":70}`) },
	"audit_log.action":              func(n int) any { return "candidate.corrected" },
	"audit_log.detail":              func(n int) any { return "name email" },
	"accounts.notice":               func(int) any { return "" },
	"accounts.language":             func(int) any { return "de" },
	"letters.kind":                  func(n int) any { return []string{"password_reset", "invitation", "reminder"}[n-1] },
	"letters.state":                 func(n int) any { return []string{"held", "sent", "failed"}[n-1] },
	"user_links.purpose":            func(n int) any { return []string{"restore", "password", "email"}[n-1] },
	"positions.client_kind":         func(n int) any { return []string{"described", "named", ""}[n-1] },
	"webhook_deliveries.state":      func(n int) any { return []string{"pending", "delivered", "exhausted"}[n-1] },
	"webhook_deliveries.kind":       func(int) any { return "auto" },
	"webhook_endpoints.status":      func(int) any { return "active" },
	"chores.name":                   func(n int) any { return []string{"index candidates", "retention", "sweep"}[n-1] },
	"role_versions.version":         func(int) any { return int64(1) },
	"idempotency_keys.candidate_id": func(n int) any { return int64(firstCandidate + n) },
	"webhook_endpoints.url":         func(n int) any { return fmt.Sprintf("https://127.0.0.1:9/%d", n) },
	"clock_readings.machine":        func(n int) any { return int64(n) },
}

// cell is what the n-th row of a table holds in a column.
func cell(of, kind string, n int) any {
	if value := cells[of]; value != nil {
		return value(n)
	}
	_, column, _ := strings.Cut(of, ".")
	switch {
	case column == "email" || column == "recipient":
		return fmt.Sprintf("Kim.%d@Müller.example", n)
	case column == "email_key" || column == "recipient_key":
		return fmt.Sprintf("kim.%d@müller.example", n)
	case column == "candidate_id":
		return int64(firstCandidate + n)
	case strings.HasSuffix(column, "_id") && kind == "text":
		return fmt.Sprintf("%s-%d", strings.TrimSuffix(column, "_id"), n)
	case column == "id" && kind == "text":
		return map[string]string{"webhook_events": "event", "webhook_deliveries": "delivery"}[strings.TrimSuffix(of, ".id")] + fmt.Sprintf("-%d", n)
	case strings.HasSuffix(column, "_at") && kind != "text":
		return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC).UnixMilli()
	case kind == "bytea":
		return []byte(fmt.Sprintf("%s %d", of, n))
	case kind == "text":
		return fmt.Sprintf("%s %d", of, n)
	default:
		return int64(n)
	}
}
