package store_test

import (
	"slices"
	"strings"
	"testing"

	"typus/internal/store"
	"typus/internal/store/storetest"
)

// staying are the tables of which nothing moves along with an account, each with the reason.
var staying = map[string]string{
	"sessions":          "a login is a cookie sealed by its server: everybody logs in again",
	"sent_forms":        "which forms were sent in the last days of an open page",
	"login_failures":    "tries to guess, by network and not by account",
	"signups":           "of no account yet",
	"chores":            "what the server does by itself, and when",
	"clock_readings":    "what the clock of the server has shown",
	"account_deletions": "that an account was deleted here",
	"deletion_counts":   "how many rows of it",
	"deleted_usage":     "what it had used",
	"tombstones":        "of accounts that were deleted here; the erased people of others move with them",
	"server_marks":      "what the server knows of itself",
	"schema_migrations": "which migrations the database has seen",
	"rate_log":          "requests of the last minute",
}

// Of every table of both databases it is said whether its rows move with their account, and of
// each that moves, each column. A new one fails here until somebody has thought of it.
func TestOfEveryTableItIsSaidWhetherItMovesWithItsAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		query := `select m.name || '.' || c.name || ' ' || c.type from sqlite_master m join pragma_table_info(m.name) c
			where m.type = 'table' and m.name not like 'sqlite%'`
		if s.Dialect() == "postgres" {
			query = `select table_name || '.' || column_name || ' ' || data_type from information_schema.columns where table_schema = current_schema`
		}
		there := map[string][]string{}
		for _, line := range rows(t, s, query) {
			table, column, _ := strings.Cut(line, ".")
			there[table] = append(there[table], column)
		}
		for _, m := range store.MovedTables() {
			var want []string
			for _, c := range m.Columns {
				want = append(want, c.Name+" "+columnType(c.Kind))
				if c.Of != "" && c.Kind != store.MovedOf && !slices.ContainsFunc(store.MovedTables(), func(of store.MovedTable) bool { return of.Name == c.Of && of.Counted() }) {
					t.Errorf("%s.%s names %s, which has no ids that move", m.Name, c.Name, c.Of)
				}
			}
			var got []string
			for _, column := range there[m.Name] {
				got = append(got, strings.Replace(strings.ToLower(column), " integer", " bigint", 1))
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s has %v, and of these it is said what becomes: %v", m.Name, got, want)
			}
			if _, stays := staying[m.Name]; stays {
				t.Errorf("%s moves and stays", m.Name)
			}
			delete(there, m.Name)
		}
		for table := range there {
			if staying[table] == "" {
				t.Errorf("it is not said whether the table %s moves with an account, or why not", table)
			}
		}
	})
}

// What is sealed with the server's key, and nothing else, is opened before it moves.
func TestWhatIsSealedIsKnownToMoveSealed(t *testing.T) {
	var moves []store.SealedColumn
	for _, m := range store.MovedTables() {
		for _, c := range m.Columns {
			if c.Kind == store.MovedSealed {
				moves = append(moves, store.SealedColumn(m.Name+"."+c.Name))
			}
		}
	}
	want := store.SealedColumns()
	slices.Sort(moves)
	slices.Sort(want)
	if !slices.Equal(moves, want) {
		t.Errorf("sealed are %v, and as such move %v", want, moves)
	}
}

func columnType(k store.MovedKind) string {
	switch k {
	case store.MovedNumber, store.MovedID, store.MovedOwned, store.MovedNamed:
		return "bigint"
	case store.MovedBytes, store.MovedSealed, store.MovedRoleJSON, store.MovedEvidence:
		return "bytea"
	}
	return "text"
}
