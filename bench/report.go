package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// line is one line of the table.
type line struct{ number, work, measured, before, target, met string }

// add adds a figure that has a target.
func (b *bench) add(number, work, measured, target string, met bool) {
	verdict := "yes"
	if !met {
		verdict = "**no**"
	}
	b.lines = append(b.lines, line{number: number, work: work, measured: measured, target: target, met: verdict})
	b.say("%3s  %s: %s", number, work, measured)
}

// note adds a figure for comparison.
func (b *bench) note(number, work, measured string) {
	b.lines = append(b.lines, line{number: number, work: work, measured: measured, target: "–", met: "–"})
	b.say("%3s  %s: %s", number, work, measured)
}

// table is the table in Markdown.
func (b *bench) table() string {
	var t strings.Builder
	head, rule := "Measured", "---"
	if b.before != nil {
		head, rule = "Measured | Before, "+b.before.commit, "---|---"
	}
	fmt.Fprintf(&t, "| # | Work | %s | Target | Met |\n|---|---|%s|---|---|\n", head, rule)
	for _, l := range b.lines {
		measured := l.measured
		if b.before != nil {
			measured += " | " + cmp.Or(l.before, "–")
		}
		fmt.Fprintf(&t, "| %s | %s | %s | %s | %s |\n", l.number, l.work, measured, l.target, l.met)
	}
	return t.String()
}

//go:embed notes.md
var notes string

// results is the results file: what was measured, how, and what it means.
func (b *bench) results() []byte {
	var t bytes.Buffer
	fmt.Fprintf(&t, "# Benchmark results\n\nWritten by `make bench` on %s, commit %s. Notes below the tables come from `bench/notes.md`.\n\n",
		time.Now().UTC().Format(time.DateOnly), b.machine.commit)
	fmt.Fprintf(&t, "Machine: %s.\n\n", b.machine)
	fmt.Fprintf(&t, "Stored: %s candidates of one account in one SQLite file, `synchronous=FULL`. Load: %d keep-alive connections. "+
		"\"hello\" is a bare `net/http` handler that answers the same bytes, driven by the same generator in turns with the server "+
		"(%d turns of %s; the turn with the median ratio is shown). Server, reference and generator are three processes that share the cores.\n\n",
		thousands(b.full.Candidates), connections, b.rounds, b.turn)
	if b.before != nil {
		fmt.Fprintf(&t, "Before is the program of commit %s in the same run: it has made the databases, its server has a copy of its own, and "+
			"it takes turns with ours, so that what else the machine did fell on both.\n\n", b.before.commit)
	}
	t.WriteString(b.table())
	t.WriteString("\n## Where the bytes are\n\n| Table, with its indexes | Rows | Bytes a row |\n|---|---|---|\n")
	for _, s := range b.sizes {
		fmt.Fprintf(&t, "| `%s` | %s | %s |\n", s.name, thousands(s.rows), thousands(int(s.bytes)/max(1, s.rows)))
	}
	t.WriteString("\n" + notes)
	return t.Bytes()
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func short(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64) + " ms"
}

func megabytes(n int64) string { return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB" }

func kilobytes(n float64) string { return strconv.FormatFloat(n/1e3, 'f', 2, 64) + " KB" }
