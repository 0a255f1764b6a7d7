package store_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// Whoever adds a column that holds a time decides whether it goes back when the clock of a
// test world is moved on.
func TestEveryColumnThatHoldsATimeIsTheWorldsOrTheMachines(t *testing.T) {
	world, machine := store.WorldColumns(), store.MachineColumns()
	for column := range times {
		if slices.Contains(world, column) == (machine[column] != "") {
			t.Errorf("%s: of the world %t, of the machine because %q", column, slices.Contains(world, column), machine[column])
		}
	}
	for _, column := range append(world, slices.Collect(maps.Keys(machine))...) {
		if times[column] == "" && column != "retention_turns.at" {
			t.Errorf("there is no %s that holds a time", column)
		}
	}
}

// stays are the tables that a reset of a test world leaves alone, with the reason.
var stays = map[string]string{
	"account_deletions": "says of an account that it was deleted", "deletion_counts": "likewise", "deleted_usage": "likewise",
	"api_keys": "the connection", "users": "the parent's", "sessions": "the parent's", "letter_templates": "the parent's", "role_profiles": "the parent's",
	"account_logos": "the parent's", "webhook_secrets": "the connection", "role_rounds": "the parent's", "role_experts": "the parent's",
	"role_versions": "the parent's", "user_links": "the parent's", "recovery_codes": "the parent's", "account_senders": "of live accounts only",
}

// Whoever adds a table that belongs to an account, by whatever way, decides what a reset does
// to it.
func TestResettingAWorldKnowsEveryTableOfAnAccount(t *testing.T) {
	s, known := storetest.OpenSQLite(t), store.WorldTables()
	of := []string{"accounts"}
	for grown := true; grown; {
		grown = false
		for _, table := range tables(t, s) {
			if slices.Contains(of, table) {
				continue
			}
			columns := rows(t, s, "select name from pragma_table_info('"+table+"')")
			parents := rows(t, s, `select "table" from pragma_foreign_key_list('`+table+`')`)
			if slices.Contains(columns, "account_id") || slices.Contains(columns, "candidate_id") || slices.ContainsFunc(parents, func(p string) bool { return slices.Contains(of, p) }) {
				of, grown = append(of, table), true
			}
		}
	}
	for _, table := range of {
		if slices.Contains(known, table) == (stays[table] != "") {
			t.Errorf("resetting a world: %s is emptied or written: %t; stays because: %q", table, slices.Contains(known, table), stays[table])
		}
	}
}

// snapshot is every row of every table, those of the audit log too.
func snapshot(t *testing.T, s *store.Store) map[string][]string {
	all := map[string][]string{}
	for _, table := range tables(t, s) {
		all[table] = rows(t, s, "select * from "+table)
		slices.Sort(all[table])
	}
	return all
}

// differing are the tables whose rows differ.
func differing(a, b map[string][]string) []string {
	var list []string
	for table := range a {
		if !slices.Equal(a[table], b[table]) {
			list = append(list, table)
		}
	}
	slices.Sort(list)
	return list
}

func TestMovingAClockMovesTheTimesOfOneWorldAndNothingElse(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		parent := newAccount(t, s)
		world, foreign := newWorld(t, s, parent), newWorld(t, s, newAccount(t, s))
		for _, account := range []int64{parent, foreign} {
			filled(t, s, account, 1)
		}
		before := snapshot(t, s)
		id, _ := filled(t, s, world, 1)
		move := func(d time.Duration) {
			write(t, s, func(tx *store.Tx) error { return tx.MoveWorld(t.Context(), world, d) })
		}
		was := must[typus.Candidate](t)(s.Candidate(t.Context(), world, id))
		move(72 * time.Hour)
		is, account := must[typus.Candidate](t)(s.Candidate(t.Context(), world, id)), must[typus.Account](t)(s.Account(t.Context(), world))
		if account.Ahead != 72*time.Hour || !is.CreatedAt.Equal(was.CreatedAt.Add(-72*time.Hour)) || !account.WorldTime(is.CompletedAt).Equal(was.CompletedAt) {
			t.Errorf("%s ahead the candidate is %+v and was %+v", account.Ahead, is, was)
		}
		moved := snapshot(t, s)
		move(time.Hour)
		move(-time.Hour)
		if list := differing(moved, snapshot(t, s)); list != nil {
			t.Errorf("forth and back: %q differ", list)
		}
		write(t, s, func(tx *store.Tx) error { return tx.ResetWorld(t.Context(), world) })
		for _, table := range differing(before, snapshot(t, s)) {
			if table != "accounts" && table != "webhook_endpoints" && table != "webhook_secrets" && table != "import_rows" {
				t.Errorf("after a reset %s differs", table)
			}
		}
		if w := must[typus.Account](t)(s.Account(t.Context(), world)); w.Ahead != 0 || w.Credits != 0 {
			t.Errorf("after a reset the world is %+v", w)
		}
		hasKind(t, "a live account", s.InTx(t.Context(), func(tx *store.Tx) error { return tx.MoveWorld(t.Context(), parent, time.Hour) }), typus.NotFound)
	})
}

func TestOnlyOneMoveOfAWorldIsUnderWayAndOneHasIt(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		at := noon
		s = s.WithClock(func() time.Time { return at })
		world := newWorld(t, s, newAccount(t, s))
		add := func() error {
			return s.InTx(t.Context(), func(tx *store.Tx) error { _, err := tx.AddMove(t.Context(), world, time.Hour); return err })
		}
		if err := add(); err != nil {
			t.Fatal(err)
		}
		hasKind(t, "a second move", add(), typus.Conflict)
		free := must[[]store.Move](t)(s.FreeMoves(t.Context(), lease))
		if len(free) != 1 || !must[bool](t)(s.HoldMove(t.Context(), free[0], "a", lease)) || must[bool](t)(s.HoldMove(t.Context(), free[0], "b", lease)) {
			t.Errorf("%+v: two have it", free)
		}
		if step := must[store.Progress](t)(s.GoOn(t.Context(), free[0], "b", lease, at)); step != store.MoveLost {
			t.Errorf("who does not have it comes to %d", step)
		}
		if len(must[[]store.Move](t)(s.FreeMoves(t.Context(), lease))) != 0 {
			t.Error("a move in somebody's hands is free")
		}
		at = at.Add(lease + time.Second) // who has it dies
		if !must[bool](t)(s.HoldMove(t.Context(), free[0], "b", lease)) {
			t.Error("nobody gets what is left behind")
		}
		for _, want := range []store.Progress{store.MoveOn, store.MoveThere, store.MoveLost} {
			if step := must[store.Progress](t)(s.GoOn(t.Context(), free[0], "b", lease, at)); step != want {
				t.Errorf("it comes to %d, want %d", step, want)
			}
		}
		if err := add(); err != nil {
			t.Errorf("after that: %v", err)
		}
		free = must[[]store.Move](t)(s.FreeMoves(t.Context(), lease))
		write(t, s, func(tx *store.Tx) error {
			if err := tx.LockToReset(t.Context(), world); err != nil {
				return err
			}
			return tx.ResetWorld(t.Context(), world)
		})
		if step := must[store.Progress](t)(s.GoOn(t.Context(), free[0], "b", lease, at)); step != store.MoveLost {
			t.Errorf("after a reset a move comes to %d", step)
		}
		if ahead := must[typus.Account](t)(s.Account(t.Context(), world)).Ahead; ahead != 0 {
			t.Errorf("after a reset the clock is %s ahead", ahead)
		}
		if err := add(); err != nil {
			t.Errorf("a move after a reset: %v", err)
		}
	})
}

// The clock stops at the first full minute at or after something falls due.
func TestAMoveStopsWhereSomethingFallsDue(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		start := noon.Truncate(time.Minute).Add(20*time.Second + 417*time.Microsecond)
		s = s.WithClock(func() time.Time { return start })
		world := newWorld(t, s, newAccount(t, s))
		due := map[string]time.Duration{"slow": time.Minute, "half": 40 * time.Second, "reply": 10 * time.Minute, "never": 10*time.Minute + time.Millisecond}
		for act, after := range due {
			id := newCandidate(t, s, world, func(c *store.NewCandidate) { c.ExpiresAt = noon.AddDate(1, 0, 0) })
			write(t, s, func(tx *store.Tx) error {
				return tx.AddWorldActs(t.Context(), []store.WorldAct{{WorldID: world, CandidateID: id, Act: typus.Act(act), DueAt: start.Add(after)}})
			})
		}
		var m store.Move
		write(t, s, func(tx *store.Tx) error {
			var err error
			m, err = tx.AddMove(t.Context(), world, 10*time.Minute+500*time.Millisecond)
			return err
		})
		var stops []string
		for step := store.MoveOn; step == store.MoveOn; {
			acts := must[[]store.WorldAct](t)(s.DueActsOf(t.Context(), world, start, store.WorldAct{}, 10))
			ahead := must[typus.Account](t)(s.Account(t.Context(), world)).Ahead
			stops = append(stops, fmt.Sprint(ahead, " ", len(acts)))
			step = must[store.Progress](t)(s.GoOn(t.Context(), m, "me", lease, start))
		}
		if got, want := strings.Join(stops, ", "), "0s 0, 40s 1, 1m40s 2, 10m0.5s 4"; got != want {
			t.Errorf("it stops at %s, want %s", got, want)
		}
	})
}

// What an import invites belongs to the moment at which it was started.
func TestAWorldIsNotSettledWhileAnImportRuns(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		live := newAccount(t, s)
		world := newWorld(t, s, live)
		for account, want := range map[int64]int{live: 0, world: 1} {
			id := newImport(t, s, account, ready(2))
			if u := must[store.Unsettled](t)(s.Unsettled(t.Context(), world)); u.Sending != 0 {
				t.Errorf("an import that was not started is waited for: %+v", u)
			}
			startImport(t, s, account, id)
			if u := must[store.Unsettled](t)(s.Unsettled(t.Context(), world)); u.Sending != want {
				t.Errorf("imports that are waited for: %+v, want %d", u, want)
			}
			write(t, s, func(tx *store.Tx) error {
				return tx.Exec(t.Context(), `update imports set state = 'done', finished_at = 1`)
			})
		}
	})
}
