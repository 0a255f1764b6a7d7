package store_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestWhateverMakesSomethingDueWakesWhoBringsItOnceAndAfterTheCommit(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		ctx, account := t.Context(), newAccount(t, s)
		candidate, endpoint := newCandidate(t, s, account, nil), newEndpoint(t, s, account)
		newUser(t, s, typus.User{AccountID: account, Email: "owner@example.com", Role: typus.RoleOwner}, "$argon2id$")
		letter := typus.Letter{AccountID: account, CandidateID: candidate, Kind: typus.LetterInvitation, Language: "de", To: "anna@example.com", CreatedAt: noon}
		failed := letter
		failed.State = typus.LetterFailed
		var retried int64
		write(t, s, func(tx *store.Tx) error {
			id, err := tx.AddLetter(ctx, failed)
			retried = id
			return err
		})
		woken, first := 0, "" // the delivery of an event
		stop := s.OnDue(func() { woken++ })
		second := func(_ any, err error) error { return err }
		for _, step := range []struct {
			name string
			want int
			do   func(tx *store.Tx) error
		}{
			{"a letter", 1, func(tx *store.Tx) error { return second(tx.AddLetter(ctx, letter)) }},
			{"letters", 1, func(tx *store.Tx) error { return tx.AddLetters(ctx, []typus.Letter{letter, letter}) }},
			{"no letters", 0, func(tx *store.Tx) error { return tx.AddLetters(ctx, nil) }},
			{"a letter to the team", 1, func(tx *store.Tx) error { return tx.AddLetterToTeam(ctx, letter) }},
			{"a letter to whom an invitation went", 1, func(tx *store.Tx) error { return tx.AddLetterIfInvited(ctx, letter) }},
			{"a daily letter", 1, func(tx *store.Tx) error {
				return tx.AddLetterOnce(ctx, typus.Letter{AccountID: account, Kind: typus.LetterDigest, To: "team@example.com", CreatedAt: noon, NextAttemptAt: noon}, noon)
			}},
			{"a letter again", 1, func(tx *store.Tx) error { return second(tx.RetryLetter(ctx, account, retried, noon)) }},
			{"an event", 1, func(tx *store.Tx) error {
				return second(tx.AddEvent(ctx, typus.Event{ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted,
					CandidateID: candidate, OccurredAt: noon, Payload: []byte("{}")}, func() string { first = unique("dlv_"); return first }))
			}},
			{"a test event", 1, func(tx *store.Tx) error {
				return tx.AddTestEvent(ctx, typus.Event{ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted, OccurredAt: noon,
					Payload: []byte("{}")}, endpoint, unique("dlv_"))
			}},
			{"a replay", 1, func(tx *store.Tx) error {
				d, err := tx.LockToReplay(ctx, account, first)
				if err != nil {
					return err
				}
				return tx.AddReplay(ctx, d, unique("dlv_"))
			}},
			{"a delivery that is not to wait", 1, func(tx *store.Tx) error {
				if err := tx.Exec(ctx, `update webhook_deliveries set state = 'pending', next_attempt_at = 99999999999999`); err != nil {
					return err
				}
				d, err := tx.LockToReplay(ctx, account, first)
				if err != nil {
					return err
				}
				return tx.AttemptNow(ctx, d)
			}},
			{"another address", 1, func(tx *store.Tx) error {
				return tx.SetEndpointAddress(ctx, account, endpoint, "https://new.example.com/", "")
			}},
			{"a pause", 1, func(tx *store.Tx) error {
				return tx.SetEndpointStatus(ctx, account, endpoint, typus.EndpointPaused, "", noon)
			}},
			{"the end of a pause", 1, func(tx *store.Tx) error { return tx.ReopenEndpoint(ctx, account, endpoint, noon, false) }},
			{"something mended", 1, func(tx *store.Tx) error { return tx.DrainEndpoint(ctx, account, endpoint) }},
			{"another name", 0, func(tx *store.Tx) error { return tx.RenameCandidate(ctx, account, candidate, "Anna B.") }},
		} {
			woken = 0
			write(t, s, func(tx *store.Tx) error {
				err := step.do(tx)
				if woken > 0 {
					t.Errorf("%s: woken before the commit", step.name)
				}
				return err
			})
			if woken != step.want {
				t.Errorf("%s: woken %d times, want %d", step.name, woken, step.want)
			}
		}
		woken = 0
		undone := errors.New("undone")
		err := s.InTx(ctx, func(tx *store.Tx) error {
			if _, err := tx.AddLetter(ctx, letter); err != nil {
				return err
			}
			return undone
		})
		if !errors.Is(err, undone) || woken != 0 {
			t.Errorf("a step undone: %v, woken %d times", err, woken)
		}
		again := func() {
			write(t, s.WithClock(nil), func(tx *store.Tx) error { return tx.AddLetters(ctx, []typus.Letter{letter}) })
		}
		if again(); woken != 1 {
			t.Errorf("by a step that goes by another clock: woken %d times", woken)
		}
		stop()
		if again(); woken != 1 {
			t.Error("woken after having stopped listening")
		}
	})
}

// What others have left behind, or a wrong clock has put off, is made due by the sweeps.
func TestASweepThatMakesSomethingDueWakesWhoBringsIt(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		ctx, account := t.Context(), newAccount(t, s)
		letter := addLetter(t, s, typus.Letter{AccountID: account, Kind: typus.LetterReceipt, Language: "de", To: "anna@example.com", CreatedAt: noon})
		newEndpoint(t, s, account)
		event := newEvent(t, s, account)
		now := func(do string) {
			write(t, s, func(tx *store.Tx) error { return tx.Exec(ctx, do) })
		}
		interrupted := func(e typus.Endpoint, d typus.Delivery, _ bool, now time.Time) typus.Verdict {
			d.State, d.NextAttemptAt = typus.DeliveryPending, now
			return typus.Verdict{Endpoint: e, Delivery: d, Outcome: "interrupted"}
		}
		woken := 0
		defer s.OnDue(func() { woken++ })()
		for _, sweep := range []struct {
			name, before string
			do           func() error
		}{
			{"a day that has come", fmt.Sprintf(`update letters set state = 'held', turn = null, held_until = 1 where id = %d`, letter), func() error {
				_, err := s.ReleaseHeld(ctx)
				return err
			}},
			{"a letter left behind", fmt.Sprintf(`update letters set state = 'sending', turn = null, lease_owner = 'gone', lease_until = 1 where id = %d`, letter), func() error {
				_, err := s.SweepLetters(ctx, store.Ahead{Lease: time.Minute, Again: time.Hour})
				return err
			}},
			{"a letter put off by a wrong clock", fmt.Sprintf(`update letters set turn = null, next_attempt_at = 99999999999999 where id = %d`, letter), func() error {
				_, err := s.SweepLetters(ctx, store.Ahead{Lease: time.Minute, Again: time.Hour})
				return err
			}},
			{"letters of a courier that is gone", fmt.Sprintf(`update letters set state = 'sending', turn = null, lease_owner = 'gone', lease_until = 1 where id = %d`, letter), func() error {
				_, err := s.TakeBackLetters(ctx)
				return err
			}},
			{"a delivery left behind", `update webhook_deliveries set state = 'sending', lease_owner = 'gone', lease_until = 1 where event_id = '` + event + `'`, func() error {
				_, err := s.SweepDeliveries(ctx, time.Minute, interrupted)
				return err
			}},
			{"a webhook nobody looks at", `update webhook_endpoints set due_at = null, settle_at = null`, func() error {
				_, _, err := s.SweepEndpoints(ctx, 0)
				return err
			}},
			{"what was held for a webhook", `update webhook_deliveries set state = 'held'; update webhook_endpoints set settle_at = 1`, func() error {
				_, err := s.SettleDeliveries(ctx)
				return err
			}},
		} {
			for _, statement := range strings.Split(sweep.before, ";") {
				now(statement)
			}
			woken = 0
			if err := sweep.do(); err != nil || woken == 0 {
				t.Errorf("%s: %v, woken %d times", sweep.name, err, woken)
			}
		}
		woken = 0
		_, held := s.ReleaseHeld(ctx)
		_, left := s.SweepLetters(ctx, store.Ahead{Lease: time.Minute, Again: time.Hour})
		_, under := s.SweepDeliveries(ctx, time.Minute, interrupted)
		if err := errors.Join(held, left, under); err != nil || woken != 0 {
			t.Errorf("sweeps that find nothing: %v, woken %d times", err, woken)
		}
	})
}

// changes are the values that a statement writes to letters or deliveries.
var changes = regexp.MustCompile(`(?s)insert into (letters|webhook_deliveries)|update (letters|webhook_deliveries) set .*`)

// queues are those that add one, or queue one again.
var queues = regexp.MustCompile(`insert into|(state =|else) '(queued|pending)'|next_attempt_at = [$]`)

// outcomes are written by those who bring, who then look by themselves.
var outcomes = map[string]bool{"finishLetter": true, "writeDelivery": true}

// A statement that makes something due must not forget to say so.
func TestEveryFunctionThatMakesALetterOrADeliveryDueSaysSo(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	adding := 0
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			adds, says := false, false
			ast.Inspect(fn, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					values, _, _ := strings.Cut(changes.FindString(n.Value), "where ")
					adds = adds || queues.MatchString(values)
				case *ast.Ident:
					adds = adds || n.Name == "addLetters" || n.Name == "teamLetter"
					says = says || n.Name == "makesDue" || n.Name == "dueNow" || n.Name == "lineUp"
				}
				return true
			})
			if adds && !outcomes[fn.Name.Name] {
				adding++
			}
			if adds && !says && !outcomes[fn.Name.Name] {
				t.Errorf("%s: %s makes something due and does not call makesDue", file.Name(), fn.Name.Name)
			}
		}
	}
	if adding != 15 {
		t.Errorf("%d functions make a letter or a delivery due, want 15: name the new one in a test above", adding)
	}
}
