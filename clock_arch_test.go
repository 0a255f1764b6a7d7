package typus_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// machinesTime lists who may ask the machine for the time, and for what: deadlines
// on a network, and durations. Everything else goes by a typus.Clock, which a test
// can move.
var machinesTime = map[string]string{
	"clock.go":                           "the clock itself",
	"cmd/typus/demo.go":                  "how long the demo took",
	"cmd/typus/demo_clock.go":            "the clock of the demo, which catches up with the machine's",
	"cmd/typus/demo_receiver.go":         "when a webhook came in",
	"cmd/typus/demo_walk.go":             "how long to wait for a webhook",
	"cmd/typus/webhook_trial.go":         "the command line has no other clock",
	"cmd/typus/webhook_verify.go":        "likewise",
	"internal/api/rate.go":               "the monotonic clock, which nobody can set",
	"internal/backup/keeper.go":          "how long ago it ran, by a clock nobody can set",
	"internal/courier/chore.go":          "how long a lease lasts that cannot be renewed",
	"internal/courier/courier.go":        "how long a write is tried again",
	"internal/courier/delivery.go":       "how long ago a delivery was claimed",
	"internal/courier/letter.go":         "how long a conversation may take",
	"internal/courier/letter_keep.go":    "how long a write is tried again",
	"internal/courier/letter_forward.go": "how long a conversation may take",
	"internal/dashboard/csv.go":          "a deadline on the network",
	"internal/sandbox/move.go":           "how long to wait for a move",
	"internal/sandbox/settle.go":         "how long to wait for letters and deliveries",
	"internal/server/chores.go":          "how long a server has run, by a clock nobody can set",
	"internal/db/writer.go":              "how long a write waited for its turn",
	"internal/db/postgres.go":            "how long ago a silent server was left, by a clock nobody can set",
	"internal/web/observe.go":            "how long a request took",
	"internal/server/ready.go":           "how long ago somebody asked, by a clock nobody can set",
	"internal/mail/send.go":              "the Date of a letter, which spam filters compare with their own clock",
	"internal/mail/session.go":           "a deadline on the network",
	"internal/web/exchange.go":           "how long a request took",
	"internal/web/rejection.go":          "the Date of an answer, as net/http dates the others",
	"internal/webhook/outcome.go":        "what a receiver's date is compared with",
	"internal/webhook/post.go":           "how long an attempt took",
}

func TestOnlyAListedFewReadTheMachinesClock(t *testing.T) {
	readers := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != "." && (strings.HasPrefix(name, ".") || strings.HasSuffix(name, "test") || name == "testdata" || name == "bench" || name == "scripts" || name == "examples") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.SelectorExpr); ok && call.Sel.Name == "Now" {
				if pkg, ok := call.X.(*ast.Ident); ok && pkg.Name == "time" {
					readers[filepath.ToSlash(path)] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range readers {
		if machinesTime[path] == "" {
			t.Errorf("%s reads time.Now; let it be handed a typus.Clock", path)
		}
	}
	for path := range machinesTime {
		if !readers[path] {
			t.Errorf("%s does not read time.Now any more; take it off the list", path)
		}
	}
}
