package waittest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"typus/internal/waittest"
)

func TestWhatComesIsWaitedForAndWhatDoesNotComeEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		waittest.Until(t, "ten seconds are over", func() bool { return time.Since(begun) >= 10*time.Second })
		if took := time.Since(begun); took > 10*time.Second+20*time.Millisecond {
			t.Errorf("it was seen after %s", took)
		}
		begun = time.Now()
		if waittest.So(time.Minute, func() bool { return false }) || time.Since(begun) > time.Minute+time.Second {
			t.Errorf("what never comes was waited for %s", time.Since(begun))
		}
	})
}
