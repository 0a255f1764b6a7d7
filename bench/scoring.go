package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"typus/internal/instrument"
)

// scoring is row 7.
func (b *bench) scoring(context.Context) error {
	test := instrument.Own()
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
		return fmt.Errorf("a plausible test cannot be scored")
	}
	each := time.Duration(r.NsPerOp())
	b.add("7", "scoring one test, 97 answers to everything", fmt.Sprintf("%.1f µs, %d allocations", float64(each)/1e3, r.AllocsPerOp()),
		"< 15 µs, ≤ 20 allocations", each < 15*time.Microsecond && r.AllocsPerOp() <= 20)
	return nil
}
