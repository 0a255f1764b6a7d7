package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

const sessionColumns = `s.token_hash, s.user_id, s.account_id, s.verified, s.confirmed_at, s.created_at, s.seen_at, s.expires_at, s.ip, s.agent`

func sessionFields(s *typus.Session) []any {
	return []any{&s.Hash, &s.UserID, &s.AccountID, (*db.Truth)(&s.Verified), (*db.Instant)(&s.ConfirmedAt),
		(*db.Instant)(&s.CreatedAt), (*db.Instant)(&s.SeenAt), (*db.Instant)(&s.ExpiresAt), &s.IP, &s.Agent}
}

func scanSession(row db.Row) (typus.Session, error) {
	var s typus.Session
	err := row.Scan(sessionFields(&s)...)
	return s, err
}

// AddSession keeps a login.
func (t *Tx) AddSession(ctx context.Context, s typus.Session) error {
	_, err := t.db.Exec(ctx, `
		insert into sessions (token_hash, user_id, account_id, verified, confirmed_at, created_at, seen_at, expires_at, ip, agent)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		s.Hash, s.UserID, s.AccountID, db.Flag(s.Verified), db.Millis(s.ConfirmedAt), db.Millis(s.CreatedAt), db.Millis(s.SeenAt.Truncate(time.Minute)),
		db.Millis(s.ExpiresAt), s.IP, s.Agent)
	return err
}

// Visit is who a session belongs to, and what they read.
type Visit struct {
	Session typus.Session
	User    typus.User
	Account typus.Account
	Reader  Reader
	Trouble Trouble
}

// Trouble is what keeps an account from hearing of its candidates, or those from it.
type Trouble struct {
	MailSince time.Time // when the oldest letter was written that the mail server did not take from us; zero: there is none
	Endpoints EndpointTrouble
}

// EndpointTrouble says how the webhook stands that is worst off.
type EndpointTrouble int

// How a webhook can stand. One that somebody paused is in no trouble.
const (
	EndpointsFine EndpointTrouble = iota
	EndpointFails
	EndpointOff // given up, or gone
)

// troubleColumns are those of Trouble, of a session s. Replies with these codes, and none at
// all, are about us and not about a recipient.
const troubleColumns = `
	(select min(l.created_at) from letters l
		where l.account_id = s.account_id and l.state = 'queued' and l.attempts > 0 and l.last_code in (0, 421, 454, 530, 534, 535, 538)),
	coalesce((select max(case when e.status = '` + string(typus.EndpointFailing) + `' then 1 else 2 end) from webhook_endpoints e
		where e.account_id = s.account_id and e.status in ('` + string(typus.EndpointFailing) + `', '` + string(typus.EndpointDisabled) + `', '` + string(typus.EndpointGone) + `')), 0)`

func scanVisit(row db.Row) (Visit, error) {
	var (
		v Visit
		s secrecy
	)
	fields := append(sessionFields(&v.Session), userFields(&v.User)...)
	fields = append(fields, accountFields(&v.Account)...)
	fields = append(fields, (*db.Instant)(&v.Trouble.MailSince), (*int)(&v.Trouble.Endpoints))
	err := row.Scan(append(fields, s.fields()...)...)
	v.Reader = readerOf(v.User, s)
	return v, err
}

// SessionByToken finds a session with its user and account by the hex SHA-256 of its
// token. The session may have run out. NotFound.
func (r *reads) SessionByToken(ctx context.Context, hash string) (Visit, error) {
	return db.One(ctx, r, scanVisit, "there is no such session", `
		select `+sessionColumns+`, u.*, a.*, `+troubleColumns+`, `+secrecyColumns+`
		from sessions s
			join (select `+userColumns+` from users) u on u.id = s.user_id
			join (select `+accountColumns+` from accounts) a on a.id = s.account_id
			left join positions d on d.account_id = s.account_id and d.standard = 1
		where s.token_hash = $1`, hash)
}

// SessionsOf lists the newest hundred sessions of a user of the account, the newest
// first. No user can have more.
func (r *reads) SessionsOf(ctx context.Context, accountID, userID int64) ([]typus.Session, error) {
	return db.All(ctx, r, scanSession, `
		select `+sessionColumns+` from sessions s where s.user_id = $1 and s.account_id = $2 order by s.created_at desc limit 100`,
		userID, accountID)
}

// SessionCounts maps the users of an account to the number of their verified
// sessions that hold at a time; users without any are absent.
func (r *reads) SessionCounts(ctx context.Context, accountID int64, at time.Time) (map[int64]int, error) {
	list, err := db.All(ctx, r, scanCount, `
		select s.user_id, count(*) from users u join sessions s on s.user_id = u.id
		where u.account_id = $1 and s.expires_at > $2 and s.seen_at > $3 and s.verified = 1 group by s.user_id`,
		accountID, db.Millis(at), db.Millis(at.Add(-typus.SessionIdle)))
	counts := make(map[int64]int, len(list))
	for _, c := range list {
		counts[c[0]] = int(c[1])
	}
	return counts, err
}

func scanCount(row db.Row) ([2]int64, error) {
	var c [2]int64
	err := row.Scan(&c[0], &c[1])
	return c, err
}

// TouchSession notes the use of a session, to the minute. An unknown one is no
// error.
func (t *Tx) TouchSession(ctx context.Context, hash string, at time.Time) error {
	minute := db.Millis(at.Truncate(time.Minute))
	_, err := t.db.Exec(ctx, `update sessions set seen_at = $1 where token_hash = $2 and seen_at < $1`, minute, hash)
	return err
}

// ConfirmSession notes that the password was given again. An unknown session is
// no error.
func (t *Tx) ConfirmSession(ctx context.Context, accountID int64, hash string, at time.Time) error {
	_, err := t.db.Exec(ctx, `update sessions set confirmed_at = $1 where account_id = $2 and token_hash = $3`, db.Millis(at), accountID, hash)
	return err
}

// DeleteSession ends a session of a user. NotFound.
func (t *Tx) DeleteSession(ctx context.Context, accountID, userID int64, hash string) error {
	return t.db.Must(ctx, "there is no such session", `delete from sessions where account_id = $1 and user_id = $2 and token_hash = $3`,
		accountID, userID, hash)
}

// DeleteSessions ends all sessions of a user and says how many there were.
func (t *Tx) DeleteSessions(ctx context.Context, accountID, userID int64) (int, error) {
	return t.db.Exec(ctx, `delete from sessions where account_id = $1 and user_id = $2`, accountID, userID)
}

// DeleteOtherSessions ends all sessions of a user but the one with a hash.
func (t *Tx) DeleteOtherSessions(ctx context.Context, accountID, userID int64, keep string) error {
	_, err := t.db.Exec(ctx, `delete from sessions where account_id = $1 and user_id = $2 and token_hash <> $3`, accountID, userID, keep)
	return err
}

// TrimSessions ends sessions of a user until only keep are left. It ends those first
// that still wait for the second factor, so that somebody who knows only the password
// cannot end a login, and then the oldest.
func (t *Tx) TrimSessions(ctx context.Context, accountID, userID int64, keep int) error {
	_, err := t.db.Exec(ctx, `
		delete from sessions where account_id = $1 and user_id = $2 and token_hash not in (
			select token_hash from sessions where account_id = $1 and user_id = $2 order by verified desc, created_at desc limit $3)`, accountID, userID, keep)
	return err
}

// DropSessions removes up to 500 sessions that have ended by their times and
// says how many.
func (t *Tx) DropSessions(ctx context.Context, now time.Time) (int, error) {
	return t.db.Exec(ctx, `
		delete from sessions where token_hash in (select token_hash from sessions where expires_at <= $1 order by expires_at limit 500)`,
		db.Millis(now))
}
