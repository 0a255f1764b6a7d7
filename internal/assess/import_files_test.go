package assess_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/roster"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

var update = flag.Bool("update", false, "write testdata/lists.md anew")

// TestListsOfOtherProgramsAreRead holds, for files as other programs write them, how each
// is read and what becomes of its rows. Look at what changes before you keep it.
func TestListsOfOtherProgramsAreRead(t *testing.T) {
	const golden = "testdata/lists.md"
	w := newWorld(t, storetest.OpenSQLite(t))
	files, err := filepath.Glob("testdata/lists/*")
	w.Must(err)
	var table strings.Builder
	table.WriteString("| file | read as | columns | sure | ready | faulty | duplicate | first row |\n|---|---|---|---|---|---|---|---|\n")
	for _, file := range files {
		fmt.Fprintf(&table, "| %s | %s |\n", filepath.Base(file), w.readAs(file))
	}
	got := table.String()
	if *update {
		w.Must(os.WriteFile(golden, []byte(got), 0o600))
	}
	want, err := os.ReadFile(golden)
	w.Must(err)
	old := strings.Split(string(want), "\n")
	for n, line := range strings.Split(got, "\n") {
		if n >= len(old) || line != old[n] {
			t.Errorf("got  %s\nwant %s", line, old[min(n, len(old)-1)])
		}
	}
}

// readAs imports a list up to its preview and says what came of it.
func (w *world) readAs(path string) string {
	w.Helper()
	body, err := os.ReadFile(path)
	w.Must(err)
	list, fault := roster.Read(body, roster.How{})
	if fault != "" {
		return string(fault)
	}
	c, sure := list.Guess()
	all := store.WholeAccount(w.Account)
	id, err := w.Assess.AddImport(w.Ctx, all, typus.Import{}, body, ada)
	w.Must(err)
	w.Must(w.Assess.PreviewImport(w.Ctx, all, id, assess.List{Rows: list.People(c), Blank: list.Blank, LeftOut: list.LeftOut(c)}))
	rows, n := w.rowsOf(id), map[typus.RowState]int{}
	for _, r := range rows {
		n[r.State]++
	}
	w.Must(w.Assess.CancelImport(w.Ctx, all, id, ada))
	how := fmt.Sprintf("%s (%s), %q (%s), line %d (%s)", list.How.Encoding, list.Why.Encoding, list.How.Delimiter, list.Why.Delimiter, list.How.Heading, list.Why.Heading)
	return fmt.Sprintf("%s | %s | %t | %d | %d | %d | %s", how, columnsInWords(list, c), sure,
		n[typus.RowReady], n[typus.RowFaulty], n[typus.RowDuplicate], rowInWords(rows[0]))
}

func columnsInWords(list roster.Table, c roster.Columns) string {
	var words []string
	for col, at := range c.At {
		words = append(words, fmt.Sprintf("%s: %s", col, list.Heading(at)))
	}
	slices.Sort(words)
	if c.Turned {
		words = append(words, "turned")
	}
	if list.Ours {
		words = append(words, "ours")
	}
	return strings.Join(words, "; ")
}

func rowInWords(r typus.ImportRow) string {
	return strings.Join([]string{r.Name, r.Email, r.ExternalID, strings.Join(r.Reasons, " ")}, " / ")
}
