package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// The outbox serves the accounts in rounds (round robin, decision 0041): the n-th
// waiting letter of an account goes out n rounds from now, so that nobody waits behind
// ten thousand letters of another account. A letter gets its turn when it is due, and a
// claim takes the lowest turns. The current round is that of the first letter in line.
// Transactions that queue letters of one account at the same moment may give some of
// them the same turn. That puts other accounts back by as many letters, and no more.

// line is one of an account's two lines: the letters that a person waits for, or the
// others.
type line struct {
	account int64
	urgent  bool
}

// keeps reports whether an account is a test world, whose letters are kept and not sent.
func (t *Tx) keeps(ctx context.Context, accountID int64) (bool, error) {
	_, world, err := db.Maybe(ctx, t, db.ScanInt, `select 1 from accounts where id = $1 and parent_id is not null`, accountID)
	return world, err
}

// end is where a line ends: the last turn in it, and whether its letters are kept (keeps).
type end struct {
	turn int64
	kept bool
}

func scanEnd(row db.Row) (end, error) {
	var e end
	err := row.Scan(&e.turn, (*db.Truth)(&e.kept))
	return e, err
}

// behind is the turn after which the next letter of the line comes.
func (t *Tx) behind(ctx context.Context, l line) (end, error) {
	return db.One(ctx, t, scanEnd, noAccount, `
		with whose as (select case when parent_id is null then 0 else 1 end as kept from accounts where id = $1),
		places as (
			select max(turn) as place from letters where state = 'queued' and turn is not null and account_id = $2 and urgent = $3
			union all
			select min(turn) - 1 from letters where kept = (select kept from whose) and state = 'queued' and turn is not null and urgent = $4)
		select coalesce(max(place), 0), (select kept from whose) from places`, l.account, l.account, db.Flag(l.urgent), db.Flag(l.urgent))
}

// lined is a letter with its turn, 0 for none.
type lined struct {
	typus.Letter
	turn int64
	kept bool
}

func scanLined(row db.Row) (lined, error) {
	var l lined
	err := row.Scan(append(letterFields(&l.Letter), &l.turn)...)
	return l, err
}

// lineUp gives new letters that are due at once their turns. Whoever brings letters hears
// of all of them, also of one that waits for its time.
func (t *Tx) lineUp(ctx context.Context, list ...typus.Letter) ([]lined, error) {
	var (
		out  []lined
		ends = map[line]end{}
	)
	if len(list) > 0 {
		t.makesDue()
	}
	for _, l := range list {
		l = completed(l)
		if l.State != typus.LetterQueued || l.NextAttemptAt.After(l.CreatedAt) {
			kept, err := t.keeps(ctx, l.AccountID)
			if err != nil {
				return nil, err
			}
			out = append(out, lined{Letter: l, kept: kept})
			continue
		}
		key := line{l.AccountID, l.Urgent}
		last, known := ends[key]
		if !known {
			var err error
			if last, err = t.behind(ctx, key); err != nil {
				return nil, err
			}
		}
		last.turn++
		ends[key] = last
		out = append(out, lined{l, last.turn, last.kept})
	}
	return out, nil
}

// linedAtOnce bounds how many letters that have become due one claim lines up.
const linedAtOnce = 500

// lineUpDue gives turns to letters that have become due, to live ones or to those of test
// worlds.
func (t *Tx) lineUpDue(ctx context.Context, kept, urgent bool, now time.Time) error {
	_, err := t.db.Exec(ctx, `
		with due as (
			select id, account_id, next_attempt_at from letters
			where kept = $1 and state = 'queued' and turn is null and urgent = $2 and next_attempt_at <= $3
			order by next_attempt_at, id limit $4`+t.db.SkipLocked()+`),
		numbered as (select id, account_id, row_number() over (partition by account_id order by next_attempt_at, id) as nth from due),
		placed as (
			select id, nth,
				coalesce((select max(w.turn) from letters w
					where w.state = 'queued' and w.turn is not null and w.account_id = numbered.account_id and w.urgent = $5), 0) as own,
				coalesce((select min(w.turn) - 1 from letters w where w.kept = $6 and w.state = 'queued' and w.turn is not null and w.urgent = $7), 0) as before
			from numbered)
		update letters set turn = nth + case when own > before then own else before end
		from placed where letters.id = placed.id and letters.state = 'queued'`,
		db.Flag(kept), db.Flag(urgent), db.Millis(now), linedAtOnce, db.Flag(urgent), db.Flag(kept), db.Flag(urgent))
	return err
}
