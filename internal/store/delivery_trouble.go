package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"typus"
	"typus/internal/db"
)

// tellAfter is how long a letter about trouble waits for more of it: webhooks
// of one receiver fail together, and one letter names all of them.
const tellAfter = 10 * time.Minute

// tell writes the letter that a verdict asks for, and notes in the audit log that
// the server has switched a webhook off.
func (t *Tx) tell(ctx context.Context, e typus.Endpoint, kind typus.LetterKind, now time.Time) error {
	if kind == "" {
		return nil
	}
	if kind == typus.LetterWebhookOff {
		err := t.AddAudit(ctx, typus.AuditEntry{AccountID: e.AccountID, Actor: typus.ActorServer, Action: typus.AuditWebhookSwitchedOff, Detail: e.Trace(), CreatedAt: now})
		if err != nil {
			return err
		}
	}
	return t.tellTrouble(ctx, e.AccountID, kind, now)
}

// TellFailing queues letters about endpoints that have been failing for that long, once
// for each until it receives something.
func (s *Store) TellFailing(ctx context.Context, after time.Duration) error {
	return s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		failing, err := db.All(ctx, tx, scanEndpoint, `
			select `+endpointColumns+` from webhook_endpoints e
			where e.status = 'failing' and e.failing_told_at is null and e.first_failure_at <= $1 and not `+ofIdle(`e.account_id`)+`
			order by e.first_failure_at, e.id limit $2`+tx.db.SkipLocked(), db.Millis(now.Add(-after)), sweepBatch)
		if err != nil {
			return err
		}
		// Each locks its account, and so does another sweep.
		slices.SortFunc(failing, func(a, b typus.Endpoint) int { return cmp.Compare(a.AccountID, b.AccountID) })
		for _, e := range failing {
			e.FailingToldAt = now
			if err := tx.writeEndpoint(ctx, e); err != nil {
				return err
			}
			if err := tx.tell(ctx, e, typus.LetterWebhookFailing, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// tellTrouble queues a letter about webhooks to the owners and admins of an account, or
// to the account's own address if there are none. The letter is written when it is
// sent, so one that already waits will name this webhook too. The account is locked, so
// that two webhooks in trouble at the same moment do not queue two letters.
func (t *Tx) tellTrouble(ctx context.Context, accountID int64, kind typus.LetterKind, now time.Time) error {
	account, err := t.LockAccount(ctx, accountID)
	if err != nil {
		return err
	}
	waiting, err := db.One(ctx, t, db.ScanInt, "", `
		select count(*) from letters where account_id = $1 and kind = $2 and candidate_id is null and state = 'queued'`, accountID, string(kind))
	if err != nil || waiting > 0 {
		return err
	}
	return t.AddLetterToTeam(ctx, typus.Letter{
		AccountID: accountID, Kind: kind, Language: account.Language, To: account.ContactEmail, CreatedAt: now, NextAttemptAt: now.Add(tellAfter),
	})
}
