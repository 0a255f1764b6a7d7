package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// claimFigure is a line of the benchmark that takes a figure for row 16.
var claimFigure = regexp.MustCompile(`BenchmarkClaimBesideTenThousandWaiting/(\w+?)(?:-\d+)?\s.*?([\d.]+) ms/claim`)

// claims is row 16. The benchmark stands with the tests of the store, which bring a
// PostgreSQL with them.
func (b *bench) claims(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "test", "typus/internal/store",
		"-run", "-", "-bench", "ClaimBesideTenThousandWaiting$", "-benchtime", "20x").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	for _, found := range claimFigure.FindAllSubmatch(out, -1) {
		ms, err := strconv.ParseFloat(string(found[2]), 64)
		if err != nil {
			return err
		}
		b.add("16", fmt.Sprintf("a claim of deliveries beside 10,000 waiting webhooks, %s", found[1]), fmt.Sprintf("%.1f ms", ms), "≤ 10 ms", ms <= 10)
	}
	return nil
}
