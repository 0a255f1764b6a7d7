package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// figures runs a benchmark that stands with the tests of a package, which bring what it needs,
// and takes from its lines what a pattern finds: the name that the group of that name
// matches, and the figures of all other groups. One at least.
func figures(ctx context.Context, pattern *regexp.Regexp, of, name string, args ...string) ([]string, [][]float64, error) {
	args = append([]string{"test", of, "-run", "-", "-bench", name + "$"}, args...)
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	found := pattern.FindAllSubmatch(out, -1)
	if err == nil && len(found) == 0 {
		err = errors.New("no figures")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w: %s", name, err, out)
	}
	var (
		names []string
		all   [][]float64
	)
	for _, line := range found {
		var list []float64
		for i, text := range line[1:] {
			if pattern.SubexpNames()[i+1] == "name" {
				names = append(names, string(text))
				continue
			}
			figure, err := strconv.ParseFloat(string(text), 64)
			if err != nil {
				return nil, nil, err
			}
			list = append(list, figure)
		}
		all = append(all, list)
	}
	return names, all, nil
}

// claimFigure is a line of the benchmark that takes a figure for row 16.
var claimFigure = regexp.MustCompile(`BenchmarkClaimBesideTenThousandWaiting/(?P<name>\w+?)(?:-\d+)?\s.*?([\d.]+) ms/claim`)

// claims is row 16.
func (b *bench) claims(ctx context.Context) error {
	databases, all, err := figures(ctx, claimFigure, "typus/internal/store", "ClaimBesideTenThousandWaiting", "-benchtime", "20x")
	for i, database := range databases {
		ms := all[i][0]
		b.add("16", "a claim of deliveries beside 10,000 waiting webhooks, "+database, fmt.Sprintf("%.1f ms", ms), "≤ 10 ms", ms <= 10)
	}
	return err
}

// paperFigure is a line of the benchmark that takes the figures for row 8: what a file
// costs and how large it is.
var paperFigure = regexp.MustCompile(`BenchmarkReportPDF/(?P<name>\w+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op\s+([\d.]+) KB/file.*?(\d+) allocs/op`)

// paper is row 8: the report of a plain result as a PDF file, of one of which much is to be
// said, and of the same with twenty comments, or with twelve notes, as long as can be.
func (b *bench) paper(ctx context.Context) error {
	files, all, err := figures(ctx, paperFigure, "typus/internal/pdf", "ReportPDF")
	for i, file := range files {
		ns, size, allocations := all[i][0], all[i][1], all[i][2]
		b.add("8", "the report as a PDF file, "+file, fmt.Sprintf("%.1f ms, %.0f KB, %.0f allocations", ns/1e6, size, allocations),
			"< 40 ms, < 150 KB", ns < 40e6 && size < 150)
	}
	return err
}

// pageFigure is a line of a benchmark that takes the figures for row 17: what a page costs
// and how large it is.
var pageFigure = regexp.MustCompile(`Benchmark\w+?(?:-\d+)?\s+\d+\s+([\d.]+) ns/op\s+([\d.]+) B/page.*?(\d+) allocs/op`)

// desk is row 17: the page of a report about which a team wrote much, and a comparison of
// five people, looked at a second time.
func (b *bench) desk(ctx context.Context) error {
	measure := func(name string) (float64, string, error) {
		_, all, err := figures(ctx, pageFigure, "typus/internal/dashboard", name)
		if err != nil {
			return 0, "", err
		}
		ns, size, allocations := all[0][0], all[0][1], all[0][2]
		return ns, fmt.Sprintf("%.1f ms, %.0f KB, %.0f allocations", ns/1e6, size/1e3, allocations), nil
	}
	ns, page, err := measure("ReportPage")
	if err != nil {
		return err
	}
	b.add("17", "the page of a report, with 20 notes, tags, looks and ratings", page, "< 5 ms", ns < 5e6)
	_, five, err := measure("ComparisonOfFive")
	if err != nil {
		return err
	}
	b.note("17", "the page that compares five people", five)
	return nil
}
