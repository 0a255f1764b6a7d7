package accounts

import (
	"context"
	"time"

	"typus"
	"typus/internal/store"
)

// OpenInvitations says what becomes, when a position is closed, of invitations to it whose
// link works and whose test has not begun.
type OpenInvitations string

// What becomes of such invitations. A test that has begun may be finished in any case.
const (
	KeepOpen   OpenInvitations = "keep"
	CancelOpen OpenInvitations = "cancel"
)

// Valid reports whether o is one of the two.
func (o OpenInvitations) Valid() bool { return o == KeepOpen || o == CancelOpen }

// Codes of the Field "position" of a Conflict about its state.
const (
	CodeStandard = "standard" // the default position is always open
	CodeOpen     = "open"     // close it first
)

// ClosePosition closes a position whose candidates a user reads: nobody is invited to it
// any more. It returns how many invitations it has cancelled. An invitation that is under way
// at the same time is either refused, or is there before and treated as the others. Closing a
// closed position again may still cancel what is open, and changes nothing else. Invalid:
// open is none of the two. NotFound. Conflict: the default position (CodeStandard).
//
// Who may: the face lets admins only.
func (s *Steps) ClosePosition(ctx context.Context, reader store.Reader, id int64, open OpenInvitations, by typus.Actor) (int, error) {
	if !open.Valid() {
		return 0, typus.WrongFields([]typus.Field{{Name: "open", Code: typus.CodeInvalid, Msg: "must be keep or cancel"}})
	}
	cancelled := 0
	err := s.onPosition(ctx, reader, id, func(tx *store.Tx, p typus.Position) error {
		cancelled = 0
		if p.Standard {
			return stateConflict(CodeStandard, "the default position is always open")
		}
		if p.State == typus.PositionOpen {
			if err := s.setState(ctx, tx, p, typus.PositionClosed, s.now(), typus.AuditPositionClosed, string(open), by); err != nil {
				return err
			}
		}
		if open == KeepOpen {
			return nil
		}
		var err error
		cancelled, err = s.cancelOpen(ctx, tx, p, by)
		return err
	})
	return cancelled, err
}

// cancelOpen cancels the invitations to a position whose tests have not begun.
func (s *Steps) cancelOpen(ctx context.Context, tx *store.Tx, p typus.Position, by typus.Actor) (int, error) {
	ids, err := tx.CancelOpenOf(ctx, p.AccountID, p.ID, s.now())
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	lines := make([]typus.AuditEntry, len(ids))
	for i, id := range ids {
		lines[i] = typus.AuditEntry{AccountID: p.AccountID, CandidateID: id, Action: typus.AuditCandidateCancelled}
	}
	return len(ids), s.clerk.Audit(ctx, tx, by, lines...)
}

// ReopenPosition opens a closed or archived position again; an open one stays as it is.
// What was cancelled stays cancelled. NotFound. Conflict: it names a role profile that is not
// offered any more (CodeRoleGone).
//
// Who may: the face lets admins only.
func (s *Steps) ReopenPosition(ctx context.Context, reader store.Reader, id int64, by typus.Actor) error {
	return s.onPosition(ctx, reader, id, func(tx *store.Tx, p typus.Position) error {
		if p.State == typus.PositionOpen {
			return nil
		}
		if err := s.checkRole(ctx, tx, p); err != nil {
			return err
		}
		return s.setState(ctx, tx, p, typus.PositionOpen, time.Time{}, typus.AuditPositionReopened, "", by)
	})
}

// ArchivePosition takes a closed position out of the lists that people choose from; an
// archived one stays as it is. NotFound. Conflict: it is open (CodeOpen), or the default one
// (CodeStandard).
//
// Who may: the face lets admins only.
func (s *Steps) ArchivePosition(ctx context.Context, reader store.Reader, id int64, by typus.Actor) error {
	return s.onPosition(ctx, reader, id, func(tx *store.Tx, p typus.Position) error {
		switch {
		case p.Standard:
			return stateConflict(CodeStandard, "the default position is always open")
		case p.State == typus.PositionOpen:
			return stateConflict(CodeOpen, "close the position before you archive it")
		case p.State == typus.PositionArchived:
			return nil
		}
		return s.setState(ctx, tx, p, typus.PositionArchived, p.ClosedAt, typus.AuditPositionArchived, "", by)
	})
}

func (s *Steps) setState(ctx context.Context, tx *store.Tx, p typus.Position, state typus.PositionState, closed time.Time, action typus.AuditAction, detail string, by typus.Actor) error {
	p.State, p.ClosedAt = state, closed
	if err := tx.SetPositionState(ctx, p); err != nil {
		return err
	}
	return s.clerk.AuditPosition(ctx, tx, by, p, action, detail)
}

func stateConflict(code, msg string) error {
	return &typus.Error{Kind: typus.Conflict, Msg: msg, Fields: []typus.Field{{Name: "position", Code: code, Msg: msg}}}
}
