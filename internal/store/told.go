package store

import (
	"context"
	"maps"
	"slices"
	"strconv"
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

// recipients are all users of an account, by id.
func (r reads) recipients(ctx context.Context, accountID int64) ([]recipient, error) {
	return db.All(ctx, r, scanRecipient, `
		select u.*, `+secrecyColumns+`
		from (select `+userColumns+` from users) u left join positions d on d.account_id = u.account_id and d.standard = 1
		where u.account_id = $1 order by u.id`, accountID)
}

// rung is who is told of candidates of whom nobody on an earlier rung can be told.
type rung struct {
	whom []recipient
	of   func(recipient, typus.Candidate) bool
}

// ladder says who is told of candidates: the user who invited; else the addresses that
// the account has chosen; else its owners; else its own address. Users who have not
// accepted yet are told of nobody, because their address may be mistyped; where the account
// has it too, it hears what an outsider's does.
func ladder(account typus.Account, team []recipient) []rung {
	accepted := only(team, hasAccepted)
	return []rung{
		{accepted, func(r recipient, c typus.Candidate) bool { return r.ID == c.InvitedBy }},
		{addressed(accepted, strings.Fields(account.NotifyEmails)), anybody},
		{only(accepted, func(r recipient) bool { return r.Role == typus.RoleOwner }), anybody},
		{addressed(accepted, strings.Fields(account.ContactEmail)), anybody},
	}
}

func hasAccepted(r recipient) bool { return r.HasPassword }

func anybody(recipient, typus.Candidate) bool { return true }

func only[T any](list []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(one T) bool { return !keep(one) })
}

// addressed finds whose the addresses are. What is nobody's of these users is an address
// without an ID.
func addressed(users []recipient, addresses []string) []recipient {
	var whom []recipient
	for _, address := range addresses {
		i := slices.IndexFunc(users, func(r recipient) bool { return emailKey(r.Email) == emailKey(address) })
		if i < 0 {
			whom = append(whom, recipient{User: typus.User{Email: address}})
			continue
		}
		whom = append(whom, users[i])
	}
	return whom
}

// Told says by candidate of an account, of whom ID and InvitedBy are looked at, who hears
// of them by letter. All of them read the candidate; where nobody does, nobody is told. An
// address of nobody who has joined the team is a User without an ID.
func (r reads) Told(ctx context.Context, account typus.Account, people []typus.Candidate) (map[int64][]typus.User, error) {
	team, err := r.recipients(ctx, account.ID)
	if err != nil {
		return nil, err
	}
	told := make(map[int64][]typus.User, len(people))
	for _, rung := range ladder(account, team) {
		here := map[int64][]typus.User{}
		for _, whom := range rung.whom {
			left := only(people, func(c typus.Candidate) bool { return told[c.ID] == nil && rung.of(whom, c) })
			read, err := r.readAmong(ctx, account.ID, whom, left)
			if err != nil {
				return nil, err
			}
			for _, id := range read {
				here[id] = append(here[id], whom.User)
			}
		}
		maps.Copy(told, here)
	}
	return told, nil
}

// readAmong are the ids of those people whom a recipient reads.
func (r reads) readAmong(ctx context.Context, accountID int64, whom recipient, people []typus.Candidate) ([]int64, error) {
	ids := make([]int64, len(people))
	for i, c := range people {
		ids[i] = c.ID
	}
	if len(ids) == 0 || whom.reader.Positions.Everything {
		return ids, nil
	}
	if whom.ID == 0 {
		standard, err := r.StandardPosition(ctx, accountID)
		if err != nil {
			return nil, err
		}
		whom.reader = readerOf(typus.User{AccountID: accountID}, secrecy{hidden: true, standardSecret: standard.Confidential})
	}
	var read []int64
	for part := range slices.Chunk(ids, manyIDs) {
		q := whom.reader.statement()
		q.Add(`select c.id from candidates c where c.account_id` + db.OffIndex + ` = :account and c.id in (` + namedIDs + `)` + whom.reader.within("c"))
		for i, id := range db.Padded(part, manyIDs, 0) {
			q.Set("id"+strconv.Itoa(i+1), id)
		}
		query, args := q.Numbered()
		found, err := db.All(ctx, r, db.ScanInt, query, args...)
		if err != nil {
			return nil, err
		}
		read = append(read, found...)
	}
	return read, nil
}

// MayBeTold reports whether whoever a letter goes to still reads the candidate it is about.
func (r reads) MayBeTold(ctx context.Context, l typus.Letter) (bool, error) {
	team, err := r.recipients(ctx, l.AccountID)
	if err != nil {
		return false, err
	}
	accepted := only(team, hasAccepted)
	whom := addressed(accepted, []string{l.To})
	if l.UserID != 0 {
		whom = only(accepted, func(r recipient) bool { return r.ID == l.UserID })
	}
	for _, one := range whom {
		read, err := r.readAmong(ctx, l.AccountID, one, []typus.Candidate{{ID: l.CandidateID}})
		if err != nil || len(read) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

func scanFinished(row db.Row) (typus.Candidate, error) {
	var c typus.Candidate
	err := row.Scan(&c.ID, &c.Name, &c.InvitedBy, (*db.Instant)(&c.CompletedAt))
	return c, err
}

// FinishedSince lists id, name, inviter and completion of the candidates of an account who
// finished at or after since, oldest first: those of whom the one is told to whom a letter
// goes.
func (r reads) FinishedSince(ctx context.Context, account typus.Account, l typus.Letter, since time.Time) ([]typus.Candidate, error) {
	finished, err := db.All(ctx, r, scanFinished, `
		select id, name, coalesce(invited_by, 0), completed_at from candidates
		where account_id = $1 and completed_at >= $2 and completed_at is not null and erased_at is null order by completed_at, id`,
		account.ID, db.Millis(since))
	if err != nil {
		return nil, err
	}
	told, err := r.Told(ctx, account, finished)
	return only(finished, func(c typus.Candidate) bool {
		return slices.ContainsFunc(told[c.ID], func(u typus.User) bool { return isTo(l, u) })
	}), err
}

// isTo reports whether a letter goes to a user, or to an address of nobody in the team.
func isTo(l typus.Letter, u typus.User) bool {
	if l.UserID != 0 {
		return l.UserID == u.ID
	}
	return emailKey(l.To) == emailKey(u.Email)
}
