package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

const (
	keptColumns  = `id, account_id, letter_id, coalesce(candidate_id, 0), kind, recipient, sealed, created_at`
	noKeptLetter = "there is no such letter, or its 30 days are over"
)

func keptFields(k *typus.KeptLetter) []any {
	return []any{&k.ID, &k.AccountID, &k.LetterID, &k.CandidateID, &k.Kind, &k.To, &k.Sealed, (*db.Instant)(&k.CreatedAt)}
}

func scanKept(row db.Row) (typus.KeptLetter, error) {
	var k typus.KeptLetter
	err := row.Scan(keptFields(&k)...)
	return k, err
}

// KeepLetter is FinishLetter of a letter that a test world keeps: what it says, sealed, is
// stored in the same transaction. If the world forwards letters and there is somebody who
// sends, it is to go to its reader, too, provided that they are one of the account's users.
func (s *Store) KeepLetter(ctx context.Context, owner string, l typus.Letter, sealed []byte, sends bool) (bool, error) {
	var mine bool
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		if mine, err = tx.finishLetter(ctx, owner, l, now, 0); err != nil || !mine {
			return err
		}
		return tx.keep(ctx, l, sealed, sends, now)
	})
	return mine && err == nil, err
}

func (t *Tx) keep(ctx context.Context, l typus.Letter, sealed []byte, sends bool, now time.Time) error {
	var forwardAt any
	if sends {
		to, err := t.toUser(ctx, l.AccountID, l.To)
		if err == nil && to {
			to, err = t.mayForward(ctx, l.AccountID, now)
		}
		if err != nil {
			return err
		}
		if to {
			forwardAt = db.Millis(now)
			t.makesDue()
		}
	}
	_, err := t.db.Exec(ctx, `
		insert into kept_letters (account_id, letter_id, candidate_id, kind, recipient, recipient_key, sealed, created_at, drop_at, forward_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		l.AccountID, l.ID, db.IDOrNull(l.CandidateID), string(l.Kind), l.To, typus.MailboxKey(l.To), sealed, db.Millis(now), db.Millis(now.Add(typus.KeepKeptLetters)), forwardAt)
	return err
}

// KeptLetters lists the letters that a test world keeps and that are older than the one
// before (0: the newest), at most limit, newest first.
func (r *reads) KeptLetters(ctx context.Context, worldID, before int64, limit int) ([]typus.KeptLetter, error) {
	return db.All(ctx, r, scanKept, `
		select `+keptColumns+` from kept_letters where account_id = $1 and id < $2 order by id desc limit $3`, worldID, orNewest(before), limit)
}

// KeptLettersTo is KeptLetters of those to one address, however it is spelled
// (typus.MailboxKey).
func (r *reads) KeptLettersTo(ctx context.Context, worldID int64, to string, before int64, limit int) ([]typus.KeptLetter, error) {
	if !db.Storable(to) {
		return nil, nil
	}
	return db.All(ctx, r, scanKept, `
		select `+keptColumns+` from kept_letters where account_id = $1 and recipient_key = $2 and id < $3 order by id desc limit $4`,
		worldID, typus.MailboxKey(to), orNewest(before), limit)
}

// orNewest is an id to read before, for 0 one behind all that there are.
func orNewest(before int64) int64 {
	if before <= 0 {
		return 1<<63 - 1
	}
	return before
}

// KeptLetter reads a letter that a test world keeps. NotFound.
func (r *reads) KeptLetter(ctx context.Context, worldID, id int64) (typus.KeptLetter, error) {
	return db.One(ctx, r, scanKept, noKeptLetter, `select `+keptColumns+` from kept_letters where account_id = $1 and id = $2`, worldID, id)
}

// DropKeptLetters deletes up to 500 letters whose time is over at the given time, oldest
// first, and returns how many. The caller repeats it until there are none.
func (t *Tx) DropKeptLetters(ctx context.Context, at time.Time) (int, error) {
	return t.db.Exec(ctx, `
		delete from kept_letters where id in (select id from kept_letters where drop_at <= $1 order by drop_at limit 500)`, db.Millis(at))
}
