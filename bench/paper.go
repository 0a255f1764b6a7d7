package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// paperFigure is a line of the benchmark that takes the figures for row 8: what a file
// costs and how large it is.
var paperFigure = regexp.MustCompile(`BenchmarkReportPDF/(\w+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op\s+([\d.]+) KB/file.*?(\d+) allocs/op`)

// paper is row 8: the report of a plain result as a PDF file, of one of which much is to be
// said, and of the same with twenty comments, or with twelve notes, as long as can be. The benchmark stands with the tests of the package, which bring their texts.
func (b *bench) paper(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "test", "typus/internal/pdf", "-run", "-", "-bench", "ReportPDF$").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	for _, found := range paperFigure.FindAllSubmatch(out, -1) {
		ns, err := strconv.ParseFloat(string(found[2]), 64)
		if err != nil {
			return err
		}
		size, err := strconv.ParseFloat(string(found[3]), 64)
		if err != nil {
			return err
		}
		b.add("8", fmt.Sprintf("the report as a PDF file, %s", found[1]), fmt.Sprintf("%.1f ms, %.0f KB, %s allocations", ns/1e6, size, found[4]),
			"< 40 ms, < 150 KB", ns < 40e6 && size < 150)
	}
	return nil
}
