package store_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"typus/internal/store"
)

// cpu is the time of the processor that this process has taken so far, and its PostgreSQL
// server; that in steps of 10 ms.
func cpu(b *testing.B, s *store.Store) time.Duration {
	b.Helper()
	var self syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &self); err != nil {
		b.Fatal(err)
	}
	sum := time.Duration(self.Utime.Nano() + self.Stime.Nano())
	if s.Dialect() != "postgres" {
		return sum
	}
	parent, _ := process(filepath.Join("/proc", rows(b, s, `select pg_backend_pid()`)[0], "stat"))
	for _, path := range must[[]string](b)(filepath.Glob("/proc/[0-9]*/stat")) {
		if of, took := process(path); of == parent {
			sum += took
		}
	}
	return sum
}

// process reads the parent of a process and its time of the processor, nothing of one that has
// ended.
func process(path string) (string, time.Duration) {
	data, err := os.ReadFile(path)
	_, after, found := strings.Cut(string(data), ") ")
	fields := strings.Fields(after)
	if err != nil || !found || len(fields) < 13 {
		return "", 0
	}
	var took time.Duration
	for _, ticks := range fields[11:13] {
		n, _ := strconv.Atoi(ticks)
		took += time.Duration(n) * 10 * time.Millisecond
	}
	return fields[1], took
}
