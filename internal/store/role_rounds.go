package store

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/db"
)

const (
	roleRoundColumns  = `r.id, r.profile_id, r.user_id, r.asked_by, r.created_at, r.expires_at, r.closed_at, r.named`
	roleExpertColumns = `e.id, e.round_id, e.name, e.task, e.language, e.token_hash, e.token_sealed, e.answered_at, e.answers`
	noRoleRound       = "there is no such round of experts"
	noRoleExpert      = "there is no such expert"
)

func roleRoundFields(r *typus.RoleRound) []any {
	return []any{&r.ID, &r.ProfileID, &r.UserID, &r.AskedBy, (*db.Instant)(&r.CreatedAt), (*db.Instant)(&r.ExpiresAt), (*db.Instant)(&r.ClosedAt), (*db.Truth)(&r.Named)}
}

func roleExpertFields(e *typus.RoleExpert) []any {
	return []any{&e.ID, &e.RoundID, &e.Name, &e.Task, &e.Language, &e.TokenHash, &e.SealedToken, (*db.Instant)(&e.AnsweredAt), (*roleAnswers)(&e.Answers)}
}

func scanRoleRound(row db.Row) (typus.RoleRound, error) {
	var r typus.RoleRound
	err := row.Scan(roleRoundFields(&r)...)
	return r, err
}

// RoleRounds lists the rounds of experts of a role profile of an account, newest first;
// none where there is no such profile.
func (r *reads) RoleRounds(ctx context.Context, accountID, profileID int64) ([]typus.RoleRound, error) {
	return db.All(ctx, r, scanRoleRound, `
		select `+roleRoundColumns+` from role_rounds r join role_profiles p on p.id = r.profile_id
		where p.account_id = $1 and p.id = $2 order by r.id desc`, accountID, profileID)
}

// RoleExperts lists the experts of a round of an account, with their answers, in the
// order in which they were named; none where there is no such round.
func (r *reads) RoleExperts(ctx context.Context, accountID, roundID int64) ([]typus.RoleExpert, error) {
	scan := func(row db.Row) (typus.RoleExpert, error) {
		var e typus.RoleExpert
		return e, row.Scan(roleExpertFields(&e)...)
	}
	return db.All(ctx, r, scan, `
		select `+roleExpertColumns+` from role_experts e join role_rounds r on r.id = e.round_id join role_profiles p on p.id = r.profile_id
		where p.account_id = $1 and r.id = $2 order by e.id`, accountID, roundID)
}

// AskedExpert is an expert with what they are asked about.
type AskedExpert struct {
	Expert    typus.RoleExpert
	Round     typus.RoleRound
	AccountID int64
	Account   string // its name
	Zone      typus.Zone
	Profile   string // its name
	Idle      bool   // the account is suspended
}

// RoleExpertByToken finds an expert by the hash of their link's token. NotFound.
func (r *reads) RoleExpertByToken(ctx context.Context, hash string) (AskedExpert, error) {
	scan := func(row db.Row) (AskedExpert, error) {
		var a AskedExpert
		fields := append(roleExpertFields(&a.Expert), roleRoundFields(&a.Round)...)
		return a, row.Scan(append(fields, &a.AccountID, &a.Account, &a.Zone, &a.Profile, (*db.Truth)(&a.Idle))...)
	}
	return db.One(ctx, r, scan, noRoleExpert, `
		select `+roleExpertColumns+`, `+roleRoundColumns+`, a.id, a.name, a.zone, p.name, case when a.suspended_at is null then 0 else 1 end
		from role_experts e join role_rounds r on r.id = e.round_id join role_profiles p on p.id = r.profile_id join accounts a on a.id = p.account_id
		where e.token_hash = $1`, hash)
}

// AddRoleRound adds a round with its experts to a role profile, which the caller has locked.
func (t *Tx) AddRoleRound(ctx context.Context, r typus.RoleRound, experts []typus.RoleExpert) (int64, error) {
	id, err := db.One(ctx, t, db.ScanInt, noRoleRound,
		`insert into role_rounds (profile_id, user_id, asked_by, created_at, expires_at) values ($1, $2, $3, $4, $5) returning id`,
		r.ProfileID, r.UserID, r.AskedBy, db.Millis(r.CreatedAt), db.Millis(r.ExpiresAt))
	for _, e := range experts {
		if err != nil {
			return 0, err
		}
		_, err = t.db.Exec(ctx, `insert into role_experts (round_id, name, task, language, token_hash, token_sealed) values ($1, $2, $3, $4, $5, $6)`,
			id, e.Name, e.Task, e.Language, e.TokenHash, e.SealedToken)
	}
	return id, err
}

// LockRoleRound locks a round until the transaction ends. NotFound.
func (t *Tx) LockRoleRound(ctx context.Context, accountID, id int64) (typus.RoleRound, error) {
	const own = `select id from role_rounds where id = $1 and profile_id in (select id from role_profiles where account_id = $2)`
	if err := t.db.Lock(ctx, own, id, accountID); err != nil {
		return typus.RoleRound{}, err
	}
	return db.One(ctx, t, scanRoleRound, noRoleRound, `
		select `+roleRoundColumns+` from role_rounds r join role_profiles p on p.id = r.profile_id where p.account_id = $1 and r.id = $2`, accountID, id)
}

// CloseRoleRound ends a round, which the caller has locked; one that has ended stays as it is.
func (t *Tx) CloseRoleRound(ctx context.Context, id int64, at time.Time) error {
	_, err := t.db.Exec(ctx, `update role_rounds set closed_at = $1 where id = $2 and closed_at is null`, db.Millis(at), id)
	return err
}

// AnswerRole stores what an expert answers, once; false: they have answered before. The
// caller has locked the round.
func (t *Tx) AnswerRole(ctx context.Context, expertID int64, answers map[string]typus.RoleAnswer, at time.Time) (bool, error) {
	n, err := t.db.Exec(ctx, `update role_experts set answers = $1, answered_at = $2 where id = $3 and answered_at is null`,
		roleAnswers(answers), db.Millis(at), expertID)
	return n > 0, err
}

// ForgetExperts erases who the experts of rounds before a time were, and their links:
// name, task and token. What they answered stays, and says of nobody who it was. It does
// up to 100 rounds and says how many.
func (t *Tx) ForgetExperts(ctx context.Context, before time.Time) (int, error) {
	ids, err := db.All(ctx, t, db.ScanInt, `select id from role_rounds where named = 1 and created_at < $1 order by created_at limit 100`, db.Millis(before))
	for _, id := range ids {
		if err != nil {
			return 0, err
		}
		err = t.EraseExperts(ctx, id)
	}
	return len(ids), err
}

// EraseExperts is ForgetExperts for one round; it also ends it.
func (t *Tx) EraseExperts(ctx context.Context, roundID int64) error {
	if _, err := t.db.Exec(ctx, `update role_experts set name = '', task = '', token_hash = 'erased ' || id, token_sealed = $1 where round_id = $2`, []byte{}, roundID); err != nil {
		return err
	}
	_, err := t.db.Exec(ctx, `update role_rounds set named = 0, closed_at = coalesce(closed_at, expires_at) where id = $1`, roundID)
	return err
}

// ResultsToPreview reads for a user the newest results of the account, at most so many:
// of all whom the user reads and whose results lists show them: none that is withheld, or
// looked at on the candidate's page only, which notes who looks; none that should not be
// interpreted, which has no overall score; and none that nobody gave the answers of. Answers
// that were taken over count once, where they were given.
func (r *reads) ResultsToPreview(ctx context.Context, reader Reader, limit int) ([]Result, error) {
	q := reader.statement()
	q.Set("limit", limit)
	q.Add(`
		select ` + resultColumns + ` from candidates c join results r on r.candidate_id = c.id
		where c.account_id = :account and c.status` + db.OffTextIndex + ` = 'abgeschlossen' and c.erased_at is null
			and c.overall is not null and c.answered_at is null
			and not exists (select 1 from results n where n.candidate_id = r.candidate_id and n.id > r.id)
			and not ` + madeUp("c") + ` and not ` + reader.hidden("c") + reader.within("c") + `
		order by c.created_at desc, c.id desc limit :limit`)
	query, args := q.Numbered()
	return db.All(ctx, r, scanResult, query, args...)
}

// roleAnswers is a column: a JSON object by statement, and "" where nothing is answered.
type roleAnswers map[string]typus.RoleAnswer

// storedAnswer is a member of the column. Its names stay, because old rows have them.
type storedAnswer struct {
	Importance int  `json:"importance"`
	FromStart  bool `json:"from_start,omitzero"`
}

// Value implements driver.Valuer.
func (a roleAnswers) Value() (driver.Value, error) {
	stored := map[string]storedAnswer{}
	for key, answer := range a {
		stored[key] = storedAnswer(answer)
	}
	text, err := json.Marshal(stored, json.Deterministic(true))
	return string(text), err
}

// Scan implements sql.Scanner. Internal: the column holds what Value did not make.
func (a *roleAnswers) Scan(src any) error {
	var stored map[string]storedAnswer
	if err := scanJSON(src, &stored, "the answers of an expert are damaged"); err != nil {
		return err
	}
	*a = nil
	for key, answer := range stored {
		if *a == nil {
			*a = roleAnswers{}
		}
		(*a)[key] = typus.RoleAnswer(answer)
	}
	return nil
}
