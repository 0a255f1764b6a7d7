package assess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/store"
)

// Invited is the outcome of an invitation.
type Invited struct {
	Candidate typus.Candidate
	Token     string
	Link      string
	Repeat    bool              // an unfinished invitation with the same external_id and e-mail was there
	Mail      typus.LetterState // of the newest invitation letter; "" when none was ever queued
}

// Idempotency makes a call repeatable.
type Idempotency struct {
	APIKeyID      int64
	Key           string
	RequestSHA256 string
}

// Invite stores the candidate, the letter and the outcome under the idempotency key in
// one transaction; it books no credit (API description 4.1, rule 3). If the key was
// used before for the same request, it returns true and the outcome of that request,
// with the candidate as it is now. Invalid names every wrong field. NoCredit: the
// account is on the starter plan with a balance of 0 or less. Conflict: the key was
// used for another request (without fields), the person it invited is erased
// (typus.CodeErased), its call still runs (typus.CodeBusy), the position is closed or
// archived (typus.CodePositionClosed), the account stores as many people as it may
// (typus.CodeAccountFull), the account is being deleted, or as repeat says. NotFound: no such
// position, or account. Suspended.
func (s *Steps) Invite(ctx context.Context, accountID int64, i Invitation, idem *Idempotency) (Invited, bool, error) {
	i, wrong := s.Check(i)
	if err := typus.WrongFields(wrong); err != nil {
		return Invited{}, false, err
	}
	if err := s.CheckOwnRole(ctx, accountID, i.RoleProfile); err != nil {
		return Invited{}, false, err
	}
	account, err := s.store.Account(ctx, accountID)
	if err != nil {
		return Invited{}, false, err
	}
	var (
		out    Invited
		replay bool
	)
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.ServeAccount(ctx, accountID); err != nil {
			return err
		}
		if err := holdRoom(ctx, tx, account); err != nil {
			return err
		}
		var err error
		out, replay, err = s.inviteOnce(ctx, tx, account, i, idem)
		return err
	})
	if err != nil {
		if typus.Is(err, typus.NoCredit) {
			s.tellRefused(ctx, accountID)
		}
		return Invited{}, false, err
	}
	return out, replay, nil
}

func (s *Steps) inviteOnce(ctx context.Context, tx *store.Tx, account typus.Account, i Invitation, idem *Idempotency) (Invited, bool, error) {
	if idem == nil {
		out, err := s.invite(ctx, tx, account, i)
		return out, false, err
	}
	stored, err := tx.ClaimIdempotencyKey(ctx, idem.APIKeyID, idem.Key, idem.RequestSHA256, s.now())
	if err != nil {
		return Invited{}, false, err
	}
	if stored != nil {
		out, err := s.replay(ctx, tx, account, *stored, idem)
		return out, true, err
	}
	out, err := s.invite(ctx, tx, account, i)
	if err != nil {
		return Invited{}, false, err
	}
	return out, false, tx.StoreAnswer(ctx, idem.APIKeyID, idem.Key, store.StoredAnswer{
		RequestSHA256: idem.RequestSHA256, CandidateID: out.Candidate.ID, Repeat: out.Repeat,
	})
}

// replay is the outcome of an earlier call with the same key. The link is read from the
// candidate, because it is stored nowhere else.
func (s *Steps) replay(ctx context.Context, tx *store.Tx, account typus.Account, stored store.StoredAnswer, idem *Idempotency) (Invited, error) {
	if stored.Erased {
		return Invited{}, erased()
	}
	if stored.RequestSHA256 != idem.RequestSHA256 {
		return Invited{}, typus.Errorf(typus.Conflict, "this Idempotency-Key was used for another request; use a new key for a new request")
	}
	c, err := tx.Candidate(ctx, account.ID, stored.CandidateID)
	if typus.Is(err, typus.NotFound) {
		return Invited{}, erased() // since the key was read
	}
	if err != nil {
		return Invited{}, err
	}
	last, err := tx.LastLetter(ctx, account.ID, c.ID, typus.LetterInvitation)
	if err != nil && !typus.Is(err, typus.NotFound) {
		return Invited{}, err
	}
	out, err := s.invited(account, c, last.State)
	out.Repeat = stored.Repeat
	return out, err
}

// erased is the Conflict of a key whose candidate is erased.
func erased() error {
	return &typus.Error{
		Kind: typus.Conflict, Msg: "the person whom this Idempotency-Key invited is erased; to invite them again, use a new key",
		Fields: []typus.Field{{Name: "Idempotency-Key", Code: typus.CodeErased, Msg: "belongs to an invitation that is erased; use a new key to invite again"}},
	}
}

// invite is inviteFor with an account that was read before the transaction: what
// invitations take from it may be a moment old, but for the credits where they count.
func (s *Steps) invite(ctx context.Context, tx *store.Tx, account typus.Account, i Invitation) (Invited, error) {
	if account.Plan == typus.PlanStarter {
		var err error
		if account, err = tx.Account(ctx, account.ID); err != nil {
			return Invited{}, err
		}
	}
	account, err := forPosition(ctx, tx, account, i.PositionID)
	if err != nil {
		return Invited{}, err
	}
	return s.inviteFor(ctx, tx, account, i)
}

// forPosition is an account as invitations to a position see it. The position stays open
// until the transaction ends. Conflict: it is not open. NotFound.
func forPosition(ctx context.Context, tx *store.Tx, account typus.Account, positionID int64) (typus.Account, error) {
	if positionID == 0 {
		return account, nil // what the account says is said of its default position
	}
	p, err := tx.SharePosition(ctx, account.ID, positionID)
	if err != nil {
		return account, err
	}
	if p.State != typus.PositionOpen {
		const msg = "is closed; open it again to invite somebody to it"
		return account, &typus.Error{
			Kind: typus.Conflict, Msg: "the position " + msg, Fields: []typus.Field{{Name: "position", Code: typus.CodePositionClosed, Msg: msg}},
		}
	}
	return p.Over(account), nil
}

// ClosedPosition reports whether err says that the position of an invitation is closed.
func ClosedPosition(err error) bool {
	e, is := errors.AsType[*typus.Error](err)
	return is && len(e.Fields) == 1 && e.Fields[0].Code == typus.CodePositionClosed
}

// inviteFor repeats an open invitation or makes a new one. It looks more than once,
// because another transaction may open or close the same reference in between.
func (s *Steps) inviteFor(ctx context.Context, tx *store.Tx, account typus.Account, i Invitation) (Invited, error) {
	ref := openRef(account.ID, i)
	for range 3 {
		if ref != "" {
			out, found, err := s.repeat(ctx, tx, account, ref, i)
			if err != nil || found {
				return out, err
			}
		}
		if account.OutOfCredits() {
			return Invited{}, noCredits(account)
		}
		out, err := s.create(ctx, tx, account, i)
		if err != nil || out[0].Candidate.ID != 0 {
			return out[0], err
		}
	}
	return Invited{}, typus.Errorf(typus.Unavailable, "the same invitation is being changed right now; try again")
}

// noCredits is the error of an invitation without credits. It names the remedy: only
// the operator grants credits or changes the plan; a test world has its own.
func noCredits(account typus.Account) error {
	if account.IsWorld() {
		return typus.Errorf(typus.NoCredit, "the test world has no credits left, as it was told to; POST /api/test/credits {\"balance\":1000} gives it some, then the same request works")
	}
	return typus.Errorf(typus.NoCredit, "no credits left; whoever runs this server adds some with \"typus credits add --account %d --amount 50 --note …\", "+
		"or ends the limit with \"typus account set --account %d --plan business\"; then the same request works", account.ID, account.ID)
}

// openRef is what makes an invitation repeatable: account, external_id, mailbox
// (typus.MailboxKey), and the position unless it is the default one. The separator cannot occur
// in any of them.
func openRef(accountID int64, i Invitation) string {
	if i.ExternalID == "" {
		return ""
	}
	ref := fmt.Sprintf("%d\u001f%s\u001f%s", accountID, i.ExternalID, typus.MailboxKey(i.Email))
	if i.PositionID != 0 {
		ref += fmt.Sprintf("\u001f%d", i.PositionID)
	}
	return ref
}

// RefMoved is what makes an invitation repeatable after its account and the positions have got
// other ids: a system that sends the invitation again must find it.
func RefMoved(ref string, account, position func(id int64) int64) string {
	parts := strings.Split(ref, "\u001f")
	for i, moved := range map[int]func(int64) int64{0: account, 3: position} {
		if i >= len(parts) {
			continue
		}
		if id, err := strconv.ParseInt(parts[i], 10, 64); err == nil {
			parts[i] = strconv.FormatInt(moved(id), 10)
		}
	}
	return strings.Join(parts, "\u001f")
}

// repeat answers with the open invitation of ref, if there is one that has not expired.
// The name is updated; other differences are taken over or refused (see agree). A
// letter goes out only if none ever did, or if the last one bounced or came too late,
// because a nightly synchronisation must not mail every day.
func (s *Steps) repeat(ctx context.Context, tx *store.Tx, account typus.Account, ref string, i Invitation) (Invited, bool, error) {
	c, err := tx.LockByOpenRef(ctx, account.ID, ref)
	if typus.Is(err, typus.NotFound) {
		return Invited{}, false, nil
	}
	if err != nil {
		return Invited{}, false, err
	}
	if c.Stand(s.now()) == typus.StandExpired {
		return Invited{}, false, tx.ClearOpenRef(ctx, account.ID, c.ID)
	}
	if c, err = s.agree(ctx, tx, c, i); err != nil {
		return Invited{}, false, err
	}
	mail, err := s.mailAgain(ctx, tx, c, i.SendEmail)
	if err != nil {
		return Invited{}, false, err
	}
	out, err := s.invited(account, c, mail)
	out.Repeat = true
	return out, true, err
}

// agree changes an open invitation to what i asks for. Before the test begins, language
// and role profile are taken over. After that the language is the candidate's choice,
// and another role profile is a Conflict (typus.CodeAlreadyBegun, see BegunAs), because
// the answer must not say that it was stored. Where it may not be changed at all it is
// Forbidden, which tells neither what it is nor whether the test has begun.
func (s *Steps) agree(ctx context.Context, tx *store.Tx, c typus.Candidate, i Invitation) (typus.Candidate, error) {
	open := c.Status == typus.StatusOpen
	if role := cmp.Or(i.RoleProfile, c.RoleProfile); role != c.RoleProfile {
		switch {
		case i.KeepRole:
			return c, keptRole()
		case !open:
			return c, begunAs(c)
		}
		if err := tx.SetRoleProfile(ctx, c.AccountID, c.ID, role); err != nil {
			return c, err
		}
		c.RoleProfile = role
	}
	if open && i.Language != "" && (i.Language != c.Language || !c.ChoseLanguage) {
		if err := tx.SetCandidateLanguage(ctx, c.AccountID, c.ID, i.Language); err != nil {
			return c, err
		}
		c.Language, c.ChoseLanguage = i.Language, true
	}
	if c.Name != i.Name {
		if err := tx.RenameCandidate(ctx, c.AccountID, c.ID, i.Name); err != nil {
			return c, err
		}
		c.Name = i.Name
	}
	return c, nil
}

func keptRole() error {
	const msg = "is another one for this person's open test, which this key may not change; leave it out"
	return &typus.Error{
		Kind: typus.Forbidden, Msg: "role_profile " + msg, Fields: []typus.Field{{Name: "role_profile", Code: typus.CodeInvalid, Msg: msg}},
	}
}

// begun is a candidate whose test has begun with another role profile.
type begun struct{ typus.Candidate }

// Error says what happened.
func (begun) Error() string { return "the test has begun with another role profile" }

func begunAs(c typus.Candidate) error {
	msg := fmt.Sprintf("is %q for this test, which has begun, and can no longer be changed; a new external_id makes a new test", c.RoleProfile)
	return &typus.Error{
		Kind: typus.Conflict, Msg: "role_profile " + msg, Cause: begun{c},
		Fields: []typus.Field{{Name: "role_profile", Code: typus.CodeAlreadyBegun, Msg: msg}},
	}
}

// BegunAs is the candidate whose test has begun with another role profile than an
// invitation asks for; false when err is about something else.
func BegunAs(err error) (typus.Candidate, bool) {
	b, is := errors.AsType[begun](err)
	return b.Candidate, is
}

// mailAgain queues an invitation letter if one is wanted and none is on its way or has
// arrived. A letter that was held because the invitation had expired does not count,
// since the invitation is valid again. It returns the state of the newest letter.
func (s *Steps) mailAgain(ctx context.Context, tx *store.Tx, c typus.Candidate, wanted bool) (typus.LetterState, error) {
	last, err := tx.LastLetter(ctx, c.AccountID, c.ID, typus.LetterInvitation)
	if err != nil && !typus.Is(err, typus.NotFound) {
		return "", err
	}
	expired := last.State == typus.LetterHeld && last.LastError == typus.NotSentExpired
	if wanted && (last.State == "" || last.State == typus.LetterFailed || expired) {
		if _, err := tx.AddLetter(ctx, letterTo(c, typus.LetterInvitation, s.now())); err != nil {
			return "", err
		}
		return typus.LetterQueued, s.followUp(ctx, tx, c)
	}
	return last.State, nil
}

// create makes new invitations, with few statements for any number of them. If another
// candidate holds the reference of one, its Invited is zero.
// Conflict: a test world is full, or the account (see AccountFull).
func (s *Steps) create(ctx context.Context, tx *store.Tx, account typus.Account, list ...Invitation) ([]Invited, error) {
	if err := roomFor(ctx, tx, account, len(list)); err != nil {
		return make([]Invited, len(list)), err
	}
	now := s.now()
	candidates := make([]store.NewCandidate, len(list))
	for n, i := range list {
		candidates[n] = s.newCandidate(account, i, now)
	}
	out := make([]Invited, len(list))
	ids, err := tx.AddCandidates(ctx, candidates)
	if err != nil {
		return out, err
	}
	var letters []typus.Letter
	for n, id := range ids {
		if id == 0 {
			continue
		}
		c := candidates[n].Candidate
		c.ID = id
		var mail typus.LetterState
		if list[n].SendEmail {
			letters = append(letters, letterTo(c, typus.LetterInvitation, now))
			mail = typus.LetterQueued
		}
		if out[n], err = s.invited(account, c, mail); err != nil {
			return out, err
		}
	}
	if err := s.planActs(ctx, tx, account, out, now); err != nil {
		return out, err
	}
	return out, tx.AddLetters(ctx, letters)
}

func (s *Steps) newCandidate(account typus.Account, i Invitation, now time.Time) store.NewCandidate {
	token := auth.NewToken()
	c := typus.Candidate{
		AccountID: account.ID, PositionID: i.PositionID, ExternalID: i.ExternalID, Name: i.Name, Email: i.Email,
		Status: typus.StatusOpen, Language: cmp.Or(i.Language, account.Language), ChoseLanguage: i.Language != "",
		RoleProfile: cmp.Or(i.RoleProfile, account.RoleProfile),
		CreatedAt:   now, ExpiresAt: now.Add(time.Duration(account.InviteDays) * 24 * time.Hour),
		TokenHash: auth.Hash(token), InvitedBy: i.InvitedBy,
	}
	c.SealedToken = s.box.Seal([]byte(token), c.TokenAAD())
	n := store.NewCandidate{Candidate: c, OpenRef: openRef(account.ID, i)}
	if i.SendEmail {
		n.RemindAt = now.Add(reminderAfter[0])
	}
	return n
}

func (s *Steps) invited(a typus.Account, c typus.Candidate, mail typus.LetterState) (Invited, error) {
	token, err := s.Token(c)
	return Invited{Candidate: c, Token: token, Link: s.links.Of(a).Test(token), Mail: mail}, err
}

// Link is the invitation link of a candidate of an account.
func (s *Steps) Link(a typus.Account, c typus.Candidate) (string, error) {
	token, err := s.Token(c)
	return s.links.Of(a).Test(token), err
}

// Token is the token of a candidate's link.
func (s *Steps) Token(c typus.Candidate) (string, error) {
	token, err := s.box.Open(c.SealedToken, c.TokenAAD())
	if err != nil {
		return "", fmt.Errorf("assess: open the link of candidate %d: %w", c.ID, err)
	}
	return string(token), nil
}

// tellRefused writes to the owners that an invitation was refused, once a day. If the
// letter cannot be queued, the invitation is refused all the same.
func (s *Steps) tellRefused(ctx context.Context, accountID int64) {
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		account, err := tx.LockAccount(ctx, accountID)
		if err != nil {
			return err
		}
		told, err := tx.AccountLetterSince(ctx, accountID, typus.LetterCreditsRefused, account.DayBegins(s.now()), s.now())
		if err != nil || told {
			return err
		}
		return s.tellOwners(ctx, tx, account, typus.LetterCreditsRefused)
	})
	if err != nil {
		s.log.Error("letter about a refused invitation not queued", "account", accountID, "error", err)
	}
}
