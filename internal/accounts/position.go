package accounts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// Bounds of positions (our choice).
const (
	maxPositionRef = 255  // code points, as of an external_id
	maxPositions   = 5000 // of an account, whatever their state
)

// CodeTaken is the code of a reference that another position of the account has.
const CodeTaken = "taken"

// AddPosition adds an open position and names users in it; in a confidential one it names
// whoever adds it as well, because they would not see it otherwise. It returns the id. The
// same form sent twice makes one position. Invalid names every wrong field. Conflict: the
// account has 5,000 positions, or the form was sent before (clerk.SentBefore). NotFound: one
// of the users is none of the account.
//
// Who may: the face lets admins only.
func (s *Steps) AddPosition(ctx context.Context, reader store.Reader, p typus.Position, users []int64, by typus.Actor) (int64, error) {
	p.AccountID, p.Standard, p.State, p.CreatedAt = reader.AccountID, false, typus.PositionOpen, s.now()
	p.BlindAll = p.BlindAll && p.Blind
	p = tidiedPosition(p)
	if err := s.checkPosition(ctx, s.store, p); err != nil {
		return 0, err
	}
	if p.Confidential && unseen(reader, users) {
		users = append(slices.Clone(users), reader.UserID)
	}
	var id int64
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		return s.clerk.Once(ctx, tx, p.AccountID, by, func() (int64, error) {
			var err error
			id, err = s.addPosition(ctx, tx, p, users, by)
			return id, err
		})
	})
	return id, err
}

func (s *Steps) addPosition(ctx context.Context, tx *store.Tx, p typus.Position, users []int64, by typus.Actor) (int64, error) {
	if _, err := tx.LockAccount(ctx, p.AccountID); err != nil { // others may add at the same time
		return 0, err
	}
	n, err := tx.CountPositions(ctx, p.AccountID)
	if err != nil {
		return 0, err
	}
	if n >= maxPositions {
		return 0, typus.Errorf(typus.Conflict, "there are at most %d positions", maxPositions)
	}
	if err := s.checkPosition(ctx, naming{tx}, p); err != nil { // again: its role profile may be archived by now
		return 0, err
	}
	if err := refFree(ctx, tx, p); err != nil {
		return 0, err
	}
	if p.ID, err = tx.AddPosition(ctx, p); err != nil {
		return 0, refTaken(err)
	}
	if err := s.clerk.AuditPosition(ctx, tx, by, p, typus.AuditPositionAdded, ""); err != nil {
		return 0, err
	}
	return p.ID, s.setMembers(ctx, tx, p, nil, users, by)
}

// unseen reports whether a confidential position that names users would not be there for the
// reader.
func unseen(r store.Reader, users []int64) bool {
	return r.UserID != 0 && r.Role != typus.RoleOwner && !slices.Contains(users, r.UserID)
}

// refFree refuses a reference by which the account's programs reach another position: also its
// id, or they would invite people for this one who were meant for that.
func refFree(ctx context.Context, tx *store.Tx, p typus.Position) error {
	taken, err := tx.PositionRefTaken(ctx, p)
	if err == nil && taken {
		err = refTaken(typus.Errorf(typus.Conflict, "another position goes by this reference"))
	}
	return err
}

// refTaken names the field where the store says that another position has the reference.
func refTaken(err error) error {
	if !typus.Is(err, typus.Conflict) {
		return err
	}
	return typus.WrongFields([]typus.Field{{Name: "ref", Code: CodeTaken, Msg: "is the reference of another position, or its id"}})
}

// ChangePosition lets change set what people say of a position whose candidates a user
// reads; change reports false if nothing is to be stored after all, as when somebody else
// has changed what a form was filled in by. State, members and secrecy stay as they are, and
// what stays as it was is not noted. Invalid names every wrong field; what invitations to the
// default position take is what the account says, not the position. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) ChangePosition(ctx context.Context, reader store.Reader, id int64, by typus.Actor, change func(p *typus.Position) bool) error {
	return s.ChangePositionLook(ctx, reader, id, NewLogo{}, by, change)
}

// ChangePositionLook is ChangePosition that does to the position's own logo what is wanted of
// it, in the same transaction: either everything is stored or nothing. Invalid also for a
// picture that is none of those which NewLogo says. Unavailable: ctx has ended while others
// were drawn.
func (s *Steps) ChangePositionLook(ctx context.Context, reader store.Reader, id int64, picture NewLogo, by typus.Actor, change func(p *typus.Position) bool) error {
	logo, err := picture.logo(ctx)
	if err != nil {
		return err
	}
	return s.onPosition(ctx, reader, id, func(tx *store.Tx, was typus.Position) error {
		now := was
		if !change(&now) {
			return nil
		}
		now = tidiedPosition(now)
		now.ID, now.AccountID, now.Standard, now.LogoType, now.LogoHash = was.ID, was.AccountID, was.Standard, was.LogoType, was.LogoHash
		if logo != nil {
			now.LogoType, now.LogoHash = logo.MediaType, logo.Hash
		}
		if err := s.checkPosition(ctx, naming{tx}, now); err != nil {
			return err
		}
		if now.Ref != was.Ref {
			if err := refFree(ctx, tx, now); err != nil {
				return err
			}
		}
		return s.setPosition(ctx, tx, was, now, logo, by)
	})
}

// setPosition stores what differs, and its logo if that does.
func (s *Steps) setPosition(ctx context.Context, tx *store.Tx, was, now typus.Position, logo *typus.Logo, by typus.Actor) error {
	changes := changedPosition(was, now)
	if len(changes) == 0 {
		return nil
	}
	if err := tx.SetPosition(ctx, now); err != nil {
		return refTaken(err)
	}
	if was.LogoHash != now.LogoHash {
		if err := tx.SetPositionLogo(ctx, now.AccountID, now.ID, *logo); err != nil {
			return err
		}
	}
	return s.clerk.AuditPosition(ctx, tx, by, now, typus.AuditPositionChanged, strings.Join(changes, ", "))
}

// onPosition calls do with a locked position whose candidates a user reads. NotFound.
func (s *Steps) onPosition(ctx context.Context, reader store.Reader, id int64, do func(tx *store.Tx, p typus.Position) error) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		p, err := tx.LockPositionFor(ctx, reader, id, s.now())
		if err != nil {
			return err
		}
		return do(tx, p)
	})
}

// tidiedPosition is a position as it is stored: texts on one line and in NFC, and of the
// client only what its kind says.
func tidiedPosition(p typus.Position) typus.Position {
	p.Name, p.ClientName = label(p.Name), label(p.ClientName)
	p.Ref = strings.TrimSpace(p.Ref)
	if p.ClientKind != typus.ClientNamed {
		p.ClientName = ""
	}
	if p.ClientKind != typus.ClientDescribed {
		p.ClientWords = typus.OwnWords{}
	}
	p.ClientWords = typus.OwnWords{DE: norm.NFC.String(inSentence(p.ClientWords.DE)), EN: norm.NFC.String(inSentence(p.ClientWords.EN))}
	n := tidiedNotice(p.Notice)
	p.Notice = typus.NoticeFacts{Consequence: n.Consequence, Basis: n.Basis, Officer: n.Officer}
	if n.Consequence == typus.ConsequenceOwn {
		p.Notice.ConsequenceOwn = n.ConsequenceOwn
	}
	return p
}

func (s *Steps) checkPosition(ctx context.Context, from clerk.RoleReader, p typus.Position) error {
	var f clerk.Faults
	if err := f.OwnRole(ctx, from, p.AccountID, p.RoleProfile, s.instrument); err != nil {
		return err
	}
	if p.Standard {
		f.Remark("name", p.Name)
	} else {
		f.Text("name", p.Name)
	}
	f.AtMost("ref", p.Ref, maxPositionRef)
	checkClient(&f, p)
	checkNotice(&f, p.Notice)
	f.Role(p.RoleProfile, s.instrument)
	f.Language(p.Language, s.instrument)
	f.When(p.InviteDays < 0 || p.InviteDays > typus.MaxInviteDays, "invite_days", fmt.Sprintf("must be 1 to %d, or 0 for what the account says", typus.MaxInviteDays))
	f.When(p.Reminders < typus.RemindersOfAccount || p.Reminders > typus.MaxReminders, "reminders", fmt.Sprintf("must be 0 to %d, or -1 for what the account says", typus.MaxReminders))
	if p.Standard {
		const settings = "is set in the settings of the account"
		f.When(p.RoleProfile != "", "role_profile", settings)
		f.When(p.Language != "", "language", settings)
		f.When(p.InviteDays > 0, "invite_days", settings)
		f.When(p.Reminders >= 0, "reminders", settings)
		f.When(p.ClientKind != typus.ClientOfAccount, "client_kind", settings)
		f.When(p.Notice != typus.NoticeFacts{}, "notice_consequence", settings)
		f.When(p.LogoHash != "", "logo", settings)
	}
	return f.Err()
}

// checkClient finds what is wrong with for whom a position is to be filled.
func checkClient(f *clerk.Faults, p typus.Position) {
	f.When(!p.ClientKind.Valid(), "client_kind", "must be own, named, described or empty")
	switch p.ClientKind {
	case typus.ClientNamed:
		f.Text("client_name", p.ClientName)
	case typus.ClientDescribed:
		f.Remark("client_de", p.ClientWords.DE)
		f.Remark("client_en", p.ClientWords.EN)
		if !p.ClientWords.Any() {
			f.Add("client_de", typus.CodeRequired, "is required in one language at least")
		}
	case typus.ClientOfAccount, typus.ClientOwn:
	}
}

// client is for whom a position is to be filled.
type client struct {
	kind  typus.ClientKind
	name  string
	words typus.OwnWords
}

// changedPosition says what differs, for the audit log, which is never erased and is read
// by those who may not reach the position: names and references stay out of it.
func changedPosition(was, now typus.Position) []string {
	var list []string
	touched := func(name string, was, now any) {
		if was != now {
			list = append(list, name)
		}
	}
	set := func(name string, was, now, account any) {
		said := func(value any) any {
			if value == account {
				return "account"
			}
			return value
		}
		if was != now {
			list = append(list, fmt.Sprintf("%s %v → %v", name, said(was), said(now)))
		}
	}
	touched("position_name", was.Name, now.Name)
	touched("position_ref", was.Ref, now.Ref)
	touched("client", client{was.ClientKind, was.ClientName, was.ClientWords}, client{now.ClientKind, now.ClientName, now.ClientWords})
	touched("position_notice", was.Notice, now.Notice)
	touched("position_logo", was.LogoHash, now.LogoHash)
	set("role_profile", was.RoleProfile, now.RoleProfile, "")
	set("language", was.Language, now.Language, "")
	set("invite_days", was.InviteDays, now.InviteDays, 0)
	set("reminders", was.Reminders, now.Reminders, typus.RemindersOfAccount)
	return list
}
