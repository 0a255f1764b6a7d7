package metrics

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// tellGo says what Go's runtime knows, under the names that Prometheus' own library for Go
// has made usual.
func tellGo(t *text) {
	t.family("go_info", "gauge", "1, with the version of Go.")
	t.sample("go_info", 1, "version", runtime.Version())
	t.gauge("go_goroutines", "Goroutines that there are.", float64(runtime.NumGoroutine()))
	threads, _ := runtime.ThreadCreateProfile(nil)
	t.gauge("go_threads", "Threads of the system that were made.", float64(threads))
	t.gauge("go_sched_gomaxprocs_threads", "Threads that may run Go at a time (GOMAXPROCS).", float64(runtime.GOMAXPROCS(0)))
	limits := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(limits)
	t.gauge("go_gc_gogc_percent", "By how much the heap grows before it is swept (GOGC).", float64(limits[0].Value.Uint64()))
	t.gauge("go_gc_gomemlimit_bytes", "Memory that Go tries to stay below (GOMEMLIMIT).", float64(limits[1].Value.Uint64()))
	tellPauses(t)
	tellMemory(t)
}

func tellPauses(t *text) {
	const name = "go_gc_duration_seconds"
	pauses := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&pauses)
	t.family(name, "summary", "How long the garbage collection stopped everything.")
	for i, q := range []string{"0", "0.25", "0.5", "0.75", "1"} {
		t.sample(name, pauses.PauseQuantiles[i].Seconds(), "quantile", q)
	}
	t.sample(name+"_sum", pauses.PauseTotal.Seconds())
	t.sample(name+"_count", float64(pauses.NumGC))
}

func tellMemory(t *text) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for _, of := range []struct {
		name, help string
		value      uint64
	}{
		{"alloc_bytes_total", "Bytes of the heap that were ever given out.", m.TotalAlloc},
		{"mallocs_total", "Objects of the heap that were ever made.", m.Mallocs},
		{"frees_total", "Objects of the heap that were ever freed.", m.Frees},
	} {
		t.counter("go_memstats_"+of.name, of.help, float64(of.value))
	}
	for _, of := range []struct {
		name, help string
		value      uint64
	}{
		{"alloc_bytes", "Bytes of the heap in use by objects.", m.Alloc},
		{"sys_bytes", "Bytes taken from the system.", m.Sys},
		{"heap_alloc_bytes", "Bytes of the heap in use by objects.", m.HeapAlloc},
		{"heap_sys_bytes", "Bytes taken from the system for the heap.", m.HeapSys},
		{"heap_idle_bytes", "Bytes of the heap that wait to be used.", m.HeapIdle},
		{"heap_inuse_bytes", "Bytes of the heap in spans that are used.", m.HeapInuse},
		{"heap_released_bytes", "Bytes of the heap given back to the system.", m.HeapReleased},
		{"heap_objects", "Objects of the heap.", m.HeapObjects},
		{"stack_inuse_bytes", "Bytes of stacks in use.", m.StackInuse},
		{"stack_sys_bytes", "Bytes taken from the system for stacks.", m.StackSys},
		{"mspan_inuse_bytes", "Bytes of what keeps account of spans, in use.", m.MSpanInuse},
		{"mspan_sys_bytes", "Bytes of what keeps account of spans.", m.MSpanSys},
		{"mcache_inuse_bytes", "Bytes of each processor's own store of memory, in use.", m.MCacheInuse},
		{"mcache_sys_bytes", "Bytes of each processor's own store of memory.", m.MCacheSys},
		{"buck_hash_sys_bytes", "Bytes of the tables of the profiler.", m.BuckHashSys},
		{"gc_sys_bytes", "Bytes of what the garbage collection needs.", m.GCSys},
		{"other_sys_bytes", "Bytes taken from the system for all else.", m.OtherSys},
		{"next_gc_bytes", "Size of the heap at which the garbage is collected next.", m.NextGC},
	} {
		t.gauge("go_memstats_"+of.name, of.help, float64(of.value))
	}
	t.gauge("go_memstats_last_gc_time_seconds", "When the garbage was last collected.", float64(m.LastGC)/1e9)
}
