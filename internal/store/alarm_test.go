package store_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestWhateverMakesSomethingDueWakesWhoBringsItOnceAndAfterTheCommit(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		ctx, account := t.Context(), newAccount(t, s)
		candidate, endpoint := newCandidate(t, s, account, nil), newEndpoint(t, s, account)
		user := newUser(t, s, typus.User{AccountID: account, Email: "owner@example.com", Role: typus.RoleOwner}, "$argon2id$")
		letter := typus.Letter{AccountID: account, CandidateID: candidate, Kind: typus.LetterInvitation, Language: "de", To: "anna@example.com", CreatedAt: noon}
		failed := letter
		failed.State = typus.LetterFailed
		var retried int64
		write(t, s, func(tx *store.Tx) error {
			id, err := tx.AddLetter(ctx, failed)
			retried = id
			return err
		})
		woken := 0
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
			{"a letter to a user", 1, func(tx *store.Tx) error { return second(tx.AddLetterToUser(ctx, letter, user)) }},
			{"a letter to the team", 1, func(tx *store.Tx) error { return tx.AddLetterToTeam(ctx, letter) }},
			{"a letter to whom an invitation went", 1, func(tx *store.Tx) error { return tx.AddLetterIfInvited(ctx, letter) }},
			{"a daily letter", 1, func(tx *store.Tx) error {
				return tx.AddLetterOnce(ctx, typus.Letter{AccountID: account, Kind: typus.LetterDigest, To: "team@example.com", CreatedAt: noon, NextAttemptAt: noon}, noon)
			}},
			{"a letter again", 1, func(tx *store.Tx) error { return second(tx.RetryLetter(ctx, account, retried, noon)) }},
			{"an event", 1, func(tx *store.Tx) error {
				return second(tx.AddEvent(ctx, typus.Event{ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted,
					CandidateID: candidate, OccurredAt: noon, Payload: []byte("{}")}, func() string { return unique("dlv_") }))
			}},
			{"a test event", 1, func(tx *store.Tx) error {
				return tx.AddTestEvent(ctx, typus.Event{ID: unique("evt_"), AccountID: account, Type: typus.EventCandidateCompleted, OccurredAt: noon,
					Payload: []byte("{}")}, endpoint, unique("dlv_"))
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

// A statement that adds something to bring must not forget to say so.
func TestEveryFunctionThatAddsALetterOrADeliverySaysSo(t *testing.T) {
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
					adds = adds || strings.Contains(n.Value, "insert into letters") || strings.Contains(n.Value, "insert into webhook_deliveries")
				case *ast.Ident:
					adds = adds || n.Name == "addLetters" || n.Name == "teamLetter"
					says = says || n.Name == "makesDue" || n.Name == "lineUp"
				}
				return true
			})
			if adds {
				adding++
			}
			if adds && !says {
				t.Errorf("%s: %s adds something to bring and does not call makesDue", file.Name(), fn.Name.Name)
			}
		}
	}
	if adding != 7 {
		t.Errorf("%d functions add a letter or a delivery, want 7: name the new one in the test above", adding)
	}
}
