package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// Whoever adds a table or a column about candidates decides whether a person's copy has it.
func TestACopyOfAPersonHasEveryColumnOrTheReasonWhyNot(t *testing.T) {
	s := storetest.OpenSQLite(t)
	account := newAccount(t, s)
	person := must[store.Person](t)(s.Person(t.Context(), account, newCandidate(t, s, account, nil)))
	copied := map[string]bool{}
	for _, table := range person.Tables {
		for _, c := range table.Columns {
			_, name, qualified := strings.Cut(c.Name, ".")
			if !qualified {
				name = c.Name
			}
			copied[table.Name+"."+name] = true
			if c.DE == "" || c.EN == "" {
				t.Errorf("%s.%s has no words", table.Name, c.Name)
			}
		}
	}
	about := []string{"candidates"}
	for _, table := range tables(t, s) {
		if slices.Contains(rows(t, s, "select name from pragma_table_info('"+table+"')"), "candidate_id") {
			about = append(about, table)
		}
	}
	there := map[string]bool{}
	for _, table := range about {
		if store.PersonLeftOut[table+".*"] != "" {
			there[table+".*"] = true
			continue
		}
		for _, column := range rows(t, s, "select name from pragma_table_info('"+table+"')") {
			name := table + "." + column
			there[name] = true
			if copied[name] == (store.PersonLeftOut[name] != "") {
				t.Errorf("%s: in a copy %t, left out because %q", name, copied[name], store.PersonLeftOut[name])
			}
		}
	}
	for name := range store.PersonLeftOut {
		if !there[name] {
			t.Errorf("there is no %s to be left out", name)
		}
	}
}

// What is filled in everywhere is in the copy, and nothing of anybody else.
func TestACopyOfAPersonHoldsWhatIsStoredAboutThem(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, user := newAccount(t, s), int64(7)
		id, _ := filled(t, s, account, user)
		other, _ := filled(t, s, account, user)
		write(t, s, func(tx *store.Tx) error {
			return tx.CorrectCandidate(t.Context(), account, other, "Fremde Person", "fremd@example.com", unique("ref"))
		})
		person := must[store.Person](t)(s.Person(t.Context(), account, id))
		said := string(person.Payload) + string(person.Sheet)
		for _, table := range person.Tables {
			said += fmt.Sprint(table.Name, table.Rows)
		}
		for _, r := range person.Results {
			said += string(r.Scores) + string(r.Answers) + string(r.RoleSnapshot)
		}
		if strings.Contains(said, "https://hooks.example.com") || !strings.Contains(said, "hooks.example.com") {
			t.Error("of a webhook the host is to be in the copy, and not the address, which may hold a key")
		}
		said = strings.ToLower(said)
		for _, word := range canaries {
			secret := slices.Contains([]string{"kanarientoken", "kanarienkopf", "kanarienkörper", "kanariencode"}, word)
			if strings.Contains(said, word) == secret {
				t.Errorf("%s is in the copy: %t", word, secret == false)
			}
		}
		if strings.Contains(said, "fremd") {
			t.Errorf("the copy speaks of somebody else: %s", said)
		}
		_, err := s.Person(t.Context(), newAccount(t, s), id)
		hasKind(t, "another account's copy", err, typus.NotFound)
		write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, id, noon) })
		_, err = s.Person(t.Context(), account, id)
		hasKind(t, "a copy of the erased", err, typus.NotFound)
	})
}
