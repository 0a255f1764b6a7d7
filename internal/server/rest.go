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

// Garbage is how much memory a server may fill with what nothing refers to any more before
// it is collected, in percent of what is in use. What is in use is small, about 12 MB, so
// that at Go's 100 a tenth of the work under load was collecting.
const Garbage = 200

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
