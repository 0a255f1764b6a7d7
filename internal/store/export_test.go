package store

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"typus"
	"typus/internal/db"
)

// The lists of kinds that stand in statements.
var (
	CandidateKinds = candidateKinds
	CountedKinds   = countedKinds
)

// WorldColumns are the columns that hold times of test worlds, MachineColumns the others with
// the reason, WorldTables what a reset takes rows out of.
func WorldColumns() []string {
	var list []string
	for _, table := range worldTimes {
		for _, c := range table.columns {
			list = append(list, table.name+"."+c)
		}
	}
	return list
}

// MachineColumns see WorldColumns.
func MachineColumns() map[string]string { return machineTimes }

// WorldTables see WorldColumns.
func WorldTables() []string {
	var list []string
	for _, r := range worldResets {
		list = append(list, r.table)
	}
	return list
}

// OutliveAccounts are the tables that say of a deleted account that it was.
var OutliveAccounts = []string{"account_deletions", "deletion_counts", "deleted_usage", "tombstones"}

// DeletionTables are the tables out of which a deletion takes rows, by name.
func DeletionTables() []string {
	names := []string{"accounts"}
	for _, b := range belongings {
		names = append(names, b.table)
	}
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// The conditions about where a test stands.
const (
	Unfinished = unfinished
	Invited    = invited
	GoesOn     = goesOn
	LinkWorks  = linkWorks
	RanOut     = ranOut
)

// CandidatesWhere reads the candidates of an account for which a condition is true,
// whose parameter 2 is a time.
func (s *Store) CandidatesWhere(ctx context.Context, accountID int64, condition string, at time.Time) ([]typus.Candidate, error) {
	args := []any{accountID}
	if strings.Contains(condition, "$2") {
		args = append(args, db.Millis(at))
	}
	return db.All(ctx, s, scanCandidate, `select `+candidateColumns+` from candidates where account_id = $1 and `+condition, args...)
}

// WalkedPage is CandidatePage that goes along the order, however few there are.
func (s *Store) WalkedPage(ctx context.Context, reader Reader, f CandidateQuery) (CandidatePage, error) {
	asks, possible := f.asks()
	if !possible {
		return CandidatePage{}, nil
	}
	rows, next, err := s.rowsAlong(ctx, newPlan(reader, f, asks), Count{More: true})
	return CandidatePage{Rows: rows, Next: next}, err
}

// Exec runs any statement in the transaction.
func (t *Tx) Exec(ctx context.Context, query string) error {
	_, err := t.db.Exec(ctx, query)
	return err
}

// Rows runs any query and returns its rows as text, "|" between the columns.
func (t *Tx) Rows(ctx context.Context, query string, args ...any) ([]string, error) {
	return db.All(ctx, t, func(row db.Row) (string, error) {
		columns, err := row.(interface{ Columns() ([]string, error) }).Columns()
		if err != nil {
			return "", err
		}
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		err = row.Scan(values...)
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = fmt.Sprint(*v.(*any))
		}
		return strings.Join(texts, "|"), err
	}, query, args...)
}

// Planned are the statements that a page of an account may be read with: what counts,
// what goes along the order, and what sorts few.
func Planned(reader Reader, f CandidateQuery) (count, walk, few string) {
	asks, _ := f.asks()
	var texts [3]string
	for i, write := range []func(*plan){(*plan).count, (*plan).walk, (*plan).sortFew} {
		p := newPlan(reader, f, asks)
		write(p)
		texts[i] = p.String()
	}
	return texts[0], texts[1], texts[2]
}

// OpenBefore is Open of a program that has the migrations before one of them only.
func OpenBefore(ctx context.Context, dsn, first string) (*Store, error) {
	former := fstest.MapFS{}
	err := fs.WalkDir(migrations, ".", func(path string, of fs.DirEntry, err error) error {
		if err != nil || of.IsDir() || of.Name() >= first {
			return err
		}
		data, err := migrations.ReadFile(path)
		former[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		return nil, err
	}
	d, err := db.Open(ctx, dsn, db.Schema{Migrations: former, Afterwards: schema.Afterwards})
	if err != nil {
		return nil, err
	}
	return on(d, new(alarm)), nil
}
