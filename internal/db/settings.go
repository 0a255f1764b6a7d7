package db

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"typus"
)

// longLog is a size in bytes of SQLite's write-ahead log. A longer log means that
// something keeps it from being folded into the file.
const longLog = 256 << 20

// Settings are the database settings in force, by name, and its version.
func (d *DB) Settings(ctx context.Context) (map[string]string, error) {
	version, err := One(ctx, d, ScanText, "", d.d.version)
	if err != nil {
		return nil, err
	}
	inForce := map[string]string{d.d.name + "_version": version}
	for _, name := range slices.AppendSeq(slices.Clone(d.d.shown), maps.Keys(d.d.asserted)) {
		if inForce[name], err = d.readSetting(ctx, name); err != nil {
			return nil, err
		}
	}
	return inForce, nil
}

func (a *Access) readSetting(ctx context.Context, name string) (string, error) {
	return One(ctx, a, ScanText, "", strings.ReplaceAll(a.d.setting, "{name}", name))
}

// assertSettings reads back what the connections ask for. Conflict: the database
// does not keep a setting.
func (a *Access) assertSettings(ctx context.Context) error {
	for name, want := range a.d.asserted {
		got, err := a.readSetting(ctx, name)
		if err != nil {
			return err
		}
		if got != want {
			return typus.Errorf(typus.Conflict, "the database does not keep the setting %s=%s (it says %s)", name, want, got)
		}
	}
	return nil
}

// Warnings say what endangers the promise that nothing acknowledged is lost, each in a
// sentence for the operator: settings of a PostgreSQL server that only its operator can
// change, or a disk or a log that SQLite cannot rely on. An empty list is good.
func (d *DB) Warnings(ctx context.Context) ([]string, error) {
	settings, err := d.Settings(ctx)
	if err != nil {
		return nil, err
	}
	warnings := d.engine.warnings()
	for _, name := range d.d.shown {
		if settings[name] == "off" {
			warnings = append(warnings, fmt.Sprintf("PostgreSQL runs with %s=off: a crash of its machine can lose what was acknowledged; set %[1]s = on in postgresql.conf or by alter system, and reload the server", name))
		}
	}
	return warnings, nil
}

// QuickCheck reads an SQLite file from end to end and looks for damage; it
// takes as long as the file is large. On PostgreSQL, which has checksums of its
// own, it does nothing. Internal: the file is damaged.
func (d *DB) QuickCheck(ctx context.Context) error { return d.engine.quickCheck(ctx) }

func (p *postgresEngine) quickCheck(context.Context) error { return nil }

// quickCheck has a connection of its own: it would leave that of a reader with all the
// memory that a connection may take.
func (e *sqliteEngine) quickCheck(ctx context.Context) error {
	c, err := openFile(ctx, e.path, true)
	if err != nil {
		return e.unusable(sqliteDialect.translate(err))
	}
	var verdict string
	// It reads each page once, and what SQLite has taken from the system it keeps.
	if err = c.once(`pragma cache_size = -512`, nil, nil); err == nil {
		verdict, err = One(ctx, &Access{db: unkept{c}, d: &sqliteDialect}, ScanText, "", `pragma quick_check(1)`)
	}
	if err == nil && verdict != "ok" {
		err = typus.Errorf(typus.Internal, "the database file is damaged: %s", verdict)
	}
	return errors.Join(err, c.close())
}

func (p *postgresEngine) rest() {}

// tell implements engine: no other server can be on the file.
func (e *sqliteEngine) tell() {}

// listen implements engine.
func (e *sqliteEngine) listen(context.Context, func()) {}

func (e *sqliteEngine) rest() {
	e.readers.rest()
	// What fails here fails again, with somebody who waits for it.
	_ = e.writer.inTx(context.Background(), func(tx *Tx) error {
		e.writer.conn.forget()
		_, err := tx.Exec(context.Background(), "pragma shrink_memory")
		return err
	})
}

func (p *postgresEngine) warnings() []string { return nil }

func (e *sqliteEngine) warnings() []string {
	var warnings []string
	if name := networkDisk(e.path); name != "" {
		warnings = append(warnings, fmt.Sprintf("the database file is on a %s file system, whose locks SQLite cannot rely on; move it to a local disk", name))
	}
	if info, err := os.Stat(e.path + "-wal"); err == nil && info.Size() > longLog {
		warnings = append(warnings, fmt.Sprintf("the write-ahead log has grown to %d MB; a reader or a full disk keeps it from being folded into the file", info.Size()>>20))
	}
	if size, err := cellSize(e.tidier.file); err == nil && size == 0 {
		warnings = append(warnings, "copies of what was erased can stay in the database file: it has 128 GiB or more, or was made in another way than by Typus")
	}
	return warnings
}
