package assess

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

const (
	// importBatch people are invited in one transaction: as many rows as the store
	// settles in one statement.
	importBatch = 64
	// importLease outlasts the longest batch; after a crash another instance goes
	// on once it has run out.
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
	reasonBegun = "role_profile_" + typus.CodeAlreadyBegun
	reasonFault = "fault" // a fault of ours
)

// AddImport keeps a file until somebody says what is to become of it. Invalid for
// a language or role profile that does not exist. Conflict: MaxOpenImports wait or
// run already. NotFound for the account.
func (s *Steps) AddImport(ctx context.Context, i typus.Import, source []byte, by typus.Actor) (int64, error) {
	var f clerk.Faults
	f.Language(i.Language, s.instrument)
	f.Role(i.RoleProfile, s.instrument)
	if err := f.Err(); err != nil {
		return 0, err
	}
	i.UserID, i.Actor, i.CreatedAt = by.UserID, by.Name, s.now()
	i.DropAt = i.CreatedAt.Add(previewKept)
	i.FileName = shown(i.FileName)
	var id int64
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
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

// PreviewImport checks the rows of a file and stores them for people to look
// at; nobody is invited. leftOut are the headings of columns that were not read. A row that holds Reasons already is faulty. NotFound.
// Conflict: the import is confirmed already.
func (s *Steps) PreviewImport(ctx context.Context, accountID, id int64, rows []typus.ImportRow, blank int, leftOut []string) error {
	i, err := s.store.Import(ctx, accountID, id)
	if err != nil {
		return err
	}
	i.Total, i.Blank, i.Valid = len(rows), blank, 0
	i.LeftOut = nil
	for _, heading := range leftOut {
		i.LeftOut = append(i.LeftOut, strings.Join(strings.Fields(shown(heading)), " "))
	}
	rows = slices.Clone(rows)
	first := map[string]int{}
	for n := range rows {
		rows[n] = s.checkRow(rows[n])
		if rows[n].State != typus.RowReady {
			continue
		}
		key := strings.ToLower(rows[n].Email)
		if line, twice := first[key]; twice {
			rows[n].State, rows[n].Reasons = typus.RowDuplicate, []string{fmt.Sprint(reasonRow, " ", line)}
			continue
		}
		first[key] = rows[n].N
	}
	if err := s.markOpen(ctx, s.store.OpenByEmail, accountID, rows, typus.RowDuplicate); err != nil {
		return err
	}
	for _, r := range rows {
		if r.State == typus.RowReady {
			i.Valid++
		}
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error { return tx.ReplaceImportRows(ctx, i, rows) })
}

// checkRow says whether a row can be invited. What cannot be used is kept as it
// can be shown.
func (s *Steps) checkRow(r typus.ImportRow) typus.ImportRow {
	i, found := s.Check(Invitation{Name: r.Name, Email: r.Email, ExternalID: r.ExternalID, Language: r.Language})
	for _, f := range found {
		r.Reasons = append(r.Reasons, f.Name+"_"+f.Code)
	}
	for name, cell := range map[string]string{"name": i.Name, "email": i.Email, "external_id": i.ExternalID} {
		if strings.ContainsRune(cell, utf8.RuneError) && !slices.Contains(r.Reasons, name+"_"+typus.CodeInvalid) {
			r.Reasons = append(r.Reasons, name+"_"+typus.CodeInvalid)
		}
	}
	if len(r.Reasons) == 0 {
		r.Name, r.Email, r.State = i.Name, i.Email, typus.RowReady
		return r
	}
	slices.Sort(r.Reasons)
	r.State = typus.RowFaulty
	r.Name, r.Email, r.ExternalID, r.Language = shown(i.Name), shown(i.Email), shown(r.ExternalID), shown(r.Language)
	return r
}

// shown is what is kept of a text that nobody has checked: no character that
// could not be stored or would not stand still on a page, and not too much of it.
func shown(text string) string {
	clean := strings.Map(func(r rune) rune {
		if _, unsafe := typus.UnsafeRune(string(r)); unsafe {
			return utf8.RuneError
		}
		return r
	}, norm.NFC.String(strings.ToValidUTF8(text, string(utf8.RuneError))))
	if utf8.RuneCountInString(clean) > maxShown {
		clean = string([]rune(clean)[:maxShown]) + "…"
	}
	return clean
}

// openByEmail is OpenByEmail of a Store or a Tx.
type openByEmail func(ctx context.Context, accountID int64, emails []string, at time.Time) (map[string]int64, error)

// markOpen gives ready rows whose address has an open invitation the state that
// says so.
func (s *Steps) markOpen(ctx context.Context, open openByEmail, accountID int64, rows []typus.ImportRow, state typus.RowState) error {
	const atOnce = 100
	for part := range slices.Chunk(rows, atOnce) {
		var emails []string
		for _, r := range part {
			if r.State == typus.RowReady {
				emails = append(emails, r.Email)
			}
		}
		if len(emails) == 0 {
			continue
		}
		found, err := open(ctx, accountID, emails, s.now())
		if err != nil {
			return err
		}
		for n, r := range part {
			if id, known := found[strings.ToLower(r.Email)]; known && r.State == typus.RowReady {
				part[n].State, part[n].Reasons, part[n].CandidateID = state, []string{reasonOpen}, id
			}
		}
	}
	return nil
}

// StartImport confirms a preview: from now on people are invited, by whichever
// instance comes first. NotFound. Conflict: it is not, or no longer, a preview, its
// time is over, or it has nobody to invite. NoCredit on the starter plan at a balance of 0 or less.
func (s *Steps) StartImport(ctx context.Context, accountID, id int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		i, err := tx.LockImport(ctx, accountID, id)
		if err != nil {
			return err
		}
		if i.State != typus.ImportPreview || i.Valid == 0 {
			return typus.Errorf(typus.Conflict, "there is nothing to confirm")
		}
		account, err := tx.Account(ctx, accountID)
		if err != nil {
			return err
		}
		if account.OutOfCredits() {
			return noCredits(account.ID)
		}
		started, err := tx.StartImport(ctx, accountID, id, s.now())
		if err != nil {
			return err
		}
		if !started {
			return typus.Errorf(typus.Conflict, "the time to confirm it is over")
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: "import.started", Detail: importDetail(i)})
	})
}

// CancelImport ends an import, or throws a preview away with all its rows. Whoever is
// invited stays invited; ended imports stay as they are. NotFound.
func (s *Steps) CancelImport(ctx context.Context, accountID, id int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		i, err := tx.LockImport(ctx, accountID, id)
		if err != nil {
			return err
		}
		if i.State != typus.ImportRunning {
			return s.discardImport(ctx, tx, i)
		}
		ended, err := tx.EndImport(ctx, accountID, id, typus.ImportCancelled, s.now(), s.now().Add(importKept))
		if err != nil || !ended {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: "import.cancelled", Detail: importDetail(i)})
	})
}

// discardImport throws away what was not confirmed: nobody needs its rows to see
// what became of them.
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

// importDetail names an import for the audit log, which is never erased: no
// file name, since people's names stand in those.
func importDetail(i typus.Import) string {
	return fmt.Sprintf("%d rows=%d valid=%d done=%d failed=%d", i.ID, i.Total, i.Valid, i.Done, i.Failed)
}

// RunImports invites the people of all running imports that nobody else works
// on, until there are none or ctx ends. owner names this instance. An import that
// breaks off is logged, and goes on once a lease is over: the others do not wait for it.
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
			s.log.Error("an import broke off; it goes on later", "account", i.AccountID, "import", i.ID, "error", err)
			if err := s.store.PutOffImport(ctx, owner, i.AccountID, i.ID, importLease); err != nil {
				return err
			}
		}
	}
	return nil
}

// runImport invites the people of an import, batch by batch, until there are none or
// the import is no longer ours. Of a batch that fails each row is tried by itself, so
// that one which cannot be invited holds nobody up. The error is that of the last row
// that is left for later.
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

// failRow says of a row that it cannot be invited, and in the log why.
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

// importNext invites the next people of an import behind the row after, at most limit,
// in one transaction. It returns the last of their rows, also with an error; 0 once
// there are none, or the import is no longer ours.
func (s *Steps) importNext(ctx context.Context, owner string, i typus.Import, after, limit int) (int, error) {
	var (
		last          int
		mail, refused bool
	)
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		last, mail, refused = 0, false, false
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
		account, err := tx.Account(ctx, i.AccountID)
		if err != nil {
			return err
		}
		refused = account.OutOfCredits()
		mail, err = s.importRows(ctx, tx, account, i, rows)
		return err
	})
	if err != nil {
		return last, err
	}
	if mail {
		s.wake()
	}
	if refused {
		s.tellRefused(ctx, i.AccountID)
	}
	return last, nil
}

// importRows invites the people of rows and says whether a letter waits.
func (s *Steps) importRows(ctx context.Context, tx *store.Tx, account typus.Account, i typus.Import, rows []typus.ImportRow) (bool, error) {
	if err := tx.LockInviting(ctx, i.AccountID); err != nil {
		return false, err
	}
	if err := s.markOpen(ctx, tx.OpenByEmail, i.AccountID, rows, typus.RowKnown); err != nil {
		return false, err
	}
	var (
		invitations []Invitation
		of          []*typus.ImportRow
	)
	for n := range rows {
		r := &rows[n]
		switch {
		case r.State != typus.RowReady:
		case account.OutOfCredits():
			r.State, r.Reasons = typus.RowFailed, []string{"credits"}
		default:
			if invitation, possible := s.rowInvitation(i, r); possible {
				invitations, of = append(invitations, invitation), append(of, r)
			}
		}
	}
	made, err := s.create(ctx, tx, account, invitations...)
	if err != nil {
		return false, err
	}
	mail := false
	for n, out := range made {
		r := of[n]
		if out.Candidate.ID == 0 { // its reference is held, perhaps by an invitation that has run out
			out, err = s.inviteFor(ctx, tx, account, invitations[n])
			if c, begun := BegunAs(err); begun {
				r.State, r.Reasons, r.CandidateID = typus.RowFailed, []string{reasonBegun}, c.ID
				continue
			}
			if err != nil {
				return false, err
			}
		}
		r.State, r.CandidateID = typus.RowInvited, out.Candidate.ID
		if out.Repeat {
			r.State, r.Reasons = typus.RowKnown, []string{reasonOpen}
		}
		mail = mail || out.Mail == typus.LetterQueued
	}
	return mail, tx.SettleImportRows(ctx, i.AccountID, i.ID, rows)
}

// rowInvitation is what a row asks for. Rows were checked at the preview; what has
// become wrong since, such as a role profile that is gone, is said of the row.
func (s *Steps) rowInvitation(i typus.Import, r *typus.ImportRow) (Invitation, bool) {
	invitation, found := s.Check(Invitation{
		Name: r.Name, Email: r.Email, ExternalID: r.ExternalID, Language: cmp.Or(r.Language, i.Language),
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
		AccountID: i.AccountID, Action: "import.finished", Detail: importDetail(i),
	})
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
