package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"typus"
	"typus/internal/db"
)

// Claim says which letters are wanted.
type Claim struct {
	Owner string
	Lease time.Duration
	Limit int
	// PerDay is how many letters of an account without a number of its own go out to others in
	// a day (UTC), 0 for any number. What is above it is held until the next day.
	PerDay int
	Kept   bool // letters of test worlds, which are kept and not sent; else live ones
}

// ClaimLetters claims due letters for the length of the lease, in the order in which
// they go out: first those that a person waits for, and of each sort one account after
// the other. To is the address to send to now; in a letter to a candidate it is the
// candidate's present address.
func (s *Store) ClaimLetters(ctx context.Context, want Claim) ([]typus.Letter, error) {
	claimed, _, err := s.ClaimOrHold(ctx, want)
	return claimed, err
}

// ClaimOrHold is ClaimLetters, and returns how many due letters it has held in place of
// claiming them: behind them may be others that go.
func (s *Store) ClaimOrHold(ctx context.Context, want Claim) ([]typus.Letter, int, error) {
	var claimed []typus.Letter
	held := 0
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		if claimed, err = tx.takeLetters(ctx, want, now); err != nil {
			return err
		}
		taken := len(claimed)
		if claimed, err = tx.holdIdle(ctx, claimed, now); err == nil {
			claimed, err = tx.holdAbove(ctx, want.PerDay, claimed, now)
		}
		held = taken - len(claimed)
		return err
	})
	return claimed, held, err
}

func (t *Tx) takeLetters(ctx context.Context, want Claim, now time.Time) ([]typus.Letter, error) {
	for _, urgent := range []bool{true, false} {
		if err := t.lineUpDue(ctx, want.Kept, urgent, now); err != nil {
			return nil, err
		}
	}
	taken, err := db.All(ctx, t, scanLined, `
		with due as (
			select id from letters where kept = $1 and state = 'queued' and turn is not null
			order by urgent desc, turn, id limit $2`+t.db.SkipLocked()+`)
		update letters set state = 'sending', attempts = attempts + 1, lease_owner = $3, lease_until = $4,
			recipient = case when kind in (`+candidateKinds+`)
				then coalesce((select c.email from candidates c where c.id = letters.candidate_id), recipient) else recipient end
		where id in (select id from due) and state = 'queued' returning `+letterColumns+`, turn`,
		db.Flag(want.Kept), want.Limit, want.Owner, db.Millis(now.Add(want.Lease)))
	slices.SortFunc(taken, func(a, b lined) int {
		return cmp.Or(-cmp.Compare(db.Flag(a.Urgent), db.Flag(b.Urgent)), cmp.Compare(a.turn, b.turn), cmp.Compare(a.ID, b.ID))
	})
	letters := make([]typus.Letter, len(taken))
	for i, l := range taken {
		letters[i] = l.Letter
	}
	return letters, err
}

// holdAbove holds the claimed letters that are above the daily number of their
// account until the next day, and returns the others.
func (t *Tx) holdAbove(ctx context.Context, perDay int, claimed []typus.Letter, now time.Time) ([]typus.Letter, error) {
	today := dayOf(now)
	room, err := t.roomToday(ctx, perDay, claimed, today)
	if err != nil {
		return nil, err
	}
	var going []typus.Letter
	for _, l := range claimed {
		left, bound := room[l.AccountID]
		bound = bound && l.Kind.Counted()
		if bound {
			room[l.AccountID]--
		}
		if !bound || left > 0 {
			going = append(going, l)
			continue
		}
		if err := t.holdUntilTomorrow(ctx, l, today); err != nil {
			return nil, err
		}
	}
	return going, nil
}

// dayOf is when the day of a time began, in UTC.
func dayOf(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// holdUntilTomorrow takes a claim of a letter back, which is tried the next day.
func (t *Tx) holdUntilTomorrow(ctx context.Context, l typus.Letter, today time.Time) error {
	_, err := t.db.Exec(ctx, `
		update letters set state = 'held', held_until = $1, turn = null, attempts = attempts - 1, lease_owner = '', lease_until = 0
		where account_id = $2 and id = $3`, db.Millis(today.Add(24*time.Hour)), l.AccountID, l.ID)
	return err
}

// holdIdle holds the claimed letters of accounts for which nothing is sent until they serve
// again, and returns the others. Of an account that is suspended those go out that somebody
// needs all the same.
func (t *Tx) holdIdle(ctx context.Context, claimed []typus.Letter, now time.Time) ([]typus.Letter, error) {
	of := map[int64]bool{}
	for _, l := range claimed {
		of[l.AccountID] = true
	}
	idle, err := t.idle(ctx, slices.Sorted(maps.Keys(of)))
	if err != nil || len(idle) == 0 {
		return claimed, err
	}
	var going []typus.Letter
	for _, l := range claimed {
		a, waits := idle[l.AccountID]
		if !waits || a.Open() == nil && l.Kind.NeededAlways() {
			going = append(going, l)
			continue
		}
		if err := t.holdUntilTomorrow(ctx, l, dayOf(now)); err != nil {
			return nil, err
		}
	}
	return going, nil
}

// roomToday is how many of the claimed letters of each account with a daily number may go out
// today. The accounts are locked in order, so that two instances do not both find room for the
// same last letter.
func (t *Tx) roomToday(ctx context.Context, perDay int, claimed []typus.Letter, today time.Time) (map[int64]int, error) {
	going := map[int64]int{} // which the count below takes for going out
	for _, l := range claimed {
		if l.Kind.Counted() {
			going[l.AccountID]++
		}
	}
	accounts := slices.Sorted(maps.Keys(going))
	if perDay == 0 {
		var err error
		if accounts, err = t.those(ctx, accounts, `letters_a_day > 0`); err != nil {
			return nil, err
		}
	}
	room := map[int64]int{}
	for _, id := range accounts {
		a, err := t.LockAccount(ctx, id)
		if err != nil {
			return nil, err
		}
		number := cmp.Or(a.LettersADay, perDay)
		if number == 0 {
			continue
		}
		used, err := t.lettersOn(ctx, id, today)
		if err != nil {
			return nil, err
		}
		room[id] = number - used + going[id]
	}
	return room, nil
}

// those are the ones of some accounts of which a condition on an account x is true, by id.
func (t *Tx) those(ctx context.Context, accounts []int64, condition string) ([]int64, error) {
	const atOnce = 50
	var list []int64
	for some := range slices.Chunk(accounts, atOnce) {
		found, err := db.All(ctx, t, db.ScanInt, `
			select id from accounts x where id in (`+db.Params(1, atOnce)+`) and `+condition+` order by id`, db.Padded(some, atOnce, -1)...)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// lettersOn counts the letters of an account to others that went out on the given
// day, and those that are going out right now.
func (t *Tx) lettersOn(ctx context.Context, accountID int64, day time.Time) (int, error) {
	sent, err := db.One(ctx, t, db.ScanInt, "", `
		select count(*) from letters where account_id = $1 and sent_at >= $2 and sent_at < $3
			and kind in (`+countedKinds+`)`,
		accountID, db.Millis(day), db.Millis(day.Add(24*time.Hour)))
	if err != nil {
		return 0, err
	}
	going, err := db.One(ctx, t, db.ScanInt, "", `
		select count(*) from letters
		where account_id = $1 and state = 'sending'`+notSent+` and kind in (`+countedKinds+`)`, accountID)
	return int(sent + going), err
}

// ReleaseHeld queues the letters again that were held until the next day, and returns how many.
// Those of accounts for which nothing is sent stay where they are. A day that lies further
// ahead than it can was set by a wrong clock.
func (s *Store) ReleaseHeld(ctx context.Context) (int, error) {
	return s.InBatches(ctx, func(tx *Tx) (int, error) {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return 0, err
		}
		released, err := tx.releaseHeld(ctx, now, `(held_until <= $2 or held_until > $3) and not `+ofIdle(`account_id`), db.Millis(now), db.Millis(now.Add(24*time.Hour)))
		return len(released), err
	})
}

// releaseHeld queues up to 500 of those letters that were held until the next day of which a
// condition is true, whose parameters begin at 2, and returns which.
func (t *Tx) releaseHeld(ctx context.Context, now time.Time, which string, args ...any) ([]int64, error) {
	released, err := db.All(ctx, t, db.ScanInt, `
		update letters set state = 'queued', held_until = null, turn = null, next_attempt_at = $1 where id in (
			select id from letters where state = 'held' and held_until is not null and `+which+` order by id limit 500`+t.db.LockRows()+`)
		returning id`,
		append([]any{db.Millis(now)}, args...)...)
	if len(released) > 0 {
		t.makesDue()
	}
	return released, err
}
