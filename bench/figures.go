package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// figures are what a benchmark measured, of its fastest run.
type figures struct {
	name string    // what the group "name" of the pattern matches
	all  []float64 // what its other groups match, a time first
}

// fastestOf runs a benchmark of the source in a directory, "" for this one. It stands with the
// tests of a package, which bring what it needs, and takes from its lines what a pattern
// finds. It finds something, or that is an error. Whatever else the machine does only adds to
// a run, so the fastest counts.
func (b *bench) fastestOf(ctx context.Context, source string, pattern *regexp.Regexp, of, name string, args ...string) ([]figures, error) {
	program, dir, err := b.testsOf(ctx, source, of)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	args = append([]string{"-test.run", "-", "-test.count", strconv.Itoa(b.runs), "-test.bench", name + "$"}, args...)
	if b.brief {
		args = append(args, "-test.benchtime", "1x") // the last of two counts
	}
	test := exec.CommandContext(ctx, program, args...)
	test.Dir = dir
	out, err := test.CombinedOutput()
	found := pattern.FindAllSubmatch(out, -1)
	if err == nil && len(found) == 0 {
		err = errors.New("no figures")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", name, err, out)
	}
	var list []figures
	for _, line := range found {
		var one figures
		for i, text := range line[1:] {
			if pattern.SubexpNames()[i+1] == "name" {
				one.name = string(text)
				continue
			}
			figure, err := strconv.ParseFloat(string(text), 64)
			if err != nil {
				return nil, err
			}
			one.all = append(one.all, figure)
		}
		i := slices.IndexFunc(list, func(f figures) bool { return f.name == one.name })
		switch {
		case i < 0:
			list = append(list, one)
		case one.all[0] < list[i].all[0]:
			list[i] = one
		}
	}
	return list, nil
}

// testsOf builds the tests of a package of the source in a directory, "" for this one, as go
// test does, and gives back the program and the directory where it runs. What two benchmarks
// need, or two names of one source, is built once.
func (b *bench) testsOf(ctx context.Context, source, of string) (string, string, error) {
	list := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", of) //nolint:gosec // a package of ours
	list.Dir = source
	out, err := list.Output()
	if err != nil {
		return "", "", fmt.Errorf("go list: %w", err)
	}
	dir := strings.TrimSpace(string(out))
	if program, built := b.tests[dir]; built {
		return program, dir, nil
	}
	program := filepath.Join(b.dir, fmt.Sprintf("tests-%d", len(b.tests)))
	build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", program, of) //nolint:gosec // as above
	build.Dir = source
	if out, err := build.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("go test -c: %w: %s", err, out)
	}
	if b.tests == nil {
		b.tests = map[string]string{}
	}
	b.tests[dir] = program
	return program, dir, nil
}

// claimFigure is a line of the benchmark that takes a figure for row 16.
var claimFigure = regexp.MustCompile(`BenchmarkClaimBesideTenThousandWaiting/(?P<name>\w+?)(?:-\d+)?\s.*?([\d.]+) ms/claim`)

// claims is row 16.
func (b *bench) claims(ctx context.Context) error {
	databases, before, err := b.benchmarked(ctx, claimFigure, "typus/internal/store", "ClaimBesideTenThousandWaiting", "-test.benchtime", "20x")
	for _, f := range databases {
		b.add("16", "a claim of deliveries beside 10,000 waiting webhooks, "+f.name, fmt.Sprintf("%.1f ms", f.all[0]), "≤ 10 ms", f.all[0] <= 10)
		if was, known := before[f.name]; known {
			b.was("%.1f ms", was[0])
		}
	}
	return err
}

// sentFigure and wayFigure are lines of the benchmarks that take the figures for row 6.
var (
	sentFigure = regexp.MustCompile(`BenchmarkDeliveries(?:-\d+)?\s+\d+\s+([\d.]+) ns/op\s+([\d.]+) deliveries/s`)
	wayFigure  = regexp.MustCompile(`BenchmarkCommitToReceiver(?:-\d+)?\s+\d+\s+[\d.]+ ns/op\s+([\d.]+) p50-ms\s+([\d.]+) p99-ms`)
)

// webhooks is row 6: how many deliveries leave in a second, and how soon an event is with its
// receiver when nothing else is to do.
func (b *bench) webhooks(ctx context.Context) error {
	sent, before, err := b.benchmarked(ctx, sentFigure, "typus/internal/courier", "Deliveries", "-test.benchtime", "50x")
	if err != nil {
		return err
	}
	rate := sent[0].all[1]
	b.add("6", "deliveries to 100 webhooks of this machine, 1,000 a second each", fmt.Sprintf("%s/s", thousands(int(rate))), "≥ 1,500/s", rate >= 1500)
	if was, known := before[""]; known {
		b.was("%s/s", thousands(int(was[1])))
	}
	ways, before, err := b.benchmarked(ctx, wayFigure, "typus/internal/courier", "CommitToReceiver", "-test.benchtime", "200x")
	for _, f := range ways {
		b.add("6", "commit to receiver, idle", fmt.Sprintf("p50 %.1f ms, p99 %.1f ms", f.all[0], f.all[1]), "p50 < 10 ms, p99 < 100 ms", f.all[0] < 10 && f.all[1] < 100)
		if was, known := before[f.name]; known {
			b.was("p50 %.1f ms, p99 %.1f ms", was[0], was[1])
		}
	}
	return err
}

// paperFigure is a line of the benchmark that takes the figures for row 8: what a file
// costs and how large it is.
var paperFigure = regexp.MustCompile(`BenchmarkReportPDF/(?P<name>\w+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op\s+([\d.]+) KB/file.*?(\d+) allocs/op`)

// paper is row 8: the report of a plain result as a PDF file, of one of which much is to be
// said, and of the same with twenty comments, or with twelve notes, as long as can be.
func (b *bench) paper(ctx context.Context) error {
	files, before, err := b.benchmarked(ctx, paperFigure, "typus/internal/pdf", "ReportPDF")
	words := func(all []float64) string {
		return fmt.Sprintf("%.1f ms, %.0f KB, %.0f allocations", all[0]/1e6, all[1], all[2])
	}
	for _, f := range files {
		b.add("8", "the report as a PDF file, "+f.name, words(f.all), "< 40 ms, < 150 KB", f.all[0] < 40e6 && f.all[1] < 150)
		if was, known := before[f.name]; known {
			b.was("%s", words(was))
		}
	}
	return err
}

// pageFigure is a line of a benchmark that takes the figures for row 17: what a page costs
// and how large it is.
var pageFigure = regexp.MustCompile(`Benchmark\w+?(?:-\d+)?\s+\d+\s+([\d.]+) ns/op\s+([\d.]+) B/page.*?(\d+) allocs/op`)

// desk is row 17: the page of a report about which a team wrote much, and a comparison of
// five people, looked at a second time.
func (b *bench) desk(ctx context.Context) error {
	words := func(all []float64) string {
		return fmt.Sprintf("%.1f ms, %.0f KB, %.0f allocations", all[0]/1e6, all[1]/1e3, all[2])
	}
	page, before, err := b.benchmarked(ctx, pageFigure, "typus/internal/dashboard", "ReportPage")
	if err != nil {
		return err
	}
	b.add("17", "the page of a report, with 20 notes, tags, looks and ratings", words(page[0].all), "< 5 ms", page[0].all[0] < 5e6)
	if was, known := before[""]; known {
		b.was("%s", words(was))
	}
	if page, before, err = b.benchmarked(ctx, pageFigure, "typus/internal/dashboard", "ComparisonOfFive"); err != nil {
		return err
	}
	b.note("17", "the page that compares five people", words(page[0].all))
	if was, known := before[""]; known {
		b.was("%s", words(was))
	}
	return nil
}
