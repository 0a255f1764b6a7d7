package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// Forward is a kept letter that is also to be sent to its reader, who is one of the account's
// users.
type Forward struct {
	typus.KeptLetter
	Tries int // with the present one
}

func scanForward(row db.Row) (Forward, error) {
	var f Forward
	err := row.Scan(append(keptFields(&f.KeptLetter), &f.Tries)...)
	return f, err
}

// toItsUser is 1 for a kept letter that its reader gets, too: the world ($1) forwards letters,
// and the reader's address ($2) is that of somebody of its account who has proven it.
var toItsUser = `exists (
	select 1 from accounts a where a.id = $1 and a.forwards_letters = 1 and exists (
		select 1 from users u where u.email_key = $2 and u.account_id = coalesce(a.parent_id, a.id) and u.password_hash <> ''))`

// SetForwardsLetters says whether the letters of a test world that go to people of its
// account are sent, too. NotFound: there is no such test world.
func (t *Tx) SetForwardsLetters(ctx context.Context, worldID int64, on bool) error {
	return t.db.Must(ctx, "there is no such test world", `update accounts set forwards_letters = $1 where id = $2 and parent_id is not null`, db.Flag(on), worldID)
}

// ClaimForwards claims kept letters that are to be sent, at most limit, those due first. What
// is not finished within most.Lease is due again. What has lost its reader, or its world's
// will to send, is not sent any more. What is of an account for which nothing is sent stays as
// it is.
func (s *Store) ClaimForwards(ctx context.Context, most Ahead, limit int) ([]Forward, error) {
	wait, waits, err := s.waitFor(ctx, `select min(forward_at) from kept_letters where forward_at is not null and not `+ofIdle(`account_id`))
	if err != nil || !waits || wait > 0 && wait <= most.Again {
		return nil, err
	}
	var claimed []Forward
	err = s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		claimed, err = db.All(ctx, tx, scanForward, `
			with due as (
				select id from kept_letters where forward_at is not null and (forward_at <= $1 or forward_at > $2) and not `+ofIdle(`account_id`)+`
				order by forward_at limit $3`+tx.db.SkipLocked()+`)
			update kept_letters set forwards = forwards + 1, forward_at = $4
			where id in (select id from due) returning `+keptColumns+`, forwards`,
			db.Millis(now), db.Millis(now.Add(most.Again)), limit, db.Millis(now.Add(most.Lease)))
		if err == nil {
			claimed, err = tx.stillGoing(ctx, claimed)
		}
		return err
	})
	return claimed, err
}

// stillGoing are those of claimed letters that may be sent now as they could when they were
// kept. The others are not sent.
func (t *Tx) stillGoing(ctx context.Context, list []Forward) ([]Forward, error) {
	var going []Forward
	for _, f := range list {
		to, err := t.toUser(ctx, f.AccountID, f.To)
		if err != nil {
			return nil, err
		}
		if to {
			going = append(going, f)
			continue
		}
		if _, err := t.db.Exec(ctx, `update kept_letters set forward_at = null where account_id = $1 and id = $2`, f.AccountID, f.ID); err != nil {
			return nil, err
		}
	}
	return going, nil
}

// toUser says whether a world's letter to an address is forwarded.
func (t *Tx) toUser(ctx context.Context, worldID int64, address string) (bool, error) {
	_, to, err := db.Maybe(ctx, t, db.ScanInt, `select 1 where `+toItsUser, worldID, typus.MailboxKey(address))
	return to, err
}

// MostForwards is how many letters a test world forwards in a day (our choice): it is for
// looking at letters, and a script may make any number of them. The others can be read.
const MostForwards = 100

// mayForward says whether a world has forwarded fewer than MostForwards letters of a day of the
// machine, which its clock does not move: that of drop_at.
func (t *Tx) mayForward(ctx context.Context, worldID int64, now time.Time) (bool, error) {
	n, err := db.One(ctx, t, db.ScanInt, "", `
		select count(*) from kept_letters where account_id = $1 and drop_at > $2 and (forwards > 0 or forward_at is not null)`,
		worldID, db.Millis(now.Add(typus.KeepKeptLetters-24*time.Hour)))
	return n < MostForwards, err
}

// FinishForward writes back what became of a letter that was claimed: it is not sent again,
// or once more after the given wait. It changes nothing once somebody else has claimed it.
func (s *Store) FinishForward(ctx context.Context, f Forward, again bool, in time.Duration) error {
	return s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		var at any
		if again {
			at = db.Millis(now.Add(in))
		}
		_, err = tx.db.Exec(ctx, `update kept_letters set forward_at = $1 where account_id = $2 and id = $3 and forwards = $4`, at, f.AccountID, f.ID, f.Tries)
		return err
	})
}
