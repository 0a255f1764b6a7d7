package courier

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"typus"
	"typus/internal/mail"
)

// message writes a letter from what is true now. The error is an unwanted when it
// must not go out.
func (c *Courier) message(ctx context.Context, l typus.Letter) (mail.Message, error) {
	if l.Kind == typus.LetterSignUp {
		return c.signUp(ctx, l)
	}
	account, err := c.store.Account(ctx, l.AccountID)
	if err != nil {
		return mail.Message{}, err
	}
	var m mail.Message
	switch l.Kind {
	case typus.LetterInvitation, typus.LetterReminder, typus.LetterReceipt:
		return c.toCandidate(ctx, l, account)
	case typus.LetterCompleted, typus.LetterLinkRequested:
		m, err = c.teamNotice(ctx, l, account)
	case typus.LetterDigest:
		m, err = c.digest(ctx, l, account)
	case typus.LetterWebhookFailing, typus.LetterWebhookGivenUp, typus.LetterWebhookOff:
		m, err = c.webhookTrouble(ctx, l, account)
	case typus.LetterTeamInvitation, typus.LetterPasswordReset, typus.LetterEmailChange, typus.LetterEmailChanged:
		m, err = c.toUser(ctx, l, account)
	case typus.LetterEmailMoved, typus.LetterEmailRestored, typus.LetterPasswordChanged, typus.LetterTOTPOn, typus.LetterTOTPOff, typus.LetterTOTPReset, typus.LetterRecoveryCodes:
		m, err = c.accessNotice(ctx, l, account)
	default:
		m, err = c.creditNotice(l, account)
	}
	m.To = l.To
	return m, err
}

// toCandidate writes a letter to the candidate it is about, to their present
// address.
func (c *Courier) toCandidate(ctx context.Context, l typus.Letter, account typus.Account) (mail.Message, error) {
	candidate, err := c.store.Candidate(ctx, l.AccountID, l.CandidateID)
	if err != nil {
		return mail.Message{}, err
	}
	if why := c.unfit(ctx, l.Kind, candidate); why != nil {
		return mail.Message{}, why
	}
	own, contact, err := c.store.LetterTerms(ctx, account, l.Kind, l.Language, candidate.InvitedBy)
	if err != nil {
		return mail.Message{}, err
	}
	var m mail.Message
	if l.Kind == typus.LetterReceipt {
		m, err = mail.Receipt{Language: l.Language, CandidateName: candidate.Name, AccountName: account.Name, Contact: contact, Own: own}.Message()
		m.To = candidate.Email
		return m, err
	}
	token, err := c.box.Open(candidate.SealedToken, candidate.TokenAAD())
	if err != nil {
		return mail.Message{}, err
	}
	i := mail.Invitation{
		Language: l.Language, CandidateName: candidate.Name, AccountName: account.Name,
		Link: c.links.Test(string(token)), Expires: candidate.ExpiresAt, Contact: contact, Own: own,
	}
	if l.Kind == typus.LetterReminder {
		m, err = mail.Reminder{Invitation: i, Begun: candidate.Status == typus.StatusStarted, Stop: c.links.Reminders(string(token))}.Message()
	} else {
		m, err = i.Message()
	}
	m.To = candidate.Email
	return m, err
}

// standReasons is why nobody is written to about a test that stands so.
var standReasons = map[typus.Stand]unwanted{
	typus.StandFinished:  typus.NotSentFinished,
	typus.StandWithdrawn: typus.NotSentCancelled,
	typus.StandExpired:   typus.NotSentExpired,
	typus.StandDeclined:  typus.NotSentDeclined,
}

// unfit is why a letter to a candidate must not go out any more, nil if it may.
func (c *Courier) unfit(ctx context.Context, kind typus.LetterKind, candidate typus.Candidate) error {
	if kind == typus.LetterReceipt {
		return nil // what it says stays true
	}
	stand := candidate.Stand(c.clock.Now())
	switch why := standReasons[stand]; {
	case stand == typus.StandExpired:
		return over{why, candidate.ExpiresAt}
	case why != "":
		return why
	}
	if kind != typus.LetterReminder {
		return nil
	}
	r, err := c.store.Reminding(ctx, candidate.AccountID, candidate.ID)
	if err == nil && !r.OffAt.IsZero() {
		return unwanted(typus.NotSentUnwanted)
	}
	return err
}

func (c *Courier) teamNotice(ctx context.Context, l typus.Letter, account typus.Account) (mail.Message, error) {
	candidate, err := c.store.Candidate(ctx, l.AccountID, l.CandidateID)
	if err != nil {
		return mail.Message{}, err
	}
	if l.Kind == typus.LetterLinkRequested {
		if why := c.answered(l, candidate); why != "" {
			return mail.Message{}, why
		}
	}
	return mail.TeamNotice{
		Language: l.Language, Kind: l.Kind, AccountName: account.Name, CandidateName: candidate.Name,
		Link: c.links.Report(candidate.ID),
	}.Message()
}

// answered is why nobody need hear any more that a candidate has asked for a new link.
func (c *Courier) answered(l typus.Letter, candidate typus.Candidate) unwanted {
	stand := candidate.Stand(c.clock.Now())
	switch {
	case stand == typus.StandFinished, stand == typus.StandWithdrawn:
		return standReasons[stand]
	case stand == typus.StandExpired, candidate.Stand(l.CreatedAt) == typus.StandExpired: // whatever a clock that is behind says now
		return ""
	}
	return typus.NotSentLinkWorks
}

// digestLines is how many people a digest lists. It says how many more there are, up to
// digestMost.
const (
	digestLines = 50
	digestMost  = 1000
)

// digest lists who has finished since the letter was queued. The first of them queued
// it.
func (c *Courier) digest(ctx context.Context, l typus.Letter, account typus.Account) (mail.Message, error) {
	finished, err := c.store.FinishedSince(ctx, l.AccountID, l.UserID, l.CreatedAt, digestMost)
	if err != nil {
		return mail.Message{}, err
	}
	if len(finished) == 0 {
		return mail.Message{}, unwanted(typus.NotSentNobody)
	}
	n := mail.TeamList{Language: l.Language, Kind: l.Kind, AccountName: account.Name, Link: c.links.Dashboard(), More: max(0, len(finished)-digestLines)}
	for _, f := range finished[:min(len(finished), digestLines)] {
		n.People = append(n.People, f.Name)
	}
	return n.Message()
}

// webhookTrouble lists the endpoints that a letter is about, as far as they are not
// deleted and still in trouble.
func (c *Courier) webhookTrouble(ctx context.Context, l typus.Letter, account typus.Account) (mail.Message, error) {
	endpoints, err := c.store.Endpoints(ctx, l.AccountID)
	if err != nil {
		return mail.Message{}, err
	}
	n := mail.TeamList{Language: l.Language, Kind: l.Kind, AccountName: account.Name, Link: c.links.Webhooks()}
	for _, e := range endpoints {
		if concerned(l, e) {
			n.People = append(n.People, endpointName(e))
		}
	}
	if len(n.People) == 0 {
		return mail.Message{}, unwanted(mended[l.Kind])
	}
	return n.Message()
}

// mended is why a letter about webhooks is not sent once no endpoint is in trouble any
// more.
var mended = map[typus.LetterKind]string{
	typus.LetterWebhookFailing: typus.NotSentWebhooksWork,
	typus.LetterWebhookGivenUp: typus.NotSentWebhookDeleted,
	typus.LetterWebhookOff:     typus.NotSentWebhooksOn,
}

// concerned reports whether a letter is about an endpoint.
func concerned(l typus.Letter, e typus.Endpoint) bool {
	switch l.Kind {
	case typus.LetterWebhookFailing:
		return e.Status == typus.EndpointFailing && !e.FailingToldAt.IsZero()
	case typus.LetterWebhookGivenUp:
		return !e.GivenUpToldAt.Before(l.CreatedAt) // off meanwhile or not: that result is not sent again
	default:
		return e.Status == typus.EndpointDisabled || e.Status == typus.EndpointGone
	}
}

// endpointName is what people know an endpoint by.
func endpointName(e typus.Endpoint) string {
	name := e.Description
	if name == "" {
		name = e.Host()
	}
	return strings.TrimSpace(fmt.Sprintf("Webhook %d %s", e.ID, name))
}

func (c *Courier) creditNotice(l typus.Letter, account typus.Account) (mail.Message, error) {
	if why := overtaken(l.Kind, account.Credits); why != "" {
		return mail.Message{}, unwanted(why)
	}
	return mail.CreditNotice{
		Language: l.Language, Kind: l.Kind, AccountName: account.Name, Plan: account.Plan,
		Balance: account.Credits, DashboardURL: c.links.Credits(),
	}.Message()
}

// toUser writes a letter that brings a one-time link to a user.
func (c *Courier) toUser(ctx context.Context, l typus.Letter, account typus.Account) (mail.Message, error) {
	token, hash, err := c.token(l)
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
	if l.Kind == typus.LetterTeamInvitation && o.User.HasPassword {
		return mail.Message{}, unwanted(typus.NotSentAccepted)
	}
	u := mail.UserLetter{
		Language: l.Language, Kind: l.Kind, AccountName: account.Name, Name: o.User.Name, Link: c.links.Password(token), Expires: o.Link.ExpiresAt,
	}
	switch l.Kind {
	case typus.LetterEmailChange:
		u.Link = c.links.Confirm(token)
	case typus.LetterEmailChanged:
		u.Link, u.At = c.links.TakeBack(token), l.CreatedAt
	case typus.LetterTeamInvitation:
		if u.By, u.Contact, err = c.inviter(ctx, account, o.Link.InvitedBy()); err != nil {
			return mail.Message{}, err
		}
	}
	return u.Message()
}

// accessNotice tells a user of a change in how they log in. The link leads to the page
// on which a user who did not make the change can act.
func (c *Courier) accessNotice(ctx context.Context, l typus.Letter, account typus.Account) (mail.Message, error) {
	user, err := c.store.User(ctx, l.AccountID, l.UserID)
	if typus.Is(err, typus.NotFound) {
		return mail.Message{}, unwanted(typus.NotSentUserGone)
	}
	if err != nil {
		return mail.Message{}, err
	}
	link := c.links.ForgotPassword()
	if l.Kind == typus.LetterTOTPReset {
		link = c.links.SecondFactor()
	}
	return mail.UserLetter{
		Language: l.Language, Kind: l.Kind, AccountName: account.Name, Name: user.Name, Link: link, At: l.CreatedAt,
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
func (c *Courier) signUp(ctx context.Context, l typus.Letter) (mail.Message, error) {
	token, hash, err := c.token(l)
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
	m, err := mail.UserLetter{
		Language: l.Language, Kind: l.Kind, AccountName: s.AccountName, Link: c.links.Confirm(token), Expires: s.ExpiresAt,
	}.Message()
	m.To = l.To
	return m, err
}

// overtaken says why a letter about credits is no longer true, "" if it is.
func overtaken(kind typus.LetterKind, credits int64) string {
	low := kind == typus.LetterCreditsLow
	switch {
	case low && credits <= 0:
		return typus.NotSentCreditsEmpty
	case !low && credits > 0:
		return typus.NotSentCreditsAgain
	}
	return ""
}
