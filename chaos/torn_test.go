//go:build chaos

package chaos

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"typus/internal/waittest"
)

// The forms of SQLite's log (https://sqlite.org/fileformat2.html, 4.1).
const (
	logHead   = 32
	frameHead = 24
)

// walLog is an SQLite file as a killed server has left it, and its log.
type walLog struct {
	base []byte // the file
	log  []byte
	page int
	all  int // whole frames with the salts of the log
}

func readLog(t *testing.T, database string) *walLog {
	t.Helper()
	w := &walLog{base: contentOf(t, database), log: contentOf(t, database+"-wal")}
	if len(w.log) < logHead {
		t.Fatalf("the log has %d bytes", len(w.log))
	}
	w.page = int(binary.BigEndian.Uint32(w.log[8:]))
	for w.all < (len(w.log)-logHead)/w.size() && bytes.Equal(w.log[w.at(w.all)+8:w.at(w.all)+16], w.log[16:24]) {
		w.all++
	}
	return w
}

func contentOf(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (w *walLog) size() int    { return frameHead + w.page }
func (w *walLog) at(n int) int { return logHead + n*w.size() }

// commit is the size of the file in pages after frame n, 0 if no commit ends there.
func (w *walLog) commit(n int) int { return int(binary.BigEndian.Uint32(w.log[w.at(n)+4:])) }

// boundary is how many of the first n frames belong to whole commits.
func (w *walLog) boundary(n int) int {
	for n = min(n, w.all); n > 0 && w.commit(n-1) == 0; n-- {
	}
	return n
}

// file is what the database must be once its first n frames, whole commits, are part of it.
func (w *walLog) file(n int) []byte {
	out := slices.Clone(w.base)
	for i := range n {
		at := (int(binary.BigEndian.Uint32(w.log[w.at(i):])) - 1) * w.page
		if missing := at + w.page - len(out); missing > 0 {
			out = append(out, make([]byte, missing)...)
		}
		copy(out[at:], w.log[w.at(i)+frameHead:w.at(i+1)])
	}
	if n > 0 {
		out = out[:w.commit(n-1)*w.page]
	}
	return out
}

// Power fails while a log is written: it ends anywhere, or what stands in it is not what was
// written. Whatever is cut off or turned over, the file opens, is whole, and holds all commits
// before that place and nothing of the others.
func TestATornLogHoldsWholeCommitsOnly(t *testing.T) {
	t.Parallel()
	s := sqliteSite(t)
	random := drawn(t)
	a := s.newAccount(t, 1000, 4)
	p := s.serve(t)
	d := newDriver(t, a, 1)
	stop := d.drive(t, p.Addr)
	waittest.Within(t, 2*time.Minute, "the log is long", func() bool {
		info, err := os.Stat(s.database + "-wal")
		return err == nil && info.Size() > size[int64](500_000, 2_500_000)
	})
	p.Kill(t)
	stop()
	w := readLog(t, s.database)
	begun := time.Now()
	checkPrefixes(t, s, w, d)

	edges, cuts, flips := slices.Collect(maps.Keys(someOf(random, w.all, size(20, 500)))), size(20, 200), size(20, 200)
	for _, n := range edges {
		w.opens(t, s, w.log[:w.at(n)], w.boundary(n), fmt.Sprint("cut after frame ", n))
	}
	for range cuts {
		at := random.IntN(len(w.log))
		w.opens(t, s, w.log[:at], w.boundary((at-logHead)/w.size()), fmt.Sprint("cut after byte ", at))
	}
	for range flips {
		at, bit := random.IntN(w.at(w.all)), random.IntN(8)
		torn := slices.Clone(w.log)
		torn[at] ^= 1 << bit
		w.opens(t, s, torn, w.boundary((at-logHead)/w.size()), fmt.Sprintf("bit %d of byte %d turned over", bit, at))
	}
	commits := 0
	for n := range w.all {
		if w.commit(n) > 0 {
			commits++
		}
	}
	figures(t, "P2b a log of %d frames in %d commits, cut at %d edges and %d bytes, %d bits turned over: each opens, whole, with the commits before that place and no others (%.0f s)",
		w.all, commits, len(edges), cuts, flips, time.Since(begun).Seconds())
}

// someOf draws so many different numbers below or equal n.
func someOf(r *rand.Rand, n, many int) map[int]bool {
	some := map[int]bool{n: true}
	for len(some) < min(many, n+1) {
		some[r.IntN(n+1)] = true
	}
	return some
}

// opens writes the file with a log to a directory, opens it, and compares it with what the
// first frames make of it.
func (w *walLog) opens(t *testing.T, of *site, log []byte, frames int, what string) {
	t.Helper()
	torn := w.copied(t, of, log)
	defer os.RemoveAll(filepath.Dir(torn.database))
	torn.looking(t, func(db *sql.DB) {
		checkWhole(t, torn, db)
		if _, err := db.ExecContext(t.Context(), "pragma wal_checkpoint(truncate)"); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	})
	if got := contentOf(t, torn.database); !bytes.Equal(got, w.file(frames)) {
		t.Errorf("%s: the file is not that of the first %d frames", what, frames)
	}
}

// copied is an installation with the file, a log and the key.
func (w *walLog) copied(t *testing.T, of *site, log []byte) *site {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "torn-")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "typus.db")
	for file, body := range map[string][]byte{path: w.base, path + "-wal": log, filepath.Join(dir, "secret.key"): contentOf(t, filepath.Join(filepath.Dir(of.database), "secret.key"))} {
		if err := os.WriteFile(file, body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return siteOn(path)
}

// checkPrefixes looks at what is stored after each commit: the books agree, and it is what one
// caller had sent by then, in that order. After the last one it is all that was acknowledged.
// The program itself opens some of them.
func checkPrefixes(t *testing.T, s *site, w *walLog, d *driver) {
	t.Helper()
	before := -1
	for n := range w.all + 1 {
		if n > 0 && w.commit(n-1) == 0 {
			continue
		}
		torn := w.copied(t, s, w.log[:w.at(n)])
		if n%50 == 49 || n == w.all {
			torn.command(t, "credits", "show", d.account.flag())
		}
		torn.looking(t, func(db *sql.DB) {
			checkBooks(t, db)
			steps := stepsStored(t, db, d)
			if steps < before {
				t.Errorf("after %d frames %d steps are stored, before that %d", n, steps, before)
			}
			before = steps
		})
		if n == w.boundary(w.all) {
			check(t, torn, d)
			torn.serve(t).Stop(t)
			check(t, torn, d)
		}
		os.RemoveAll(filepath.Dir(torn.database))
	}
}

// stepsStored is how many steps of a driver with one worker are stored: all up to one, and
// none after it.
func stepsStored(t *testing.T, db *sql.DB, d *driver) int {
	t.Helper()
	rows := storedRows(t, db, d)
	steps, over := 0, false
	step := func(stored bool, what string, p *person) {
		if stored && over {
			t.Errorf("%s of %s is stored, and something before it is not", what, p.ref)
		}
		over = over || !stored
		if stored {
			steps++
		}
	}
	for _, p := range d.people {
		found := rows[p.ref]
		if len(found) == 0 {
			step(false, "", p)
			continue
		}
		r := found[0]
		packed := r.body
		if r.completed {
			packed = r.answers
		}
		answers, err := values(packed, len(p.values))
		if err != nil {
			t.Error(err)
		}
		step(true, "the invitation", p)
		step(r.begun, "the beginning", p)
		for i, value := range answers {
			step(value != 0, fmt.Sprint("answer ", i+1), p)
		}
		step(r.completed, "handing in", p)
	}
	return steps
}
