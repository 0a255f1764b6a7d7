package docs

import (
	"fmt"
	"strings"
	"time"

	"typus"
	"typus/internal/webhook"
)

// directive adds what is not written by hand.
func (p *parser) directive(mark, rest string) error {
	switch mark {
	case "@samples":
		found := p.samples.of(rest)
		if len(found) == 0 {
			return fmt.Errorf("there are no samples %q", rest)
		}
		return p.add(block{Kind: "samples", ID: rest, Samples: found})
	case "@retries":
		return p.add(block{Kind: "table", Head: cells(rest), Rows: retries()})
	case "@pages":
		return p.add(block{Kind: "pages"})
	}
	return fmt.Errorf("there is no directive %s", mark)
}

// retries are the attempts of a webhook: number, wait before it, and how long
// after the first one it comes, all without jitter.
func retries() [][][]span {
	var rows [][][]span
	var since time.Duration
	for failures := range typus.DeliveryAttempts {
		wait := webhook.Backoff(failures, 0, func() float64 { return 0 })
		since += wait
		row := [][]span{inline(fmt.Sprint(failures + 1)), inline(duration(wait)), inline(duration(since))}
		rows = append(rows, row)
	}
	return rows
}

// duration writes a time in units that are the same in every language.
func duration(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	var parts []string
	for _, unit := range []struct {
		name   string
		length time.Duration
	}{{"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}} {
		if n := d / unit.length; n > 0 {
			parts = append(parts, fmt.Sprintf("%d\u00a0%s", n, unit.name))
			d -= n * unit.length
		}
	}
	return strings.Join(parts, " ")
}
