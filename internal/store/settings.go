package store

import (
	"context"
	"fmt"
	"os"
)

// longLog is the size in bytes at which the write-ahead log of SQLite says that
// something keeps it from being folded into the file.
const longLog = 256 << 20

// Settings are the database settings in force, by name, and its version.
func (s *Store) Settings(ctx context.Context) (map[string]string, error) {
	inForce := map[string]string{}
	for name, query := range s.d.settings {
		value, err := one(ctx, s.reads, scanText, "", query)
		if err != nil {
			return nil, err
		}
		inForce[name] = value
	}
	return inForce, nil
}

// Warnings say, each in a sentence for the operator, what endangers the promise
// that nothing acknowledged is lost: settings of a PostgreSQL server that are
// not ours to make, a disk or a log that SQLite cannot rely on. None is well.
func (s *Store) Warnings(ctx context.Context) ([]string, error) {
	settings, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	warnings := s.engine.warnings()
	for _, name := range []string{"fsync", "synchronous_commit"} {
		if settings[name] == "off" {
			warnings = append(warnings, fmt.Sprintf("PostgreSQL runs with %s=off: a crash of its machine can lose what was acknowledged", name))
		}
	}
	return warnings, nil
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
	return warnings
}
