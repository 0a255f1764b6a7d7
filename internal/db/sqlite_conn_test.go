package db_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/db"
	"typus/internal/db/dbtest"
)

// things is a table of what can be stored.
const things = `create table things (id bigint primary key, number bigint, words text, body bytea)`

type thing struct {
	id, number int64
	words      string
	body       []byte
}

func scanThing(row db.Row) (thing, error) {
	var t thing
	err := row.Scan(&t.id, &t.number, &t.words, &t.body)
	return t, err
}

func TestWhatIsStoredComesBackAsItWas(t *testing.T) {
	onBoth(t, func(t *testing.T, d *db.DB) {
		want := []thing{
			{0, 0, "", []byte{}},
			{1, -1, "Jörg Müßig 🦊", []byte{0, 1, 255}},
			{1 << 53, 1 << 53, strings.Repeat("lang ", 1<<18), bytes.Repeat([]byte{7, 0}, 3<<20)},
			{1<<63 - 1, -1 << 63, "0", nil},
		}
		write(t, d, func(tx *db.Tx) error {
			if err := exec(t.Context(), tx, things); err != nil {
				return err
			}
			return db.InsertAll(t.Context(), tx, `insert into things (id, number, words, body) values `, want,
				func(w thing) []any { return []any{w.id, w.number, w.words, w.body} })
		})
		got := must[[]thing](t)(db.All(t.Context(), d, scanThing, `select id, number, words, body from things order by id`))
		for i, w := range want {
			if i >= len(got) {
				t.Fatalf("%d rows, want %d", len(got), len(want))
			}
			g := got[i]
			if g.id != w.id || g.number != w.number || g.words != w.words || !bytes.Equal(g.body, w.body) || (g.body == nil) != (w.body == nil) {
				t.Errorf("row %d: %d, %d, %d letters, %d bytes (null: %t) came back", i, g.id, g.number, len(g.words), len(g.body), g.body == nil)
			}
		}
		if n := must[int64](t)(db.One(t.Context(), d, db.ScanInt, "", `select count(*) from things where words = $1 and body is not null`, "")); n != 1 {
			t.Errorf("%d rows with an empty text, which is not null, want 1", n)
		}
	})
}

// kinds are types with names and pointers, as the nouns have them.
type kinds struct {
	status  typus.Status
	small   int
	flag    bool
	at      time.Time
	never   time.Time
	fine    time.Time
	lasting time.Duration
	yes     bool
	maybe   any
	none    any
}

func TestColumnsAreReadIntoTheTypesOfTheNouns(t *testing.T) {
	onBoth(t, func(t *testing.T, d *db.DB) {
		at := time.Date(2026, 3, 4, 12, 0, 0, 5e6, time.UTC)
		got := must[kinds](t)(db.One(t.Context(), d, func(row db.Row) (kinds, error) {
			var k kinds
			err := row.Scan(&k.status, &k.small, &k.flag, (*db.Instant)(&k.at), (*db.Instant)(&k.never), (*db.FineInstant)(&k.fine),
				(*db.Milliseconds)(&k.lasting), (*db.Truth)(&k.yes), &k.maybe, &k.none)
			return k, err
		}, "", `select cast($1 as text), 7, 2 > 1, cast($2 as bigint), null, cast($3 as bigint), cast(1500 as bigint), cast(1 as bigint), cast(9 as bigint), null`,
			typus.StatusOpen, db.Millis(at), at.UnixMicro()))
		want := kinds{typus.StatusOpen, 7, true, at, time.Time{}, at, 1500 * time.Millisecond, true, int64(9), nil}
		if got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	})
}

// A text that may be null is read in a way of its own: whatever stood there before is gone.
func TestATextThatMayBeNullIsReadAsItIs(t *testing.T) {
	onBoth(t, func(t *testing.T, d *db.DB) {
		got := must[[5]sql.NullString](t)(db.One(t.Context(), d, func(row db.Row) ([5]sql.NullString, error) {
			var list [5]sql.NullString
			for i := range list {
				list[i] = sql.NullString{String: "before", Valid: true}
			}
			err := row.Scan(&list[0], &list[1], &list[2], &list[3], &list[4])
			return list, err
		}, "", `select cast($1 as text), cast('' as text), cast(null as text), null, cast(7 as bigint)`, "ä"))
		want := [5]sql.NullString{{String: "ä", Valid: true}, {Valid: true}, {}, {}, {String: "7", Valid: true}}
		if got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	})
}

func TestAColumnThatDoesNotFitIsNamed(t *testing.T) {
	d := openSQLite(t)
	var (
		text  string
		whole int64
		tiny  int8
		flag  bool
		at    time.Time
	)
	for query, c := range map[string]struct {
		dest []any
		says string
	}{
		`select 'a' as first, null as second`: {[]any{&text, &text}, "column 2, second: null cannot be read into a *string"},
		`select null as number`:               {[]any{&whole}, "column 1, number: null"},
		`select 'seven' as number`:            {[]any{&whole}, `a whole number is wanted, and it is "seven"`},
		`select 1.5 as number`:                {[]any{&whole}, `a whole number is wanted, and it is "1.5"`},
		`select 300 as number`:                {[]any{&tiny}, "300 is too large for a *int8"},
		`select 2 as truth`:                   {[]any{&flag}, "2 is no truth"},
		`select 'now' as at`:                  {[]any{(*db.Instant)(&at)}, "stored as milliseconds, not as string"},
		`select 1 as a, 2 as b`:               {[]any{&whole}, "a row of 2 columns is read into 1 places"},
		`select 4 as a`:                       {[]any{&at}, "nothing can be read into a *time.Time"},
		`select 5 as a`:                       {[]any{whole}, "a int64 is nothing to read into"},
	} {
		_, err := db.All(t.Context(), d, func(row db.Row) (int, error) { return 0, row.Scan(c.dest...) }, query)
		e, ok := errors.AsType[*typus.Error](err)
		if !ok || e.Kind != typus.Internal || e.Cause == nil || !strings.Contains(e.Cause.Error(), c.says) {
			t.Errorf("%s: %v, want %q", query, err, c.says)
		}
	}
}

func TestAnArgumentThatDoesNotFitIsRefused(t *testing.T) {
	d := openSQLite(t)
	for says, args := range map[string][]any{
		"a statement of 2 parameters was given 1 arguments": {int64(1)},
		"a statement of 2 parameters was given 3 arguments": {int64(1), int64(2), int64(3)},
		"the argument $2 cannot be stored: it is time.Time": {int64(1), time.Now()},
		"the argument $1": {struct{}{}, int64(2)},
	} {
		_, err := db.All(t.Context(), d, db.ScanInt, `select $1 + $2`, args...)
		if e, ok := errors.AsType[*typus.Error](err); !ok || e.Cause == nil || !strings.Contains(e.Cause.Error(), says) {
			t.Errorf("%v: %v, want %q", args, err, says)
		}
	}
}

// A parameter's number says which argument it takes, wherever it stands.
func TestParametersGoByTheirNumbers(t *testing.T) {
	d := openSQLite(t)
	for range 2 {
		got := must[string](t)(db.One(t.Context(), d, db.ScanText, "", `select $2 || $1 || $2 || $3`, "a", "bc", ""))
		if got != "bcabc" {
			t.Errorf("got %q", got)
		}
	}
}

func TestARowThatExistsIsAConflict(t *testing.T) {
	onBoth(t, func(t *testing.T, d *db.DB) {
		add := func(tx *db.Tx) error {
			return exec(t.Context(), tx, `insert into marks (name, value) values ('a', $1)`, []byte{1})
		}
		write(t, d, add)
		err := d.InTx(t.Context(), add)
		hasKind(t, "the same once more", err, typus.Conflict)
		if err == nil || !strings.Contains(err.Error(), "this exists already") {
			t.Errorf("%v", err)
		}
	})
}

func TestAStatementSaysHowManyRowsItChanged(t *testing.T) {
	onBoth(t, func(t *testing.T, d *db.DB) {
		write(t, d, func(tx *db.Tx) error {
			for _, name := range []string{"a", "b", "b"} {
				if err := addNamed(t.Context(), tx, name); err != nil {
					return err
				}
			}
			for _, c := range []struct {
				query string
				want  int
			}{
				{`update accounts set credits = 1 where name = $1`, 2},
				{`update accounts set credits = 2 where name <> $1`, 1},
				{`delete from accounts where name = $1 || 'nobody'`, 0},
				{`insert into accounts (name) values ($1) returning id`, 1},
			} {
				if n, err := tx.Exec(t.Context(), c.query, "b"); n != c.want || err != nil {
					t.Errorf("%s: %d rows, %v; want %d", c.query, n, err, c.want)
				}
			}
			return nil
		})
	})
}

// SQLite uses its memory again for the next row, and for the next query.
func TestWhatWasReadStaysAsItWas(t *testing.T) {
	d := openSQLite(t)
	write(t, d, func(tx *db.Tx) error {
		for i := range 50 {
			if err := addNamed(t.Context(), tx, fmt.Sprintf("%02d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	query := `select name from accounts where id >= $1 order by id`
	texts := must[[]string](t)(db.All(t.Context(), d, db.ScanText, query, int64(0)))
	blobs := must[[][]byte](t)(db.All(t.Context(), d, db.ScanBytes, query, int64(0)))
	if _, err := db.All(t.Context(), d, db.ScanText, query, int64(1020)); err != nil {
		t.Fatal(err)
	}
	write(t, d, func(tx *db.Tx) error { return exec(t.Context(), tx, `update accounts set name = 'xx'`) })
	for i := range 50 {
		if want := fmt.Sprintf("%02d", i); texts[i] != want || string(blobs[i]) != want {
			t.Fatalf("row %d has become %q and %q", i, texts[i], blobs[i])
		}
	}
}

// ten adds ten accounts.
func ten(t *testing.T, d *db.DB) {
	t.Helper()
	write(t, d, func(tx *db.Tx) error {
		for i := range 10 {
			if err := addNamed(t.Context(), tx, fmt.Sprint(i)); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestAQueryThatBreaksOffLeavesNoStatementOpen(t *testing.T) {
	refused := errors.New("refused")
	for name, scan := range map[string]func(db.Row) (string, error){
		"an error": func(db.Row) (string, error) { return "", refused },
		"a panic":  func(db.Row) (string, error) { panic("the sky fell") },
	} {
		t.Run(name, func(t *testing.T) {
			d := openSQLite(t)
			ten(t, d)
			func() {
				defer func() { _ = recover() }()
				_, err := db.All(t.Context(), d, scan, `select name from accounts`)
				if e, ok := errors.AsType[*typus.Error](err); !ok || !errors.Is(e.Cause, refused) {
					t.Errorf("got %v", err)
				}
			}()
			if err := d.InTx(t.Context(), func(tx *db.Tx) error {
				_, err := db.All(t.Context(), tx, scan, `select name from accounts`)
				return err
			}); err == nil {
				t.Error("nothing came of it in a transaction")
			}
			if n := db.Unfinished(d); n != 0 {
				t.Errorf("%d statements are left open", n)
			}
			if got := len(must[[]string](t)(accounts(t.Context(), d))); got != 10 {
				t.Errorf("%d accounts are read afterwards", got)
			}
		})
	}
}

func TestARowIsGoneAfterItsQuery(t *testing.T) {
	d := openSQLite(t)
	rows := must[[]db.Row](t)(db.All(t.Context(), d, func(row db.Row) (db.Row, error) { return row, nil }, `select 1`))
	var n int64
	if err := rows[0].Scan(&n); err == nil {
		t.Errorf("%d was read from a row that has gone", n)
	}
}

func TestAStatementRunsWhileItsOwnRowsAreRead(t *testing.T) {
	d := openSQLite(t)
	ten(t, d)
	from := func(tx db.Querier, id int64, scan func(row db.Row) (string, error)) []string {
		return must[[]string](t)(db.All(t.Context(), tx, scan, `select name from accounts where id >= $1 order by id`, id))
	}
	write(t, d, func(tx *db.Tx) error {
		got := from(tx, 1008, func(row db.Row) (string, error) {
			name, err := db.ScanText(row)
			return name + ":" + strings.Join(from(tx, 1007, db.ScanText), ""), err
		})
		if want := []string{"8:789", "9:789"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		return nil
	})
	if n := db.Unfinished(d); n != 0 {
		t.Errorf("%d statements are left open", n)
	}
}

// Another process may change the tables while statements on them are prepared here.
func TestAPreparedStatementSeesTablesThatAnotherProcessHasChanged(t *testing.T) {
	path := template.SQLite(t)
	d, other := open(t, path), open(t, path)
	ten(t, d)
	width := func(from db.Querier) int {
		t.Helper()
		return must[int](t)(db.One(t.Context(), from, func(row db.Row) (int, error) {
			names, err := row.(interface{ Columns() ([]string, error) }).Columns()
			return len(names), err
		}, "", `select * from accounts order by id limit 1`))
	}
	before := width(d)
	write(t, d, func(tx *db.Tx) error {
		width(tx)
		return nil
	})
	write(t, other, func(tx *db.Tx) error {
		return exec(t.Context(), tx, `alter table accounts add column added text not null default ''; create index accounts_added on accounts (added)`)
	})
	if after := width(d); after != before+1 {
		t.Errorf("a reader sees %d columns, want %d", after, before+1)
	}
	write(t, d, func(tx *db.Tx) error {
		if after := width(tx); after != before+1 {
			t.Errorf("the writer sees %d columns, want %d", after, before+1)
		}
		return nil
	})
	write(t, other, func(tx *db.Tx) error {
		return exec(t.Context(), tx, `drop table notes; alter table accounts rename to customers`)
	})
	_, err := accounts(t.Context(), d)
	hasKind(t, "a table that has gone", err, typus.Internal)
}

// Values that come and go must not make SQLite plan a statement anew: since 3.54 it does
// so where parameters are cleared. (It does so, too, where a limit has changed, and so
// with the first one.)
func TestAStatementIsPlannedOnce(t *testing.T) {
	d := openSQLite(t)
	ten(t, d)
	run := func(id int64, name string) {
		if _, err := db.All(t.Context(), d, db.ScanText, `select a.name from accounts a left join notes n on n.account_id = a.id
			where a.id = $1 and a.name >= $2 order by n.id limit $3`, id, name, 50); err != nil {
			t.Fatal(err)
		}
	}
	run(1000, "first")
	before := db.PlannedAgain(d)
	for i := range int64(20) {
		run(1000+i, "")
		run(1000+i, "another")
	}
	if n := db.PlannedAgain(d) - before; n != 0 {
		t.Errorf("statements were planned again %d times", n)
	}
}

func TestNoMoreStatementsAreKeptThanNeeded(t *testing.T) {
	d := openSQLite(t)
	for range 10 {
		names(t, d)
	}
	few := db.Kept(d)
	for i := range int64(2 * db.MostKept) {
		if got := must[int64](t)(db.One(t.Context(), d, db.ScanInt, "", fmt.Sprintf(`select %d + $1`, i), int64(1))); got != i+1 {
			t.Fatalf("statement %d says %d", i, got)
		}
	}
	if most := db.Kept(d); few > 20 || most > db.MostKept {
		t.Errorf("%d statements are kept after one text, and %d after many", few, most)
	}
	write(t, d, func(tx *db.Tx) error {
		if err := addNamed(t.Context(), tx, "a"); err != nil {
			return err
		}
		_, err := db.All(t.Context(), tx, func(row db.Row) (int64, error) {
			for i := range int64(2 * db.MostKept) {
				if _, err := db.One(t.Context(), tx, db.ScanInt, "", fmt.Sprintf(`select %d`, i)); err != nil {
					return 0, err
				}
			}
			return db.ScanInt(row) // of a statement that is still there
		}, `select id from accounts`)
		return err
	})
	if n := db.Unfinished(d); n != 0 {
		t.Errorf("%d statements are left open", n)
	}
}

func TestATextOfSeveralStatementsRunsThemAll(t *testing.T) {
	onBoth(t, func(t *testing.T, d *db.DB) {
		write(t, d, func(tx *db.Tx) error {
			return exec(t.Context(), tx, `
				insert into accounts (name) values ('a; b'); -- a note; with a stop
				insert into accounts (name) values ('c');
				-- the end`)
		})
		if got := names(t, d); got != "a; b c" {
			t.Errorf("got %q", got)
		}
		err := d.InTx(t.Context(), func(tx *db.Tx) error {
			return exec(t.Context(), tx, `insert into accounts (name) values ('d'); insert into nowhere (name) values ('e')`)
		})
		hasKind(t, "a second one that fails", err, typus.Internal)
		if got := names(t, d); got != "a; b c" {
			t.Errorf("got %q", got)
		}
	})
}

func TestEveryConnectionKeepsTheSettings(t *testing.T) {
	d := openSQLite(t)
	db.ShortenLog(d, 1, 1)
	fillEach(t, d, 3) // also the one that copies the log
	db.HoldReaders(t.Context(), d)()
	all := must[[]map[string]string](t)(db.SettingsOfEach(t.Context(), d))
	if len(all) != 6 {
		t.Errorf("%d connections are open, want the writer, the one that copies the log, and four readers", len(all))
	}
	for i, got := range all {
		if want := db.Asserted(d); !maps.Equal(got, want) {
			t.Errorf("connection %d has %v, want %v", i, got, want)
		}
	}
}

// One reader after the other needs one connection, whose pages and statements take
// memory.
func TestReadersThatTakeTurnsShareAConnection(t *testing.T) {
	d := openSQLite(t)
	for range 10 {
		names(t, d)
	}
	if all := must[[]map[string]string](t)(db.SettingsOfEach(t.Context(), d)); len(all) != 2 {
		t.Errorf("%d connections are open, want the writer and one reader", len(all))
	}
}

// gone checks that nothing is left beside a file.
func gone(t *testing.T, path string) {
	t.Helper()
	for _, end := range []string{"-wal", "-shm"} {
		if _, err := os.Stat(path + end); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", end, err)
		}
	}
}

func TestTheLogIsGoneOnceTheDatabaseIsClosed(t *testing.T) {
	path := template.SQLite(t)
	d := must[*db.DB](t)(db.Open(t.Context(), path, schema))
	db.ShortenLog(d, short, 2*short)
	fillEach(t, d, 100)
	db.HoldReaders(t.Context(), d)()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	gone(t, path)
}

// Who reads at this moment is not broken off, and closes the file when done.
func TestClosingLetsReadersReadToTheEnd(t *testing.T) {
	path := template.SQLite(t)
	d := must[*db.DB](t)(db.Open(t.Context(), path, schema))
	ten(t, d)
	reading, closed := make(chan struct{}), make(chan struct{})
	read := make(chan int)
	go func() {
		n := 0
		_, err := db.All(context.Background(), d, func(row db.Row) (string, error) {
			if n++; n == 1 {
				close(reading)
				<-closed
			}
			return db.ScanText(row)
		}, `select name from accounts order by id`)
		if err != nil {
			t.Error(err)
		}
		read <- n
	}()
	<-reading
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	close(closed)
	if n := <-read; n != 10 {
		t.Errorf("%d rows were read, want 10", n)
	}
	gone(t, path)
}

func TestManyReadWhileMuchIsWritten(t *testing.T) {
	d := openSQLite(t)
	account := newAccount(t, d)
	dbtest.AtOnce(12, func(i int) {
		last := int64(0)
		for n := range 40 {
			if i%3 == 0 {
				if err := d.InTx(t.Context(), func(tx *db.Tx) error { return credit(t.Context(), tx, account) }); err != nil {
					t.Error(err)
				}
				continue
			}
			now, err := db.One(t.Context(), d, db.ScanInt, "", `select credits from accounts where id = $1`, account)
			if err != nil || now < last {
				t.Errorf("reading %d: %d after %d, %v", n, now, last, err)
			}
			last = now
			if _, err := accounts(t.Context(), d); err != nil {
				t.Error(err)
			}
		}
	})
	if got := credits(t, d, account); got != 160 {
		t.Errorf("%d credits, want 160", got)
	}
}
