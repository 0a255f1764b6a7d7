package assess

import (
	"cmp"
	"context"
	"strings"
	"time"

	"typus"
	"typus/internal/store"
)

// digestHour is when the daily letter about finished tests goes out, in UTC: the
// beginning of the working day in Central Europe (our choice).
const digestHour = 6

// tellFinished queues what follows from a finished test: a receipt for the
// candidate, unless no letter of ours was wanted, and the news for the team.
func (s *Steps) tellFinished(ctx context.Context, tx *store.Tx, c typus.Candidate) error {
	err := tx.AddLetterIfInvited(ctx, typus.Letter{
		AccountID: c.AccountID, CandidateID: c.ID, Kind: typus.LetterReceipt, Language: c.Language, To: c.Email, CreatedAt: c.CompletedAt,
	})
	if err != nil {
		return err
	}
	account, err := tx.Account(ctx, c.AccountID)
	if err != nil {
		return err
	}
	switch account.Notify {
	case typus.NotifyOff:
		return nil
	case typus.NotifyDaily:
		return s.tellDaily(ctx, tx, account, c)
	}
	return s.tellTeam(ctx, tx, account, c, typus.LetterCompleted)
}

// tellTeam queues a letter about a candidate to the user who invited. If no user did,
// or that user is gone, it goes to the addresses that the account has chosen, else to
// the owners, else to the account's own address.
func (s *Steps) tellTeam(ctx context.Context, tx *store.Tx, account typus.Account, c typus.Candidate, kind typus.LetterKind) error {
	l := typus.Letter{AccountID: account.ID, CandidateID: c.ID, Kind: kind, Language: account.Language, CreatedAt: s.now()}
	if c.InvitedBy != 0 {
		if n, err := tx.AddLetterToUser(ctx, l, c.InvitedBy); err != nil || n > 0 {
			return err
		}
	}
	if chosen := notifyAddresses(account); len(chosen) > 0 {
		return addEach(ctx, tx, l, chosen)
	}
	l.To = account.ContactEmail
	return tx.AddLetterToTeam(ctx, l)
}

// tellOwners queues a letter about the account to its owners.
func (s *Steps) tellOwners(ctx context.Context, tx *store.Tx, account typus.Account, kind typus.LetterKind) error {
	return tx.AddLetterToTeam(ctx, typus.Letter{
		AccountID: account.ID, Kind: kind, Language: account.Language, To: account.ContactEmail, CreatedAt: s.now(),
	})
}

func addEach(ctx context.Context, tx *store.Tx, l typus.Letter, addresses []string) error {
	for _, l.To = range addresses {
		if _, err := tx.AddLetter(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// notifyAddresses are the addresses that an account has chosen for tests that no
// user invited.
func notifyAddresses(account typus.Account) []string { return strings.Fields(account.NotifyEmails) }

// tellDaily makes sure that a letter waits for tomorrow morning that will list
// this candidate. What it lists is read when it is sent.
func (s *Steps) tellDaily(ctx context.Context, tx *store.Tx, account typus.Account, c typus.Candidate) error {
	l := typus.Letter{
		AccountID: account.ID, Kind: typus.LetterDigest, Language: account.Language,
		CreatedAt: c.CompletedAt, NextAttemptAt: nextMorning(c.CompletedAt),
	}
	since := c.CompletedAt.Add(-2 * day)
	if c.InvitedBy != 0 {
		u, err := tx.User(ctx, account.ID, c.InvitedBy)
		if err == nil && u.HasPassword {
			l.To, l.UserID, l.Language = u.Email, u.ID, cmp.Or(u.Language, l.Language)
			return tx.AddLetterOnce(ctx, l, since)
		}
		if err != nil && !typus.Is(err, typus.NotFound) {
			return err
		}
	}
	readers, err := digestReaders(ctx, tx, account)
	if err != nil {
		return err
	}
	for _, reader := range readers {
		l.To, l.Language = reader.Email, cmp.Or(reader.Language, account.Language)
		if err := tx.AddLetterOnce(ctx, l, since); err != nil {
			return err
		}
	}
	return nil
}

// digestReaders are the addresses, each with its language, that are told of candidates
// whom no user invited: the same as for tellTeam. Their letter names no user, because
// it lists candidates that no user invited.
func digestReaders(ctx context.Context, tx *store.Tx, account typus.Account) ([]typus.User, error) {
	var readers []typus.User
	for _, address := range notifyAddresses(account) {
		readers = append(readers, typus.User{Email: address})
	}
	if len(readers) > 0 {
		return readers, nil
	}
	team, err := tx.Users(ctx, account.ID)
	if err != nil {
		return nil, err
	}
	for _, u := range team {
		if u.Role == typus.RoleOwner && u.HasPassword {
			readers = append(readers, u)
		}
	}
	if len(readers) == 0 && account.ContactEmail != "" {
		readers = append(readers, typus.User{Email: account.ContactEmail})
	}
	return readers, nil
}

// nextMorning is the next time after at that the daily letters go out.
func nextMorning(at time.Time) time.Time {
	at = at.UTC()
	morning := time.Date(at.Year(), at.Month(), at.Day(), digestHour, 0, 0, 0, time.UTC)
	if !morning.After(at) {
		morning = morning.AddDate(0, 0, 1)
	}
	return morning
}
