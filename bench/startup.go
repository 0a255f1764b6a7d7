package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// program is the rows about the program itself, built as it is released: its
// size (11), its start (9), its memory at rest (10).
func (b *bench) program(ctx context.Context) error {
	typus := filepath.Join(b.dir, "typus")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", typus, "typus/cmd/typus") //nolint:gosec // our own
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	info, err := os.Stat(typus)
	if err != nil {
		return err
	}
	b.add("11", "the program, stripped, everything embedded", megabytes(info.Size()), "< 35 MB", info.Size() < 35e6)
	if err := b.startsOn(ctx, typus); err != nil {
		return err
	}
	return b.atRest(ctx, typus)
}

const starts = 5

// startsOn is row 9, the median of five starts each.
func (b *bench) startsOn(ctx context.Context, typus string) error {
	var existing, empty []time.Duration
	for i := range starts {
		p, took, err := b.launch(ctx, typus, b.full.Path, fmt.Sprintf("/api/v1/candidates/%d", b.full.Finished[i]))
		if err != nil {
			return err
		}
		existing = append(existing, took)
		if err := p.stop(); err != nil {
			return err
		}
		p, took, err = b.launch(ctx, typus, filepath.Join(b.dir, fmt.Sprint("empty", i), "typus.db"), "/healthz")
		if err != nil {
			return err
		}
		empty = append(empty, took)
		if err := p.stop(); err != nil {
			return err
		}
	}
	slices.Sort(existing)
	slices.Sort(empty)
	e, n := existing[starts/2], empty[starts/2]
	b.add("9", fmt.Sprintf("start to the first answered request, %s candidates", thousands(b.full.Candidates)), short(e), "< 150 ms", e < 150*time.Millisecond)
	b.add("9", "the same, empty database (its tables are made)", short(n), "< 400 ms", n < 400*time.Millisecond)
	return nil
}

// atRest is the first half of row 10.
func (b *bench) atRest(ctx context.Context, typus string) error {
	p, _, err := b.launch(ctx, typus, b.full.Path, firstPage)
	if err != nil {
		return err
	}
	if err := b.atEase(ctx, p.cmd.Process.Pid); err != nil {
		return errors.Join(err, p.stop())
	}
	resident, err := memory(p.cmd.Process.Pid, "VmRSS")
	b.add("10", "resident memory at rest, after a first list", megabytes(resident), "≤ 42 MB", resident <= 42e6)
	return errors.Join(err, p.stop())
}

// underLoad is the second half: the most that the server of this run ever used.
func (b *bench) underLoad(context.Context) error {
	most, err := memory(b.site.cmd.Process.Pid, "VmHWM")
	b.add("10", "resident memory at its peak, under rows 1 to 5", megabytes(most), "< 120 MB", most < 120e6)
	return err
}

// launched is a running typus serve.
type launched struct{ cmd *exec.Cmd }

// launch starts typus serve and returns the time to its first answer.
func (b *bench) launch(ctx context.Context, typus, database, path string) (launched, time.Duration, error) {
	ln, err := listen()
	if err != nil {
		return launched{}, 0, err
	}
	addr := ln.Addr().String()
	if err := ln.Close(); err != nil { // the port stays free for the moment
		return launched{}, 0, err
	}
	cmd := exec.CommandContext(ctx, typus, "serve") //nolint:gosec // built above
	cmd.Env = []string{"TYPUS_DATABASE=" + database, "TYPUS_SECRET_KEY=" + secretKey, "TYPUS_ADDR=" + addr}
	var log strings.Builder
	cmd.Stderr = &log
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return launched{}, 0, err
	}
	p := launched{cmd}
	for time.Since(begun) < time.Minute {
		if c, err := dial(addr); err == nil {
			err = b.firstAnswer(c, path)
			return p, time.Since(begun), err
		}
		time.Sleep(time.Millisecond)
	}
	return p, 0, errors.Join(fmt.Errorf("typus serve does not listen: %s", log.String()), p.stop())
}

func (b *bench) firstAnswer(c *conn, path string) error {
	defer c.Close()
	got, err := c.exchange(appendGet(nil, path, b.full.Key))
	if err == nil && got.status != http.StatusOK {
		err = fmt.Errorf("%s was answered with %d: %s", path, got.status, got.body)
	}
	return err
}

func (p launched) stop() error {
	return errors.Join(p.cmd.Process.Signal(syscall.SIGTERM), p.cmd.Wait())
}
