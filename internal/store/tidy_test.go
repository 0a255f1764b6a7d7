package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

const canary = "kanarien"

// found names the files of a database that hold the canary, as written and with a
// capital.
func found(t testing.TB, path string) []string {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	var holding []string
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(bytes.ToLower(body), []byte(canary)); n > 0 {
			holding = append(holding, fmt.Sprintf("%d times in %s", n, filepath.Base(file)))
		}
	}
	return holding
}

// tidied runs test in a bubble on an open store, and checks that the canary is in
// the files before erase and in none of them a minute after it.
func tidied(t *testing.T, fill, erase func(t *testing.T, s *store.Store), meanwhile func(ctx context.Context, s *store.Store)) {
	path := storetest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		fill(t, s)
		ctx, stop := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer stop()
		go meanwhile(ctx, s)
		time.Sleep(7 * time.Second)
		if len(found(t, path)) == 0 {
			t.Error("the canary is not to be found before it is erased")
		}
		erase(t, s)
		time.Sleep(time.Minute)
		if left := found(t, path); left != nil {
			t.Errorf("a minute after the erasure the canary is %s", strings.Join(left, " and "))
		}
		if err := s.QuickCheck(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// atRest is a server to which nobody comes: it looks what has been left behind, in
// transactions that write nothing.
func atRest(ctx context.Context, s *store.Store) {
	for every(ctx, 15*time.Second) {
		_, _ = s.SweepLetters(ctx, reach)
	}
}

// underLoad is one where somebody writes all the time and others read.
func underLoad(ctx context.Context, s *store.Store) {
	for range 3 {
		go func() {
			for every(ctx, 130*time.Millisecond) {
				_, _ = s.Accounts(ctx)
			}
		}()
	}
	for every(ctx, 200*time.Millisecond) {
		_ = s.InTx(ctx, func(tx *store.Tx) error { return addNamed(ctx, tx, "somebody") })
	}
}

// every waits; false: ctx has ended.
func every(ctx context.Context, pause time.Duration) bool {
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}

func TestWhatIsErasedIsGoneFromTheFilesWithinAMinute(t *testing.T) {
	for name, meanwhile := range map[string]func(context.Context, *store.Store){"at rest": atRest, "under load": underLoad} {
		for what, c := range erasing {
			t.Run(what+" "+name, func(t *testing.T) {
				var account, id int64
				tidied(t, func(t *testing.T, s *store.Store) {
					account = newAccount(t, s)
					id = c.fill(t, s, account)
				}, func(t *testing.T, s *store.Store) { c.erase(t, s, account, id) }, meanwhile)
			})
		}
	}
}

// erasing is what holds people, and how they are taken out of it. fill answers the
// id that erase needs.
var erasing = map[string]struct {
	fill  func(t *testing.T, s *store.Store, account int64) int64
	erase func(t *testing.T, s *store.Store, account, id int64)
}{
	"a candidate": {
		func(t *testing.T, s *store.Store, account int64) int64 {
			newEndpoint(t, s, account)
			id := newCandidate(t, s, account, func(c *store.NewCandidate) {
				c.Name, c.Email, c.ExternalID = "Kim Kanarienname", "kanarienmail@example.com", "kanariencrm"
			})
			write(t, s, func(tx *store.Tx) error {
				if err := tx.TagCandidate(t.Context(), account, id, "Kanarienmarke"); err != nil {
					return err
				}
				note := typus.Note{AccountID: account, CandidateID: id, UserID: 1, Author: "Ada", Body: "Kanariennotiz", CreatedAt: noon}
				if _, err := tx.AddNote(t.Context(), note); err != nil {
					return err
				}
				_, err := tx.AddEvent(t.Context(), typus.Event{
					ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted, CandidateID: id, OccurredAt: noon, Payload: []byte(`{"name":"Kanarien"}`),
				}, func() string { return unique("dlv_") })
				return err
			})
			return id
		},
		func(t *testing.T, s *store.Store, account, id int64) {
			write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, id, noon) })
		},
	},
	"a file of people": {
		func(t *testing.T, s *store.Store, account int64) int64 {
			var id int64
			write(t, s, func(tx *store.Tx) error {
				var err error
				id, err = tx.AddImport(t.Context(), typus.Import{AccountID: account, CreatedAt: noon, DropAt: noon.Add(time.Hour)},
					bytes.Repeat([]byte("Kanarien;kanarien@example.com\n"), 1000))
				return err
			})
			return id
		},
		func(t *testing.T, s *store.Store, account, id int64) {
			write(t, s, func(tx *store.Tx) error {
				_, err := tx.EndImport(t.Context(), account, id, typus.ImportCancelled, noon, noon)
				return err
			})
		},
	},
	"a test event": {
		func(t *testing.T, s *store.Store, account int64) int64 {
			endpoint := newEndpoint(t, s, account)
			write(t, s, func(tx *store.Tx) error {
				e := typus.Event{
					ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted, OccurredAt: noon, Payload: []byte(`{"name":"Kanarien"}`),
				}
				return errors.Join(tx.AddTestEvent(t.Context(), e, endpoint, "dlv_t"), tx.Exec(t.Context(), "update webhook_deliveries set state = 'delivered'"))
			})
			return 0
		},
		func(t *testing.T, s *store.Store, _, _ int64) {
			write(t, s, func(tx *store.Tx) error {
				_, err := tx.ForgetTestPayloads(t.Context(), noon.Add(time.Second))
				return err
			})
		},
	},
	"the address on a letter": {
		func(t *testing.T, s *store.Store, account int64) int64 {
			write(t, s, func(tx *store.Tx) error {
				id, err := tx.AddLetter(t.Context(), typus.Letter{AccountID: account, Kind: typus.LetterDigest, CreatedAt: noon})
				if err != nil {
					return err
				}
				return tx.Exec(t.Context(), fmt.Sprintf("update letters set state = 'sent', recipient = 'kanarien@example.com' where id = %d", id))
			})
			return 0
		},
		func(t *testing.T, s *store.Store, _, _ int64) {
			write(t, s, func(tx *store.Tx) error {
				_, err := tx.ForgetRecipients(t.Context(), noon.Add(time.Second))
				return err
			})
		},
	},
}

// Pages that are balanced with their neighbours keep copies of cells that went to
// another page, and secure_delete does not know of them.
func TestPagesKeepNoCopiesOfWhatWasErased(t *testing.T) {
	var (
		account int64
		gone    []int64
	)
	fill := func(t *testing.T, s *store.Store) {
		account = newAccount(t, s)
		for part := range 40 {
			write(t, s, func(tx *store.Tx) error {
				for n := range 100 {
					sum := fmt.Sprintf("%x", sha256.Sum256([]byte{byte(part), byte(n)}))[:16]
					c := candidateOf(account)
					c.Name, c.Email, c.ExternalID = sum+" bleibt", sum+"@example.com", sum
					if n%10 == 3 {
						c.Name, c.Email, c.ExternalID = sum+canary, sum+canary+"@example.com", sum+canary
					}
					id, _, err := tx.AddCandidate(t.Context(), c)
					if err != nil {
						return err
					}
					if n%10 == 3 {
						gone = append(gone, id)
					}
				}
				return nil
			})
		}
	}
	tidied(t, fill, func(t *testing.T, s *store.Store) {
		write(t, s, func(tx *store.Tx) error {
			for _, id := range gone {
				if err := tx.EraseCandidate(t.Context(), account, id, noon); err != nil {
					return err
				}
			}
			return nil
		})
	}, atRest)
}

// stain writes the canary past SQLite into the last page of cells, beside them.
func stain(t *testing.T, path string) {
	t.Helper()
	body := must[[]byte](t)(os.ReadFile(path))
	for at := len(body) - 4096; at > 0; at -= 4096 {
		page := body[at : at+4096]
		cells, content := int(binary.BigEndian.Uint16(page[3:])), int(binary.BigEndian.Uint16(page[5:]))
		if (page[0] == 10 || page[0] == 13) && content-8-2*cells > len(canary) {
			copy(page[content-len(canary):], canary)
			break
		}
	}
	f := must[*os.File](t)(os.OpenFile(path, os.O_WRONLY, 0))
	if _, err := f.WriteAt(body, 0); err != nil {
		t.Fatal(err)
	}
	// It stays open: closing it would take the locks of this process away.
	t.Cleanup(func() { f.Close() })
}

// lookedThrough is a store that has looked at its whole file.
func lookedThrough(t *testing.T, path string) *store.Store {
	t.Helper()
	s := must[*store.Store](t)(store.Open(t.Context(), path))
	write(t, s, func(tx *store.Tx) error { return addNamed(t.Context(), tx, "first") })
	time.Sleep(2 * time.Minute)
	return s
}

func TestARoundLooksOnlyAtThePagesThatWereWritten(t *testing.T) {
	path := storetest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		s := lookedThrough(t, path)
		defer s.Close()
		stain(t, path)
		for n := range 60 {
			write(t, s, func(tx *store.Tx) error { return addNamed(t.Context(), tx, fmt.Sprint(n)) })
			time.Sleep(time.Second)
		}
		if len(found(t, path)) == 0 {
			t.Error("a page that nobody wrote to was looked at")
		}
	})
}

// What another process wrote can be hidden by the way it uses the log.
func TestTheWholeFileIsLookedAtWhenAnotherEmptiesTheLog(t *testing.T) {
	path := storetest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		s := lookedThrough(t, path)
		defer s.Close()
		other := sqliteFile(t, path, `insert into server_marks (name, value) values ('a', 'b')`, `pragma wal_checkpoint(truncate)`)
		defer other.Close()
		stain(t, path)
		write(t, s, func(tx *store.Tx) error { return addNamed(t.Context(), tx, "next") })
		time.Sleep(time.Minute)
		if left := found(t, path); left != nil {
			t.Errorf("a minute later the canary is %s", strings.Join(left, " and "))
		}
	})
}

func TestAPageIsLookedAtThoughTheLogHasBegunAnewSince(t *testing.T) {
	path := storetest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		s := lookedThrough(t, path)
		defer s.Close()
		set := func(size int) {
			write(t, s, func(tx *store.Tx) error {
				_, err := tx.SetMark(t.Context(), "large", make([]byte, size))
				return err
			})
		}
		write(t, s, func(tx *store.Tx) error { return addNamed(t.Context(), tx, "early") })
		synctest.Wait()
		before := store.Listed(s)
		for n := range 4 {
			set(5<<20 + n) // more than is left in the log
			set(n)
		}
		synctest.Wait()
		for n := range before {
			if !store.Listed(s)[n] {
				t.Errorf("page %d was forgotten", n)
			}
		}
		if len(before) == 0 || store.Lost(s) {
			t.Errorf("%d pages before, lost: %t", len(before), store.Lost(s))
		}
	})
}

func TestClosingEndsALookAtTheWholeFile(t *testing.T) {
	path := storetest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		s := must[*store.Store](t)(store.Open(t.Context(), path))
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.SetMark(t.Context(), "large", make([]byte, 8<<20))
			return err
		})
		for range 300 {
			write(t, s, func(tx *store.Tx) error { return addNamed(t.Context(), tx, strings.Repeat("x", 200)) })
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		stain(t, path)
		s = must[*store.Store](t)(store.Open(t.Context(), path))
		time.Sleep(20*time.Second + 25*time.Millisecond) // in the middle of it
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if len(found(t, path)) == 0 {
			t.Error("the whole file was looked at before it was closed")
		}
	})
}

// A reader that stays keeps the log from being emptied; those who write go on.
func TestAReaderInTheWayKeepsNobodyFromWriting(t *testing.T) {
	path := storetest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		write(t, s, func(tx *store.Tx) error { return addNamed(t.Context(), tx, canary) })
		release := sync.OnceFunc(store.HoldSnapshot(t, path))
		defer release()
		for n := range 60 {
			began := time.Now()
			write(t, s, func(tx *store.Tx) error { return addNamed(t.Context(), tx, fmt.Sprint(n)) })
			if took := time.Since(began); took > time.Second {
				t.Fatalf("a write waited %s for a reader", took)
			}
			time.Sleep(time.Second)
		}
		if size(t, path+"-wal") == 0 {
			t.Error("the log was emptied under a reader")
		}
		release()
		time.Sleep(25 * time.Second)
		synctest.Wait()
		if n := size(t, path+"-wal"); n != 0 {
			t.Errorf("the log has %d bytes after the reader has gone", n)
		}
	})
}
