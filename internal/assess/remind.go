package assess

import (
	"context"
	"slices"
	"time"

	"typus"
	"typus/internal/store"
)

const day = 24 * time.Hour

// reminderAfter is when the first and the second reminder are due: so long after
// the invitation or, if that is later, after the candidate last did something.
var reminderAfter = [...]time.Duration{2 * day, 5 * day}

// reminderFarthest is how far ahead a reminder is ever planned.
const reminderFarthest = 5*day + typus.Skew

// reminderGap is the least time between two reminders, automatic or by hand.
const reminderGap = 2 * day

// RemindDue queues the reminders that are due, over all accounts. It may run on several
// instances at once and may be cut short: each candidate is one transaction, and nobody
// is reminded twice. What is due is judged by a settled time, because a letter cannot
// be taken back. A reminder that is planned further ahead than any can be was planned
// by a wrong clock, and is planned again. Errors are those of eachDue.
func (s *Steps) RemindDue(ctx context.Context, settled time.Time) error {
	err := s.eachDue(ctx, "a reminder", func(ctx context.Context, after store.Due, limit int) ([]store.Due, error) {
		return s.store.DueReminders(ctx, settled, after, limit)
	}, func(ctx context.Context, d store.Due) error { return s.remindDue(ctx, d, settled) })
	if err != nil {
		return err
	}
	now := s.now()
	return s.eachDue(ctx, "planning a reminder anew", func(ctx context.Context, after store.Due, limit int) ([]store.Due, error) {
		return s.store.RemindersAfter(ctx, now.Add(reminderFarthest), after, limit)
	}, func(ctx context.Context, d store.Due) error { return s.planAnew(ctx, d, now) })
}

// planAnew plans a reminder that lies too far ahead as if the invitation had just gone
// out.
func (s *Steps) planAnew(ctx context.Context, d store.Due, now time.Time) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.LockCandidate(ctx, d.AccountID, d.CandidateID)
		if typus.Is(err, typus.NotFound) {
			return nil // erased meanwhile
		}
		if err != nil {
			return err
		}
		r, err := tx.Reminding(ctx, d.AccountID, d.CandidateID)
		if err != nil || !r.Next.Equal(d.At) {
			return err // another instance was faster
		}
		next := now.Add(reminderAfter[min(r.Sent, len(reminderAfter)-1)])
		return tx.SetReminding(ctx, d.AccountID, d.CandidateID, r.Sent, next)
	})
}

// remindDue queues one reminder, puts it off, or finds that no more are to come.
func (s *Steps) remindDue(ctx context.Context, d store.Due, settled time.Time) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidate(ctx, d.AccountID, d.CandidateID)
		if typus.Is(err, typus.NotFound) {
			return tx.SetReminding(ctx, d.AccountID, d.CandidateID, len(reminderAfter), time.Time{}) // erased meanwhile
		}
		if err != nil {
			return err
		}
		account, err := tx.Account(ctx, d.AccountID)
		if err != nil {
			return err
		}
		if account.Suspended() || !account.DeletingAt.IsZero() {
			return nil // since a moment ago; it stays planned
		}
		if c.PositionID != 0 {
			p, err := tx.Position(ctx, d.AccountID, c.PositionID)
			if err != nil {
				return err
			}
			account = p.Over(account)
		}
		r, err := tx.Reminding(ctx, d.AccountID, d.CandidateID)
		if err != nil {
			return err
		}
		now := s.now()
		if r.Next.IsZero() || r.Next.After(settled) {
			return nil // another instance was faster
		}
		letters, err := tx.LettersOf(ctx, d.AccountID, d.CandidateID)
		if err != nil {
			return err
		}
		next := s.nextReminder(c, account, r, letters)
		if next.IsZero() || next.After(settled) {
			return tx.SetReminding(ctx, d.AccountID, d.CandidateID, r.Sent, next)
		}
		if _, err := tx.AddLetter(ctx, letterTo(c, typus.LetterReminder, now)); err != nil {
			return err
		}
		return tx.SetReminding(ctx, d.AccountID, d.CandidateID, r.Sent+1, s.afterReminder(account, r, now))
	})
}

// afterReminder is when the next reminder after this one is considered, or the zero
// time if this was the last. Whether it goes out is decided then.
func (s *Steps) afterReminder(account typus.Account, r store.Reminding, now time.Time) time.Time {
	if r.Sent+1 >= min(account.Reminders, len(reminderAfter)) {
		return time.Time{}
	}
	return now.Add(reminderGap)
}

// nextReminder is when the next reminder is due, in the past when it is due now,
// and the zero time when none is to come.
func (s *Steps) nextReminder(c typus.Candidate, account typus.Account, r store.Reminding, letters []typus.Letter) time.Time {
	if s.Obstacle(c) != "" || !r.OffAt.IsZero() || r.Sent >= min(account.Reminders, len(reminderAfter)) {
		return time.Time{}
	}
	invitation, reminder := newest(letters, typus.LetterInvitation), newest(letters, typus.LetterReminder)
	for _, l := range []typus.Letter{invitation, reminder} {
		switch {
		case l.Stand() == typus.LetterStandBounced, l.Stand() == typus.LetterStandHeld:
			return time.Time{} // came back, or somebody decided that it shall not go
		case onItsWay(l):
			return s.now().Add(day) // letters must not pile up
		}
	}
	if invitation.ID == 0 {
		return time.Time{}
	}
	due := s.lastPast(invitation.CreatedAt, invitation.SentAt, c.StartedAt, r.SavedAt).Add(reminderAfter[r.Sent])
	if reminder.ID != 0 {
		due = latest(due, s.lastPast(reminder.SentAt).Add(reminderGap))
	}
	if !due.Before(c.ExpiresAt) {
		return time.Time{}
	}
	return due
}

// newest is the newest letter of a kind, the zero Letter when there is none.
func newest(letters []typus.Letter, kind typus.LetterKind) typus.Letter {
	var found typus.Letter
	for _, l := range letters {
		if l.Kind == kind && l.ID > found.ID {
			found = l
		}
	}
	return found
}

func onItsWay(l typus.Letter) bool {
	return l.ID != 0 && l.Stand().OnItsWay()
}

func latest(times ...time.Time) time.Time {
	var last time.Time
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}

// lastPast is the latest of some times. Times that lie ahead were written while a clock
// was ahead and count as long past.
func (s *Steps) lastPast(times ...time.Time) time.Time {
	now := s.now().Add(typus.Skew)
	return latest(slices.DeleteFunc(times, func(t time.Time) bool { return t.After(now) })...)
}

func letterTo(c typus.Candidate, kind typus.LetterKind, at time.Time) typus.Letter {
	return typus.Letter{AccountID: c.AccountID, CandidateID: c.ID, Kind: kind, Language: c.Language, To: c.Email, CreatedAt: at}
}

// followUp plans reminders after an invitation letter that was queued again, as after
// the first one.
func (s *Steps) followUp(ctx context.Context, tx *store.Tx, c typus.Candidate) error {
	r, err := tx.Reminding(ctx, c.AccountID, c.ID)
	if err != nil || !r.OffAt.IsZero() {
		return err
	}
	return tx.SetReminding(ctx, c.AccountID, c.ID, r.Sent, s.now().Add(reminderAfter[0]))
}

// StopReminders stores that the candidate of a link wants no reminders; again, or
// after finishing, it changes nothing. NotFound.
func (s *Steps) StopReminders(ctx context.Context, token string) error {
	return s.step(ctx, token, func(tx *store.Tx, c typus.Candidate) error {
		stopped, err := tx.StopReminders(ctx, c.AccountID, c.ID, s.now())
		if err != nil || !stopped {
			return err
		}
		return s.recordOf(ctx, tx, c, typus.Actor{Name: typus.ActorCandidate}, typus.AuditCandidateRemindersOff, "")
	})
}

// RemindersStopped reports whether the candidate of a test wants no reminders.
func (s *Steps) RemindersStopped(ctx context.Context, c typus.Candidate) (bool, error) {
	r, err := s.store.Reminding(ctx, c.AccountID, c.ID)
	return !r.OffAt.IsZero(), err
}
