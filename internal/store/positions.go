package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

const (
	positionColumns = `id, account_id, name, standard, state, confidential, blind, blind_all, created_at`
	noPosition      = "there is no such position"
)

func scanPosition(row db.Row) (typus.Position, error) {
	var p typus.Position
	err := row.Scan(&p.ID, &p.AccountID, &p.Name, (*db.Truth)(&p.Standard), &p.State, (*db.Truth)(&p.Confidential),
		(*db.Truth)(&p.Blind), (*db.Truth)(&p.BlindAll), (*db.Instant)(&p.CreatedAt))
	return p, err
}

// StandardPosition reads the default position of an account. As long as nothing was
// said about it there is no row of it, and its ID is 0.
func (r reads) StandardPosition(ctx context.Context, accountID int64) (typus.Position, error) {
	p, found, err := db.Maybe(ctx, r, scanPosition,
		`select `+positionColumns+` from positions where account_id = $1 and standard = 1`, accountID)
	if err == nil && !found {
		p = typus.Position{AccountID: accountID, Standard: true, State: typus.PositionOpen}
	}
	return p, err
}

// LockStandardPosition is StandardPosition for whoever changes it: it makes the row at
// the first use, and locks it until the transaction ends.
func (t *Tx) LockStandardPosition(ctx context.Context, accountID int64, at time.Time) (typus.Position, error) {
	_, err := t.db.Exec(ctx, `
		insert into positions (account_id, name, standard, created_at) values ($1, '', 1, $2)
		on conflict (account_id) where standard = 1 do nothing`, accountID, db.Millis(at))
	if err != nil {
		return typus.Position{}, err
	}
	return db.One(ctx, t, scanPosition, noPosition,
		`select `+positionColumns+` from positions where account_id = $1 and standard = 1`+t.db.LockRows(), accountID)
}

// AddPosition adds a position that is not the default one.
func (t *Tx) AddPosition(ctx context.Context, p typus.Position) (int64, error) {
	return db.One(ctx, t, db.ScanInt, noPosition, `
		insert into positions (account_id, name, state, confidential, blind, blind_all, created_at) values ($1, $2, $3, $4, $5, $6, $7) returning id`,
		p.AccountID, p.Name, string(p.State), db.Flag(p.Confidential), db.Flag(p.Blind), db.Flag(p.BlindAll), db.Millis(p.CreatedAt))
}

// SetPositionSecrecy stores from whom a position keeps its candidates, and from whom
// their results until they have rated: Confidential, Blind and BlindAll. NotFound.
func (t *Tx) SetPositionSecrecy(ctx context.Context, p typus.Position) error {
	return t.db.Must(ctx, noPosition, `update positions set confidential = $1, blind = $2, blind_all = $3 where account_id = $4 and id = $5`,
		db.Flag(p.Confidential), db.Flag(p.Blind), db.Flag(p.BlindAll), p.AccountID, p.ID)
}

// NameInPosition makes a user of the account a member of one of its positions; doing it
// again changes nothing. NotFound.
func (t *Tx) NameInPosition(ctx context.Context, accountID, positionID, userID int64) error {
	if _, err := t.User(ctx, accountID, userID); err != nil {
		return err
	}
	if _, err := db.One(ctx, t, db.ScanInt, noPosition, `select id from positions where account_id = $1 and id = $2`, accountID, positionID); err != nil {
		return err
	}
	_, err := t.db.Exec(ctx, `insert into position_members (position_id, user_id) values ($1, $2)
		on conflict (position_id, user_id) do nothing`, positionID, userID)
	return err
}

// SetOnlyNamed says whether a user reads the candidates of those positions only that
// name the user. NotFound.
func (t *Tx) SetOnlyNamed(ctx context.Context, accountID, userID int64, only bool) error {
	return t.db.Must(ctx, noUser, `update users set only_named = $1 where account_id = $2 and id = $3`, db.Flag(only), accountID, userID)
}
