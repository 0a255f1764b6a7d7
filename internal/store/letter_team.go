package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

// The letters of a step are queued in its transaction, so each kind is one statement
// that finds the recipients and queues the letters. Nobody gets one who was invited to
// the team and has not accepted: such an address may be mistyped, and the letter names
// candidates.

var teamLetter = `
	insert into letters (account_id, candidate_id, user_id, kind, language, recipient, state, kept, urgent, turn, next_attempt_at, created_at)
	select cast($1 as bigint), $2, id, $3, case language when '' then $4 else language end, email, 'queued', $5, $6, $7, $8, $9
	from users where account_id = ` + homeOf(`$1`) + ` and password_hash <> ''`

func (t *Tx) addTeamLetter(ctx context.Context, l typus.Letter, condition string, more ...any) (int, error) {
	list, err := t.lineUp(ctx, l)
	if err != nil {
		return 0, err
	}
	due := list[0]
	args := []any{
		l.AccountID, db.IDOrNull(l.CandidateID), string(l.Kind), l.Language, db.Flag(due.kept), db.Flag(due.Urgent), db.IDOrNull(due.turn),
		db.Millis(due.NextAttemptAt), db.Millis(l.CreatedAt),
	}
	return t.db.Exec(ctx, teamLetter+condition, append(args, more...)...)
}

// AddLetterToTeam queues a letter to each owner, in the owner's language or else the
// letter's, and to each admin too if they read its kind; or to l.To, if that is an address,
// while there is nobody who has accepted.
func (t *Tx) AddLetterToTeam(ctx context.Context, l typus.Letter) error {
	condition := ` and role = 'owner'`
	if l.Kind.Reader() == typus.ReaderAdmins {
		condition = ` and role in ('owner', 'admin')`
	}
	told, err := t.addTeamLetter(ctx, l, condition)
	if err != nil || told > 0 || l.To == "" {
		return err
	}
	_, err = t.AddLetter(ctx, l)
	return err
}

// AddLetterOnce queues a letter unless an equal one waits that was written at or after
// since: of the same kind, to the same address, and about the same user or about none. While
// the account is suspended, one that is held until it serves again waits, too, if it was
// written as long before the suspension or later. A letter from far in the future was written
// by a wrong clock and does not count.
func (t *Tx) AddLetterOnce(ctx context.Context, l typus.Letter, since time.Time) error {
	t.makesDue()
	earlier := max(0, db.Millis(l.CreatedAt)-db.Millis(since))
	_, err := t.db.Exec(ctx, `
		insert into letters (account_id, user_id, kind, language, recipient, state, kept, next_attempt_at, created_at)
		select a.id, $1, $2, $3, $4, 'queued', case when a.parent_id is null then 0 else 1 end, $5, $6 from accounts a where a.id = $7 and not exists (
			select 1 from letters where account_id = $8 and kind = $9
				and created_at >= case when a.suspended_at - $10 < $11 then a.suspended_at - $12 else $13 end and created_at <= $14
				and (created_at >= $15 or held_until is not null) and candidate_id is null
				and recipient = $16 and coalesce(user_id, 0) = $17 and state in ('queued', 'held'))`,
		db.IDOrNull(l.UserID), string(l.Kind), l.Language, l.To, db.Millis(l.NextAttemptAt), db.Millis(l.CreatedAt), l.AccountID,
		l.AccountID, string(l.Kind), earlier, db.Millis(since), earlier, db.Millis(since), db.Millis(l.CreatedAt.Add(typus.Skew)),
		db.Millis(since), l.To, l.UserID)
	return err
}

// AddLetterIfInvited queues a letter to a candidate only if an invitation letter was
// ever queued for them. Otherwise the account writes to the candidate itself, and we do
// not.
func (t *Tx) AddLetterIfInvited(ctx context.Context, l typus.Letter) error {
	list, err := t.lineUp(ctx, l)
	if err != nil {
		return err
	}
	_, err = t.db.Exec(ctx, `
		insert into letters (account_id, candidate_id, kind, language, recipient, state, kept, turn, next_attempt_at, created_at)
		select id, $1, $2, $3, $4, 'queued', case when parent_id is null then 0 else 1 end, $5, $6, $7 from accounts where id = $8 and exists (
			select 1 from letters where account_id`+db.OffIndex+` = $9 and candidate_id = $10 and `+isInvitation+`)`,
		l.CandidateID, string(l.Kind), l.Language, l.To, db.IDOrNull(list[0].turn), db.Millis(l.CreatedAt), db.Millis(l.CreatedAt), l.AccountID, l.AccountID, l.CandidateID)
	return err
}
