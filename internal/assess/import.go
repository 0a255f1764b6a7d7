package assess

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

const (
	// importBatch is how many people are invited in one transaction. It is as many rows
	// as the store settles in one statement.
	importBatch = 64
	// importLease is longer than the longest batch. After a crash another instance goes
	// on once the lease has run out.
	importLease = 30 * time.Second
	// previewKept is how long a file waits for somebody to confirm it,
	// importKept how long the rows of an ended import can be looked at: they hold
	// personal data.
	previewKept = 7 * 24 * time.Hour
	importKept  = 30 * 24 * time.Hour
	// MaxOpenImports bounds the imports of an account that have not ended (our
	// choice): each may keep a file of some megabytes.
	MaxOpenImports = 20
	// maxShown bounds what is kept of a cell that cannot be used, in code points.
	maxShown = 300
)

// Why a row is not invited. Codes of fields are the field and the fault,
// "email_invalid".
const (
	reasonRow  = "row"  // with a second word, "row 12": the same address stands in line 12
	reasonOpen = "open" // the address has an open invitation, the row's CandidateID
	// The row's CandidateID has begun the test with another role profile.
	reasonBegun  = "role_profile_" + typus.CodeAlreadyBegun
	reasonClosed = typus.CodePositionClosed // since the preview
	reasonFull   = typus.CodeAccountFull    // there was no room left
	reasonFault  = "fault"                  // a fault of ours
	// A spreadsheet has written the external ID as 6,4862E+18.
	reasonShortened = "external_id_shortened"
	// A remark, with a second word: somebody else in that line has the same external ID.
	reasonSameID = "external_id_row"
)

// AddImport keeps a file until somebody says what is to become of it. Invalid for
// a language or role profile that does not exist. Forbidden: the user does not read the
// candidates of its position, or there is none. Conflict: MaxOpenImports wait or
// run already. NotFound for the account.
func (s *Steps) AddImport(ctx context.Context, reader store.Reader, i typus.Import, source []byte, by typus.Actor) (int64, error) {
	i.AccountID = reader.AccountID
	if err := s.mayInviteTo(ctx, reader, i.PositionID); err != nil {
		return 0, err
	}
	var f clerk.Faults
	f.Language(i.Language, s.instrument)
	f.Role(i.RoleProfile, s.instrument)
	if err := f.OwnRole(ctx, s.store, i.AccountID, i.RoleProfile, s.instrument); err != nil {
		return 0, err
	}
	if err := f.Err(); err != nil {
		return 0, err
	}
	i.UserID, i.Actor, i.CreatedAt = by.UserID, by.Name, s.now()
	i.DropAt = i.CreatedAt.Add(previewKept)
	i.FileName = shown(i.FileName)
	account, err := s.store.Account(ctx, i.AccountID)
	if err != nil {
		return 0, err
	}
	var id int64
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := holdClock(ctx, tx, account); err != nil { // or an erasure locks it after a reset has looked for imports
			return err
		}
		return s.clerk.Once(ctx, tx, i.AccountID, by, func() (int64, error) {
			if _, err := tx.LockAccount(ctx, i.AccountID); err != nil {
				return 0, err
			}
			open, err := tx.OpenImports(ctx, i.AccountID)
			if err != nil {
				return 0, err
			}
			if open >= MaxOpenImports {
				return 0, typus.Errorf(typus.Conflict, "%d imports have not ended; confirm or discard some", open)
			}
			id, err = tx.AddImport(ctx, i, source)
			return id, err
		})
	})
	return id, err
}

// StartImport confirms a preview: from now on people are invited, by whichever
// instance comes first. NotFound. Conflict: it is not, or no longer, a preview, its
// time is over, it has nobody to invite, or its position is closed
// (typus.CodePositionClosed), or the account has room for nobody (AccountFull).
// NoCredit on the starter plan at a balance of 0 or less.
func (s *Steps) StartImport(ctx context.Context, reader store.Reader, id int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		i, err := tx.LockImportFor(ctx, reader, id)
		if err != nil {
			return err
		}
		if i.State != typus.ImportPreview || i.Valid == 0 {
			return typus.Errorf(typus.Conflict, "there is nothing to confirm")
		}
		account, err := tx.Account(ctx, i.AccountID)
		if err != nil {
			return err
		}
		if account.OutOfCredits() {
			return noCredits(account)
		}
		if _, err := forPosition(ctx, tx, account, i.PositionID); err != nil {
			return err
		}
		if room, err := RoomIn(ctx, tx, account); err != nil || room == 0 {
			return cmp.Or(err, accountFull(account))
		}
		started, err := tx.StartImport(ctx, i.AccountID, id, s.now())
		if err != nil {
			return err
		}
		if !started {
			return typus.Errorf(typus.Conflict, "the time to confirm it is over")
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: i.AccountID, Action: typus.AuditImportStarted, Detail: importDetail(i)})
	})
}

// CancelImport ends an import, or throws a preview away with all its rows. Whoever is
// invited stays invited; ended imports stay as they are. NotFound.
func (s *Steps) CancelImport(ctx context.Context, reader store.Reader, id int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		i, err := tx.LockImportFor(ctx, reader, id)
		if err != nil {
			return err
		}
		if i.State != typus.ImportRunning {
			return s.discardImport(ctx, tx, i)
		}
		ended, err := tx.EndImport(ctx, i.AccountID, id, typus.ImportCancelled, s.now(), s.now().Add(importKept))
		if err != nil || !ended {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: i.AccountID, Action: typus.AuditImportCancelled, Detail: importDetail(i)})
	})
}

// discardImport deletes an import that was not confirmed, with its rows: nothing became
// of them that anybody would look up.
func (s *Steps) discardImport(ctx context.Context, tx *store.Tx, i typus.Import) error {
	if i.State.Ended() {
		return nil
	}
	if err := tx.DropRowsOf(ctx, i.AccountID, i.ID); err != nil {
		return err
	}
	_, err := tx.EndImport(ctx, i.AccountID, i.ID, typus.ImportCancelled, s.now(), s.now())
	return err
}

// importDetail names an import for the audit log. It leaves the file name out, because
// file names may hold people's names and the log is never erased.
func importDetail(i typus.Import) string {
	return fmt.Sprintf("%d rows=%d valid=%d done=%d failed=%d", i.ID, i.Total, i.Valid, i.Done, i.Failed)
}

// ForgetImports removes the rows of imports whose time has come.
func (s *Steps) ForgetImports(ctx context.Context, settled time.Time) error {
	for ctx.Err() == nil {
		more := false
		err := s.store.InTx(ctx, func(tx *store.Tx) error {
			var err error
			more, err = tx.DropImportRows(ctx, settled)
			return err
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}
