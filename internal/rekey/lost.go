package rekey

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/backup"
	"typus/internal/mail"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/webhook"
)

// Replaced is what Replace has done.
type Replaced struct {
	Columns map[string]int `json:"columns"` // how many values are new, by column
	Open    int            `json:"open"`    // candidates who can still take the test and whose link is new
	Left    Count          `json:"left"`    // what lies where at the end
}

// lostLetter stands in the place of what a kept letter of a test world said.
const lostLetter = "What this letter said was lost with the secret key."

// Replace makes anew what no key of the box opens, after a key was lost:
//
//   - Links and webhook secrets get new values.
//   - Own headers are emptied, and their webhooks paused.
//   - A second factor gets a seed that nobody has: it is still asked for, and only recovery
//     codes answer it.
//   - One-time links and codes of letters end.
//   - The letters of an account that had a key of its own are signed with the server's.
//
// What is damaged under a key that the box knows stays as it is, and nothing else changes. The
// audit log of each account says what is new. A call that is cut off leaves the rest to the
// next one. Until one has come to its end the database names both keys, so that no server works
// with the former one alone. Conflict: a server runs, and nothing has changed.
func Replace(ctx context.Context, s *store.Store, box *seal.Box, now time.Time) (Replaced, error) {
	r := Replaced{Columns: map[string]int{}}
	mark := box.Seal([]byte(backup.SecretMark), backup.SecretMark)
	if err := begin(ctx, s, backup.SecretMarkOf(box.KeyID()), mark); err != nil {
		return r, err
	}
	for _, column := range store.SealedColumns() {
		err := pages(ctx, s, column, func(rows []store.Sealed) error { return r.page(ctx, s, box, column, rows, now) })
		if err != nil {
			return r, err
		}
	}
	err := s.InTx(ctx, func(tx *store.Tx) error {
		if err := dropLostMarks(ctx, tx, box); err != nil {
			return err
		}
		return backup.SetKeys(ctx, tx, mark)
	})
	if err == nil {
		r.Left, err = Look(ctx, s)
	}
	return r, err
}

// begin leaves the mark of the next key, with which no server starts any more that has the
// lost one alone, and only then looks whether one runs: one that started before is seen. With
// that it takes the mark away again, unless an earlier call has left it.
func begin(ctx context.Context, s *store.Store, name string, mark []byte) error {
	began := false
	err := s.InTx(ctx, func(tx *store.Tx) error {
		before, err := tx.Mark(ctx, name)
		if err != nil {
			return err
		}
		began = before != nil
		_, err = tx.SetMark(ctx, name, mark)
		return err
	})
	if err != nil {
		return err
	}
	runs := s.Alone(ctx)
	if began || !typus.Is(runs, typus.Conflict) {
		return runs
	}
	err = s.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.TakeMark(ctx, name)
		return err
	})
	return errors.Join(runs, err)
}

// page makes anew what is lost of some rows, in one transaction, and counts it.
func (r *Replaced) page(ctx context.Context, s *store.Store, box *seal.Box, column store.SealedColumn, rows []store.Sealed, now time.Time) error {
	lost := slices.DeleteFunc(slices.Clone(rows), func(row store.Sealed) bool { return !isLost(box, column, row) })
	if len(lost) == 0 {
		return nil
	}
	open, done := 0, 0
	err := s.InTx(ctx, func(tx *store.Tx) error {
		open, done = 0, 0
		accounts := map[int64]bool{}
		for _, row := range lost {
			is, err := replace(ctx, tx, box, column, row, now)
			if err != nil {
				return err
			}
			if !is {
				continue
			}
			done++
			accounts[row.AccountID] = true
			waits, err := needsLink(ctx, tx, column, row, now)
			if err != nil {
				return err
			}
			if waits {
				open++
			}
		}
		return note(ctx, tx, column, accounts, now)
	})
	if err == nil {
		r.Columns[string(column)] += done
		r.Open += open
	}
	return err
}

// needsLink reports whether a row is a candidate who can still take the test.
func needsLink(ctx context.Context, tx *store.Tx, column store.SealedColumn, row store.Sealed, now time.Time) (bool, error) {
	if column != store.SealedCandidateLinks {
		return false, nil
	}
	c, err := tx.Candidate(ctx, row.AccountID, row.ID)
	stand := c.Stand(now)
	return stand == typus.StandOpen || stand == typus.StandBegun, err
}

// dropLostMarks forgets those marks of the server that no key of the box opens.
func dropLostMarks(ctx context.Context, tx *store.Tx, box *seal.Box) error {
	for _, name := range sealedMarks {
		value, err := tx.Mark(ctx, name)
		if err != nil {
			return err
		}
		if _, err := box.Open(value, name); value != nil && errors.Is(err, seal.ErrOtherKey) {
			if _, err := tx.TakeMark(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// isLost reports whether a value lies under a key that the box does not have. Under one that it
// has, a value may be damaged: that says nothing of the key.
func isLost(box *seal.Box, column store.SealedColumn, row store.Sealed) bool {
	if len(row.Value) == 0 {
		return false
	}
	_, err := box.Open(row.Value, place(column, row))
	return errors.Is(err, seal.ErrOtherKey)
}

// replace makes one value anew. False: it is another one by now.
func replace(ctx context.Context, tx *store.Tx, box *seal.Box, column store.SealedColumn, row store.Sealed, now time.Time) (bool, error) {
	set := func(plain string) (bool, error) {
		return tx.SetSealed(ctx, column, row, box.Seal([]byte(plain), place(column, row)), box.KeyID())
	}
	switch column {
	case store.SealedSecrets:
		return set(webhook.NewSecret())
	case store.SealedFactors:
		return set(auth.NewTOTPSeed())
	case store.SealedDetails:
		return set(auth.NewToken()) // of no link, so that the letter is not sent
	case store.SealedLetters:
		k, err := tx.KeptLetter(ctx, row.AccountID, row.ID)
		if err != nil {
			return false, err
		}
		packed, err := mail.Message{To: k.To, Subject: lostLetter, Text: lostLetter}.Pack()
		if err != nil {
			return false, err
		}
		return set(string(packed))
	case store.SealedSenderKeys:
		return dropSenderKey(ctx, tx, row)
	case store.SealedHeaders:
		is, err := tx.SetSealed(ctx, column, row, nil, "")
		if err != nil || !is {
			return is, err
		}
		e, err := tx.LockEndpoint(ctx, row.AccountID, row.ID)
		if typus.Is(err, typus.NotFound) { // deleted
			return true, nil
		}
		if err == nil && e.On() {
			err = tx.SetEndpointStatus(ctx, row.AccountID, row.ID, typus.EndpointPaused, "its own header was lost with the secret key of the server", now)
		}
		return true, err
	}
	token := auth.NewToken()
	link := row
	link.Hash = auth.Hash(token)
	return tx.SetLink(ctx, column, row, link.Hash, box.Seal([]byte(token), place(column, link)))
}

// dropSenderKey lets the server's key sign the letters of an account, in whose name they still
// go out. False: the account has another key by now.
func dropSenderKey(ctx context.Context, tx *store.Tx, row store.Sealed) (bool, error) {
	if _, err := tx.LockAccount(ctx, row.AccountID); err != nil {
		return false, err
	}
	sender, found, err := tx.Sender(ctx, row.AccountID)
	if err != nil || !found || !bytes.Equal(sender.SealedKey, row.Value) {
		return false, err
	}
	sender.DKIMDomain, sender.DKIMSelector, sender.SealedKey = "", "", nil
	return true, tx.SetSender(ctx, sender)
}

// anew is how the audit log calls what is new.
var anew = map[store.SealedColumn]string{
	store.SealedCandidateLinks: "links", store.SealedPublicLinks: "links", store.SealedExpertLinks: "links",
	store.SealedSecrets: "webhooks", store.SealedHeaders: "webhooks", store.SealedFactors: "factors",
	store.SealedDetails: "letters", store.SealedLetters: "letters", store.SealedSenderKeys: "sender",
}

// note writes a line for each account whose values of a column are new.
func note(ctx context.Context, tx *store.Tx, column store.SealedColumn, accounts map[int64]bool, now time.Time) error {
	var lines []typus.AuditEntry
	for id := range accounts {
		if id != 0 {
			lines = append(lines, typus.AuditEntry{AccountID: id, Actor: typus.ActorOperator, Action: typus.AuditKeyLost, Detail: anew[column], CreatedAt: now})
		}
	}
	slices.SortFunc(lines, func(a, b typus.AuditEntry) int { return int(a.AccountID - b.AccountID) })
	return tx.AddAudit(ctx, lines...)
}
