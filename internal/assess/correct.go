package assess

import (
	"context"
	"strings"

	"typus"
	"typus/internal/store"
)

// Correct stores another name and e-mail address, which count at once: for the
// pages, for letters that wait, and for repeating the invitation. Invalid names
// every wrong field, among them the e-mail address where the result is kept from the
// reader, whom another address could lead to it (CodeWithheld); NotFound; Conflict when
// another open invitation has this external_id and address. A code to the former address is
// good no longer, and neither is what it opened; one to the new address proves nobody until
// the candidate has confirmed it; another spelling of the same mailbox (typus.MailboxKey) is no
// new address. agreed is that of Extend.
func (s *Steps) Correct(ctx context.Context, reader store.Reader, id int64, name, email string, by typus.Actor, agreed func(now typus.Candidate) bool) error {
	i, wrong := s.Check(Invitation{Name: name, Email: email})
	if err := typus.WrongFields(wrong); err != nil {
		return err
	}
	return s.change(ctx, reader, id, func(tx *store.Tx, c typus.Candidate) error {
		var what []string
		if c.Name != i.Name {
			what = append(what, "name")
		}
		if c.Email != i.Email {
			what = append(what, "email")
		}
		if what == nil || agreed != nil && !agreed(c) {
			return nil
		}
		if !typus.SameMailbox(c.Email, i.Email) {
			if err := s.leaveAddress(ctx, tx, c, i.Email); err != nil {
				return err
			}
		}
		c.Email = i.Email
		ref := openRefOf(c)
		if ref != "" {
			other, err := tx.CandidateByOpenRef(ctx, c.AccountID, ref)
			if err == nil && other.ID != id {
				return refused(ObstacleTaken)
			}
			if err != nil && !typus.Is(err, typus.NotFound) {
				return err
			}
		}
		err := tx.CorrectCandidate(ctx, c.AccountID, id, i.Name, i.Email, ref)
		if typus.Is(err, typus.Conflict) { // taken since it was looked for
			return refused(ObstacleTaken)
		}
		if err != nil {
			return err
		}
		return s.recordOf(ctx, tx, c, by, typus.AuditCandidateCorrected, strings.Join(what, ", "))
	})
}

// CodeWithheld is the code of a field that a user changes only after rating.
const CodeWithheld = "withheld"

// leaveAddress ends what the former address of a finished test still opens, and notes that it
// was the team that chose the new one.
func (s *Steps) leaveAddress(ctx context.Context, tx *store.Tx, c typus.Candidate, to string) error {
	if c.Withheld() {
		return typus.WrongFields([]typus.Field{{Name: "email", Code: CodeWithheld, Msg: "cannot be changed while the result is kept from you"}})
	}
	if err := tx.ChangeAddress(ctx, c, to); err != nil || c.Status != typus.StatusFinished {
		return err
	}
	return tx.SetOwnCode(ctx, c.ID, typus.OwnCode{})
}
