package store

import (
	"context"

	"typus"
	"typus/internal/db"
)

// SetAccountLogo replaces the logo; the zero Logo removes it. NotFound.
func (t *Tx) SetAccountLogo(ctx context.Context, accountID int64, l typus.Logo) error {
	err := t.db.Must(ctx, noAccount, `update accounts set logo_type = $1, logo_hash = $2 where `+itsWorldToo(`$3`), l.MediaType, l.Hash, accountID)
	if err != nil {
		return err
	}
	return t.keepPicture(ctx, "account_logos", "account_id", accountID, l)
}

// SetPositionLogo replaces the logo of a position; the zero Logo removes it. NotFound.
func (t *Tx) SetPositionLogo(ctx context.Context, accountID, positionID int64, l typus.Logo) error {
	err := t.db.Must(ctx, noPosition, `update positions set logo_type = $1, logo_hash = $2 where account_id = $3 and id = $4`, l.MediaType, l.Hash, accountID, positionID)
	if err != nil {
		return err
	}
	return t.keepPicture(ctx, "position_logos", "position_id", positionID, l)
}

// keepPicture keeps the picture of a logo in a table, by a column that says whose it is.
func (t *Tx) keepPicture(ctx context.Context, table, whose string, id int64, l typus.Logo) error {
	if l.Hash == "" {
		_, err := t.db.Exec(ctx, `delete from `+table+` where `+whose+` = $1`, id)
		return err
	}
	_, err := t.db.Exec(ctx, `
		insert into `+table+` (`+whose+`, body) values ($1, $2)
		on conflict (`+whose+`) do update set body = excluded.body`, id, l.Body)
	return err
}

const noLogo = "there is no such logo"

// Logo reads the logo of an account, or of one of its positions, by its hash. NotFound.
func (r *reads) Logo(ctx context.Context, accountID int64, hash string) (typus.Logo, error) {
	if !db.Storable(hash) {
		return typus.Logo{}, typus.Errorf(typus.NotFound, noLogo)
	}
	return db.One(ctx, r, scanLogo, noLogo, `
		select logo_type, logo_hash, body from account_logos join accounts on id = account_id where account_id = `+homeOf(`$1`)+` and logo_hash = $2
		union all
		select p.logo_type, p.logo_hash, l.body from positions p join position_logos l on l.position_id = p.id
		where p.account_id = $3 and p.logo_hash = $4 and p.logo_hash <> ''
		limit 1`, accountID, hash, accountID, hash)
}

// LogoHash names the logo of a position, or of its account where it has none, "" for none.
// NotFound: there is no such account.
func (r *reads) LogoHash(ctx context.Context, accountID, positionID int64) (string, error) {
	return db.One(ctx, r, db.ScanText, noAccount, `
		select coalesce((select logo_hash from positions where account_id = $1 and id = $2 and logo_hash <> ''), logo_hash) from accounts where id = $3`,
		accountID, positionID, accountID)
}

func scanLogo(row db.Row) (typus.Logo, error) {
	var l typus.Logo
	err := row.Scan(&l.MediaType, &l.Hash, &l.Body)
	return l, err
}
