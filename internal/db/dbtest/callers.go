package dbtest

import (
	"sync"
	"sync/atomic"
	"testing"
)

// AtOnce calls fn n times at the same moment, with 0 to n-1, and waits for all.
func AtOnce(n int, fn func(i int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			fn(i)
		})
	}
	close(start)
	all.Wait()
}

// Callers calls fn b.N times, with 0 to b.N-1, from so many callers, and measures only that.
func Callers(b *testing.B, callers int, fn func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	b.ResetTimer()
	for range callers {
		all.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				fn(int(i - 1))
			}
		})
	}
	all.Wait()
	b.StopTimer()
}
