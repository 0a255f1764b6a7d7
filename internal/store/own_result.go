package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"typus"
	"typus/internal/db"
)

// Visited is the test of a link, as the pages of the test see it.
type Visited struct {
	Candidate typus.Candidate
	Account   typus.Account // as the candidate's position lets them see it (Position.Over)
	Sheet     Sheet         // the zero one while there are no answers, and after the end of the test
}

// VisitByToken finds the candidate of a link by the hex SHA-256 of its token, with the account
// and the answers, in one statement. NotFound.
func (r *reads) VisitByToken(ctx context.Context, tokenHash string) (Visited, error) {
	return db.One(ctx, r, scanVisited, noCandidate, visitByToken, tokenHash)
}

func scanVisited(row db.Row) (Visited, error) {
	var (
		v        Visited
		position typus.Position
		err      error
	)
	more := append(accountFields(&v.Account), overFields(&position)...)
	v.Candidate, err = scanCandidate(withMore{row, append(more, &v.Sheet.Body, &v.Sheet.Ages, (*db.Instant)(&v.Sheet.SavedAt))})
	v.Account = position.Over(v.Account)
	return v, err
}

// Two of the tables have columns of the same names, so each is read under numbers: c2 is the
// candidate's account and c12 the position, 0 for the default one. Nothing is read twice or put
// aside: this is most of what a page of the test costs.
var visitByToken = `
	select c.*, a.*, ` + overColumns + `, s.body, s.ages, s.saved_at
	from (select ` + underNumbers("c", candidateColumns) + ` from candidates where token_hash = $1 and erased_at is null) c
	join (select ` + underNumbers("a", accountColumns) + ` from accounts where deleting_at is null) a on a1 = c2
	left join positions p on p.account_id` + db.OffIndex + ` = c2
		and p.id = coalesce(nullif(c12, 0), (select d.id from positions d where d.account_id = c2 and d.standard = 1))
	left join sheets s on s.candidate_id = c1`

// OwnPage is what a candidate's page of their own result holds beside the result.
type OwnPage struct {
	typus.OwnResult
	Terms    typus.OwnResultTerms // of the position, the zero ones where it says nothing
	Comments []typus.Comment      // newest version first
	Requests []typus.Request      // newest first
	Looks    []OwnLook            // earliest first
	Passed   []time.Time          // when the days began on which a webhook has received the result, as OwnLook.Day, earliest first
	Keys     bool                 // programs of the account can read it at any time
}

// OwnLook is that somebody of the team has seen a result, or kept it as a file, on a day.
type OwnLook struct {
	Day  time.Time      // when the day began for the people of the candidate's account
	Role typus.UserRole // today's; "" for whoever is no longer in the team, and for the operator
	File bool

	Operator bool // whoever runs the server, for the account
}

// quarterOf is when the quarter of an hour of a time in a column began by the clock of
// :account, which may be a test world's. Days begin with one, in every zone.
func quarterOf(column string) string {
	const ahead = `(select w.ahead from accounts w where w.id = :account)`
	return `(` + column + ` + ` + ahead + `) / 900000 * 900000 - ` + ahead
}

// OwnPage reads what a candidate's page of their own result holds, with one statement.
func (r *reads) OwnPage(ctx context.Context, c typus.Candidate) (OwnPage, error) {
	var (
		p      OwnPage
		states []typus.OwnResult
		terms  []typus.OwnResultTerms
		reads  []commentRead
		keys   []int64
		of     []typus.Account
	)
	all := WholeAccount(c.AccountID)
	b := bundle{StatementBuilder: all.statement()}
	b.Set("id", c.ID)
	b.Set("position", c.PositionID)
	b.Set("type", typus.EventCandidateCompleted)
	b.list(ownColumns, ownResultOf, into(&states, scanOwnResult))
	b.list(`own_result, own_result_reason`, `
		select own_result, own_result_reason from positions
		where account_id = :account and (id = :position or :position = 0 and standard = 1)`, into(&terms, scanTerms))
	b.list(commentColumns, all.commentsOf(), into(&p.Comments, scanComment))
	b.list(commentReadColumns, all.commentReads(), into(&reads, scanCommentRead))
	b.list(requestColumns, requestsOf, into(&p.Requests, scanRequest))
	b.Set("operator", typus.ActorOperator)
	b.list(`day, file, role, operator`, `
		select distinct `+quarterOf(`a.created_at`)+` as day, case when a.action = '`+string(typus.AuditReportSaved)+`' then 1 else 0 end as file, coalesce(u.role, '') as role,
			case when a.user_id is null and a.actor = :operator then 1 else 0 end as operator
		from audit_log a left join users u on u.id = a.user_id and u.account_id`+db.OffIndex+` = `+homeOf(`:account`)+`
		where a.account_id`+db.OffIndex+` = :account and a.candidate_id = :id and a.action in `+seen+`
		order by day, file, role, operator`, into(&p.Looks, scanOwnLook))
	b.list(`day`, `
		select distinct `+quarterOf(`d.finished_at`)+` as day
		from webhook_events v join webhook_deliveries d on d.event_id = v.id
		where v.account_id = :account and v.type = :type and v.candidate_id = :id and v.test = 0 and d.state = 'delivered' and d.finished_at is not null
		order by day`, into(&p.Passed, db.ScanInstant))
	b.list(`1`, `
		select 1 from api_keys k where k.account_id = :account and k.revoked_at is null and k.scope = '`+string(typus.ScopeAll)+`'
			and (k.position_id is null or exists (select 1 from positions p where p.id = k.position_id and (p.id = :position or :position = 0 and p.standard = 1)))
		limit 1`, into(&keys, db.ScanInt))
	b.list(`ahead, zone`, `select ahead, zone from accounts where id = :account`, into(&of, scanClock))
	err := b.read(ctx, r)
	withReads(p.Comments, reads)
	for _, a := range of {
		p.inDays(a)
	}
	for _, s := range states {
		p.OwnResult = s
	}
	for _, t := range terms {
		p.Terms = t
	}
	p.Keys = len(keys) > 0
	return p, err
}

// inDays makes days of an account of the quarters of an hour that were read, each once.
func (p *OwnPage) inDays(of typus.Account) {
	for i := range p.Looks {
		p.Looks[i].Day = of.DayBegins(p.Looks[i].Day)
	}
	slices.SortStableFunc(p.Looks, func(a, b OwnLook) int {
		return cmp.Or(a.Day.Compare(b.Day), compareTruth(a.File, b.File), cmp.Compare(a.Role, b.Role), compareTruth(a.Operator, b.Operator))
	})
	p.Looks = slices.Compact(p.Looks)
	for i := range p.Passed {
		p.Passed[i] = of.DayBegins(p.Passed[i])
	}
	p.Passed = slices.Compact(p.Passed)
}

// compareTruth puts what is not before what is.
func compareTruth(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func scanClock(row db.Row) (typus.Account, error) {
	var a typus.Account
	err := row.Scan((*db.Milliseconds)(&a.Ahead), &a.Zone)
	return a, err
}

const (
	ownColumns  = `released_at, released_by, opened_at, case when proven_email is null then 0 else 1 end`
	ownResultOf = `select ` + ownColumns + ` from own_results where candidate_id = :id`
)

// ownResultFor is ownResultOf for a reader: nothing where the reader is blind to the candidate.
func (r Reader) ownResultFor() string {
	return `
		select o.released_at, o.released_by, o.opened_at, case when o.proven_email is null then 0 else 1 end
		from candidates c join own_results o on o.candidate_id = c.id
		where c.account_id = :account and c.id = :id and not ` + r.blindTo("c") + r.within("c")
}

// ownTermsFor is a statement: when the candidate :id sees the result, by their position.
func (r Reader) ownTermsFor() string {
	return `
		select p.own_result, p.own_result_reason
		from candidates c join positions p on p.account_id = :account and (p.id = c.position_id or c.position_id is null and p.standard = 1)
		where c.account_id` + db.OffIndex + ` = :account and c.id = :id` + r.within("c")
}

func scanOwnResult(row db.Row) (typus.OwnResult, error) {
	var o typus.OwnResult
	err := row.Scan((*db.Instant)(&o.ReleasedAt), &o.ReleasedBy, (*db.Instant)(&o.OpenedAt), (*db.Truth)(&o.AddressChanged))
	return o, err
}

func scanTerms(row db.Row) (typus.OwnResultTerms, error) {
	var t typus.OwnResultTerms
	err := row.Scan(&t.Policy, &t.Reason)
	return t, err
}

func scanOwnLook(row db.Row) (OwnLook, error) {
	var l OwnLook
	err := row.Scan((*db.Instant)(&l.Day), (*db.Truth)(&l.File), &l.Role, (*db.Truth)(&l.Operator))
	return l, err
}

// OwnResult is what became of a candidate's own result, the zero one where nothing did.
func (r *reads) OwnResult(ctx context.Context, candidateID int64) (typus.OwnResult, error) {
	o, _, err := db.Maybe(ctx, r, scanOwnResult, `select `+ownColumns+` from own_results where candidate_id = $1`, candidateID)
	return o, err
}

// OwnTerms are those of the position of a candidate, the zero ones where it says nothing.
func (r *reads) OwnTerms(ctx context.Context, c typus.Candidate) (typus.OwnResultTerms, error) {
	t, _, err := db.Maybe(ctx, r, scanTerms, `
		select own_result, own_result_reason from positions
		where account_id = $1 and (id = $2 or $3 = 0 and standard = 1)`, c.AccountID, c.PositionID, c.PositionID)
	return t, err
}

// SetOwnTerms stores when candidates of an account see their own result. NotFound.
func (t *Tx) SetOwnTerms(ctx context.Context, accountID int64, terms typus.OwnResultTerms) error {
	return t.db.Must(ctx, noAccount, `update accounts set own_result = $1, own_result_reason = $2 where `+itsWorldToo(`$3`),
		string(terms.Policy), terms.Reason, accountID)
}

// SetPositionOwnTerms stores when candidates of a position see their own result. NotFound.
func (t *Tx) SetPositionOwnTerms(ctx context.Context, accountID, positionID int64, terms typus.OwnResultTerms) error {
	return t.db.Must(ctx, noPosition, `update positions set own_result = $1, own_result_reason = $2 where account_id = $3 and id = $4`,
		string(terms.Policy), terms.Reason, accountID, positionID)
}

// The caller of what follows has locked the candidate.

func (t *Tx) ownRow(ctx context.Context, candidateID int64) error {
	_, err := t.db.Exec(ctx, `insert into own_results (candidate_id) values ($1) on conflict (candidate_id) do nothing`, candidateID)
	return err
}

// ReleaseOwn notes that a user lets a candidate see the result; false: it was released
// before.
func (t *Tx) ReleaseOwn(ctx context.Context, candidateID int64, at time.Time, by string) (bool, error) {
	if err := t.ownRow(ctx, candidateID); err != nil {
		return false, err
	}
	n, err := t.db.Exec(ctx, `update own_results set released_at = $1, released_by = $2 where candidate_id = $3 and released_at is null`,
		db.Millis(at), by, candidateID)
	return n == 1, err
}

// NoteOwnOpened notes when a candidate saw the result first.
func (t *Tx) NoteOwnOpened(ctx context.Context, candidateID int64, at time.Time) error {
	if err := t.ownRow(ctx, candidateID); err != nil {
		return err
	}
	_, err := t.db.Exec(ctx, `update own_results set opened_at = $1 where candidate_id = $2 and opened_at is null`, db.Millis(at), candidateID)
	return err
}

// OwnCode is the newest code of a candidate, the zero one where none is good any more.
func (r *reads) OwnCode(ctx context.Context, candidateID int64) (typus.OwnCode, error) {
	c, _, err := db.Maybe(ctx, r, scanOwnCode, `select code_hash, code_at, code_tries from own_results where candidate_id = $1`, candidateID)
	return c, err
}

func scanOwnCode(row db.Row) (typus.OwnCode, error) {
	var c typus.OwnCode
	err := row.Scan(&c.Hash, (*db.Instant)(&c.MadeAt), &c.Tries)
	return c, err
}

// SetOwnCode replaces the code of a candidate; the zero one takes it away.
func (t *Tx) SetOwnCode(ctx context.Context, candidateID int64, c typus.OwnCode) error {
	if err := t.ownRow(ctx, candidateID); err != nil {
		return err
	}
	_, err := t.db.Exec(ctx, `update own_results set code_hash = $1, code_at = $2, code_tries = $3 where candidate_id = $4`,
		c.Hash, db.MillisOrNull(c.MadeAt), c.Tries, candidateID)
	return err
}

// ChangeAddress notes that the team changes the address of a candidate. The one that they were
// invited at, or have confirmed, stays known; changed back to it, in whatever spelling, it is
// as if nothing was. The caller has locked the candidate.
func (t *Tx) ChangeAddress(ctx context.Context, c typus.Candidate, to string) error {
	if err := t.ownRow(ctx, c.ID); err != nil {
		return err
	}
	known, err := db.One(ctx, t, db.ScanText, noCandidate, `select coalesce(proven_email, $1) from own_results where candidate_id = $2`, c.Email, c.ID)
	if err != nil {
		return err
	}
	proven := &known
	if typus.SameMailbox(known, to) {
		proven = nil
	}
	_, err = t.db.Exec(ctx, `update own_results set proven_email = $1 where candidate_id = $2`, proven, c.ID)
	return err
}

// ProveAddress notes that a candidate has confirmed the address that they have now.
func (t *Tx) ProveAddress(ctx context.Context, candidateID int64) error {
	_, err := t.db.Exec(ctx, `update own_results set proven_email = null where candidate_id = $1`, candidateID)
	return err
}
