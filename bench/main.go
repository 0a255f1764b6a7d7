// Command bench measures Typus against its targets and writes the figures down.
//
// Load generator, server and reference are three processes of this one program.
// The reference, "hello", is a bare net/http handler that answers the same bytes
// as the server; both are driven by the same generator, in turns, so that a ratio
// holds on any machine, while a figure holds only on the one it is quoted with.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	if role := os.Getenv(roleVariable); role != "" {
		if err := play(role, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", role+":", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, readPlan()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// plan is how much is measured.
type plan struct {
	rows    int           // candidates stored
	few     int           // candidates of the second, small database
	runs    int           // of a benchmark of the tests; the fastest counts
	rounds  int           // turns of server and reference
	turn    time.Duration // length of one turn of the server; the reference gets half
	finish  int           // tests handed in
	ease    time.Duration // from the start of a server to the first look whether it is at rest
	out     string        // file of the results, "" for none
	data    string        // directory of the databases; they are removed at the end
	keep    string        // directory that keeps the databases for the next run, "" for none
	profile string        // directory of profiles, "" for none
	before  string        // checkout of an earlier commit to compare with, "" for none
	only    string        // names of the steps of run to measure, parted by commas, "" for all
	brief   bool          // only to see that each figure is taken: benchmarks once, programs as they are built for tests
}

func readPlan() plan {
	p := plan{few: 1_000, runs: 5, ease: 20 * time.Second}
	quick := flag.Bool("quick", false, "10,000 candidates and short turns; writes no results file")
	flag.IntVar(&p.rows, "rows", 1_000_000, "candidates stored")
	flag.IntVar(&p.rounds, "rounds", 5, "turns of server and reference")
	flag.DurationVar(&p.turn, "turn", 6*time.Second, "length of a turn")
	flag.IntVar(&p.finish, "finish", 20_000, "tests handed in")
	flag.StringVar(&p.out, "out", "bench/RESULTS.md", "file of the results")
	flag.StringVar(&p.data, "data", os.TempDir(), "where the databases are made; 6 KB a candidate")
	flag.StringVar(&p.keep, "keep", "", "directory where the databases stay, to be copied from by the next run of the same size")
	flag.StringVar(&p.profile, "profile", "", "directory for profiles of the server under each load: of its CPU, and of what it allocates")
	flag.StringVar(&p.before, "before", "", "checkout of an earlier commit that takes turns with this one on the databases which its own bench has kept by -keep")
	flag.StringVar(&p.only, "only", "", "what to measure, such as answers,completions, and nothing else; writes no results file")
	flag.Parse()
	if p.only != "" {
		p.out = ""
	}
	if *quick {
		p.quick()
	}
	return p
}

// quick makes it a try: every row, none of them to be quoted.
func (p *plan) quick() {
	p.rows, p.rounds, p.turn, p.finish, p.runs, p.out = 10_000, 3, time.Second, 2_000, 1, ""
}

// measure runs everything and prints the table.
func measure(ctx context.Context, p plan) error {
	dir, err := os.MkdirTemp(p.data, "typus-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{plan: p, dir: dir}
	defer b.end()
	if err := b.run(ctx); err != nil {
		return err
	}
	fmt.Print(b.table())
	if p.out == "" {
		return nil
	}
	return os.WriteFile(p.out, b.results(), 0o644) //nolint:gosec // a page of documentation
}
