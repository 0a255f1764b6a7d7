package store

import (
	"context"
	"strings"

	"typus"
	"typus/internal/db"
)

// beyondASCII is true of a text with a character beyond ASCII: the addresses whose key was
// another one when it was their lower case.
func beyondASCII(column string) string {
	return `octet_length(` + column + `) > length(` + column + `)`
}

// keyMailboxes brings what addresses are found by from lower case to typus.MailboxKey. Of two
// rows that were two mailboxes until now and must not be one, decision 0074 says what becomes.
func keyMailboxes(ctx context.Context, tx *db.Tx) error {
	for _, table := range []struct {
		numbers   int
		next, set string
	}{
		{1, `select id, 0, email from candidates where ` + beyondASCII("email") + ` and id > $1 order by id limit $2`,
			`update candidates set email_key = $1 where id = $2 and email = $3`},
		{2, `select import_id, n, email from import_rows where ` + beyondASCII("email") + ` and (import_id, n) > ($1, $2) order by import_id, n limit $3`,
			`update import_rows set email_key = $1 where import_id = $2 and n = $3 and email = $4`},
		{1, `select id, 0, recipient from kept_letters where ` + beyondASCII("recipient") + ` and id > $1 order by id limit $2`,
			`update kept_letters set recipient_key = $1 where id = $2 and recipient = $3`},
	} {
		if err := keyRows(ctx, tx, table.numbers, table.next, table.set); err != nil {
			return err
		}
	}
	for _, rest := range []func(context.Context, *db.Tx) error{keyOpenRefs, keyUsers, waitingSignUps.key, waitingEnrolments.key} {
		if err := rest(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// textRow is a row with what it is found by and its address.
type textRow struct {
	id         int64
	of         int64 // account or link
	key, email string
}

func scanTextRow(row db.Row) (textRow, error) {
	var r textRow
	err := row.Scan(&r.id, &r.of, &r.key, &r.email)
	return r, err
}

// keyOpenRefs writes the address anew in what makes an invitation repeatable. Of two open
// invitations of a mailbox with one external_id, one alone can be repeated: who holds the key,
// or else the earlier.
func keyOpenRefs(ctx context.Context, tx *db.Tx) error {
	list, err := db.All(ctx, tx, scanTextRow, `
		select id, account_id, open_ref, email from candidates where open_ref is not null and `+beyondASCII("email")+` order by id`)
	if err != nil {
		return err
	}
	for _, r := range list {
		parts := strings.Split(r.key, "\u001f") // account, external_id, address, and the position unless it is the default one
		if len(parts) < 3 {
			continue
		}
		parts[2] = typus.MailboxKey(r.email)
		_, err := tx.Exec(ctx, `
			update candidates set open_ref = case when exists (select 1 from candidates o where o.account_id = $1 and o.open_ref = $2 and o.id <> $3) then null else $2 end
			where id = $3`, r.of, strings.Join(parts, "\u001f"), r.id)
		if err != nil {
			return err
		}
	}
	return nil
}

// keyUsers writes what users are found by. Of two users of a mailbox who holds the key keeps
// it, or else the earlier gets it; the other one keeps the former key, so that they log in with
// their spelling as before.
func keyUsers(ctx context.Context, tx *db.Tx) error {
	list, err := db.All(ctx, tx, scanTextRow, `select id, account_id, email_key, email from users where `+beyondASCII("email")+` order by id`)
	if err != nil {
		return err
	}
	for _, u := range list {
		key := typus.MailboxKey(u.email)
		if u.key == keyOfInvited(u.of, formerKey(u.email)) {
			key = keyOfInvited(u.of, key)
		}
		_, err := tx.Exec(ctx, `update users set email_key = $1 where id = $2 and not exists (select 1 from users o where o.email_key = $1)`, key, u.id)
		if err != nil {
			return err
		}
	}
	return nil
}

// waiting are rows that wait for their address to be confirmed. Of two of one mailbox the later
// stays, as whoever types an address again means the new one.
type waiting struct {
	next  string   // those whose key may differ, oldest first
	rival string   // who has the key $1 and is not $2
	drop  []string // takes the row $1 away, with what is about it
	set   string   // the key $1 of the row $2
}

var (
	waitingSignUps = waiting{
		`select token_hash, email, created_at from signups where ` + beyondASCII("email") + ` order by created_at, token_hash`,
		`select token_hash, email, created_at from signups where email_key = $1 and token_hash <> $2`,
		[]string{`delete from signups where token_hash = $1`},
		`update signups set email_key = $1 where token_hash = $2`,
	}
	waitingEnrolments = waiting{
		`select token_hash, email, created_at from enrolments where candidate_id is null and ` + beyondASCII("email") + ` order by created_at, token_hash`,
		`select token_hash, email, created_at from enrolments where email_key = $1 and token_hash <> $2 and candidate_id is null
			and link_id = (select e.link_id from enrolments e where e.token_hash = $2)`,
		[]string{
			`update letters set recipient = '', last_error = '', detail = null, held_until = null, lease_owner = '', lease_until = 0,
				state = case when state in ('queued', 'sending', 'held') then 'failed' else state end
				where id in (select letter_id from enrolments where token_hash = $1)`,
			`delete from kept_letters where letter_id in (select letter_id from enrolments where token_hash = $1)`,
			`delete from enrolments where token_hash = $1`,
		},
		`update enrolments set email_key = $1 where token_hash = $2`,
	}
)

// waitingRow is one of them.
type waitingRow struct {
	hash, email string
	createdAt   int64
}

func scanWaiting(row db.Row) (waitingRow, error) {
	var r waitingRow
	err := row.Scan(&r.hash, &r.email, &r.createdAt)
	return r, err
}

func (w waiting) key(ctx context.Context, tx *db.Tx) error {
	list, err := db.All(ctx, tx, scanWaiting, w.next)
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := w.keyOne(ctx, tx, r); err != nil {
			return err
		}
	}
	return nil
}

func (w waiting) keyOne(ctx context.Context, tx *db.Tx, r waitingRow) error {
	key := typus.MailboxKey(r.email)
	rival, found, err := db.Maybe(ctx, tx, scanWaiting, w.rival, key, r.hash)
	if err != nil {
		return err
	}
	if found {
		older := rival.hash
		if rival.createdAt > r.createdAt {
			older = r.hash
		}
		for _, statement := range w.drop {
			if _, err := tx.Exec(ctx, statement, older); err != nil {
				return err
			}
		}
		if older == r.hash {
			return nil
		}
	}
	_, err = tx.Exec(ctx, w.set, key, r.hash)
	return err
}
