package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"typus"
	"typus/internal/db"
)

// recipient is somebody to whom a letter about candidates may go, and what they read.
type recipient struct {
	typus.User // without an ID: only an address, of nobody in the team
	reader     Reader
}

func scanRecipient(row db.Row) (recipient, error) {
	var (
		r recipient
		s secrecy
	)
	err := row.Scan(append(userFields(&r.User), s.fields()...)...)
	r.reader = readerOf(r.User, s)
	return r, err
}

// recipientsOfAccount are the users of the account $1, each with what says what they read.
var recipientsOfAccount = `
		select u.*, ` + secrecyColumns + `
		from (select ` + userColumns + ` from users) u left join positions d on d.account_id = u.account_id and d.standard = 1
		where u.account_id = ` + homeOf(`$1`)

// recipients are all users of an account, by id.
func (r *reads) recipients(ctx context.Context, accountID int64) ([]recipient, error) {
	list, err := db.All(ctx, r, scanRecipient, recipientsOfAccount+` order by u.id`, accountID)
	for i, one := range list {
		list[i].reader = one.reader.In(accountID)
	}
	return list, err
}

// ReaderFor is what a user of the account reads now. NotFound.
func (r *reads) ReaderFor(ctx context.Context, accountID, userID int64) (Reader, error) {
	found, err := db.One(ctx, r, scanRecipient, noUser, recipientsOfAccount+` and u.id = $2`, accountID, userID)
	return found.reader.In(accountID), err
}

// circle is who is told of candidates of whom nobody in an earlier circle can be told
// (escalation).
type circle struct {
	whom []recipient
	of   func(recipient, typus.Candidate) bool
}

// circles say who is told of candidates: the user who invited; else the addresses that
// the account has chosen; else its owners; else its own address. Users who have not
// accepted yet are told of nobody, because their address may be mistyped; where the account
// has it too, it hears what an outsider's does.
func circles(account typus.Account, team []recipient, outsider Reader) []circle {
	accepted := only(team, hasAccepted)
	return []circle{
		{accepted, func(r recipient, c typus.Candidate) bool { return r.ID == c.InvitedBy }},
		{addressed(accepted, strings.Fields(account.NotifyEmails), outsider), anybody},
		{only(accepted, func(r recipient) bool { return r.Role == typus.RoleOwner }), anybody},
		{addressed(accepted, strings.Fields(account.ContactEmail), outsider), anybody},
	}
}

func hasAccepted(r recipient) bool { return r.HasPassword }

func anybody(recipient, typus.Candidate) bool { return true }

func only[T any](list []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(one T) bool { return !keep(one) })
}

// addressed finds whose the addresses are, each mailbox once. What is nobody's of these users
// is an address without an ID, which reads what an outsider does.
func addressed(users []recipient, addresses []string, outsider Reader) []recipient {
	var whom []recipient
	for _, address := range addresses {
		its := func(r recipient) bool { return typus.SameMailbox(r.Email, address) }
		if slices.ContainsFunc(whom, its) {
			continue
		}
		if i := slices.IndexFunc(users, its); i >= 0 {
			whom = append(whom, users[i])
			continue
		}
		whom = append(whom, recipient{typus.User{Email: address}, outsider})
	}
	return whom
}

// outsider is what an address of nobody in the team hears of: whatever is not confidential.
func (r *reads) outsider(ctx context.Context, accountID int64) (Reader, error) {
	s, err := db.One(ctx, r, scanOutsiders, noAccount, `
		select case when exists (select 1 from positions p where p.account_id = a.id and p.confidential = 1 and p.standard = 0) then 1 else 0 end,
			coalesce((select d.confidential from positions d where d.account_id = a.id and d.standard = 1), 0)
		from accounts a where a.id = $1`, accountID)
	return readerOf(typus.User{AccountID: accountID}, s), err
}

// scanOutsiders reads what is kept from whom no position names.
func scanOutsiders(row db.Row) (secrecy, error) {
	var s secrecy
	err := row.Scan((*db.Truth)(&s.hidden), (*db.Truth)(&s.standardSecret))
	return s, err
}

// Told says by candidate of an account, of whom ID and InvitedBy are looked at, who hears
// of them by letter. All of them read the candidate; where nobody does, nobody is told. An
// address of nobody who has joined the team is a User without an ID. Invalid: more than 100
// candidates.
func (r *reads) Told(ctx context.Context, account typus.Account, people []typus.Candidate) (map[int64][]typus.User, error) {
	return r.widen(ctx, account, people, r.readAmong)
}

// ToldToAnswer is Told for what a candidate, of whom ID and InvitedBy are looked at, asks
// for: in each circle those only who may answer it. Where nobody of the team may,
// addresses of nobody who has joined it are told.
func (r *reads) ToldToAnswer(ctx context.Context, account typus.Account, c typus.Candidate) ([]typus.User, error) {
	people := []typus.Candidate{c}
	told, err := r.widen(ctx, account, people, r.answerAmong)
	if err == nil && told[c.ID] == nil {
		told, err = r.widen(ctx, account, people, func(ctx context.Context, whom recipient, people []typus.Candidate) ([]int64, error) {
			if whom.ID != 0 {
				return nil, nil
			}
			return r.readAmong(ctx, whom, people)
		})
	}
	return told[c.ID], err
}

// widen goes from circle to circle until somebody is told of each candidate; among says of
// which people somebody in one is told.
func (r *reads) widen(ctx context.Context, account typus.Account, people []typus.Candidate, among func(context.Context, recipient, []typus.Candidate) ([]int64, error)) (map[int64][]typus.User, error) {
	team, err := r.recipients(ctx, account.ID)
	if err != nil {
		return nil, err
	}
	outsider, err := r.outsider(ctx, account.ID)
	if err != nil {
		return nil, err
	}
	told := make(map[int64][]typus.User, len(people))
	for _, circle := range circles(account, team, outsider) {
		here := map[int64][]typus.User{}
		for _, whom := range circle.whom {
			left := only(people, func(c typus.Candidate) bool { return told[c.ID] == nil && circle.of(whom, c) })
			ids, err := among(ctx, whom, left)
			if err != nil {
				return nil, err
			}
			for _, id := range ids {
				here[id] = append(here[id], whom.User)
			}
		}
		maps.Copy(told, here)
	}
	return told, nil
}

// readAmong are the ids of those people whom a recipient reads. Invalid: more than 100
// people.
func (r *reads) readAmong(ctx context.Context, whom recipient, people []typus.Candidate) ([]int64, error) {
	ids := make([]int64, len(people))
	for i, c := range people {
		ids[i] = c.ID
	}
	if len(ids) == 0 || whom.reader.Positions.Everything {
		return ids, nil
	}
	return r.among(ctx, whom, ids, "")
}

// answerAmong are the ids of those people whom a recipient reads, and whose requests they may
// answer. Invalid: more than 100 people.
func (r *reads) answerAmong(ctx context.Context, whom recipient, people []typus.Candidate) ([]int64, error) {
	if len(people) == 0 || !whom.Role.AtLeast(typus.RoleMember) {
		return nil, nil
	}
	ids := make([]int64, len(people))
	for i, c := range people {
		ids[i] = c.ID
	}
	return r.among(ctx, whom, ids, ` and not `+whom.reader.deafTo("c"))
}

// among are the ids of those people whom a recipient reads and of whom a further condition is
// true.
func (r *reads) among(ctx context.Context, whom recipient, ids []int64, and string) ([]int64, error) {
	q := whom.reader.statement()
	if err := setIDs(q, ids); err != nil {
		return nil, err
	}
	q.Add(`select c.id from candidates c where c.account_id` + db.OffIndex + ` = :account and c.id in (` + namedIDs + `)` + whom.reader.within("c") + and)
	query, args := q.Numbered()
	return db.All(ctx, r, db.ScanInt, query, args...)
}

// WhyNotTold says why whoever a letter goes to is not told of the candidate it is about any
// more, which is NotSentUserGone or NotSentOutOfReach. "": they still read the candidate.
func (r *reads) WhyNotTold(ctx context.Context, l typus.Letter) (string, error) {
	team, err := r.recipients(ctx, l.AccountID)
	if err != nil {
		return "", err
	}
	outsider, err := r.outsider(ctx, l.AccountID)
	if err != nil {
		return "", err
	}
	whom := addressed(only(team, hasAccepted), []string{l.To}, outsider)
	if l.UserID != 0 {
		whom = only(team, func(r recipient) bool { return r.ID == l.UserID })
	}
	if len(whom) == 0 {
		return typus.NotSentUserGone, nil
	}
	for _, one := range only(whom, func(r recipient) bool { return r.ID == 0 || hasAccepted(r) }) {
		read, err := r.readAmong(ctx, one, []typus.Candidate{{ID: l.CandidateID}})
		if err != nil || len(read) > 0 {
			return "", err
		}
	}
	return typus.NotSentOutOfReach, nil
}

func scanFinished(row db.Row) (typus.Candidate, error) {
	var c typus.Candidate
	err := row.Scan(&c.ID, &c.Name, &c.InvitedBy, (*db.Instant)(&c.CompletedAt))
	return c, err
}

// FinishedSince lists id, name, inviter and completion of up to most candidates of an account
// who finished at or after since, oldest first, and says how many there are in all: those of
// whom the one is told to whom a letter goes. It reads manyIDs at a time, so that however
// many have finished are counted and few are held.
func (r *reads) FinishedSince(ctx context.Context, account typus.Account, l typus.Letter, since time.Time, most int) ([]typus.Candidate, int, error) {
	var list []typus.Candidate
	all := 0
	for last := (typus.Candidate{CompletedAt: since}); ; {
		finished, err := r.finishedAfter(ctx, account.ID, last)
		if err != nil {
			return nil, 0, err
		}
		told, err := r.Told(ctx, account, finished)
		if err != nil {
			return nil, 0, err
		}
		theirs := only(finished, func(c typus.Candidate) bool {
			return slices.ContainsFunc(told[c.ID], func(u typus.User) bool { return isTo(l, u) })
		})
		all += len(theirs)
		list = append(list, theirs[:min(len(theirs), most-len(list))]...)
		if len(finished) < manyIDs {
			return list, all, nil
		}
		last = finished[len(finished)-1]
	}
}

// finishedAfter are the next manyIDs candidates who have finished, after the last one by
// completion and id.
func (r *reads) finishedAfter(ctx context.Context, accountID int64, last typus.Candidate) ([]typus.Candidate, error) {
	return db.All(ctx, r, scanFinished, `
		select id, name, coalesce(invited_by, 0), completed_at from candidates
		where account_id = $1 and completed_at >= $2 and (completed_at > $2 or id > $3) and completed_at is not null and erased_at is null
		order by completed_at, id limit $4`,
		accountID, db.Millis(last.CompletedAt), last.ID, manyIDs)
}

// isTo reports whether a letter goes to a user, or to an address of nobody in the team.
func isTo(l typus.Letter, u typus.User) bool {
	if l.UserID != 0 {
		return l.UserID == u.ID
	}
	return typus.SameMailbox(l.To, u.Email)
}
