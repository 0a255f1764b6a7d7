package store_test

import (
	"database/sql"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

const listFile = "testdata/list.sql"

// howToTry stands above the statements.
const howToTry = `-- The statements of the list for people, as candidate_plan.go writes them. To try one, set what
-- it names and paste it:
--
--   psql                   \set account 1   \set word1 '''mia'''   \set pattern1 '''% mia%'''
--   sqlite3, from 3.44 on  .parameter set :account 1   .parameter set :word1 "cast('mia' as blob)"
--
-- :from and :to are times in milliseconds. :word1 is what a word begins with and :behind1 what comes behind all
-- that begin so ('mib'), :pattern1 the same within all words, or '%'. :placekey and :placeid are of the last row
-- of the page before; the first page begins behind '' by name, 101 by score, :to newest first. :open, :standard
-- are 1 for a user who reads all that is not confidential, and the default position.
--
-- Written by: go test ./internal/store -run StandInTheFile -update
`

// theList are the statements, each with what it is for.
func theList() []struct{ what, text string } {
	full := store.CandidateQuery{Search: "mia weber", Tag: "Messe", Status: typus.StatusOpen, Sort: store.SortName}
	countNone, newest, _ := store.Planned(store.WholeAccount(1), store.CandidateQuery{})
	_, byName, fewByName := store.Planned(store.WholeAccount(1), store.CandidateQuery{Sort: store.SortName, Status: typus.StatusOpen})
	_, byScore, fewByScore := store.Planned(store.WholeAccount(1), store.CandidateQuery{Sort: store.SortOverall, Role: "general_sales"})
	countWord, walkWord, _ := store.Planned(store.WholeAccount(1), store.CandidateQuery{Search: "mia"})
	countFull, walkFull, _ := store.Planned(store.WholeAccount(1), full)
	narrow := store.CandidateQuery{Position: 7, Role: "hunter", Stage: typus.StageOffer, Need: store.NeedLook}
	countNarrow, walkNarrow, _ := store.Planned(store.WholeAccount(1), narrow)
	some := store.Reader{AccountID: 1, UserID: 1, Positions: store.Positions{Standard: true}}
	countSome, walkSome, fewSome := store.Planned(some, store.CandidateQuery{})
	countSomeWord, _, _ := store.Planned(some, store.CandidateQuery{Search: "mia"})
	return []struct{ what, text string }{
		{"The counts, where nothing is searched for.", countNone},
		{"The page: newest first.", newest},
		{"The page: by name, in one status, of many.", byName},
		{"The page: by name, in one status, of few.", fewByName},
		{"The page: by overall score, of many.", byScore},
		{"The page: by overall score, of few.", fewByScore},
		{"The counts and the page's ids: one word, newest first.", countWord},
		{"The page: one word that many have, newest first.", walkWord},
		{"The counts and the page's ids: two words and a tag, by name, in one status.", countFull},
		{"The page: two words and a tag that many have, by name, in one status.", walkFull},
		{"The counts and the page's ids: of a position, a role profile, a stage and new results.", countNarrow},
		{"The page: of a position, a role profile, a stage and new results, of which there are many.", walkNarrow},
		{"The counts, of some positions.", countSome},
		{"The page: of some positions that have few.", fewSome},
		{"The page: of some positions that have many.", walkSome},
		{"The counts and the page's ids: one word, of some positions.", countSomeWord},
	}
}

func TestTheListsStatementsAreThoseThatStandInTheFile(t *testing.T) {
	var text strings.Builder
	text.WriteString(howToTry)
	for _, s := range theList() {
		text.WriteString("\n-- " + s.what + "\n" + s.text + ";\n")
	}
	if *update {
		if err := os.WriteFile(listFile, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := string(must[[]byte](t)(os.ReadFile(listFile))); got != text.String() {
		t.Errorf("%s is not what the planner writes (run with -update to accept):\n%s", listFile, text.String())
	}
}

// What stands in the file runs as it stands there.
func TestTheListsStatementsRunByTheNamesOfTheirParameters(t *testing.T) {
	other := must[*sql.DB](t)(sql.Open("sqlite", storetest.SQLite(t)))
	defer other.Close()
	name := regexp.MustCompile(`:[a-z0-9]+`)
	for _, s := range theList() {
		var args []any
		for _, n := range name.FindAllString(s.text, -1) {
			args = append(args, sql.Named(strings.TrimPrefix(n, ":"), nil))
		}
		if _, err := other.ExecContext(t.Context(), s.text, args...); err != nil {
			t.Errorf("%s: %v", s.what, err)
		}
	}
}
