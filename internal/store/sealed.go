package store

import (
	"context"

	"typus"
	"typus/internal/db"
)

// SealedColumn is a column whose values are sealed with the secret key of the server.
type SealedColumn string

// The columns with sealed values. A further one is listed here, and gets its place in rekey.
const (
	SealedCandidateLinks SealedColumn = "candidates.token_sealed"
	SealedPublicLinks    SealedColumn = "public_links.token_sealed"
	SealedExpertLinks    SealedColumn = "role_experts.token_sealed"
	SealedSecrets        SealedColumn = "webhook_secrets.ciphertext"
	SealedHeaders        SealedColumn = "webhook_endpoints.static_header"
	SealedFactors        SealedColumn = "users.totp_sealed"
	SealedDetails        SealedColumn = "letters.detail"
	SealedLetters        SealedColumn = "kept_letters.sealed"
	SealedSenderKeys     SealedColumn = "account_senders.dkim_key"
)

// SealedColumns are all of them. Marks of the server (Tx.SetMark) may be sealed besides.
func SealedColumns() []SealedColumn {
	return []SealedColumn{
		SealedCandidateLinks, SealedPublicLinks, SealedExpertLinks, SealedSecrets, SealedHeaders, SealedFactors, SealedDetails, SealedLetters,
		SealedSenderKeys,
	}
}

// Sealed is a row of a SealedColumn.
type Sealed struct {
	ID        int64
	Of        int64        // endpoint of a secret, letter of a kept letter, round of an expert; else 0
	AccountID int64        // 0 for letters to strangers
	Hash      string       // of the token of a link
	Reader    typus.Letter // of a letter: its kind and whom it is for, as typus.Letter.DetailAAD needs them
	Value     []byte       // nil or empty: nothing is sealed in this row
}

// How the rows of a column are read and written. A statement has a text of its own, because
// tables and columns are no parameters.
var sealedStatements = map[SealedColumn]struct{ read, write string }{
	SealedCandidateLinks: {
		`select id, 0, account_id, token_hash, '', 0, 0, token_sealed from candidates where id > $1 order by id limit $2`,
		`update candidates set token_sealed = $1 where id = $2 and token_sealed = $3`,
	},
	SealedPublicLinks: {
		`select id, 0, account_id, token_hash, '', 0, 0, token_sealed from public_links where id > $1 order by id limit $2`,
		`update public_links set token_sealed = $1 where id = $2 and token_sealed = $3`,
	},
	SealedExpertLinks: {
		`select id, round_id, (select p.account_id from role_rounds r join role_profiles p on p.id = r.profile_id where r.id = round_id), token_hash, '', 0, 0, token_sealed from role_experts where id > $1 order by id limit $2`,
		`update role_experts set token_sealed = $1 where id = $2 and token_sealed = $3`,
	},
	SealedSecrets: {
		`select id, endpoint_id, (select e.account_id from webhook_endpoints e where e.id = endpoint_id), '', '', 0, 0, ciphertext from webhook_secrets where id > $1 order by id limit $2`,
		`update webhook_secrets set ciphertext = $1 where id = $2 and ciphertext = $3`,
	},
	SealedHeaders: {
		`select id, 0, account_id, '', '', 0, 0, static_header from webhook_endpoints where id > $1 order by id limit $2`,
		`update webhook_endpoints set static_header = $1 where id = $2 and static_header = $3`,
	},
	SealedFactors: {
		`select id, 0, account_id, '', '', 0, 0, totp_sealed from users where id > $1 order by id limit $2`,
		`update users set totp_sealed = $1 where id = $2 and totp_sealed = $3`,
	},
	SealedDetails: {
		`select id, 0, account_id, '', kind, coalesce(candidate_id, 0), coalesce(user_id, 0), detail from letters where id > $1 order by id limit $2`,
		`update letters set detail = $1 where id = $2 and detail = $3`,
	},
	SealedLetters: {
		`select id, letter_id, account_id, '', '', 0, 0, sealed from kept_letters where id > $1 order by id limit $2`,
		`update kept_letters set sealed = $1 where id = $2 and sealed = $3`,
	},
	SealedSenderKeys: {
		`select account_id, 0, account_id, '', '', 0, 0, dkim_key from account_senders where account_id > $1 order by account_id limit $2`,
		`update account_senders set dkim_key = $1 where account_id = $2 and dkim_key = $3`,
	},
}

// SealedPage reads the next rows of a column by their ids, those too in which nothing is
// sealed, so that each call looks at as many rows as it says.
func (r *reads) SealedPage(ctx context.Context, column SealedColumn, after int64, limit int) ([]Sealed, error) {
	return db.All(ctx, r, scanSealed, sealedStatements[column].read, after, limit)
}

func scanSealed(row db.Row) (Sealed, error) {
	var s Sealed
	err := row.Scan(&s.ID, &s.Of, &s.AccountID, &s.Hash, &s.Reader.Kind, &s.Reader.CandidateID, &s.Reader.UserID, &s.Value)
	return s, err
}

// SetSealed puts a value, sealed with the key that is named, in the place of the one that was
// read. False: another one is there by now, or the row is gone, and nothing was changed.
func (t *Tx) SetSealed(ctx context.Context, column SealedColumn, was Sealed, value []byte, keyID string) (bool, error) {
	n, err := t.db.Exec(ctx, sealedStatements[column].write, value, was.ID, was.Value)
	if err == nil && n == 1 && column == SealedSecrets {
		_, err = t.db.Exec(ctx, `update webhook_secrets set key_id = $1 where id = $2`, keyID, was.ID)
	}
	return n == 1, err
}

// How the columns of links are written with another link.
var linkStatements = map[SealedColumn]string{
	SealedCandidateLinks: `update candidates set token_hash = $1, token_sealed = $2 where id = $3 and token_sealed = $4`,
	SealedPublicLinks:    `update public_links set token_hash = $1, token_sealed = $2 where id = $3 and token_sealed = $4`,
	SealedExpertLinks:    `update role_experts set token_hash = $1, token_sealed = $2 where id = $3 and token_sealed = $4`,
}

// SetLink is SetSealed of a column of links, with another link: the former one leads nowhere
// any more.
func (t *Tx) SetLink(ctx context.Context, column SealedColumn, was Sealed, hash string, value []byte) (bool, error) {
	n, err := t.db.Exec(ctx, linkStatements[column], hash, value, was.ID, was.Value)
	return n == 1, err
}
