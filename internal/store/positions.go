package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"typus"
	"typus/internal/db"
)

const (
	positionColumns = `p.id, p.account_id, p.name, p.ref, p.standard, p.state, p.closed_at, p.confidential, p.blind, p.blind_all,
		p.client_kind, p.client_name, p.role_profile, p.language, p.invite_days, p.reminders, p.created_at, p.own_result, p.own_result_reason,
		p.client_de, p.client_en, p.notice, p.logo_type, p.logo_hash`
	noPosition = "there is no such position"
)

// overColumns are what Position.Over asks of a position that may be no row.
const overColumns = `coalesce(p.client_kind, ''), coalesce(p.client_name, ''), coalesce(p.client_de, ''), coalesce(p.client_en, ''), coalesce(p.notice, ''),
	coalesce(p.role_profile, ''), coalesce(p.language, ''), coalesce(p.invite_days, 0), coalesce(p.reminders, -1),
	coalesce(p.own_result, ''), coalesce(p.own_result_reason, ''), coalesce(p.logo_type, ''), coalesce(p.logo_hash, '')`

func overFields(p *typus.Position) []any {
	return []any{
		&p.ClientKind, &p.ClientName, &p.ClientWords.DE, &p.ClientWords.EN, (*noticeFacts)(&p.Notice),
		&p.RoleProfile, &p.Language, &p.InviteDays, &p.Reminders, &p.OwnResult.Policy, &p.OwnResult.Reason, &p.LogoType, &p.LogoHash,
	}
}

func scanPosition(row db.Row) (typus.Position, error) {
	var p typus.Position
	err := row.Scan(&p.ID, &p.AccountID, &p.Name, &p.Ref, (*db.Truth)(&p.Standard), &p.State, (*db.Instant)(&p.ClosedAt), (*db.Truth)(&p.Confidential),
		(*db.Truth)(&p.Blind), (*db.Truth)(&p.BlindAll), &p.ClientKind, &p.ClientName, &p.RoleProfile, &p.Language, &p.InviteDays, &p.Reminders,
		(*db.Instant)(&p.CreatedAt), &p.OwnResult.Policy, &p.OwnResult.Reason,
		&p.ClientWords.DE, &p.ClientWords.EN, (*noticeFacts)(&p.Notice), &p.LogoType, &p.LogoHash)
	return p, err
}

// StandardPosition reads the default position of an account. As long as nothing was
// said about it there is no row of it, and its ID is 0.
func (r *reads) StandardPosition(ctx context.Context, accountID int64) (typus.Position, error) {
	p, found, err := db.Maybe(ctx, r, scanPosition,
		`select `+positionColumns+` from positions p where p.account_id = $1 and p.standard = 1`, accountID)
	if err == nil && !found {
		p = unsaid(accountID)
	}
	return p, err
}

// unsaid is the default position of an account that has said nothing about it.
func unsaid(accountID int64) typus.Position {
	return typus.Position{AccountID: accountID, Standard: true, State: typus.PositionOpen, Reminders: typus.RemindersOfAccount}
}

// Position reads a position of an account, the default one by its id or by 0. NotFound.
func (r *reads) Position(ctx context.Context, accountID, id int64) (typus.Position, error) {
	if id == 0 {
		return r.StandardPosition(ctx, accountID)
	}
	return db.One(ctx, r, scanPosition, noPosition, `select `+positionColumns+` from positions p where p.account_id = $1 and p.id = $2`, accountID, id)
}

// PositionFor is Position for a user. NotFound, also for a position whose candidates the
// user does not read.
func (r *reads) PositionFor(ctx context.Context, reader Reader, id int64) (typus.Position, error) {
	if id == 0 && !reader.AtStandard() {
		return typus.Position{}, typus.Errorf(typus.NotFound, noPosition)
	}
	if id == 0 {
		return r.StandardPosition(ctx, reader.AccountID)
	}
	q := reader.statement()
	q.Set("id", id)
	q.Add(`select ` + positionColumns + ` from positions p where p.account_id = :account and p.id = :id` + reader.reaches())
	query, args := q.Numbered()
	return db.One(ctx, r, scanPosition, noPosition, query, args...)
}

// PositionByRef finds a position of an account by its own reference or by its id. NotFound,
// also of what is the reference of one position and the id of another: our ids are small
// numbers that an account's own may be as well, and nobody may be led to another job than was
// meant.
func (r *reads) PositionByRef(ctx context.Context, accountID int64, ref string) (typus.Position, error) {
	if ref == "" || !db.Storable(ref) {
		return typus.Position{}, typus.Errorf(typus.NotFound, noPosition)
	}
	id, _ := candidateID(ref)
	named, err := db.All(ctx, r, scanPosition, `
		select `+positionColumns+` from positions p where p.account_id = $1 and (p.ref = $2 and p.ref <> '' or p.id = $3) limit 2`, accountID, ref, id)
	if err == nil && len(named) != 1 {
		err = typus.Errorf(typus.NotFound, noPosition)
	}
	if err != nil {
		return typus.Position{}, err
	}
	return named[0], nil
}

// PositionRefTaken reports whether another position of an account than the given one goes by a
// reference: as its own, or because it is its id.
func (r *reads) PositionRefTaken(ctx context.Context, p typus.Position) (bool, error) {
	id, _ := candidateID(p.Ref)
	n, err := db.One(ctx, r, db.ScanInt, "", `
		select count(*) from positions where account_id = $1 and id <> $2 and (ref = $3 and ref <> '' or id = $4)`, p.AccountID, p.ID, p.Ref, id)
	return n > 0, err
}

// PositionsOf reads up to 100 positions of an account by their ids. It ignores other ids.
// Invalid: more than 100 ids.
func (r *reads) PositionsOf(ctx context.Context, accountID int64, ids []int64) (map[int64]typus.Position, error) {
	args, err := idArgs(accountID, ids)
	if err != nil {
		return nil, err
	}
	list, err := db.All(ctx, r, scanPosition,
		`select `+positionColumns+` from positions p where p.account_id`+db.OffIndex+` = $1 and p.id in (`+idPlaces+`)`, args...)
	byID := make(map[int64]typus.Position, len(list))
	for _, p := range list {
		byID[p.ID] = p
	}
	return byID, err
}

// Positions lists the positions whose candidates a user reads, in any of some states or in
// all: the default one first, also while it is no row, then the newest first.
func (r *reads) Positions(ctx context.Context, reader Reader, states ...typus.PositionState) ([]typus.Position, error) {
	q := reader.statement()
	q.Add(`select ` + positionColumns + ` from positions p where p.account_id = :account` + reader.reaches() + ` order by p.standard desc, p.id desc`)
	query, args := q.Numbered()
	list, err := db.All(ctx, r, scanPosition, query, args...)
	if err != nil {
		return nil, err
	}
	if reader.AtStandard() && (len(list) == 0 || !list[0].Standard) {
		list = slices.Insert(list, 0, unsaid(reader.AccountID))
	}
	if len(states) > 0 {
		list = slices.DeleteFunc(list, func(p typus.Position) bool { return !slices.Contains(states, p.State) })
	}
	return list, nil
}

// StatusCounts are the numbers of candidates by the status of their tests, and of those about
// whom it is decided.
type StatusCounts struct {
	Open, Started, Finished int
	Decided                 int // their newest stage is an offer, a rejection or a withdrawal
}

// All is how many candidates there are.
func (c StatusCounts) All() int { return c.Open + c.Started + c.Finished }

// counted is about candidates c; it holds the condition of the index candidates_counted,
// in which all that is counted stands.
const counted = `c.erased_at is null and c.status <> ''`

// countedColumn are the numbers of a position, "= p.id" or "is null". They are counted in one
// pass along the index: where PostgreSQL has not vacuumed, it looks each row up in the table.
func countedColumn(position string) string {
	return `(select count(case c.status when 'offen' then 1 end) || ' ' || count(case c.status when 'begonnen' then 1 end)
			|| ' ' || count(case c.status when 'abgeschlossen' then 1 end) || ' ' || count(case when c.stage in ` + decidedStages + ` then 1 end)
		from candidates c where c.account_id = :account and c.position_id ` + position + ` and ` + counted + `)`
}

// PositionCounts are the numbers of candidates in those of up to 100 positions whose candidates
// a user reads, by the position's id; the default one's are at its id, or at 0 while it is no
// row. Invalid: more than 100 positions.
func (r *reads) PositionCounts(ctx context.Context, reader Reader, positions []typus.Position) (map[int64]StatusCounts, error) {
	q := reader.statement()
	var ids []int64
	standard := false
	for _, p := range positions {
		ids, standard = append(ids, p.ID), standard || p.Standard
	}
	if err := setIDs(q, ids); err != nil {
		return nil, err
	}
	q.Set("unnamed", db.Flag(standard && reader.AtStandard()))
	q.Add(`
	select p.id, ` + countedColumn(`= p.id`) + `
	from positions p where p.account_id` + db.OffIndex + ` = :account and p.id in (` + namedIDs + `)` + reader.reaches() + `
	union all
	select coalesce((select p.id from positions p where p.account_id = :account and p.standard = 1), 0), ` + countedColumn(`is null`) + `
	from accounts where id = :account and :unnamed <> 0`)
	query, args := q.Numbered()
	counts := map[int64]StatusCounts{}
	_, err := db.All(ctx, r, func(row db.Row) (int64, error) {
		var (
			id   int64
			n    StatusCounts
			text string
		)
		if err := row.Scan(&id, &text); err != nil {
			return 0, err
		}
		_, err := fmt.Sscan(text, &n.Open, &n.Started, &n.Finished, &n.Decided)
		was := counts[id] // candidates may name the default position, too
		counts[id] = StatusCounts{was.Open + n.Open, was.Started + n.Started, was.Finished + n.Finished, was.Decided + n.Decided}
		return id, err
	}, query, args...)
	return counts, err
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
		`select `+positionColumns+` from positions p where p.account_id = $1 and p.standard = 1`+t.db.LockRows(), accountID)
}

// LockPosition is Position for whoever changes it, and locks it until the transaction ends.
// The default one by 0 is made at the first use. NotFound.
func (t *Tx) LockPosition(ctx context.Context, accountID, id int64, at time.Time) (typus.Position, error) {
	if id == 0 {
		return t.LockStandardPosition(ctx, accountID, at)
	}
	return db.One(ctx, t, scanPosition, noPosition,
		`select `+positionColumns+` from positions p where p.account_id = $1 and p.id = $2`+t.db.LockRows(), accountID, id)
}

// LockPositionFor is LockPosition for a user. NotFound, also for a position whose candidates
// the user does not read once it is locked: whoever had it locked may have made it
// confidential.
func (t *Tx) LockPositionFor(ctx context.Context, reader Reader, id int64, at time.Time) (typus.Position, error) {
	if _, err := t.PositionFor(ctx, reader, id); err != nil {
		return typus.Position{}, err
	}
	p, err := t.LockPosition(ctx, reader.AccountID, id, at)
	if err != nil {
		return p, err
	}
	return t.PositionFor(ctx, reader, p.ID)
}

// SharePosition is Position for whoever invites to it: it stays open, or closed, until the
// transaction ends. Whoever closes it waits. The default one is never closed. NotFound.
func (t *Tx) SharePosition(ctx context.Context, accountID, id int64) (typus.Position, error) {
	if id == 0 {
		return t.StandardPosition(ctx, accountID)
	}
	return db.One(ctx, t, scanPosition, noPosition,
		`select `+positionColumns+` from positions p where p.account_id = $1 and p.id = $2`+t.db.ShareRows(), accountID, id)
}

// unbegun is true of a candidate who was invited, has neither begun nor declined, and has not
// been told that it is over.
const unbegun = `status` + db.OffTextIndex + ` = 'offen' and completed_at is null and erased_at` + db.OffIndex + ` is null and cancelled_at is null and declined_at is null`

// CancelOpenOf cancels the invitations to a position whose tests have not begun, as
// CancelCandidate does, and returns the ids of their candidates, sorted: also those that ran
// out, whose candidates could ask for a new link, and none of those who declined. The caller
// has locked the position.
func (t *Tx) CancelOpenOf(ctx context.Context, accountID, positionID int64, at time.Time) ([]int64, error) {
	err := t.db.Lock(ctx, `select id from candidates where account_id = $1 and position_id = $2 and `+unbegun+` order by id`, accountID, positionID)
	if err != nil {
		return nil, err
	}
	ids, err := db.All(ctx, t, db.ScanInt, `
		update candidates set cancelled_at = $1, open_ref = null, remind_at = null
		where account_id = $2 and position_id = $3 and `+unbegun+` returning id`, db.Millis(at), accountID, positionID)
	slices.Sort(ids)
	return ids, err
}

// AddPosition adds a position that is not the default one; its logo is stored on its own.
// Conflict: another one of the
// account has its reference.
func (t *Tx) AddPosition(ctx context.Context, p typus.Position) (int64, error) {
	return db.One(ctx, t, db.ScanInt, noPosition, `
		insert into positions (account_id, name, ref, state, closed_at, confidential, blind, blind_all, client_kind, client_name,
			role_profile, language, invite_days, reminders, created_at, client_de, client_en, notice)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) returning id`,
		p.AccountID, p.Name, p.Ref, string(p.State), db.MillisOrNull(p.ClosedAt), db.Flag(p.Confidential), db.Flag(p.Blind), db.Flag(p.BlindAll),
		string(p.ClientKind), p.ClientName, p.RoleProfile, p.Language, p.InviteDays, p.Reminders, db.Millis(p.CreatedAt),
		p.ClientWords.DE, p.ClientWords.EN, noticeFacts(p.Notice))
}

// SetPosition stores what people say of a position; its secrecy, its state and its logo are
// stored on their own. NotFound. Conflict: another one of the account has its reference.
func (t *Tx) SetPosition(ctx context.Context, p typus.Position) error {
	return t.db.Must(ctx, noPosition, `
		update positions set name = $1, ref = $2, client_kind = $3, client_name = $4, role_profile = $5, language = $6, invite_days = $7, reminders = $8,
			client_de = $9, client_en = $10, notice = $11
		where account_id = $12 and id = $13`,
		p.Name, p.Ref, string(p.ClientKind), p.ClientName, p.RoleProfile, p.Language, p.InviteDays, p.Reminders,
		p.ClientWords.DE, p.ClientWords.EN, noticeFacts(p.Notice), p.AccountID, p.ID)
}

// SetPositionState stores State and ClosedAt. NotFound.
func (t *Tx) SetPositionState(ctx context.Context, p typus.Position) error {
	return t.db.Must(ctx, noPosition, `update positions set state = $1, closed_at = $2 where account_id = $3 and id = $4`,
		string(p.State), db.MillisOrNull(p.ClosedAt), p.AccountID, p.ID)
}

// CountPositions counts the positions of an account, whatever their state.
func (t *Tx) CountPositions(ctx context.Context, accountID int64) (int, error) {
	n, err := db.One(ctx, t, db.ScanInt, "", `select count(*) from positions where account_id = $1`, accountID)
	return int(n), err
}

// MembersOf are the ids of the users whom a position names, sorted.
func (r *reads) MembersOf(ctx context.Context, accountID, positionID int64) ([]int64, error) {
	return db.All(ctx, r, db.ScanInt, `
		select m.user_id from positions p join position_members m on m.position_id = p.id
		where p.account_id = $1 and p.id = $2 order by m.user_id`, accountID, positionID)
}

// PositionsNaming are the ids of the positions that name a user, sorted.
func (r *reads) PositionsNaming(ctx context.Context, accountID, userID int64) ([]int64, error) {
	return db.All(ctx, r, db.ScanInt, `
		select p.id from position_members m join positions p on p.id = m.position_id
		where m.user_id = $1 and p.account_id`+db.OffIndex+` = $2 order by p.id`, userID, accountID)
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
	// Whoever removes the user waits, or has removed them.
	if _, err := db.One(ctx, t, db.ScanInt, noUser, `select id from users where account_id = `+homeOf(`$1`)+` and id = $2`+t.db.ShareRows(), accountID, userID); err != nil {
		return err
	}
	if _, err := db.One(ctx, t, db.ScanInt, noPosition, `select id from positions where account_id = $1 and id = $2`, accountID, positionID); err != nil {
		return err
	}
	_, err := t.db.Exec(ctx, `insert into position_members (position_id, user_id) values ($1, $2)
		on conflict (position_id, user_id) do nothing`, positionID, userID)
	return err
}

// UnnameInPosition ends that a position names a user; doing it again changes nothing. The
// caller has locked the position within its account.
func (t *Tx) UnnameInPosition(ctx context.Context, positionID, userID int64) error {
	_, err := t.db.Exec(ctx, `delete from position_members where position_id = $1 and user_id = $2`, positionID, userID)
	return err
}

// SetOnlyNamed says whether a user reads the candidates of those positions only that
// name the user. NotFound.
func (t *Tx) SetOnlyNamed(ctx context.Context, accountID, userID int64, only bool) error {
	return t.db.Must(ctx, noUser, `update users set only_named = $1 where account_id = $2 and id = $3`, db.Flag(only), accountID, userID)
}
