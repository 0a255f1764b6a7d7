package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// machine is what the figures were taken on.
type machine struct {
	cpu    string
	cores  int
	golang string
	sqlite string
	sync   time.Duration // median of a write of 8 KiB and its sync
	load   string        // averages over 1, 5 and 15 minutes before the run
	commit string
}

func readMachine(ctx context.Context, dir string) (machine, error) {
	m := machine{cpu: cpuModel(), cores: runtime.NumCPU(), golang: runtime.Version(), load: loadAverage(), commit: commit(ctx)}
	var err error
	if m.sqlite, err = sqliteVersion(ctx, dir); err != nil {
		return m, err
	}
	m.sync, err = syncTime(dir)
	return m, err
}

func cpuModel() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	return strings.Join(fields[:min(3, len(fields))], ", ")
}

// commit names the source that was measured, and says when it was changed since.
func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return "unknown"
	}
	return string(bytes.TrimSpace(out))
}

// syncTime measures the disk: what one fsync takes bounds every write.
func syncTime(dir string) (time.Duration, error) {
	f, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var took []time.Duration
	for range 200 {
		if _, err := f.Write(make([]byte, 8<<10)); err != nil {
			return 0, err
		}
		begun := time.Now()
		if err := f.Sync(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

func (m machine) String() string {
	return fmt.Sprintf("%s, %d cores; %s; SQLite %s; one sync of the disk takes %s (median); load average before the run %s",
		m.cpu, m.cores, m.golang, m.sqlite, short(m.sync), m.load)
}
