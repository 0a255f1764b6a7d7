package store_test

import (
	"fmt"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// While what was due was being brought, time itself came to the target: what fell due
// meanwhile is still to be done.
func TestAMoveIsDoneOnlyOnceEverythingDueAtItsTargetIs(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		at := noon
		s = s.WithClock(func() time.Time { return at })
		world := newWorld(t, s, newAccount(t, s))
		var m store.Move
		write(t, s, func(tx *store.Tx) error {
			var err error
			m, err = tx.AddMove(t.Context(), world, time.Second)
			return err
		})
		at = at.Add(3 * time.Second)
		for _, since := range []struct {
			at   time.Time
			want store.Progress
		}{{noon, store.MoveOn}, {at, store.MoveThere}} {
			if step := must[store.Progress](t)(s.GoOn(t.Context(), m, "me", lease, since.at)); step != since.want {
				t.Errorf("when all is done by %s it comes to %d, want %d", since.at, step, since.want)
			}
		}
		if ahead := must[typus.Account](t)(s.Account(t.Context(), world)).Ahead; ahead != 0 {
			t.Errorf("the clock is %s ahead", ahead)
		}
	})
}

// What became of a world's own retention is the world's.
func TestASettingOfAnAccountLeavesItsWorldsRetentionAlone(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		parent := newAccount(t, s)
		world := newWorld(t, s, parent)
		write(t, s, func(tx *store.Tx) error {
			if err := tx.SetKeepSetAt(t.Context(), world, noon); err != nil {
				return err
			}
			return tx.SetErasureWaits(t.Context(), world, 7)
		})
		set := func(change func(a *typus.Account)) typus.Account {
			t.Helper()
			a := must[typus.Account](t)(s.Account(t.Context(), parent))
			a.KeepSetAt, a.ErasureWaits, a.ErasureWordAt = noon.Add(time.Hour), 3, noon.Add(time.Minute)
			change(&a)
			write(t, s, func(tx *store.Tx) error { return tx.SetAccount(t.Context(), a) })
			if is := must[typus.Account](t)(s.Account(t.Context(), parent)); is != a {
				t.Errorf("the account is %+v, want %+v", is, a)
			}
			return must[typus.Account](t)(s.World(t.Context(), parent))
		}
		if w := set(func(a *typus.Account) { a.Name = "Anders" }); w.Name != "Anders" || !w.KeepSetAt.Equal(noon) || w.ErasureWaits != 7 || !w.ErasureWordAt.IsZero() {
			t.Errorf("after another name: %+v", w)
		}
		if w := set(func(a *typus.Account) { a.KeepFinishedDays = 90 }); !w.KeepSetAt.Equal(noon.Add(time.Hour)) || w.ErasureWaits != 0 || !w.ErasureWordAt.IsZero() {
			t.Errorf("after another retention: %+v", w)
		}
	})
}

// Moving a clock on makes no room for more test events in a minute.
func TestTestEventsAreCountedByTheMachinesClock(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		world := newWorld(t, s, newAccount(t, s))
		testEvent(t, s, world, newEndpoint(t, s, world), noon)
		write(t, s, func(tx *store.Tx) error { return tx.MoveWorld(t.Context(), world, time.Hour) })
		if recent := must[[]time.Time](t)(s.TestEvents(t.Context(), world, noon.Add(-time.Minute), noon, 10)); len(recent) != 1 {
			t.Errorf("%d test events in the last minute", len(recent))
		}
	})
}

// Keys and webhooks stay, and so does what the log says of them.
func TestAResetKeepsTheLogOfWhatStays(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		world := newWorld(t, s, newAccount(t, s))
		for _, action := range []typus.AuditAction{typus.AuditKeyCreated, typus.AuditPositionAdded, typus.AuditWebhookCreated, typus.AuditWorldMoved} {
			write(t, s, func(tx *store.Tx) error {
				return tx.AddAudit(t.Context(), typus.AuditEntry{AccountID: world, Actor: "ada", Action: action, CreatedAt: noon})
			})
		}
		write(t, s, func(tx *store.Tx) error {
			if err := tx.MoveWorld(t.Context(), world, time.Hour); err != nil {
				return err
			}
			return tx.ResetWorld(t.Context(), world)
		})
		var said []string
		for _, e := range must[[]typus.AuditEntry](t)(s.Audit(t.Context(), world, 10)) {
			said = append(said, string(e.Action))
			if !e.CreatedAt.Equal(noon) {
				t.Errorf("%s is of %s", e.Action, e.CreatedAt)
			}
		}
		if got, want := fmt.Sprint(said), "[world.moved webhook.created key.created]"; got != want {
			t.Errorf("the log says %s, want %s", got, want)
		}
	})
}

// Room in a test world is counted by rows: the erased are there, too.
func TestTheErasedAreCountedAsRows(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		world := newWorld(t, s, newAccount(t, s))
		id := newCandidate(t, s, world, nil)
		newCandidate(t, s, world, nil)
		write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), world, id, noon) })
		if people, rows := must[int](t)(s.CountPeople(t.Context(), world)), must[int](t)(s.CountRows(t.Context(), world)); people != 1 || rows != 2 {
			t.Errorf("%d people, %d rows", people, rows)
		}
	})
}

// Whoever is no longer of the account gets no letter, nor does anybody once it is switched off.
func TestALetterWhoseReaderIsGoneIsNotForwarded(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		for name, end := range map[string]func(tx *store.Tx, world int64) error{
			"off": func(tx *store.Tx, world int64) error { return tx.SetForwardsLetters(t.Context(), world, false) },
			"gone": func(tx *store.Tx, _ int64) error {
				return tx.Exec(t.Context(), `update users set email_key = 'gone-' || id where email_key like 'ada%'`)
			},
		} {
			world := forwarding(t, s)
			write(t, s, func(tx *store.Tx) error { return end(tx, world) })
			if claimed := must[[]store.Forward](t)(s.ClaimForwards(t.Context(), reach, 10)); len(claimed) != 0 {
				t.Errorf("%s: %+v", name, claimed)
			}
			write(t, s, func(tx *store.Tx) error { return tx.SetForwardsLetters(t.Context(), world, true) })
			if claimed := must[[]store.Forward](t)(s.ClaimForwards(t.Context(), reach, 10)); len(claimed) != 0 {
				t.Errorf("%s, later: %+v", name, claimed)
			}
		}
	})
}

func TestAWorldForwardsSoManyLettersADay(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		live := newAccount(t, s)
		world := newWorld(t, s, live)
		email := unique("kim") + "@example.com"
		newUser(t, s, typus.User{AccountID: live, Email: email, Role: typus.RoleMember}, "hash")
		write(t, s, func(tx *store.Tx) error { return tx.SetForwardsLetters(t.Context(), world, true) })
		for range store.MostForwards + 1 {
			addLetter(t, s, typus.Letter{AccountID: world, Kind: typus.LetterDigest, Language: "de", To: email, CreatedAt: noon})
		}
		for len(keep(t, s, true)) > 0 {
		}
		if claimed := must[[]store.Forward](t)(s.ClaimForwards(t.Context(), reach, 200)); len(claimed) != store.MostForwards {
			t.Errorf("%d letters go out", len(claimed))
		}
	})
}

// A day that is told without its time is the one of the world's clock where the account is,
// which need not be the machine's: to a person who has looked and who got their result, and in
// the ledger to whoever does not read them.
func TestADayOfATestWorldIsTheOneItsClockShows(t *testing.T) {
	for zone, midnight := range map[typus.Zone]time.Time{ // of the world, by the machine's clock
		"UTC":               time.Date(2026, time.March, 4, 11, 0, 0, 0, time.UTC),
		"Asia/Kathmandu":    time.Date(2026, time.March, 4, 5, 15, 0, 0, time.UTC),
		"Pacific/Pago_Pago": time.Date(2026, time.March, 4, 22, 0, 0, 0, time.UTC),
	} {
		t.Run(string(zone), func(t *testing.T) { worldDays(t, zone, midnight) })
	}
}

func worldDays(t *testing.T, zone typus.Zone, midnight time.Time) {
	t.Helper()
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		live := newAccount(t, s)
		write(t, s, func(tx *store.Tx) error {
			a, err := tx.Account(t.Context(), live)
			if err != nil {
				return err
			}
			a.Zone = zone
			return tx.SetAccount(t.Context(), a)
		})
		world := newWorld(t, s, live)
		hook := newEndpoint(t, s, world)
		event := newEvent(t, s, world)
		write(t, s, func(tx *store.Tx) error { return tx.MoveWorld(t.Context(), world, 13*time.Hour) })
		account := must[typus.Account](t)(s.Account(t.Context(), world))
		id := must[[]typus.Candidate](t)(s.CandidatesWhere(t.Context(), world, `id > 0`, noon))[0].ID
		for n, at := range []time.Time{midnight.Add(-time.Second), midnight} {
			reason := []typus.CreditReason{typus.ReasonGrant, typus.ReasonCompletion}[n]
			write(t, s, func(tx *store.Tx) error {
				_, err := tx.BookCredit(t.Context(), typus.CreditEntry{AccountID: world, Delta: int64(1 - 2*n), Reason: reason, CandidateID: id, Actor: "ada", CreatedAt: at})
				if err != nil {
					return err
				}
				return tx.AddAudit(t.Context(), typus.AuditEntry{AccountID: world, Actor: "ada", Action: typus.AuditReportViewed, CandidateID: id, CreatedAt: at})
			})
			run(t, s, `insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, next_attempt_at, finished_at) values ('dlv_of_day_%d', %d, '%s', %d, 'replay', 'delivered', 0, %d)`,
				n, world, event, hook, at.UnixMilli())
		}
		own := must[store.OwnPage](t)(s.OwnPage(t.Context(), typus.Candidate{ID: id, AccountID: world}))
		var days []string
		for _, l := range own.Looks {
			days = append(days, account.Shown(l.Day).Format(time.DateTime))
		}
		for _, d := range own.Passed {
			days = append(days, account.Shown(d).Format(time.DateTime))
		}
		for _, e := range must[[]store.LedgerRow](t)(s.Ledger(t.Context(), store.Reader{AccountID: world}, 0, 10)) {
			days = append(days, account.Shown(e.CreatedAt).Format(time.DateTime))
		}
		const before, after = "2026-03-04 00:00:00", "2026-03-05 00:00:00"
		if got, want := fmt.Sprint(days), fmt.Sprint([]string{before, after, before, after, after, before}); got != want {
			t.Errorf("the days are %s, want %s", got, want)
		}
	})
}
