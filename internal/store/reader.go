package store

import (
	"typus"
	"typus/internal/db"
)

// Reader is who reads candidates, and what belongs to them, on a page of the dashboard.
// Whatever of it lies outside the reader's positions is not there for them, as if it
// were another account's. The zero Reader of an account reads nothing.
type Reader struct {
	AccountID int64
	UserID    int64 // 0 for nobody
	Role      typus.UserRole
	Positions Positions
	Blind     Blind
}

// Positions are those whose candidates a Reader reads.
type Positions struct {
	Everything bool // all of the account; the other fields are not looked at
	Open       bool // all that are not confidential, and those that name the reader; else the latter only
	Standard   bool // the account's default one
}

// Blind is of which candidates a Reader sees neither the result nor what others made of it
// before they have rated them: those of the positions that say so for the reader's role.
type Blind struct {
	Somewhere bool // of at least one position of the account
	Standard  bool // of its default one
	Others    bool // some position may be blind to others though not to this reader
}

// WholeAccount reads everything of an account, for what is no user: the operator, and
// tests.
func WholeAccount(accountID int64) Reader {
	return Reader{AccountID: accountID, Positions: Positions{Everything: true}}
}

// AtStandard reports whether the reader reads the candidates of the account's default
// position.
func (r Reader) AtStandard() bool { return r.Positions.Everything || r.Positions.Standard }

// secrecy is what a session's account says about who reads what.
type secrecy struct {
	hidden                          bool // a position is confidential and does not name the user
	blind, blindAll                 bool // a position is blind; a position is blind to every role
	standardSecret, standardNamed   bool
	standardBlind, standardAllBlind bool
}

// secrecyColumns are about a user u, whose account has the default position d.
const secrecyColumns = `
	case when exists (select 1 from positions p where p.account_id = u.account_id and p.confidential = 1 and p.standard = 0
		and not exists (select 1 from position_members m where m.position_id = p.id and m.user_id = u.id)) then 1 else 0 end,
	case when exists (select 1 from positions p where p.account_id = u.account_id and p.blind = 1) then 1 else 0 end,
	case when exists (select 1 from positions p where p.account_id = u.account_id and p.blind = 1 and p.blind_all = 1) then 1 else 0 end,
	coalesce(d.confidential, 0),
	case when exists (select 1 from position_members m where m.position_id = d.id and m.user_id = u.id) then 1 else 0 end,
	coalesce(d.blind, 0), coalesce(d.blind_all, 0)`

func (s *secrecy) fields() []any {
	return []any{(*db.Truth)(&s.hidden), (*db.Truth)(&s.blind), (*db.Truth)(&s.blindAll), (*db.Truth)(&s.standardSecret),
		(*db.Truth)(&s.standardNamed), (*db.Truth)(&s.standardBlind), (*db.Truth)(&s.standardAllBlind)}
}

// readerOf is what a user reads. It is the one place that decides it.
func readerOf(u typus.User, s secrecy) Reader {
	r := Reader{AccountID: u.AccountID, UserID: u.ID, Role: u.Role}
	open := u.Role == typus.RoleAdmin || !u.OnlyNamed
	r.Positions = Positions{Open: open, Standard: s.standardNamed || open && !s.standardSecret}
	r.Positions.Everything = u.Role == typus.RoleOwner || open && r.Positions.Standard && !s.hidden
	r.Blind = Blind{
		Somewhere: s.blindAll || s.blind && r.rates(),
		Standard:  s.standardBlind && (s.standardAllBlind || r.rates()),
		Others:    s.blind && !r.rates(),
	}
	return r
}

// In is the reader in an account, which is their own or its test world. There is nobody to
// be fair to in a test world: who works with it reads everything.
func (r Reader) In(accountID int64) Reader {
	if r.AccountID == accountID {
		return r
	}
	return Reader{AccountID: accountID, UserID: r.UserID, Role: r.Role, Positions: Positions{Everything: true}}
}

// rates reports whether a blind position is blind to the reader's role without saying
// more.
func (r Reader) rates() bool { return r.Role == typus.RoleMember || r.Role == typus.RoleInterviewer }

// statement begins a statement of the reader, whose parameters it sets.
func (r Reader) statement() *db.StatementBuilder {
	var q db.StatementBuilder
	q.Set("account", r.AccountID)
	q.Set("user", r.UserID)
	q.Set("open", db.Flag(r.Positions.Open))
	q.Set("standard", db.Flag(r.Positions.Standard))
	q.Set("rates", db.Flag(r.rates()))
	q.Set("blind", db.Flag(r.Blind.Standard))
	return &q
}

// within continues a condition: the candidate, by the name of its table, is of a
// position that the reader reads. Each row is asked about by keys, so that the rest of
// the statement decides which index is gone along.
func (r Reader) within(candidate string) string {
	if r.Positions.Everything {
		return ""
	}
	return `
		and ` + ofPosition(candidate, `:standard`, readable)
}

// ofPosition asks whether a condition is true of the position p of a candidate, by the name
// of its table. Candidates without a position are of the account's default one, which need
// not be a row: standard is the answer for it. One who names its row is answered the same.
func ofPosition(candidate, standard, condition string) string {
	return `case when ` + candidate + `.position_id is null then ` + standard + ` else (
			select count(*) from positions p where p.id = ` + candidate + `.position_id and ` + condition + `) end <> 0`
}

// reaches continues a condition on positions p: the reader reads their candidates.
func (r Reader) reaches() string {
	if r.Positions.Everything {
		return ""
	}
	return ` and ` + readable
}

// readable asks whether a position p is one that the reader reads.
const readable = `(p.confidential = 0 and :open <> 0
				or exists (select 1 from position_members m where m.position_id = p.id and m.user_id = :user))`

// about continues a condition: the row is about nobody, or about a candidate within the
// reader's positions. Rows about the erased stay where the candidate was.
func (r Reader) about(candidateID string) string {
	if r.Positions.Everything {
		return ""
	}
	return `
		and (` + candidateID + ` is null or (
			select c.id from candidates c where c.id = ` + candidateID + ` and c.account_id` + db.OffIndex + ` = :account` + r.within("c") + `
			limit 1) is not null)`
}

// viewed are the actions in the audit log that say that a user has seen a result.
const viewed = `('` + string(typus.AuditReportViewed) + `', '` + string(typus.AuditReportViewedBeforeRating) + `')`

// seen are all actions after which somebody has seen it.
const seen = `('` + string(typus.AuditReportViewed) + `', '` + string(typus.AuditReportSaved) + `', '` + string(typus.AuditReportViewedBeforeRating) + `', '` +
	string(typus.AuditReportOpened) + `', '` + string(typus.AuditReportOpenedWithoutRating) + `')`

// withheld asks whether the result of a candidate, by the name of its table, is kept from
// the reader.
func (r Reader) withheld(candidate string) string {
	if !r.Blind.Somewhere {
		return `0 <> 0`
	}
	return `(` + candidate + `.status` + db.OffTextIndex + ` = 'abgeschlossen' and ` + r.blindTo(candidate) + `)`
}

// blindTo asks whether the reader is to judge a candidate, by the name of its table, on
// their own: of a position that says so they have neither rated them, nor opened the
// result, nor seen it before. Until then they read what they wrote themselves and nothing
// that others did, which may tell of a result, nor when the candidate began, answered or
// finished, which shows haste: before the test as well as after it.
func (r Reader) blindTo(candidate string) string {
	if !r.Blind.Somewhere {
		return `0 <> 0`
	}
	return `(` + ofPosition(candidate, `:blind`, `p.blind = 1 and (p.blind_all = 1 or :rates <> 0)`) + `
		and not exists (select 1 from interviews i where i.candidate_id = ` + candidate + `.id and i.user_id = :user
			and (i.rated_at is not null or i.opened_at is not null))
		and not exists (select 1 from audit_log a where a.candidate_id = ` + candidate + `.id
			and a.user_id` + db.OffIndex + ` = :user and a.action` + db.OffTextIndex + ` in ` + viewed + `))`
}

// AnswersBlind reports whether the reader reads and answers what candidates ask for although
// they are blind to them. Owners do: each request must be answered within a month, also where
// everybody rates first, and it says less of a result than that the test was taken.
func (r Reader) AnswersBlind() bool { return r.Role == typus.RoleOwner }

// deafTo asks whether what a candidate, by the name of its table, asks for is kept from the
// reader.
func (r Reader) deafTo(candidate string) string {
	if r.AnswersBlind() {
		return `0 <> 0`
	}
	return r.blindTo(candidate)
}

// told continues a condition on lines of the audit log: it leaves out those that say
// something of a result, or of how a candidate took the test, to a reader who is blind to
// that candidate. That somebody wanted to see figures all the same says that the result
// should not be interpreted, and what the team decided, and when, or that it keeps somebody
// for longer, what it thinks of it. That somebody asks for a new link they read: members
// answer it, are written to, and find it in the list (NeedLink); it says no more than that the
// link, whose end they know, ran out.
func (r Reader) told() string {
	return r.unless(`candidate_id`, `action`+db.OffTextIndex+` not in ('`+string(typus.AuditReportOpened)+`', '`+string(typus.AuditCandidateDecided)+`', '`+string(typus.AuditCandidateCommented)+`', '`+
		string(typus.AuditCommentRead)+`', '`+string(typus.AuditOwnReleased)+`', '`+string(typus.AuditOwnAsked)+`', '`+string(typus.AuditOwnAnswered)+`', '`+string(typus.AuditOwnEntered)+`', '`+string(typus.AuditPersonCopied)+`', '`+string(typus.AuditCandidateFinishedByOperator)+`', '`+
		string(typus.AuditCandidateKept)+`', '`+string(typus.AuditCandidateKeepEnded)+`')`, r.blindTo)
}

// ofPositions continues a condition on lines of the audit log: those about a position are of
// one that the reader reads. They begin with its id; those of the default one have none.
func (r Reader) ofPositions() string {
	if r.Positions.Everything {
		return ""
	}
	return `
		and case when action` + db.OffTextIndex + ` not like 'position.%' then 1 when detail not like '#%' then :standard else (
			select count(*) from positions p where p.account_id = :account and (detail = '#' || p.id or detail like '#' || p.id || ' %') and ` + readable + `) end <> 0`
}

// posted continues a condition on letters: of a candidate whose result is withheld it
// leaves the invitations only, because a receipt says when the test was completed, and
// reminders how long it was not.
func (r Reader) posted() string { return r.unless(`candidate_id`, isInvitation, r.withheld) }

// early asks whether a result, of a candidate by the name of its table, is to be seen on the
// candidate's page only, which notes who looks: the position is blind to others though not
// to the reader, nobody has rated the candidate yet, and the reader has not looked either.
func (r Reader) early(candidate string) string {
	return `(` + candidate + `.status` + db.OffTextIndex + ` = 'abgeschlossen' and ` + othersRateFirst(candidate) + `
		and not exists (select 1 from audit_log a where a.candidate_id = ` + candidate + `.id
			and a.user_id` + db.OffIndex + ` = :user and a.action` + db.OffTextIndex + ` in ` + viewed + `))`
}

// othersRateFirst asks whether a candidate, by the name of its table, is of a position that
// is blind to whoever rates but not to the others, and nobody has rated them yet.
func othersRateFirst(candidate string) string {
	const blindToOthers = `p.blind = 1 and p.blind_all = 0`
	standard := `(select count(*) from positions p where p.account_id = :account and p.standard = 1 and ` + blindToOthers + `)`
	return ofPosition(candidate, standard, blindToOthers) + `
		and not exists (select 1 from interviews i where i.candidate_id = ` + candidate + `.id and i.rated_at is not null)`
}

// SortsByScore reports whether the reader may be shown candidates in the order of their
// results: not where some results are withheld, or shown on the candidates' pages only.
func (r Reader) SortsByScore() bool { return !r.Blind.Somewhere && !r.Blind.Others }

// unless continues a condition: the row is harmless, or about nobody, or about a candidate
// of whom something is not true.
func (r Reader) unless(candidateID, harmless string, something func(candidate string) string) string {
	if !r.Blind.Somewhere {
		return ""
	}
	return `
		and (` + harmless + ` or ` + candidateID + ` is null
			or not exists (select 1 from candidates w where w.id = ` + candidateID + ` and ` + something("w") + `))`
}

// shownColumns are two further columns: whether the reader is blind to a candidate, and
// whether a list has to leave the result to the candidate's page.
func (r Reader) shownColumns(candidate string) string {
	if !r.Blind.Others || r.rates() {
		return r.blindColumn(candidate) + `, 0`
	}
	return r.blindColumn(candidate) + `, case when ` + r.early(candidate) + ` then 1 else 0 end`
}

// blindColumn is a further column: whether the reader is blind to a candidate.
func (r Reader) blindColumn(candidate string) string {
	if !r.Blind.Somewhere {
		return `, 0`
	}
	return `, case when ` + r.blindTo(candidate) + ` then 1 else 0 end`
}
