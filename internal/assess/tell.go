package assess

import (
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

// tellTeam queues a letter about a candidate: to the user who invited; where none
// did, or is there no more, to the addresses that the account has chosen, or else
// to the owners; and where there is none, to the account's own address.
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
	n, err := tx.AddLetterToOwners(ctx, l)
	if err != nil || n > 0 || account.ContactEmail == "" {
		return err
	}
	return addEach(ctx, tx, l, []string{account.ContactEmail})
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
			l.To, l.UserID, l.Language = u.Email, u.ID, or(u.Language, l.Language)
			return tx.AddLetterOnce(ctx, l, since)
		}
		if err != nil && typus.KindOf(err) != typus.NotFound {
			return err
		}
	}
	addresses := notifyAddresses(account)
	if len(addresses) == 0 {
		var err error
		if addresses, err = tx.OwnerEmails(ctx, account.ID); err != nil {
			return err
		}
	}
	for _, l.To = range addresses {
		if err := tx.AddLetterOnce(ctx, l, since); err != nil {
			return err
		}
	}
	return nil
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
