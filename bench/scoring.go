package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"typus/internal/instrument"
)

// scoring is row 7: what the scoring costs, and what the simulated second test of
// version 2.0.0 adds to it. Version 1.0.0 reads the stability from a table instead and
// shares everything else, so it tells the two apart.
func (b *bench) scoring(context.Context) error {
	tabled, known := instrument.Released("salespersona@1.0.0")
	if !known {
		return fmt.Errorf("version 1.0.0 of the test is not there")
	}
	rest, err := scoringCost(tabled)
	if err != nil {
		return err
	}
	whole, err := scoringCost(instrument.Own())
	if err != nil {
		return err
	}
	each, all := time.Duration(rest.NsPerOp()), time.Duration(whole.NsPerOp())
	b.add("7", "scoring one test, 97 answers to everything but the stability", fmt.Sprintf("%.1f µs, %d allocations", float64(each)/1e3, rest.AllocsPerOp()),
		"< 15 µs, ≤ 20 allocations", each < 15*time.Microsecond && rest.AllocsPerOp() <= 20)
	b.add("7", "the same with the stability, 1,000 simulated repetitions", fmt.Sprintf("%.1f µs, %d allocations", float64(all)/1e3, whole.AllocsPerOp()),
		"< 1 ms, ≤ 20 allocations", all < time.Millisecond && whole.AllocsPerOp() <= 20)
	return nil
}

func scoringCost(test *instrument.Instrument) (testing.BenchmarkResult, error) {
	sheet := test.NewSheet()
	for i, g := range plausible(1) {
		sheet.Answers[i] = instrument.Answer{Value: g.Value, ActiveMS: g.ActiveMS}
	}
	r := testing.Benchmark(func(tb *testing.B) {
		tb.ReportAllocs()
		for tb.Loop() {
			if _, err := test.Score(sheet, "general_sales"); err != nil {
				tb.Fatal(err)
			}
		}
	})
	if r.N == 0 {
		return r, fmt.Errorf("a plausible test cannot be scored")
	}
	return r, nil
}
