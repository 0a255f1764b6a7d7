package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// finished is what one server reached in its turns of handing in.
type finished struct {
	site    *child
	turns   []speed
	cpu     []time.Duration // of a test, its webhook included, of each turn
	sent    []float64       // webhooks a second beside a turn
	commits int
}

// String is the turn in the middle; times are those of all tests.
func (f *finished) String() string {
	all := speed{}
	for _, s := range f.turns {
		all.requests += s.requests
		all.took = append(all.took, s.took...)
	}
	slices.Sort(all.took)
	return fmt.Sprintf("%s/s over %s tests; CPU a test %d µs, its webhook included; p50 %s, p99 %s; beside them %s webhooks/s delivered; %s commits in all",
		thousands(int(f.perSecond())), thousands(all.requests), middleOf(slices.Clone(f.cpu)).Microseconds(), short(all.quantile(0.50)), short(all.quantile(0.99)),
		thousands(int(middleOf(slices.Clone(f.sent)))), thousands(f.commits))
}

func (f *finished) perSecond() float64 {
	var each []float64
	for _, s := range f.turns {
		each = append(each, s.perSecond())
	}
	return middleOf(each)
}

// completions is row 5: every test that waits to be handed in, in turns, while the courier
// delivers the webhooks. Where profiles are wanted, the last part is handed in under the
// profiler.
func (b *bench) completions(ctx context.Context) error {
	parts := b.rounds
	if b.profile != "" {
		parts++
	}
	each := len(b.full.Finishing) / parts
	contenders := []*finished{{site: b.site}}
	if b.before != nil {
		contenders = append(contenders, &finished{site: b.before.site})
	}
	for round := range b.rounds {
		for i := range contenders {
			f := contenders[(i+round)%len(contenders)]
			if err := b.handIn(ctx, f, b.full.Finishing[round*each:(round+1)*each]); err != nil {
				return err
			}
		}
	}
	now := contenders[0]
	b.add("5", "finishing a test: scores, ledger, result, event, delivery in one transaction", now.String(), "≥ 1,900/s", now.perSecond() >= 1900)
	if b.before != nil {
		b.was("%s; now %.2f × before", contenders[1], now.perSecond()/contenders[1].perSecond())
	}
	_, err := b.profiled(ctx, "5-finish", b.site, func() (speed, error) {
		arrived := b.received.Load()
		s, err := handingIn(b.full.Finishing[b.rounds*each:]).run(ctx, b.site.addr, time.Hour)
		return s, errors.Join(err, b.arrived(ctx, arrived+int64(s.requests)))
	})
	return err
}

// handIn is one turn. It ends when the webhooks of the turn have arrived, so that none is
// sent beside the turn of another server, and each is in the processor time of its test.
func (b *bench) handIn(ctx context.Context, f *finished, tokens []string) error {
	arrived := b.received.Load()
	before, err := f.site.commits(ctx)
	if err != nil {
		return err
	}
	var s speed
	var beside int64
	_, cpu, err := timed(f.site, func() (speed, error) {
		var err error
		s, err = handingIn(tokens).run(ctx, f.site.addr, time.Hour)
		beside = b.received.Load() - arrived
		return s, errors.Join(err, b.arrived(ctx, arrived+int64(s.requests)))
	})
	if err != nil {
		return err
	}
	after, err := f.site.commits(ctx)
	f.turns, f.cpu = append(f.turns, s), append(f.cpu, cpu)
	f.sent = append(f.sent, float64(beside)/s.elapsed.Seconds())
	f.commits += after - before
	return err
}

// arrived waits until so many webhooks have come in all.
func (b *bench) arrived(ctx context.Context, all int64) error {
	for begun := time.Now(); b.received.Load() < all; pause(ctx, 50*time.Millisecond) {
		if ctx.Err() != nil || time.Since(begun) > 10*time.Minute {
			return errors.Join(ctx.Err(), fmt.Errorf("%d webhooks have come, and not %d", b.received.Load(), all))
		}
	}
	return nil
}

// handingIn hands in each of these tests once.
func handingIn(tokens []string) load {
	return load{want: http.StatusSeeOther, request: func(buf []byte, conn, n int) []byte {
		place := n*connections + conn
		if place >= len(tokens) {
			return nil
		}
		return appendForm(buf, "/t/"+tokens[place]+"/fertig", "")
	}}
}
