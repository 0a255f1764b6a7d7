package accounts

import (
	"context"
	"slices"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// maxOwnReason bounds why results are not shown, in code points (our choice).
const maxOwnReason = 500

// SetOwnTerms says when the candidates of an account see their own result, where their
// position says nothing else. change is called with the terms as they are and returns
// what they shall be, or false if nothing is to be stored after all; it may be called
// more than once. What stays as it was is not noted. Invalid: it is none of the policies,
// or never to show a result has no reason. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) SetOwnTerms(ctx context.Context, accountID int64, by typus.Actor, change func(now typus.OwnResultTerms) (typus.OwnResultTerms, bool)) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		account, err := tx.LockAccount(ctx, accountID)
		if err != nil {
			return err
		}
		terms, changed, err := changedTerms(account.OwnResult, typus.OwnResultPolicies(), change)
		if err != nil || !changed {
			return err
		}
		if err := tx.SetOwnTerms(ctx, accountID, terms); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditOwnTerms, Detail: string(terms.Policy)})
	})
}

// SetPositionOwnTerms is SetOwnTerms for a position (0: the default one); no policy leaves it
// to the account.
//
// Who may: the face lets admins only.
func (s *Steps) SetPositionOwnTerms(ctx context.Context, reader store.Reader, positionID int64, by typus.Actor, change func(now typus.OwnResultTerms) (typus.OwnResultTerms, bool)) error {
	return s.onPosition(ctx, reader, positionID, func(tx *store.Tx, p typus.Position) error {
		terms, changed, err := changedTerms(p.OwnResult, append(typus.OwnResultPolicies(), ""), change)
		if err != nil || !changed {
			return err
		}
		if err := tx.SetPositionOwnTerms(ctx, p.AccountID, p.ID, terms); err != nil {
			return err
		}
		return s.clerk.AuditPosition(ctx, tx, by, p, typus.AuditPositionOwn, string(terms.Policy))
	})
}

// changedTerms are what a change makes of terms, as they are stored; false: nothing else.
// Invalid.
func changedTerms(now typus.OwnResultTerms, policies []typus.OwnResultPolicy, change func(typus.OwnResultTerms) (typus.OwnResultTerms, bool)) (typus.OwnResultTerms, bool, error) {
	wanted, goOn := change(now)
	if !goOn {
		return now, false, nil
	}
	terms, err := soundTerms(wanted, policies)
	return terms, terms != now, err
}

// soundTerms are terms as they are stored. Invalid.
func soundTerms(t typus.OwnResultTerms, policies []typus.OwnResultPolicy) (typus.OwnResultTerms, error) {
	var f clerk.Faults
	f.When(!slices.Contains(policies, t.Policy), "policy", "must be one of the policies")
	if t.Policy != typus.OwnResultNone {
		t.Reason = ""
	} else if t.Reason = f.Note("reason", t.Reason); len([]rune(t.Reason)) > maxOwnReason {
		f.Add("reason", typus.CodeTooLong, "may hold at most 500 characters")
	}
	return t, f.Err()
}
