package server

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// restLook is how often the server looks whether it has come to rest.
	restLook = 10 * time.Second
	// restLittle is what a server at rest allocates in that time at most, in bytes: its
	// chores and a health check.
	restLittle = 1 << 20
)

// rest gives memory back to the system whenever the server has come to rest after some
// work, and lets give do so first: Go itself does so slowly, and collects nothing while
// nothing is allocated.
func rest(ctx context.Context, give func()) {
	tick := time.NewTicker(restLook)
	defer tick.Stop()
	for given, before := uint64(0), allocated(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := allocated()
		if now-before < restLittle && now-given > restLittle {
			give()
			debug.FreeOSMemory()
			given = now
		}
		before = now
	}
}

// allocated is how many bytes this process has ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
