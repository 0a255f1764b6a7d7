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
	now, err := b.built(ctx, "", "now", b.full.Path)
	if err != nil {
		return err
	}
	var was released
	if b.before != nil {
		if was, err = b.built(ctx, b.before.source, "before", b.before.full); err != nil {
			return err
		}
	}
	b.both("11", "the program, stripped, everything embedded", megabytes(now.size), megabytes(was.size), "< 35 MB", now.size < 35e6)
	b.both("9", fmt.Sprintf("start to the first answered request, %s candidates", thousands(b.full.Candidates)), short(now.existing), short(was.existing), "< 150 ms", now.existing < 150*time.Millisecond)
	b.both("9", "the same, empty database (its tables are made)", short(now.empty), short(was.empty), "< 400 ms", now.empty < 400*time.Millisecond)
	b.both("10", "resident memory at rest, after a first list", megabytes(now.resting), megabytes(was.resting), "≤ 42 MB", now.resting <= 42e6)
	return nil
}

// released is what a program costs that nobody uses yet.
type released struct {
	size            int64         // of the file
	existing, empty time.Duration // to the first answer
	resting         int64         // memory
}

// built builds the program of a source as it is released, and starts it on its database. As
// it is released it shares no package with what tests build; a brief run does without.
func (b *bench) built(ctx context.Context, source, name, database string) (released, error) {
	typus := filepath.Join(b.dir, "typus-"+name)
	build := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", typus, "typus/cmd/typus") //nolint:gosec // our own
	build.Dir, build.Env = source, os.Environ()
	if !b.brief {
		build.Args, build.Env = slices.Insert(build.Args, 2, "-trimpath"), append(build.Env, "CGO_ENABLED=0")
	}
	if out, err := build.CombinedOutput(); err != nil {
		return released{}, fmt.Errorf("go build: %w: %s", err, out)
	}
	info, err := os.Stat(typus)
	if err != nil {
		return released{}, err
	}
	r := released{size: info.Size()}
	if r.existing, r.empty, err = b.starts(ctx, typus, database); err != nil {
		return r, err
	}
	r.resting, err = b.resting(ctx, typus, database)
	return r, err
}

const starts = 5

// starts is row 9, the median of five starts each: with the database, and with none.
func (b *bench) starts(ctx context.Context, typus, database string) (existing, empty time.Duration, err error) {
	var filled, none []time.Duration
	for i := range starts {
		p, took, err := b.launch(ctx, typus, database, fmt.Sprintf("/api/v1/candidates/%d", b.full.Finished[i]))
		if err != nil {
			return 0, 0, err
		}
		filled = append(filled, took)
		if err := p.stop(); err != nil {
			return 0, 0, err
		}
		p, took, err = b.launch(ctx, typus, fmt.Sprint(typus, "-empty", i, "/typus.db"), "/healthz")
		if err != nil {
			return 0, 0, err
		}
		none = append(none, took)
		if err := p.stop(); err != nil {
			return 0, 0, err
		}
	}
	return middleOf(filled), middleOf(none), nil
}

// resting is the first half of row 10.
func (b *bench) resting(ctx context.Context, typus, database string) (int64, error) {
	p, _, err := b.launch(ctx, typus, database, firstPage)
	if err != nil {
		return 0, err
	}
	if err := b.atEase(ctx, p.cmd.Process.Pid); err != nil {
		return 0, errors.Join(err, p.stop())
	}
	pause(ctx, b.ease) // it looks every ten seconds whether it has nothing to do, and gives memory back after ten without
	resident, err := memory(p.cmd.Process.Pid, "VmRSS")
	return resident, errors.Join(err, p.stop())
}

// underLoad is the second half: the most that the server of this run ever used.
func (b *bench) underLoad(context.Context) error {
	most, err := memory(b.site.cmd.Process.Pid, "VmHWM")
	b.add("10", "resident memory at its peak, under rows 1 to 5", megabytes(most), "< 120 MB", most < 120e6)
	if err != nil || b.before == nil {
		return err
	}
	if most, err = memory(b.before.site.cmd.Process.Pid, "VmHWM"); err == nil {
		b.was("%s", megabytes(most))
	}
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
