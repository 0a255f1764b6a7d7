package courier

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"typus"
	"typus/internal/mail"
)

// message writes a letter from what is true now. The error is an unwanted when it
// must not go out. Internal: there is no such kind.
func (c *Courier) message(ctx context.Context, l typus.Letter) (mail.Message, error) {
	kind, known := letterKinds[l.Kind]
	if !known {
		return mail.Message{}, typus.Errorf(typus.Internal, "there is no letter %q", l.Kind)
	}
	j := job{Letter: l, kind: kind}
	if l.Kind.Reader() != typus.ReaderStranger {
		var err error
		if j.account, err = c.store.Account(ctx, l.AccountID); err != nil {
			return mail.Message{}, err
		}
		j.look = mail.LookOf(j.account, 0)
	}
	m, err := kind.write(c, ctx, j)
	if !l.Kind.ToCandidate() {
		m.To = l.To
	}
	return m, err
}

// terms reads to whom a letter to a candidate goes, what the account says in it (its own
// text, nil for ours, and the address for questions), and what the candidate's position says
// in place of the account. The error is an unwanted where
// the test stands so that the letter must not go out.
func (c *Courier) terms(ctx context.Context, j *job) (typus.Candidate, *typus.LetterTemplate, string, error) {
	candidate, err := c.store.Candidate(ctx, j.AccountID, j.CandidateID)
	if err != nil {
		return candidate, nil, "", err
	}
	stand := candidate.Stand(c.clock.Now())
	switch why := j.against(stand); {
	case why != "" && stand == typus.StandExpired:
		return candidate, nil, "", over{why, candidate.ExpiresAt}
	case why != "":
		return candidate, nil, "", why
	}
	p, err := c.store.Position(ctx, candidate.AccountID, candidate.PositionID)
	if err != nil {
		return candidate, nil, "", err
	}
	j.account, j.look = p.Over(j.account), mail.LookOf(j.account, p.ID)
	own, contact, err := c.store.LetterTerms(ctx, j.account, j.Kind, j.Language, candidate.InvitedBy)
	return candidate, own, contact, err
}

func (c *Courier) receipt(ctx context.Context, j job) (mail.Message, error) {
	candidate, own, contact, err := c.terms(ctx, &j)
	if err != nil {
		return mail.Message{}, err
	}
	token, err := c.box.Open(candidate.SealedToken, candidate.TokenAAD())
	if err != nil {
		return mail.Message{}, err
	}
	m, err := mail.Receipt{
		Look:     j.look,
		Language: j.Language, CandidateName: candidate.Name, AccountName: j.account.Name, Contact: contact, Own: own,
		Link: c.links.Of(j.account).OwnResult(string(token)), Policy: j.account.OwnResult.Policy, Told: j.account.Notice,
	}.Message()
	m.To = candidate.Email
	return m, err
}

// ownCode brings the code to a candidate's own result, or before the test to earlier answers,
// while it is good.
func (c *Courier) ownCode(ctx context.Context, j job) (mail.Message, error) {
	candidate, _, contact, err := c.terms(ctx, &j)
	if err != nil {
		return mail.Message{}, err
	}
	code, err := c.box.Open(j.Detail, j.DetailAAD())
	if err != nil {
		return mail.Message{}, err
	}
	good, err := c.store.OwnCode(ctx, candidate.ID)
	switch {
	case err != nil:
		return mail.Message{}, err
	case !c.box.IsMark(good.Hash, string(code), candidate.OwnCodePlace()):
		return mail.Message{}, unwanted(typus.NotSentCodeOver)
	case !good.Usable(c.clock.Now()):
		return mail.Message{}, over{typus.NotSentCodeOver, good.MadeAt.Add(typus.OwnCodeLife)}
	}
	m, err := mail.OwnLetter{
		Language: j.Language, Kind: j.Kind, CandidateName: candidate.Name, AccountName: j.account.Name, Contact: contact,
		Look: j.look, Code: string(code), Expires: j.account.Shown(good.MadeAt.Add(typus.OwnCodeLife)), Before: candidate.Status != typus.StatusFinished,
	}.Message()
	m.To = candidate.Email
	return m, err
}

// ownNotice leads a candidate to the page of their own result.
func (c *Courier) ownNotice(ctx context.Context, j job) (mail.Message, error) {
	candidate, _, contact, err := c.terms(ctx, &j)
	if err != nil {
		return mail.Message{}, err
	}
	token, err := c.box.Open(candidate.SealedToken, candidate.TokenAAD())
	if err != nil {
		return mail.Message{}, err
	}
	m, err := mail.OwnLetter{
		Language: j.Language, Kind: j.Kind, CandidateName: candidate.Name, AccountName: j.account.Name, Contact: contact,
		Look: j.look, Link: c.links.Of(j.account).OwnResult(string(token)),
	}.Message()
	m.To = candidate.Email
	return m, err
}

func (c *Courier) invitation(ctx context.Context, j job) (mail.Message, error) {
	candidate, i, _, err := c.invite(ctx, j)
	if err != nil {
		return mail.Message{}, err
	}
	m, err := i.Message()
	m.To = candidate.Email
	return m, err
}

func (c *Courier) reminder(ctx context.Context, j job) (mail.Message, error) {
	candidate, i, token, err := c.invite(ctx, j)
	if err != nil {
		return mail.Message{}, err
	}
	r, err := c.store.Reminding(ctx, candidate.AccountID, candidate.ID)
	if err != nil {
		return mail.Message{}, err
	}
	if !r.OffAt.IsZero() {
		return mail.Message{}, unwanted(typus.NotSentUnwanted)
	}
	m, err := mail.Reminder{Invitation: i, Begun: candidate.Begun(), Stop: c.links.Of(j.account).Reminders(token)}.Message()
	m.To = candidate.Email
	return m, err
}

// invite is an invitation to a test, with the candidate and the token of the link.
func (c *Courier) invite(ctx context.Context, j job) (typus.Candidate, mail.Invitation, string, error) {
	candidate, own, contact, err := c.terms(ctx, &j)
	if err != nil {
		return candidate, mail.Invitation{}, "", err
	}
	token, err := c.box.Open(candidate.SealedToken, candidate.TokenAAD())
	return candidate, mail.Invitation{
		Look:     j.look,
		Language: j.Language, CandidateName: candidate.Name, AccountName: j.account.Name,
		Link: c.links.Of(j.account).Test(string(token)), Expires: j.account.Shown(candidate.ExpiresAt), Contact: contact, Own: own, Told: j.account.Notice,
	}, string(token), err
}

func (c *Courier) teamNotice(ctx context.Context, j job) (mail.Message, error) {
	candidate, err := c.store.Candidate(ctx, j.AccountID, j.CandidateID)
	if err != nil {
		return mail.Message{}, err
	}
	why := j.against(candidate.Stand(c.clock.Now()))
	if why == typus.NotSentLinkWorks && candidate.Stand(j.CreatedAt) == typus.StandExpired {
		why = "" // a clock that is behind says that it works
	}
	if why != "" {
		return mail.Message{}, why
	}
	if not, err := c.store.WhyNotTold(ctx, j.Letter); err != nil || not != "" {
		return mail.Message{}, cmp.Or[error](err, unwanted(not))
	}
	return mail.TeamNotice{
		Language: j.Language, Kind: j.Kind, AccountName: j.account.Name, CandidateName: candidate.Name,
		Link: c.links.Report(candidate.ID),
	}.Message()
}

// digestLines is how many people a digest lists. It says how many more there are.
const digestLines = 50

// digest lists who has finished since the letter was queued, of those of whom its reader is
// told. The first of them queued it.
func (c *Courier) digest(ctx context.Context, j job) (mail.Message, error) {
	finished, all, err := c.store.FinishedSince(ctx, j.account, j.Letter, j.CreatedAt, digestLines)
	if err != nil {
		return mail.Message{}, err
	}
	if len(finished) == 0 {
		return mail.Message{}, j.kind.idle
	}
	n := mail.TeamList{Language: j.Language, Kind: j.Kind, AccountName: j.account.Name, Link: c.links.Dashboard(), More: all - len(finished)}
	for _, f := range finished {
		n.People = append(n.People, f.Name)
	}
	return n.Message()
}

// webhookTrouble lists the endpoints that a letter is about, as far as they are not
// deleted and still in trouble.
func (c *Courier) webhookTrouble(ctx context.Context, j job) (mail.Message, error) {
	endpoints, err := c.store.Endpoints(ctx, j.AccountID)
	if err != nil {
		return mail.Message{}, err
	}
	n := mail.TeamList{Language: j.Language, Kind: j.Kind, AccountName: j.account.Name, Link: c.links.Webhooks()}
	for _, e := range endpoints {
		if j.kind.concerns(j.Letter, e) {
			n.People = append(n.People, endpointName(e))
		}
	}
	if len(n.People) == 0 {
		return mail.Message{}, j.kind.idle
	}
	return n.Message()
}

// endpointName is what people know an endpoint by.
func endpointName(e typus.Endpoint) string {
	name := e.Description
	if name == "" {
		name = e.Host()
	}
	return strings.TrimSpace(fmt.Sprintf("Webhook %d %s", e.ID, name))
}

func (c *Courier) creditNotice(_ context.Context, j job) (mail.Message, error) {
	left := j.account.Credits > 0
	if low := j.Kind == typus.LetterCreditsLow; low != left { // that some are left is news only while some are
		return mail.Message{}, j.kind.idle
	}
	return mail.CreditNotice{
		Language: j.Language, Kind: j.Kind, AccountName: j.account.Name, Plan: j.account.Plan,
		Balance: j.account.Credits, DashboardURL: c.links.Credits(),
	}.Message()
}

// toUser writes a letter that brings a one-time link to a user.
func (c *Courier) toUser(ctx context.Context, j job) (mail.Message, error) {
	token, hash, err := c.token(j.Letter)
	if err != nil {
		return mail.Message{}, err
	}
	o, err := c.store.UserLinkByToken(ctx, hash)
	if err != nil {
		return mail.Message{}, gone(err)
	}
	if !o.Link.UsedAt.IsZero() {
		return mail.Message{}, unwanted(typus.NotSentLinkOver)
	}
	if !o.Link.Usable(c.clock.Now()) {
		return mail.Message{}, over{typus.NotSentLinkOver, o.Link.ExpiresAt}
	}
	if j.Kind == typus.LetterTeamInvitation && o.User.HasPassword {
		return mail.Message{}, unwanted(typus.NotSentAccepted)
	}
	u := mail.UserLetter{
		Look:     j.look,
		Language: j.Language, Kind: j.Kind, AccountName: j.account.Name, Name: o.User.Name, Link: j.kind.link(c.links, token), Expires: j.account.Shown(o.Link.ExpiresAt),
	}
	switch j.Kind {
	case typus.LetterEmailChanged:
		u.At = j.account.Shown(j.CreatedAt)
	case typus.LetterTeamInvitation:
		if u.By, u.Contact, err = c.inviter(ctx, j.account, o.Link.InvitedBy()); err != nil {
			return mail.Message{}, err
		}
	}
	return u.Message()
}

// accessNotice tells a user of a change in how they log in. The link leads to the page
// on which a user who did not make the change can act.
func (c *Courier) accessNotice(ctx context.Context, j job) (mail.Message, error) {
	user, err := c.store.User(ctx, j.AccountID, j.UserID)
	if typus.Is(err, typus.NotFound) {
		return mail.Message{}, unwanted(typus.NotSentUserGone)
	}
	if err != nil {
		return mail.Message{}, err
	}
	return mail.UserLetter{
		Language: j.Language, Kind: j.Kind, AccountName: j.account.Name, Name: user.Name, Link: j.kind.link(c.links, ""), At: j.account.Shown(j.CreatedAt),
	}.Message()
}

// inviter is the name and the address of the user who invites. If that user is gone,
// nobody is named, and replies go to the account.
func (c *Courier) inviter(ctx context.Context, account typus.Account, id int64) (string, string, error) {
	if id == 0 {
		return "", account.ContactEmail, nil
	}
	u, err := c.store.User(ctx, account.ID, id)
	switch {
	case err == nil:
		return u.Name, u.Email, nil
	case typus.Is(err, typus.NotFound):
		return "", account.ContactEmail, nil
	}
	return "", "", err
}

// gone turns NotFound into the reason why a letter is not sent: what it is about no
// longer exists.
func gone(err error) error {
	if typus.Is(err, typus.NotFound) {
		return unwanted(typus.NotSentLinkOver)
	}
	return err
}

// token opens the one-time token that a letter brings, and returns it with the hash by
// which it is looked up.
func (c *Courier) token(l typus.Letter) (string, string, error) {
	token, err := c.box.Open(l.Detail, l.DetailAAD())
	hash := sha256.Sum256(token)
	return string(token), hex.EncodeToString(hash[:]), err
}

// signUp writes to somebody who has no account yet.
func (c *Courier) signUp(ctx context.Context, j job) (mail.Message, error) {
	token, hash, err := c.token(j.Letter)
	if err != nil {
		return mail.Message{}, err
	}
	s, err := c.store.SignUpByToken(ctx, hash)
	if err != nil {
		return mail.Message{}, gone(err)
	}
	if !s.Usable(c.clock.Now()) {
		return mail.Message{}, over{typus.NotSentLinkOver, s.ExpiresAt}
	}
	return mail.UserLetter{
		Language: j.Language, Kind: j.Kind, AccountName: s.AccountName, Link: j.kind.link(c.links, token), Expires: s.ExpiresAt.In(s.Zone.Location()),
	}.Message()
}

// enrolment writes to an address that somebody typed at a public link. It is not said who that
// was, because it may be anybody's address.
func (c *Courier) enrolment(ctx context.Context, j job) (mail.Message, error) {
	token, hash, err := c.token(j.Letter)
	if err != nil {
		return mail.Message{}, err
	}
	e, err := c.store.EnrolmentByToken(ctx, hash)
	if err != nil {
		return mail.Message{}, gone(err)
	}
	switch {
	case e.CandidateID != 0:
		return mail.Message{}, unwanted(typus.NotSentLinkOver)
	case !e.Usable(c.clock.Now()):
		return mail.Message{}, over{typus.NotSentLinkOver, e.ExpiresAt}
	}
	account, err := c.store.Account(ctx, e.Link.AccountID)
	if err != nil {
		return mail.Message{}, err
	}
	return mail.Enrolment{
		Look: mail.LookOf(account, e.Link.PositionID), Language: j.Language, AccountName: account.Name, Contact: account.ContactEmail, Link: c.links.Of(account).Enrolment(token), Expires: account.Shown(e.ExpiresAt),
	}.Message()
}
