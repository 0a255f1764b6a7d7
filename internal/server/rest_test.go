package server

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryIsGivenBackOnceWhenTheServerComesToRest(t *testing.T) {
	var work []byte
	var given int
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go rest(ctx, func() { given++ })
		synctest.Wait()
		for i, want := range []uint32{0, 1, 0, 0} {
			if i == 0 {
				work = make([]byte, 4*restLittle)
			}
			before := forced()
			time.Sleep(restLook)
			synctest.Wait()
			if got := forced() - before; got != want {
				t.Errorf("look %d: given back %d times, want %d", i+1, got, want)
			}
		}
	})
	if given != 1 {
		t.Errorf("the database gave memory back %d times, want 1", given)
	}
	runtime.KeepAlive(work)
}

// forced is how often memory was collected because the program asked for it.
func forced() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumForcedGC
}
