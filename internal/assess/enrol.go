package assess

import (
	"context"
	"errors"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/clerk"
	"typus/internal/instrument"
	"typus/internal/store"
)

// PublicLink is a public link with what whoever opens it is told.
type PublicLink struct {
	typus.PublicLink
	Account    typus.Account // as invitations to the position see it
	Stand      typus.PublicStand
	Instrument *instrument.Instrument // with which the test would begin now
}

// PublicLink finds a public link by its token. NotFound.
func (s *Steps) PublicLink(ctx context.Context, token string) (PublicLink, error) {
	l, err := s.store.PublicLinkByToken(ctx, auth.Hash(token))
	if err != nil {
		return PublicLink{}, err
	}
	return s.told(ctx, l)
}

// told is a public link with what is read beside it.
func (s *Steps) told(ctx context.Context, l typus.PublicLink) (PublicLink, error) {
	account, err := s.store.Account(ctx, l.AccountID)
	if err != nil {
		return PublicLink{}, err
	}
	p, err := s.store.Position(ctx, l.AccountID, l.PositionID)
	if err != nil {
		return PublicLink{}, err
	}
	stand, err := crowded(ctx, s.store, account, l.Stand(account, p, s.now()))
	return PublicLink{l, p.Over(account), stand, s.instrument}, err
}

// crowded is how a link stands whose account may have no room for anybody.
func crowded(ctx context.Context, from countPeople, account typus.Account, stand typus.PublicStand) (typus.PublicStand, error) {
	if stand != typus.PublicOpen {
		return stand, nil
	}
	room, err := RoomIn(ctx, from, account)
	if room == 0 {
		stand = typus.PublicCrowded
	}
	return stand, err
}

// Enrol keeps what somebody types at a public link, and sends a letter to the address by which
// it is confirmed. Nothing tells, neither by the answer nor by the work, whether anybody is
// known by the address. NotFound; Invalid names every wrong field; Gone while the link lets
// nobody in (see Shut); TooMany, with a clerk.Wait.
func (s *Steps) Enrol(ctx context.Context, token string, e typus.Enrolment, ip string) error {
	link, err := s.PublicLink(ctx, token)
	if err != nil {
		return err
	}
	if err := s.shut(ctx, link.AccountID, link.Stand); err != nil {
		return err
	}
	i, wrong := s.Check(Invitation{Name: e.Name, Email: e.Email, Language: e.Language})
	if err := typus.WrongFields(wrong); err != nil {
		return err
	}
	once, now := auth.NewSession(), s.now()
	e = typus.Enrolment{
		Hash: auth.Hash(once), Name: i.Name, Email: i.Email, Language: i.Language, CreatedAt: now, ExpiresAt: now.Add(typus.EnrolmentLife),
	}
	l := typus.Letter{Kind: typus.LetterEnrolment, Language: e.Language, To: e.Email, CreatedAt: now}
	if link.Account.IsWorld() {
		l.AccountID = link.AccountID // which keeps the letter
	}
	l.Detail = s.box.Seal([]byte(once), l.DetailAAD())
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := holdClock(ctx, tx, link.Account); err != nil { // or the address and its letter are moved apart
			return err
		}
		if err := s.clerk.Try(ctx, tx, clerk.LetterPace, clerk.LetterTries(e.Email, ip)...); err != nil {
			return err
		}
		if err := tx.AddServerAccount(ctx, now); err != nil {
			return err
		}
		if e.LetterID, err = tx.AddLetter(ctx, l); err != nil {
			return err
		}
		return tx.AddEnrolment(ctx, link.ID, e)
	})
}

// shutError is the cause of an error about a public link that lets nobody in.
type shutError typus.PublicStand

// Error says how the link stands.
func (e shutError) Error() string { return "the public link is " + string(e) }

// Shut is how a public link stands that lets nobody in, "" if err is about something else.
func Shut(err error) typus.PublicStand {
	e, _ := errors.AsType[shutError](err)
	return typus.PublicStand(e)
}

// shut is Gone for a link that lets nobody in. The owners hear of it where that is for want of
// credits, as of an invitation.
func (s *Steps) shut(ctx context.Context, accountID int64, stand typus.PublicStand) error {
	if stand == typus.PublicOpen {
		return nil
	}
	if stand == typus.PublicUnpaid {
		s.tellRefused(ctx, accountID)
	}
	return typus.Errorf(typus.Gone, "this link lets nobody in").WithCause(shutError(stand))
}

// Enrolled is an address that waits to be confirmed, or that was.
type Enrolled struct {
	typus.Enrolment
	Link PublicLink
}

// Enrolled finds an enrolment by the token that its letter brought. NotFound: there is none,
// or its week is over.
func (s *Steps) Enrolled(ctx context.Context, token string) (Enrolled, error) {
	e, err := s.store.EnrolmentByToken(ctx, auth.Hash(token))
	if err == nil && !e.Usable(s.now()) {
		err = typus.Errorf(typus.NotFound, "this link was replaced or has run out")
	}
	if err != nil {
		return Enrolled{}, err
	}
	link, err := s.told(ctx, e.Link)
	return Enrolled{e.Enrolment, link}, err
}

// Confirm makes a candidate of whoever confirms their address, and returns the token of their
// test; doing it again returns it again. It invites as to any test, which books no credit. Who
// has a test for the position already gets no second one but the letter to the first again.
// Of all who come at once no more get in than the link says. NotFound: there is no such
// enrolment any more; Gone while the link lets nobody in (see Shut).
func (s *Steps) Confirm(ctx context.Context, token string) (string, error) {
	e, err := s.Enrolled(ctx, token)
	if err != nil {
		return "", err
	}
	var (
		c     typus.Candidate
		stand typus.PublicStand
	)
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		c, stand, err = s.confirm(ctx, tx, auth.Hash(token), e.Link.PublicLink)
		return err
	})
	if err == nil {
		err = s.shut(ctx, e.Link.AccountID, stand)
	}
	if err != nil {
		return "", err
	}
	return s.Token(c)
}

// confirm is who comes of an enrolment, or how the link stands that lets nobody in. It locks
// in the order in which those do who invite, and who change the link.
func (s *Steps) confirm(ctx context.Context, tx *store.Tx, hash string, l typus.PublicLink) (typus.Candidate, typus.PublicStand, error) {
	none := typus.Candidate{}
	// Who has a test for the position is led to it all the same.
	if _, err := tx.ServeAccount(ctx, l.AccountID); err != nil && !typus.Is(err, typus.Suspended) {
		return none, "", err
	}
	if err := tx.LockInviting(ctx, l.AccountID); err != nil {
		return none, "", err
	}
	p, err := tx.SharePosition(ctx, l.AccountID, l.PositionID)
	if err != nil {
		return none, "", err
	}
	if l, err = tx.LockPublicLink(ctx, l.AccountID, l.ID); err != nil {
		return none, "", err
	}
	e, err := tx.EnrolmentByToken(ctx, hash) // another click may have confirmed it
	if err != nil {
		return none, "", err
	}
	if e.CandidateID != 0 {
		c, err := tx.Candidate(ctx, l.AccountID, e.CandidateID)
		return c, typus.PublicOpen, err
	}
	c, err := s.known(ctx, tx, p, e.Enrolment)
	if err == nil || !typus.Is(err, typus.NotFound) {
		return c, typus.PublicOpen, err
	}
	account, err := tx.Account(ctx, l.AccountID)
	if err != nil {
		return none, "", err
	}
	stand, err := crowded(ctx, tx, account, l.Stand(account, p, s.now()))
	if err != nil || stand != typus.PublicOpen {
		return none, stand, err
	}
	c, err = s.enrolled(ctx, tx, p.Over(account), p, l, e.Enrolment)
	return c, typus.PublicOpen, err
}

// known is who has a test for a position already, with the letter to it once more where it can
// go on. NotFound.
func (s *Steps) known(ctx context.Context, tx *store.Tx, p typus.Position, e typus.Enrolment) (typus.Candidate, error) {
	c, err := tx.CandidateByEmail(ctx, p, e.Email)
	if err != nil {
		return c, err
	}
	if c, err = tx.LockCandidate(ctx, c.AccountID, c.ID); err != nil {
		return c, err
	}
	err = s.writeAgain(ctx, tx, c, typus.LetterInvitation)
	if err != nil && !typus.Is(err, typus.Conflict) { // it is on its way, or the page of the test says what is against it
		return c, err
	}
	return c, tx.ConfirmEnrolment(ctx, e, c.ID)
}

// enrolled makes the candidate.
func (s *Steps) enrolled(ctx context.Context, tx *store.Tx, account typus.Account, p typus.Position, l typus.PublicLink, e typus.Enrolment) (typus.Candidate, error) {
	i := Invitation{Name: e.Name, Email: e.Email, Language: e.Language, SendEmail: true}
	if !p.Standard {
		i.PositionID = p.ID
	}
	out, err := s.create(ctx, tx, account, i)
	if err != nil {
		return typus.Candidate{}, err
	}
	c := out[0].Candidate
	if err := tx.CountConfirmed(ctx, l.AccountID, l.ID); err != nil {
		return c, err
	}
	if err := tx.ConfirmEnrolment(ctx, e, c.ID); err != nil {
		return c, err
	}
	return c, s.recordOf(ctx, tx, c, typus.Actor{Name: typus.ActorCandidate}, typus.AuditCandidateEnrolled, "")
}

// ForgetEnrolments erases what was typed at public links a week ago, confirmed or not. It is a
// chore.
func (s *Steps) ForgetEnrolments(ctx context.Context, settled time.Time) error {
	_, err := s.store.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.DropEnrolments(ctx, settled) })
	return err
}
