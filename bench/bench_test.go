package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := play(role, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A name that no step has would measure nothing and say nothing.
func TestOnlyWantsNamesOfSteps(t *testing.T) {
	for only, refused := range map[string]bool{"": false, "answers": false, "answers,completions": false, "typo": true, "answers, completions": true, "answers,": true} {
		if err := (&bench{plan: plan{only: only}}).checkOnly(); (err != nil) != refused {
			t.Errorf("-only %q: %v", only, err)
		}
	}
}

// No figure is judged here, only that each is taken.
func TestASmallRunTakesEveryFigure(t *testing.T) {
	if testing.Short() {
		t.Skip("the bench: not with -short")
	}
	b := &bench{plan: plan{rows: 300, few: 200, rounds: 1, runs: 1, turn: 50 * time.Millisecond, finish: 40, profile: t.TempDir(), before: "..", brief: true}, dir: t.TempDir()}
	b.keep = t.TempDir()
	defer b.end()
	if err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	taken, compared := map[string]bool{}, map[string]bool{}
	for _, l := range b.lines {
		taken[l.number] = true
		compared[l.number] = compared[l.number] || l.before != ""
	}
	for _, number := range strings.Fields("1 2 3 4 5 7 9 10 11 12 14 16") {
		if !taken[number] {
			t.Errorf("nothing was measured for row %s", number)
		}
	}
	for _, number := range strings.Fields("1 2 3 4 5 6 8 9 10 11 14 16 17") {
		if !compared[number] {
			t.Errorf("row %s was not measured of the program before", number)
		}
	}
	if text := string(b.results()); !strings.Contains(text, "| `results` |") || !strings.Contains(text, "| Before, ") || strings.Contains(text, "NaN") {
		t.Errorf("the results page lacks the tables or a figure:\n%s", text)
	}
}
