package assess

import (
	"cmp"
	"context"
	"time"

	"typus"
	"typus/internal/store"
)

// RunImports invites the people of all running imports that no other instance works on,
// until there are none or ctx ends. owner names this instance. If an import fails, that
// is logged, the others go on, and it is tried again once its lease is over.
func (s *Steps) RunImports(ctx context.Context, owner string) error {
	if waits, err := s.store.ImportWaits(ctx, importLease); err != nil || !waits {
		return err
	}
	defer func() {
		// A lease that cannot be given back runs out by itself.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		_ = s.store.ReleaseImports(ctx, owner)
	}()
	for ctx.Err() == nil {
		i, found, err := s.store.ClaimImport(ctx, owner, importLease)
		if err != nil || !found {
			return err
		}
		if err := s.runImport(ctx, owner, i); err != nil {
			if s.away(ctx) {
				return err
			}
			if !typus.Is(err, typus.Suspended) { // which is not for this server to mend
				s.log.Error("an import broke off; it goes on later", "account", i.AccountID, "import", i.ID, "error", err)
			}
			if err := s.store.PutOffImport(ctx, owner, i.AccountID, i.ID, importLease); err != nil {
				return err
			}
		}
	}
	return nil
}

// runImport invites the people of an import, batch by batch, until there are none or
// the lease is lost. If a batch fails, each of its rows is tried alone, so that one bad
// row holds nobody up. The error is that of the last row that is left for later.
func (s *Steps) runImport(ctx context.Context, owner string, i typus.Import) error {
	var later error
	after, alone := 0, 0 // rows up to alone are tried one by one
	for ctx.Err() == nil {
		limit := importBatch
		if after < alone {
			limit = 1
		}
		last, err := s.importNext(ctx, owner, i, after, limit)
		switch {
		case err != nil && last == 0, err != nil && s.away(ctx):
			return err
		case err != nil && limit > 1:
			alone = last
			continue
		case typus.Passing(err): // the row says itself whether it was invited
			later = err
		case err != nil:
			if err := s.failRow(ctx, owner, i, last, err); err != nil {
				return err
			}
		case last == 0:
			return later
		}
		after = last
	}
	return later
}

// failRow marks a row as not invited, and logs the reason.
func (s *Steps) failRow(ctx context.Context, owner string, i typus.Import, n int, why error) error {
	s.log.Error("a row of an import cannot be invited", "account", i.AccountID, "import", i.ID, "row", n, "error", why)
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		mine, err := tx.HoldImport(ctx, owner, i.AccountID, i.ID, importLease)
		if err != nil || !mine {
			return err
		}
		return tx.SettleImportRows(ctx, i.AccountID, i.ID, []typus.ImportRow{{N: n, State: typus.RowFailed, Reasons: []string{reasonFault}}})
	})
}

// importNext invites the next people of an import after a row, at most limit of them,
// in one transaction. It returns the last of their rows, also with an error, and 0 if
// there are none left or the lease is lost.
func (s *Steps) importNext(ctx context.Context, owner string, i typus.Import, after, limit int) (int, error) {
	var (
		last    int
		refused bool
	)
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		last, refused = 0, false
		if _, err := tx.ServeAccount(ctx, i.AccountID); err != nil {
			return err
		}
		if err := tx.LockInviting(ctx, i.AccountID); err != nil {
			return err
		}
		mine, err := tx.HoldImport(ctx, owner, i.AccountID, i.ID, importLease)
		if err != nil || !mine {
			return err
		}
		rows, err := tx.ImportRows(ctx, i.AccountID, i.ID, typus.RowReady, after, limit)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return s.endImport(ctx, tx, i)
		}
		last = rows[len(rows)-1].N
		account, err := tx.Account(ctx, i.AccountID) // with what others have used of it
		if err != nil {
			return err
		}
		refused = account.OutOfCredits()
		return s.importRows(ctx, tx, account, i, rows)
	})
	if err != nil {
		return last, err
	}
	if refused {
		s.tellRefused(ctx, i.AccountID)
	}
	return last, nil
}

// importRows invites the people of rows. The caller has taken LockInviting.
func (s *Steps) importRows(ctx context.Context, tx *store.Tx, account typus.Account, i typus.Import, rows []typus.ImportRow) error {
	if err := s.markOpen(ctx, tx.OpenByEmail, i, rows, typus.RowKnown, s.now()); err != nil {
		return err
	}
	account, err := forPosition(ctx, tx, account, i.PositionID)
	closed := ClosedPosition(err)
	if err != nil && !closed {
		return err
	}
	invitations, of := s.readyRows(account, i, rows, closed)
	room, err := RoomIn(ctx, tx, account)
	if err != nil {
		return err
	}
	made, err := s.create(ctx, tx, account, invitations[:min(room, len(invitations))]...)
	if err != nil {
		return err
	}
	for n, r := range of {
		var out Invited
		if n < len(made) {
			out = made[n]
		}
		// Its reference is held, perhaps by an invitation that has run out, or the account is
		// full, which keeps no open invitation from being repeated.
		if out.Candidate.ID == 0 {
			out, err = s.inviteFor(ctx, tx, account, invitations[n])
			if AccountFull(err) {
				r.State, r.Reasons = typus.RowFailed, []string{reasonFull}
				continue
			}
			if c, begun := BegunAs(err); begun {
				r.State, r.Reasons, r.CandidateID = typus.RowFailed, []string{reasonBegun}, c.ID
				continue
			}
			if err != nil {
				return err
			}
		}
		r.State, r.CandidateID = typus.RowInvited, out.Candidate.ID
		if out.Repeat {
			r.State, r.Reasons = typus.RowKnown, []string{reasonOpen}
		}
	}
	return tx.SettleImportRows(ctx, i.AccountID, i.ID, rows)
}

// readyRows are the invitations of those rows that can be invited, and the rows that they are
// of. Of the others it says why not: the position is closed, or no credits are left.
func (s *Steps) readyRows(account typus.Account, i typus.Import, rows []typus.ImportRow, closed bool) ([]Invitation, []*typus.ImportRow) {
	var (
		invitations []Invitation
		of          []*typus.ImportRow
	)
	for n := range rows {
		r := &rows[n]
		switch {
		case r.State != typus.RowReady:
		case closed:
			r.State, r.Reasons = typus.RowFailed, []string{reasonClosed}
		case account.OutOfCredits():
			r.State, r.Reasons = typus.RowFailed, []string{"credits"}
		default:
			if invitation, possible := s.rowInvitation(i, r); possible {
				invitations, of = append(invitations, invitation), append(of, r)
			}
		}
	}
	return invitations, of
}

// rowInvitation is the invitation of a row. Rows were checked at the preview. If
// something has become wrong since, such as a role profile that no longer exists, the
// row says so.
func (s *Steps) rowInvitation(i typus.Import, r *typus.ImportRow) (Invitation, bool) {
	invitation, found := s.Check(Invitation{
		Name: r.Name, Email: r.Email, ExternalID: r.ExternalID, PositionID: i.PositionID, Language: cmp.Or(r.Language, i.Language),
		RoleProfile: i.RoleProfile, SendEmail: i.SendEmail, InvitedBy: i.UserID,
	})
	for _, f := range found {
		r.State, r.Reasons = typus.RowFailed, append(r.Reasons, f.Name+"_"+f.Code)
	}
	return invitation, len(found) == 0
}

// endImport ends an import, unless rows are left for later.
func (s *Steps) endImport(ctx context.Context, tx *store.Tx, i typus.Import) error {
	left, err := tx.ImportRows(ctx, i.AccountID, i.ID, typus.RowReady, 0, 1)
	if err != nil || len(left) > 0 {
		return err
	}
	now := s.now()
	if i, err = tx.Import(ctx, i.AccountID, i.ID); err != nil {
		return err
	}
	ended, err := tx.EndImport(ctx, i.AccountID, i.ID, typus.ImportDone, now, now.Add(importKept))
	if err != nil || !ended {
		return err
	}
	return s.clerk.Audit(ctx, tx, typus.Actor{Name: i.Actor, UserID: i.UserID}, typus.AuditEntry{
		AccountID: i.AccountID, Action: typus.AuditImportFinished, Detail: importDetail(i),
	})
}
