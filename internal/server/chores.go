package server

import (
	"context"
	"log/slog"
	"time"

	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/api"
	"typus/internal/assess"
	"typus/internal/backup"
	"typus/internal/clerk"
	"typus/internal/courier"
	"typus/internal/sandbox"
	"typus/internal/store"
)

// chores lists what recurs; each turn is taken by one instance. The names are those of
// the rows in the database and must never change. Whatever cannot be undone goes by a
// settled time: deletions by a time that has settled over a day, letters that somebody
// waits for by one that has settled over an hour.
func chores(st *store.Store, steps *assess.Steps, access *access.Steps, accounts *accounts.Steps, worlds *sandbox.Steps, clerk *clerk.Clerk, calls *api.CallLog) []courier.Chore {
	settled := func(while time.Duration, do func(context.Context, time.Time) error) func(context.Context) error {
		return func(ctx context.Context) error {
			at, err := st.Settled(ctx, while)
			if err != nil || at.IsZero() {
				return err
			}
			return do(ctx, at)
		}
	}
	const day = 24 * time.Hour
	return []courier.Chore{
		{Name: "read the clock", Every: 5 * time.Minute, Run: readClock(st)},
		{Name: "remind candidates", Every: 5 * time.Minute, Run: settled(time.Hour, steps.RemindDue)},
		{Name: "note expired invitations", Every: 5 * time.Minute, Run: settled(time.Hour, steps.ExpireDue)},
		{Name: "trim the API log", Every: 10 * time.Minute, Run: calls.Trim},
		{Name: "forget API counts", Every: time.Hour, Run: settled(day, calls.Forget)},
		{Name: "forget idempotency keys", Every: time.Hour, Run: settled(day, clerk.ForgetKeys)},
		{Name: "forget logins", Every: time.Hour, Run: settled(day, access.ForgetLogins)},
		{Name: "forget sent forms", Every: time.Hour, Run: settled(day, clerk.ForgetForms)},
		{Name: "forget imports", Every: time.Hour, Run: settled(day, steps.ForgetImports)},
		{Name: "forget recipients", Every: time.Hour, Run: settled(day, accounts.ForgetRecipients)},
		{Name: "forget kept letters", Every: time.Hour, Run: settled(day, worlds.DropLetters)},
		{Name: "forget experts", Every: time.Hour, Run: settled(day, accounts.ForgetExperts)},
		{Name: "forget enrolments", Every: time.Hour, Run: settled(day, steps.ForgetEnrolments)},
		{Name: "forget answers of receivers", Every: time.Hour, Run: settled(day, accounts.ForgetAnswers)},
		{Name: "forget notices", Every: time.Hour, Run: settled(day, steps.ForgetNotices)},
		{Name: "retention", Every: time.Hour, Run: settled(day, steps.Retain)},
		{Name: "index candidates", Every: time.Hour, Run: steps.IndexCandidates},
	}
}

// readClock notes what the database's clock shows, and how long this server has run by
// the machine's monotonic clock, which nobody can set.
func readClock(st *store.Store) func(context.Context) error {
	last := time.Now()
	return func(ctx context.Context) error {
		now := time.Now()
		if err := st.ReadClock(ctx, now.Sub(last)); err != nil {
			return err
		}
		last = now
		return nil
	}
}

// lookForRoom says when the disk of the database is full, and when it has room again. It says
// each once; whoever else meets a full disk is silent about it.
func lookForRoom(st *store.Store, log *slog.Logger) func(context.Context) error {
	said := false
	return func(ctx context.Context) error {
		if !st.Full() {
			return nil
		}
		err := st.FindRoom(ctx)
		switch {
		case err == nil:
			log.InfoContext(ctx, "the disk of the database has room again")
		case !said:
			log.ErrorContext(ctx, "the disk of the database is full: nothing is stored until there is room; what was stored is safe and can be read", "error", err)
		}
		said = err != nil
		return nil
	}
}

// shared is what every instance does beside the others, under a name of its own.
func shared(o Options, steps *assess.Steps, accounts *accounts.Steps, worlds *sandbox.Steps, worker string) []courier.Chore {
	list := []courier.Chore{
		{Name: "replays", Every: time.Second, Run: accounts.RunReplays},
		{Name: "imports", Every: time.Second, Run: func(ctx context.Context) error { return steps.RunImports(ctx, worker) }},
		{Name: "worlds", Every: time.Second, Run: worlds.Run}, // until the server stops
	}
	list = append(list, courier.Chore{Name: "look for room", Every: 2 * time.Second, Run: lookForRoom(o.Store, o.Log)})
	if o.Erasures != "" {
		// Each keeps a list of its own, so that any one of them is whole.
		list = append(list, courier.Chore{Name: "list erasures", Every: backup.KeepEvery, Run: backup.NewKeeper(o.Store, o.Erasures, o.Clock).Run})
	}
	return list
}
