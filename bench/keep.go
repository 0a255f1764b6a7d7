package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// stocked makes a database, or copies the one that an earlier run kept: a
// million people take longer to lead through the test than to measure.
func (b *bench) stocked(ctx context.Context, name string, rows, finishing int, receiver string) (*stock, error) {
	path := filepath.Join(b.dir, name, "typus.db")
	if b.keep == "" {
		s, err := seed(ctx, path, rows, finishing, receiver)
		return s, errors.Join(err, quiet(ctx, path))
	}
	kept := b.kept(name, rows, finishing)
	s, err := readStock(kept + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		if s, err = seed(ctx, kept+".db", rows, finishing, receiver); err == nil {
			err = errors.Join(quiet(ctx, kept+".db"), writeStock(kept+".json", s))
		}
	}
	if err == nil {
		err = copyFile(path, kept+".db")
	}
	if err != nil {
		return nil, err
	}
	s.Path = path
	return s, errors.Join(redirect(ctx, path, receiver), quiet(ctx, path))
}

// kept is where a database of this size is kept, without the ending.
func (b *bench) kept(name string, rows, finishing int) string {
	return filepath.Join(b.keep, fmt.Sprintf("%s-%d-%d", name, rows, finishing))
}

func readStock(file string) (*stock, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var s stock
	return &s, json.Unmarshal(text, &s)
}

// writeStock is done last: what it describes is complete.
func writeStock(file string, s *stock) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

func copyFile(to, from string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// redirect sends the webhooks to the receiver of this run, which takes as many as come.
func redirect(ctx context.Context, path, receiver string) error {
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `update webhook_endpoints set url = $1, rate_per_s = 1000, burst = 1000`, receiver)
	return errors.Join(err, db.Close())
}
