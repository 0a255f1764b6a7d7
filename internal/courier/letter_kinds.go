package courier

import (
	"context"

	"typus"
	"typus/internal/mail"
)

// job is a letter that is being written.
type job struct {
	typus.Letter
	account typus.Account // zero where its reader has none yet
	look    mail.Look     // of a letter in the account's name
	kind    letterKind
}

// letterKind is how letters of a kind are written, and what speaks against sending one.
type letterKind struct {
	write    func(*Courier, context.Context, job) (mail.Message, error)
	against  func(typus.Stand) string                // by where the test stands that it is about; nil: nothing
	idle     unwanted                                // once nothing is left of what it reports
	concerns func(typus.Letter, typus.Endpoint) bool // whether it reports a webhook
	link     func(l typus.Links, token string) string
}

// against is why a letter is not sent about a test that stands so, "" if it is.
func (j job) against(stand typus.Stand) unwanted {
	if j.kind.against == nil {
		return ""
	}
	return unwanted(j.kind.against(stand))
}

// letterKinds has a line for each of typus.LetterKinds.
var letterKinds = map[typus.LetterKind]letterKind{
	typus.LetterInvitation: {write: (*Courier).invitation, against: typus.Stand.NotSent},
	typus.LetterReminder:   {write: (*Courier).reminder, against: typus.Stand.NotSent},
	typus.LetterReceipt:    {write: (*Courier).receipt},

	typus.LetterOwnCode:     {write: (*Courier).ownCode},
	typus.LetterOwnReleased: {write: (*Courier).ownNotice},
	typus.LetterOwnAnswered: {write: (*Courier).ownNotice},

	typus.LetterCompleted:     {write: (*Courier).teamNotice},
	typus.LetterDigest:        {write: (*Courier).digest, idle: typus.NotSentNobody},
	typus.LetterLinkRequested: {write: (*Courier).teamNotice, against: noNewLink},
	typus.LetterOwnAsked:      {write: (*Courier).teamNotice},

	typus.LetterWebhookFailing: {write: (*Courier).webhookTrouble, concerns: stillFailing, idle: typus.NotSentWebhooksWork},
	typus.LetterWebhookGivenUp: {write: (*Courier).webhookTrouble, concerns: gaveUpSince, idle: typus.NotSentWebhookDeleted},
	typus.LetterWebhookOff:     {write: (*Courier).webhookTrouble, concerns: stillOff, idle: typus.NotSentWebhooksOn},

	typus.LetterCreditsLow:     {write: (*Courier).creditNotice, idle: typus.NotSentCreditsEmpty},
	typus.LetterCreditsEmpty:   {write: (*Courier).creditNotice, idle: typus.NotSentCreditsAgain},
	typus.LetterCreditsRefused: {write: (*Courier).creditNotice, idle: typus.NotSentCreditsAgain},

	typus.LetterTeamInvitation: {write: (*Courier).toUser, link: typus.Links.Password},
	typus.LetterPasswordReset:  {write: (*Courier).toUser, link: typus.Links.Password},
	typus.LetterEmailChange:    {write: (*Courier).toUser, link: typus.Links.Confirm},
	typus.LetterEmailChanged:   {write: (*Courier).toUser, link: typus.Links.TakeBack},
	typus.LetterSignUp:         {write: (*Courier).signUp, link: typus.Links.Confirm},
	typus.LetterEnrolment:      {write: (*Courier).enrolment},

	typus.LetterEmailMoved:      {write: (*Courier).accessNotice, link: newPassword},
	typus.LetterEmailRestored:   {write: (*Courier).accessNotice, link: newPassword},
	typus.LetterPasswordChanged: {write: (*Courier).accessNotice, link: newPassword},
	typus.LetterTOTPOn:          {write: (*Courier).accessNotice, link: newPassword},
	typus.LetterTOTPOff:         {write: (*Courier).accessNotice, link: newPassword},
	typus.LetterTOTPReset:       {write: (*Courier).accessNotice, link: newFactor},
	typus.LetterRecoveryCodes:   {write: (*Courier).accessNotice, link: newPassword},
}

// noNewLink is why nobody need hear that a candidate has asked for a new link.
func noNewLink(stand typus.Stand) string {
	switch stand {
	case typus.StandExpired:
		return ""
	case typus.StandFinished, typus.StandWithdrawn:
		return stand.NotSent()
	}
	return typus.NotSentLinkWorks
}

func stillFailing(_ typus.Letter, e typus.Endpoint) bool {
	return e.Status == typus.EndpointFailing && !e.FailingToldAt.IsZero()
}

// gaveUpSince holds for a webhook that is off in the meantime too: that result is not
// sent again.
func gaveUpSince(l typus.Letter, e typus.Endpoint) bool { return !e.GivenUpToldAt.Before(l.CreatedAt) }

func stillOff(_ typus.Letter, e typus.Endpoint) bool {
	return e.Status == typus.EndpointDisabled || e.Status == typus.EndpointGone
}

// Who did not make a change of how they log in can act on it there.
func newPassword(l typus.Links, _ string) string { return l.ForgotPassword() }
func newFactor(l typus.Links, _ string) string   { return l.SecondFactor() }
