package courier

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/web/logtest"
)

func TestALoopOutlivesPanicsAndErrorsAndRestsBetweenThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, logs: new(logtest.Log)}
		c := w.courier(nil, func(c *Courier) { c.pace = usualPace() })
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		go c.loop(ctx, c.letters, func() (time.Duration, error) {
			calls++
			if calls%2 == 0 {
				panic("broken")
			}
			return 0, errors.New("the database is away")
		})
		time.Sleep(time.Hour)
		cancel()
		synctest.Wait()
		// 1, 2, 4, 8 and then 15 seconds between the calls.
		if calls < 200 || calls > 250 {
			t.Errorf("%d calls in an hour of failures, want about one in 15 s", calls)
		}
		if !strings.Contains(w.logs.String(), `error="the database is away"`) {
			t.Error("the log does not say why")
		}
	})
}

func TestALoopThatIsStoppedWhileItClaimsComplainsOfNothing(t *testing.T) {
	w := &world{t: t, logs: new(logtest.Log)}
	c := w.courier(nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	c.loop(ctx, c.letters, func() (time.Duration, error) {
		cancel()
		return 0, ctx.Err()
	})
	if said := w.logs.String(); said != "" {
		t.Errorf("a stop was logged as a fault:\n%s", said)
	}
}

func TestALoopPollsAndHearsTheBell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, logs: new(logtest.Log)}
		c := w.courier(nil, func(c *Courier) { c.pace = usualPace() })
		ctx, cancel := context.WithCancel(t.Context())
		var calls []time.Time
		go c.loop(ctx, c.letters, func() (time.Duration, error) {
			calls = append(calls, time.Now())
			return time.Hour, nil
		})
		began := time.Now()
		time.Sleep(1500 * time.Millisecond)
		c.Wake()
		time.Sleep(100 * time.Millisecond)
		cancel()
		synctest.Wait()
		want := []time.Duration{0, time.Second, 1500 * time.Millisecond}
		for i, at := range calls {
			if i >= len(want) || at.Sub(began) != want[i] {
				t.Errorf("call %d came after %v, want calls after %v", i, at.Sub(began), want)
			}
		}
		if len(calls) != len(want) {
			t.Errorf("%d calls, want %d", len(calls), len(want))
		}
	})
}

func TestRingsThatNobodyWaitsForCountAsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBell()
		b.ring()
		b.ring()
		began := time.Now()
		b.wait(t.Context(), time.Minute)
		if waited := time.Since(began); waited != 0 {
			t.Errorf("waited %v in spite of a ring", waited)
		}
		b.wait(t.Context(), time.Minute)
		if waited := time.Since(began); waited != time.Minute {
			t.Errorf("waited %v, want a minute", waited)
		}
	})
}

func TestAChoreRunsAtOnceAndAgainWhateverBecomesOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, logs: new(logtest.Log)}
		c := w.courier(nil, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var runs atomic.Int64
		go c.repeat(ctx, Chore{Name: "test", Every: time.Hour, Run: func(context.Context) error {
			switch runs.Add(1) % 3 {
			case 1:
				panic("broken")
			case 2:
				return errors.New("the database is away")
			}
			return nil
		}})
		synctest.Wait()
		if runs.Load() != 1 {
			t.Errorf("%d runs at the start, want 1", runs.Load())
		}
		time.Sleep(24*time.Hour + time.Minute)
		cancel()
		synctest.Wait()
		if runs.Load() != 25 {
			t.Errorf("%d runs in a day, want 25", runs.Load())
		}
	})
}

// An outcome that cannot be written is brought a second time, so a short
// absence of the database must be outlasted.
func TestAnOutcomeOutlastsAShortAbsenceOfTheDatabase(t *testing.T) {
	away := typus.Errorf(typus.Unavailable, "away")
	for name, c := range map[string]struct {
		errs  []error // of the writes, the last from then on
		ended bool    // the courier is being stopped
		tries int
		want  error
	}{
		"at once":      {[]error{nil}, false, 1, nil},
		"back soon":    {[]error{away, away, away, nil}, false, 4, nil},
		"away":         {[]error{away}, false, 9, away}, // 100 ms, doubled, within half a minute
		"refused":      {[]error{io.EOF, nil}, false, 1, io.EOF},
		"stopped":      {[]error{away, nil}, true, 1, away},
		"stopped, yet": {[]error{nil}, true, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{t: t, logs: new(logtest.Log)}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.ended {
					cancel()
				}
				tries := 0
				err := w.courier(nil, nil).persist(ctx, 30*time.Second, func(ctx context.Context) error {
					tries++
					if ctx.Err() != nil {
						t.Errorf("the write itself is cut: %v", ctx.Err())
					}
					return c.errs[min(tries, len(c.errs))-1]
				})
				if !errors.Is(err, c.want) || tries != c.tries {
					t.Errorf("%v after %d tries, want %v after %d", err, tries, c.want, c.tries)
				}
			})
		})
	}
}

func TestTheChoresOfTheServerRunToo(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		ran := make(chan struct{}, 1)
		c := New(Options{Store: s, Client: w.client, Box: w.box, Log: w.logger(), Chores: []Chore{{Name: "test", Every: time.Hour, Run: func(context.Context) error {
			ran <- struct{}{}
			return nil
		}}}})
		stop := start(c)
		<-ran
		stop()
	})
}
