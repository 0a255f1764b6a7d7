package assess

import (
	"cmp"
	"context"
	"time"

	"typus"
	"typus/internal/store"
)

// digestHour is when the daily letter about finished tests goes out, in the
// account's zone: before the working day begins (our choice).
const digestHour = 6

// tellFinished queues what follows from a finished test: a receipt for the
// candidate, unless no letter of ours was wanted, and the news for the team.
func (s *Steps) tellFinished(ctx context.Context, tx *store.Tx, account typus.Account, c typus.Candidate) error {
	err := tx.AddLetterIfInvited(ctx, typus.Letter{
		AccountID: c.AccountID, CandidateID: c.ID, Kind: typus.LetterReceipt, Language: c.Language, To: c.Email, CreatedAt: c.CompletedAt,
	})
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

// tellTeam queues a letter about a candidate to whoever is told of them.
func (s *Steps) tellTeam(ctx context.Context, tx *store.Tx, account typus.Account, c typus.Candidate, kind typus.LetterKind) error {
	l := typus.Letter{AccountID: account.ID, CandidateID: c.ID, Kind: kind, CreatedAt: s.now()}
	return tellEach(ctx, tx, account, c, l, func(l typus.Letter) error {
		_, err := tx.AddLetter(ctx, l)
		return err
	})
}

// tellDaily makes sure that for whoever is told of a candidate a letter waits for tomorrow
// morning that will list them. Whom it lists is read when it is sent.
func (s *Steps) tellDaily(ctx context.Context, tx *store.Tx, account typus.Account, c typus.Candidate) error {
	l := typus.Letter{AccountID: account.ID, Kind: typus.LetterDigest, CreatedAt: c.CompletedAt, NextAttemptAt: account.MachineTime(nextMorning(account.Shown(c.CompletedAt)))}
	return tellEach(ctx, tx, account, c, l, func(l typus.Letter) error { return tx.AddLetterOnce(ctx, l, c.CompletedAt.Add(-2*day)) })
}

// tellEach adds a letter for everybody who is told of a candidate, in their language.
func tellEach(ctx context.Context, tx *store.Tx, account typus.Account, c typus.Candidate, l typus.Letter, add func(typus.Letter) error) error {
	told, err := tx.Told(ctx, account, []typus.Candidate{c})
	if err != nil {
		return err
	}
	return addFor(account, told[c.ID], l, add)
}

// tellAsked queues a letter about what a candidate asks for to whoever may answer it.
func (s *Steps) tellAsked(ctx context.Context, tx *store.Tx, account typus.Account, c typus.Candidate) error {
	told, err := tx.ToldToAnswer(ctx, account, c)
	if err != nil {
		return err
	}
	l := typus.Letter{AccountID: account.ID, CandidateID: c.ID, Kind: typus.LetterOwnAsked, CreatedAt: s.now()}
	return addFor(account, told, l, func(l typus.Letter) error {
		_, err := tx.AddLetter(ctx, l)
		return err
	})
}

// addFor adds a letter for each user, in their language.
func addFor(account typus.Account, whom []typus.User, l typus.Letter, add func(typus.Letter) error) error {
	for _, u := range whom {
		l.UserID, l.To, l.Language = u.ID, u.Email, cmp.Or(u.Language, account.Language)
		if err := add(l); err != nil {
			return err
		}
	}
	return nil
}

// tellOwners queues a letter about the account to its owners.
func (s *Steps) tellOwners(ctx context.Context, tx *store.Tx, account typus.Account, kind typus.LetterKind) error {
	return tx.AddLetterToTeam(ctx, typus.Letter{
		AccountID: account.ID, Kind: kind, Language: account.Language, To: account.ContactEmail, CreatedAt: s.now(),
	})
}

// nextMorning is the next time after at, in its zone, that the daily letters go out.
func nextMorning(at time.Time) time.Time {
	morning := time.Date(at.Year(), at.Month(), at.Day(), digestHour, 0, 0, 0, at.Location())
	if !morning.After(at) {
		morning = morning.AddDate(0, 0, 1)
	}
	return morning
}
