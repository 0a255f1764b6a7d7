package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

const canary = "kanarien"

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
		if len(dbtest.Holding(t, path, canary)) == 0 {
			t.Error("the canary is not to be found before it is erased")
		}
		erase(t, s)
		time.Sleep(time.Minute)
		if left := dbtest.Holding(t, path, canary); left != nil {
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
				_, _ = s.Account(ctx, 1)
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
	"experts": {
		fill: func(t *testing.T, s *store.Store, account int64) int64 {
			var round int64
			write(t, s, func(tx *store.Tx) error {
				role, err := tx.AddRoleProfile(t.Context(), typus.RoleProfile{AccountID: account, Name: "Außendienst", Base: "hunter", CreatedAt: noon})
				if err != nil {
					return err
				}
				round, err = tx.AddRoleRound(t.Context(), typus.RoleRound{ProfileID: role, CreatedAt: noon, ExpiresAt: noon}, []typus.RoleExpert{
					{Name: "Kim " + canary, Task: canary, TokenHash: canary + unique(""), SealedToken: []byte(canary)},
				})
				return err
			})
			return round
		},
		erase: func(t *testing.T, s *store.Store, account, id int64) {
			write(t, s, func(tx *store.Tx) error { return tx.EraseExperts(t.Context(), id) })
		},
	},
	"who never confirmed": {
		fill: func(t *testing.T, s *store.Store, account int64) int64 {
			var letter int64
			write(t, s, func(tx *store.Tx) error {
				p, err := tx.LockStandardPosition(t.Context(), account, noon)
				if err != nil {
					return err
				}
				link, err := tx.AddPublicLink(t.Context(), typus.PublicLink{AccountID: account, PositionID: p.ID, TokenHash: unique("public"), SealedToken: []byte{1}, Most: 1, CreatedAt: noon})
				if err != nil {
					return err
				}
				l := typus.Letter{AccountID: account, Kind: typus.LetterEnrolment, Language: "de", To: canary + "@example.com", CreatedAt: noon, Detail: []byte(canary)}
				if letter, err = tx.AddLetter(t.Context(), l); err != nil {
					return err
				}
				e := typus.Enrolment{Hash: unique(canary), Name: "Kim " + canary, Email: canary + "@example.com", Language: "de", LetterID: letter, CreatedAt: noon, ExpiresAt: noon}
				return tx.AddEnrolment(t.Context(), link, e)
			})
			return letter
		},
		erase: func(t *testing.T, s *store.Store, _, _ int64) {
			write(t, s, func(tx *store.Tx) error {
				n, err := tx.DropEnrolments(t.Context(), noon)
				if err == nil && n != 1 {
					t.Errorf("%d are erased", n)
				}
				return err
			})
		},
	},
	"a candidate": {
		func(t *testing.T, s *store.Store, account int64) int64 {
			newEndpoint(t, s, account)
			id := newCandidate(t, s, account, func(c *store.NewCandidate) {
				c.Name, c.Email, c.ExternalID = "Kim Kanarienname", "kanarienmail@example.com", "kanariencrm"
			})
			write(t, s, func(tx *store.Tx) error {
				if err := tx.TagCandidate(t.Context(), store.WholeAccount(account), id, "Kanarienmarke"); err != nil {
					return err
				}
				note := typus.Note{AccountID: account, CandidateID: id, UserID: 1, Author: "Ada", Body: "Kanariennotiz", CreatedAt: noon}
				if _, err := tx.AddNote(t.Context(), note); err != nil {
					return err
				}
				rating := store.Rating{UserID: 1, Author: "Ada Kanarien", Question: "kanarienfrage", Note: "Kanarienzitat", SavedAt: noon}
				if err := tx.PutRating(t.Context(), id, rating); err != nil {
					return err
				}
				if _, err := tx.OpenUnrated(t.Context(), id, 1, "Kanariengrund", noon); err != nil {
					return err
				}
				decision := typus.Decision{CandidateID: id, UserID: 1, Author: "Ada Kanarien", Stage: typus.StageOffer, Text: "Kanarienzusage", CreatedAt: noon}
				if _, err := tx.AddDecision(t.Context(), decision); err != nil {
					return err
				}
				if _, err := tx.AddComment(t.Context(), typus.Comment{CandidateID: id, Author: "Ada Kanarien", Text: "Kanarienkommentar", CreatedAt: noon}); err != nil {
					return err
				}
				_, err := tx.BeginCandidate(t.Context(), account, id, typus.Notice{Version: "kanarienfassung", Language: "kanarisch", At: noon}, "salespersona@1", noon)
				if err != nil {
					return err
				}
				_, err = tx.AddEvent(t.Context(), typus.Event{
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
	"the notice that only they had acknowledged": {
		func(t *testing.T, s *store.Store, account int64) int64 {
			id := newCandidate(t, s, account, nil)
			write(t, s, func(tx *store.Tx) error {
				if err := tx.AddNotice(t.Context(), "v", "de", "Datenschutz: Kim Kanarien, kanarien@example.com", noon); err != nil {
					return err
				}
				_, err := tx.BeginCandidate(t.Context(), account, id, typus.Notice{Version: "v", Language: "de", At: noon}, "salespersona@1", noon)
				return err
			})
			return id
		},
		func(t *testing.T, s *store.Store, account, id int64) {
			write(t, s, func(tx *store.Tx) error {
				if err := tx.EraseCandidate(t.Context(), account, id, noon); err != nil {
					return err
				}
				_, err := tx.DropNotices(t.Context(), noon.Add(time.Second))
				return err
			})
		},
	},
	"the draft of a rating": {
		func(t *testing.T, s *store.Store, account int64) int64 {
			id, user := newCandidate(t, s, account, nil), int64(0)
			write(t, s, func(tx *store.Tx) error {
				var err error
				user, err = tx.AddUser(t.Context(), typus.User{AccountID: account, Email: unique("ada") + "@example.com", Role: typus.RoleMember, CreatedAt: noon}, "")
				if err != nil {
					return err
				}
				return tx.PutRating(t.Context(), id, store.Rating{UserID: user, Author: "Ada", Question: "mo1", Note: "Kanarienentwurf", SavedAt: noon})
			})
			return user
		},
		func(t *testing.T, s *store.Store, account, user int64) {
			write(t, s, func(tx *store.Tx) error { return tx.RemoveUser(t.Context(), account, user) })
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
	"an account": {
		func(t *testing.T, s *store.Store, account int64) int64 {
			for range 2 * 100 { // more than one page
				newCandidate(t, s, account, func(c *store.NewCandidate) {
					c.Name, c.Email, c.ExternalID = "Kim Kanarienname", "kanarienmail@example.com", "kanariencrm"
				})
			}
			newUser(t, s, typus.User{AccountID: account, Email: unique(canary) + "@example.com", Role: typus.RoleOwner}, canary)
			run(t, s, `update accounts set name = 'Kanarien GmbH', contact_email = 'kanarien@example.com' where id = %d`, account)
			return 0
		},
		func(t *testing.T, s *store.Store, account, _ int64) { deleteAccount(t, s, account) },
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
				_, err := tx.ForgetTestPayloads(t.Context(), noon.AddDate(0, 0, 91))
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

// What is erased is gone from the file, not just from its rows.
func TestTheFileKeepsNothingOfWhatWasErased(t *testing.T) {
	path := storetest.SQLite(t)
	s := storetest.Open(t, path)
	account := newAccount(t, s)
	var ids []int64
	for range 200 {
		ids = append(ids, newCandidate(t, s, account, func(c *store.NewCandidate) {
			c.Name, c.Email = "Kim Kanarienname", "kanarienmail@example.com"
		}))
	}
	for _, id := range ids {
		write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, id, noon) })
	}
	if err := s.Close(); err != nil { // which empties the log into the file
		t.Fatal(err)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(bytes.ToLower(body), []byte("kanarien")); n > 0 {
			t.Errorf("%s holds the words %d times", filepath.Base(file), n)
		}
	}
}
