package store_test

import (
	"slices"
	"strings"
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// unsealed are the columns of bytes that hold nothing sealed, with what they hold.
var unsealed = map[string]string{
	"account_logos.body": "a picture", "position_logos.body": "a picture",
	"candidate_words.word": "a word of a name", "candidates.name_key": "sorts by name", "candidates.scores": "what the API shows",
	"imports.source": "a list of people, for an hour",
	"sheets.body":    "packed answers", "sheets.ages": "their ages", "results.scores": "a result", "results.answers": "packed answers", "results.role_snapshot": "a role profile",
	"role_versions.profile":  "a role profile",
	"server_marks.value":     "rekey lists those that are sealed",
	"webhook_events.payload": "what a receiver gets", "webhook_attempts.response_body": "what a receiver has answered",
}

// A column that is sealed and not listed would be lost when the secret key is changed.
func TestEveryColumnOfBytesIsListedAsSealedOrNot(t *testing.T) {
	for _, db := range []struct {
		s       *store.Store
		columns string
	}{{storetest.OpenSQLite(t), sqliteColumns}, {storetest.Open(t, storetest.Postgres(t)), postgresColumns}} {
		seen := map[string]bool{}
		for _, line := range rows(t, db.s, db.columns) {
			column, kind, _ := strings.Cut(line, " ")
			if !strings.HasPrefix(kind, "bytea") && !strings.HasPrefix(kind, "blob") {
				continue
			}
			seen[column] = true
			sealed := slices.Contains(store.SealedColumns(), store.SealedColumn(column))
			if _, plain := unsealed[column]; plain == sealed {
				t.Errorf("%s: %s holds bytes; list it in sealed.go with its place in rekey, or here as what holds nothing sealed", db.s.Dialect(), column)
			}
		}
		for _, column := range store.SealedColumns() {
			if !seen[string(column)] {
				t.Errorf("%s: there is no column %s", db.s.Dialect(), column)
			}
		}
		for column := range unsealed {
			if !seen[column] {
				t.Errorf("%s: there is no column %s", db.s.Dialect(), column)
			}
		}
	}
}

func TestASealedValueIsReplacedOnlyWhileItIsTheOneThatWasRead(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		var user int64
		write(t, s, func(tx *store.Tx) error {
			var err error
			user, err = tx.AddUser(t.Context(), typus.User{AccountID: account, Email: unique("ada") + "@example.com", Role: typus.RoleOwner, CreatedAt: noon}, "")
			if err == nil {
				err = tx.SetTOTP(t.Context(), account, user, []byte("first"))
			}
			return err
		})
		was := must[[]store.Sealed](t)(s.SealedPage(t.Context(), store.SealedFactors, user-1, 1))[0]
		if was.ID != user || string(was.Value) != "first" {
			t.Fatalf("read %+v", was)
		}
		set := func(was store.Sealed, value string, want bool) {
			t.Helper()
			write(t, s, func(tx *store.Tx) error {
				is, err := tx.SetSealed(t.Context(), store.SealedFactors, was, []byte(value), "")
				if is != want {
					t.Errorf("setting %s in the place of %s: %t", value, was.Value, is)
				}
				return err
			})
		}
		set(was, "second", true)
		set(was, "third", false)
		if c := must[store.Credentials](t)(s.Credentials(t.Context(), account, user)); string(c.SealedTOTP) != "second" {
			t.Errorf("it is %s", c.SealedTOTP)
		}
	})
}
