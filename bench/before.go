package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
)

// earlier is the program of an earlier commit, measured in turns with ours: each has its own
// copy of the same databases, which the earlier one has made and ours has brought up to date.
type earlier struct {
	source  string // its checkout
	commit  string
	program string // its bench, for its roles
	full    string // files of its databases
	small   string
	site    *child // its server on the full one
}

// readEarlier builds the program of a checkout and copies the databases that it has kept.
func (b *bench) readEarlier(ctx context.Context, receiver string) error {
	if b.plan.before == "" {
		return nil
	}
	if b.keep == "" {
		return errors.New("-before takes the databases that the earlier program has kept: name them by -keep")
	}
	e := &earlier{source: b.plan.before, program: filepath.Join(b.dir, "bench-before")}
	build := exec.CommandContext(ctx, "go", "build", "-o", e.program, "./bench") //nolint:gosec // a name of our own
	build.Dir = e.source
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build of the earlier bench: %w: %s", err, out)
	}
	named := exec.CommandContext(ctx, "git", "-C", e.source, "describe", "--always", "--dirty", "--exclude=*") //nolint:gosec // as above
	out, err := named.Output()
	if err != nil {
		return fmt.Errorf("the commit of %s: %w", e.source, err)
	}
	e.commit = string(bytes.TrimSpace(out))
	for _, of := range []struct {
		name            string
		rows, finishing int
		path            *string
	}{{"few", b.few, 0, &e.small}, {"full", b.rows, b.finish, &e.full}} {
		*of.path = filepath.Join(b.dir, "before-"+of.name, "typus.db")
		if err := copyFile(*of.path, b.kept(of.name, of.rows, of.finishing)+".db"); err != nil {
			return err
		}
		if err := redirect(ctx, *of.path, receiver); err != nil {
			return err
		}
	}
	b.before = e
	return nil
}

// startEarlier starts the earlier server on the full database.
func (b *bench) startEarlier(ctx context.Context) error {
	if b.before == nil {
		return nil
	}
	var err error
	if b.before.site, err = startAs(b.before.program, filepath.Join(b.dir, "before.log"), "serve", b.before.full); err != nil {
		return err
	}
	return b.atEase(ctx, b.before.site.cmd.Process.Pid)
}

// both adds a figure, and that of the earlier program in the same work, where there is one.
func (b *bench) both(number, work, now, before, target string, met bool) {
	b.add(number, work, now, target, met)
	if b.before != nil {
		b.was("%s", before)
	}
}

// was says what the earlier program reached in the work of the last line.
func (b *bench) was(format string, args ...any) {
	last := &b.lines[len(b.lines)-1]
	last.before = fmt.Sprintf(format, args...)
	b.say("     before: %s", last.before)
}

// benchmarked runs a benchmark of the tests, and the same of the earlier source, by the name
// of its part. Where that has none, there is nothing to compare with.
func (b *bench) benchmarked(ctx context.Context, pattern *regexp.Regexp, of, name string, args ...string) ([]figures, map[string][]float64, error) {
	before := map[string][]float64{}
	if b.before != nil {
		list, err := b.fastestOf(ctx, b.before.source, pattern, of, name, args...)
		if err != nil {
			b.say("before: %v", err)
		}
		for _, f := range list {
			before[f.name] = f.all
		}
	}
	list, err := b.fastestOf(ctx, "", pattern, of, name, args...)
	return list, before, err
}
