package store

import (
	"cmp"
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

const (
	accountColumns = `id, coalesce(parent_id, 0), ahead, name, plan, credits, language, role_profile, invite_days, contact_email, created_at,
		accent, logo_type, logo_hash, reminders, keep_finished_days, keep_unfinished_days, keep_from_decision, keep_undecided_days, keep_answers_days, keep_set_at, erasure_waits, erasure_word_at,
		welcome_de, welcome_en, notify, notify_emails,
		score_sorting_at, score_sorting_by, notice, decides_elsewhere, shelf_months, own_result, own_result_reason, forwards_letters, zone, deleting_at, host, letters_a_day, max_people, suspended_at, suspended_reason`
	noAccount = "there is no such account"
)

func accountFields(a *typus.Account) []any {
	return []any{
		&a.ID, &a.ParentID, (*db.Milliseconds)(&a.Ahead), &a.Name, &a.Plan, &a.Credits, &a.Language, &a.RoleProfile, &a.InviteDays, &a.ContactEmail, (*db.Instant)(&a.CreatedAt),
		&a.Accent, &a.LogoType, &a.LogoHash, &a.Reminders, &a.KeepFinishedDays, &a.KeepUnfinishedDays, (*db.Truth)(&a.KeepFromDecision), &a.KeepUndecidedDays, &a.KeepAnswersDays,
		(*db.Instant)(&a.KeepSetAt), &a.ErasureWaits, (*db.Instant)(&a.ErasureWordAt), &a.WelcomeDE, &a.WelcomeEN, &a.Notify, &a.NotifyEmails,
		(*db.Instant)(&a.ScoreSortingAt), &a.ScoreSortingBy, (*noticeFacts)(&a.Notice), (*db.Truth)(&a.DecidesElsewhere), &a.ShelfMonths,
		&a.OwnResult.Policy, &a.OwnResult.Reason, (*db.Truth)(&a.ForwardsLetters), &a.Zone, (*db.Instant)(&a.DeletingAt), &a.Host, &a.LettersADay, &a.MaxPeople,
		(*db.Instant)(&a.SuspendedAt), &a.SuspendedReason,
	}
}

func scanAccount(row db.Row) (typus.Account, error) {
	var a typus.Account
	err := row.Scan(accountFields(&a)...)
	return a, err
}

// AddAccount adds an account without credits: it ignores a.Credits, because credits
// come only through the ledger (BookCredit). What people set later (SetAccount) has its
// defaults, but for how long candidates are kept.
func (t *Tx) AddAccount(ctx context.Context, a typus.Account) (int64, error) {
	return db.One(ctx, t, db.ScanInt, "", `
		insert into accounts (name, plan, language, role_profile, invite_days, contact_email, created_at,
			keep_finished_days, keep_unfinished_days, keep_from_decision, keep_undecided_days, zone)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning id`,
		a.Name, string(a.Plan), a.Language, a.RoleProfile, a.InviteDays, a.ContactEmail, db.Millis(a.CreatedAt),
		a.KeepFinishedDays, a.KeepUnfinishedDays, db.Flag(a.KeepFromDecision), a.KeepUndecidedDays, string(cmp.Or(a.Zone, typus.UTC)))
}

// Account reads an account. NotFound.
func (r *reads) Account(ctx context.Context, accountID int64) (typus.Account, error) {
	return db.One(ctx, r, scanAccount, noAccount, `select `+accountColumns+` from accounts where id = $1`, accountID)
}

// LockAccount reads an account and locks it until the transaction ends, so that writers
// of it wait for each other. NotFound.
func (t *Tx) LockAccount(ctx context.Context, accountID int64) (typus.Account, error) {
	return db.One(ctx, t, scanAccount, noAccount, `select `+accountColumns+` from accounts where id = $1`+t.db.LockRows(), accountID)
}

// AddServerAccount makes sure that there is the account 0, to which the letters
// to people of no account belong. It is in no list and has neither users nor keys.
func (t *Tx) AddServerAccount(ctx context.Context, at time.Time) error {
	_, err := t.db.Exec(ctx, `insert into accounts (id, name, plan, created_at) values (0, '', 'starter', $1) on conflict (id) do nothing`, db.Millis(at))
	return err
}

// AnyAccount reports whether there is an account at all.
func (r *reads) AnyAccount(ctx context.Context) (bool, error) {
	_, found, err := db.Maybe(ctx, r, db.ScanInt, `select id from accounts where id > 0 order by id limit 1`)
	return found, err
}

// Accounts lists all accounts but test worlds by id, for the operator.
func (r *reads) Accounts(ctx context.Context) ([]typus.Account, error) {
	return db.All(ctx, r, scanAccount, `select `+accountColumns+` from accounts where id > 0 and parent_id is null order by id`)
}

// SetAccount stores what the people of an account may set: everything but the
// plan, the credits, the logo and sorting by score. Its test world has the same, but for what
// became of its own retention. NotFound.
func (t *Tx) SetAccount(ctx context.Context, a typus.Account) error {
	_, err := t.db.Exec(ctx, `
		update accounts set keep_set_at = $1, erasure_waits = 0, erasure_word_at = null
		where parent_id = $2 and (keep_finished_days <> $3 or keep_unfinished_days <> $4 or keep_from_decision <> $5 or keep_undecided_days <> $6)`,
		db.MillisOrNull(a.KeepSetAt), a.ID, a.KeepFinishedDays, a.KeepUnfinishedDays, db.Flag(a.KeepFromDecision), a.KeepUndecidedDays)
	if err != nil {
		return err
	}
	err = t.db.Must(ctx, noAccount, `
		update accounts set name = $1, language = $2, role_profile = $3, invite_days = $4, contact_email = $5, accent = $6, reminders = $7,
			keep_finished_days = $8, keep_unfinished_days = $9,
			welcome_de = $10, welcome_en = $11, notify = $12, notify_emails = $13, notice = $14, decides_elsewhere = $15,
			shelf_months = $16, keep_from_decision = $17, keep_undecided_days = $18, keep_answers_days = $19, zone = $20, host = $21, letters_a_day = $22
		where `+itsWorldToo(`$23`),
		a.Name, a.Language, a.RoleProfile, a.InviteDays, a.ContactEmail, a.Accent, a.Reminders, a.KeepFinishedDays, a.KeepUnfinishedDays,
		a.WelcomeDE, a.WelcomeEN, string(a.Notify), a.NotifyEmails, noticeFacts(a.Notice), db.Flag(a.DecidesElsewhere), a.ShelfMonths, db.Flag(a.KeepFromDecision), a.KeepUndecidedDays, a.KeepAnswersDays, string(a.Zone), a.Host, a.LettersADay, a.ID)
	if err != nil {
		return err
	}
	return t.db.Must(ctx, noAccount, `update accounts set keep_set_at = $1, erasure_waits = $2, erasure_word_at = $3 where id = $4`,
		db.MillisOrNull(a.KeepSetAt), a.ErasureWaits, db.MillisOrNull(a.ErasureWordAt), a.ID)
}

// AccountAt is the account that has a host of its own by that name, 0 for none.
func (r *reads) AccountAt(ctx context.Context, host string) (int64, error) {
	id, _, err := db.Maybe(ctx, r, db.ScanInt, `select id from accounts where host = $1 and host <> '' and parent_id is null`, host)
	return id, err
}

// hostsLock is a number that no account and no LockInviting has.
const hostsLock = 1 << 61

// LockHosts is for those who give an account a host, or something else that is to be unique on
// a server, only if nobody has it: they wait for each other, because two who look at the same
// moment would both find it free. It is taken after the account is locked, if that is.
// Unavailable also while an account is being taken in, which is said.
func (t *Tx) LockHosts(ctx context.Context) error {
	err := t.db.LockNumber(ctx, hostsLock)
	if db.WaitedInVain(err) { // nothing else holds it for so long
		return typus.Errorf(typus.Unavailable, "an account is being taken in at the moment; try again when that is done")
	}
	return err
}

// AwaitHosts is LockHosts for who takes an account in and has taken time (TakeTime): it waits
// until another import is done.
func (t *Tx) AwaitHosts(ctx context.Context) error { return t.db.AwaitNumber(ctx, hostsLock) }

// SetErasureWaits notes how many people wait for an owner's word before they are
// erased, 0 for nobody. NotFound.
func (t *Tx) SetErasureWaits(ctx context.Context, accountID int64, people int) error {
	return t.db.Must(ctx, noAccount, `update accounts set erasure_waits = $1 where id = $2`, people, accountID)
}

// AllowErasure notes an owner's word that everybody who is due by the given time may be
// erased. The number of people who wait for that word becomes 0. NotFound.
func (t *Tx) AllowErasure(ctx context.Context, accountID int64, dueBy time.Time) error {
	return t.db.Must(ctx, noAccount, `update accounts set erasure_waits = 0, erasure_word_at = $1 where id = $2`, db.MillisOrNull(dueBy), accountID)
}

// SetKeepSetAt sets the time at which the retention was last changed. NotFound.
func (t *Tx) SetKeepSetAt(ctx context.Context, accountID int64, at time.Time) error {
	return t.db.Must(ctx, noAccount, `update accounts set keep_set_at = $1 where id = $2`, db.Millis(at), accountID)
}

// CountPeople counts the candidates of an account that are not erased.
func (r *reads) CountPeople(ctx context.Context, accountID int64) (int, error) {
	n, err := db.One(ctx, r, db.ScanInt, "", `select count(*) from candidates where account_id = $1 and erased_at is null`, accountID)
	return int(n), err
}

// CountRows counts the candidates of an account, the erased too.
func (r *reads) CountRows(ctx context.Context, accountID int64) (int, error) {
	n, err := db.One(ctx, r, db.ScanInt, "", `select count(*) from candidates where account_id = $1`, accountID)
	return int(n), err
}

// SetAccountPlan changes the plan, which is the operator's to set. NotFound.
func (t *Tx) SetAccountPlan(ctx context.Context, accountID int64, plan typus.Plan) error {
	return t.db.Must(ctx, noAccount, `update accounts set plan = $1 where id = $2`, string(plan), accountID)
}

// SetMaxPeople sets how many candidates an account may store at once, 0 for any number, which
// is the operator's to set. NotFound.
func (t *Tx) SetMaxPeople(ctx context.Context, accountID int64, people int) error {
	return t.db.Must(ctx, noAccount, `update accounts set max_people = $1 where id = $2`, people, accountID)
}

// AccountsToForget lists the accounts that have set a retention.
func (r *reads) AccountsToForget(ctx context.Context) ([]typus.Account, error) {
	return db.All(ctx, r, scanAccount, `
		select `+accountColumns+` from accounts where keep_finished_days > 0 or keep_unfinished_days > 0 order by id`)
}
