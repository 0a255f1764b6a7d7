package sandbox

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"typus"
	"typus/internal/store"
)

// Farthest is how far one move takes a world's clock (our choice): a year, be it a leap year.
const Farthest = 366 * 24 * time.Hour

// Horizon is how far a world's clock can be ahead of the machine's (our choice): further on,
// dates have five digits and durations no room.
const Horizon = 100 * 366 * 24 * time.Hour

// lease is how long an instance that has died can hold up a move. A living one renews it at
// every stop, and before it waits for what is to be brought.
const lease = time.Minute

// freeWithin bounds letting go of a move while the server stops.
const freeWithin = 3 * time.Second

// Move is one way of a world's clock to a later time.
type Move struct {
	ID        int64
	Done      bool
	WorldTime time.Time     // what the world's clock shows now
	Left      time.Duration // how far it still has to go, 0 when it is done
}

// Advance begins to move the clock of a test world on by so much and returns at once; Await
// waits for the end. On the way everything happens that falls due. Invalid: the time is not
// above zero, above Farthest, or beyond Horizon. Conflict with typus.CodeBusy: another move is
// under way. Conflict that clerk.SentBefore knows, with the id of the move: the form was sent
// before.
// Forbidden: the account is live. NotFound.
func (s *Steps) Advance(ctx context.Context, worldID int64, by time.Duration, who typus.Actor) (Move, error) {
	if by < time.Millisecond || by > Farthest {
		return Move{}, typus.WrongFields([]typus.Field{{Name: "advance", Code: typus.CodeInvalid, Msg: "must be a duration above zero, up to a year"}})
	}
	var begun store.Move
	err := s.change(ctx, worldID, typus.AuditWorldMoved, iso(by), who, func(tx *store.Tx, world typus.Account) error {
		if world.Ahead+by > Horizon {
			return typus.WrongFields([]typus.Field{{Name: "advance", Code: typus.CodeInvalid, Msg: "would take the clock more than a hundred years ahead; reset the test world to begin anew"}})
		}
		return s.clerk.Once(ctx, tx, worldID, who, func() (int64, error) {
			_, moving, err := tx.Moving(ctx, worldID)
			if err == nil && moving {
				err = store.Moving()
			}
			if err == nil {
				begun, err = tx.AddMove(ctx, worldID, by)
			}
			return begun.ID, err
		})
	})
	if err != nil {
		return Move{}, err
	}
	select {
	case s.bell <- struct{}{}:
	default:
	}
	return s.MoveOf(ctx, worldID, begun.ID)
}

// MoveOf says how far a move is. NotFound: the world has made no such move since it was
// last reset.
func (s *Steps) MoveOf(ctx context.Context, worldID, moveID int64) (Move, error) {
	m, err := s.store.Move(ctx, worldID, moveID)
	if err != nil {
		return Move{}, err
	}
	world, err := s.store.Account(ctx, worldID)
	if err != nil {
		return Move{}, err
	}
	is := Move{ID: m.ID, Done: !m.DoneAt.IsZero(), WorldTime: world.WorldTime(s.now())}
	if !is.Done {
		is.Left = max(0, m.Target.Sub(is.WorldTime))
	}
	return is, nil
}

// Await waits until a move is done, for so long at most, and says how far it is then.
// NotFound as in MoveOf.
func (s *Steps) Await(ctx context.Context, worldID, moveID int64, within time.Duration) (Move, error) {
	began := time.Now()
	for late := began.Add(within); ; pause(ctx, nil, s.pace.next(began)) {
		m, err := s.MoveOf(ctx, worldID, moveID)
		if err != nil || m.Done || ctx.Err() != nil || !time.Now().Before(late) {
			return m, err
		}
	}
}

// finish goes on with a move that this instance has taken, to its end if nothing comes in
// between. What comes in between is logged; whoever takes the move next goes on.
func (s *Steps) finish(ctx context.Context, m store.Move) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("a test world's clock stands still", "account", m.WorldID, "error", fmt.Sprintf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	began, stops, patience := time.Now(), 0, s.pace.most
	progress := store.MoveOn
	for ; progress == store.MoveOn; stops++ {
		var err error
		if progress, err = s.stop(ctx, m, &patience); err == nil {
			continue
		}
		if ctx.Err() != nil { // the server stops: the next one goes on at once
			s.free(ctx, m)
			return
		}
		s.log.Error("a test world's clock stands still; it goes on when its lease is over", "account", m.WorldID, "error", err)
		return
	}
	if progress == store.MoveThere {
		s.log.Info("a test world's clock was moved on", "account", m.WorldID, "stops", stops, "took", time.Since(began))
	}
}

// free lets go of a move although ctx has ended. Without that its lease ends by itself.
func (s *Steps) free(ctx context.Context, m store.Move) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), freeWithin)
	defer cancel()
	_ = s.store.FreeMove(ctx, m, s.owner)
}

// stop does what is due in the world of a move, waits until it is brought, and moves the clock
// to the next stop.
func (s *Steps) stop(ctx context.Context, m store.Move, patience *time.Duration) (store.Progress, error) {
	at, there, err := s.due(ctx, m)
	if err != nil {
		return store.MoveLost, err
	}
	if there {
		if err := s.assess.RetainOf(ctx, m.WorldID, at); err != nil {
			return store.MoveLost, err
		}
	}
	held, err := s.store.HoldMove(ctx, m, s.owner, lease) // what was due may have taken long
	if err != nil || !held {
		return store.MoveLost, err
	}
	if err := s.settle(ctx, m.WorldID, patience); err != nil {
		return store.MoveLost, err
	}
	return s.store.GoOn(ctx, m, s.owner, lease, at)
}

// due does what is due in the world of a move, and says by which time, and whether the world's
// clock shows the target.
func (s *Steps) due(ctx context.Context, m store.Move) (time.Time, bool, error) {
	at, world, err := s.stands(ctx, m.WorldID)
	if err != nil {
		return at, false, err
	}
	if err := s.actsOf(ctx, m.WorldID, at); err != nil {
		return at, false, err
	}
	if err := s.assess.DueOf(ctx, m.WorldID, at); err != nil {
		return at, false, err
	}
	_, err = s.store.ReleaseHeld(ctx)
	return at, !m.Target.After(world.WorldTime(at)), err
}

// stands reads a world, and the clock by which it is judged there what is due.
func (s *Steps) stands(ctx context.Context, worldID int64) (time.Time, typus.Account, error) {
	var (
		at    time.Time
		world typus.Account
	)
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		var err error
		if at, err = tx.Now(ctx); err == nil {
			world, err = tx.Account(ctx, worldID)
		}
		return err
	})
	return at, world, err
}
