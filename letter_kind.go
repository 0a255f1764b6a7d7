package typus

// LetterKind names the text of a letter.
type LetterKind string

// The letters that are written today. Those with a link of their own bring a one-time
// token.
const (
	LetterInvitation LetterKind = "invitation"
	LetterReminder   LetterKind = "reminder" // to who has not finished
	LetterReceipt    LetterKind = "receipt"  // to who has finished

	LetterOwnCode     LetterKind = "own_code"     // a code to the own result, which the candidate asked for
	LetterOwnReleased LetterKind = "own_released" // the own result can be seen
	LetterOwnAnswered LetterKind = "own_answered" // a request of the candidate is answered

	LetterCompleted     LetterKind = "completed"       // a candidate has finished
	LetterDigest        LetterKind = "completed_daily" // those who finished since the last one
	LetterLinkRequested LetterKind = "link_requested"  // a candidate asks for a new link
	LetterOwnAsked      LetterKind = "own_asked"       // a candidate asks for something that must be answered

	LetterWebhookFailing LetterKind = "webhook_failing"  // an endpoint has received nothing for a day
	LetterWebhookGivenUp LetterKind = "webhook_given_up" // an event was tried for the last time, and did not arrive
	LetterWebhookOff     LetterKind = "webhook_off"      // an endpoint was switched off by itself

	LetterCreditsLow     LetterKind = "credits_low"     // a fifth of the last grant is left
	LetterCreditsEmpty   LetterKind = "credits_empty"   // the balance reached 0
	LetterCreditsRefused LetterKind = "credits_refused" // an invitation was refused for want of credits

	LetterTeamInvitation LetterKind = "team_invitation" // its link sets the first password
	LetterPasswordReset  LetterKind = "password_reset"  // its link sets a new password
	LetterEmailChange    LetterKind = "email_change"    // to the new address: its link confirms it
	LetterEmailChanged   LetterKind = "email_changed"   // to the former address: its link makes it count again
	LetterSignUp         LetterKind = "signup"          // its link makes the account
	LetterEnrolment      LetterKind = "enrolment"       // its link confirms an address that was typed at a public link

	LetterEmailMoved      LetterKind = "email_moved"    // to the former address, without a way back
	LetterEmailRestored   LetterKind = "email_restored" // to the address that was taken back
	LetterPasswordChanged LetterKind = "password_changed"
	LetterTOTPOn          LetterKind = "second_factor_on"
	LetterTOTPOff         LetterKind = "second_factor_off"
	LetterTOTPReset       LetterKind = "second_factor_reset" // by an owner or the operator
	LetterRecoveryCodes   LetterKind = "recovery_codes"
)

// LetterReader says who reads letters of a kind.
type LetterReader string

// The readers of letters.
const (
	ReaderCandidate LetterReader = "candidate" // whom it is about
	ReaderInviter   LetterReader = "inviter"   // whoever invited the candidate and may see them; else the addresses the account has chosen, or else the owners
	ReaderOwners    LetterReader = "owners"
	ReaderAdmins    LetterReader = "admins"   // and owners
	ReaderUser      LetterReader = "user"     // one person of the team, present or future
	ReaderStranger  LetterReader = "stranger" // whoever signs up or enrols, of no account yet
)

// letterFacts is what is true of every letter of a kind, however it is written.
type letterFacts struct {
	kind    LetterKind
	reader  LetterReader
	counted bool
	urgent  bool
	ours    bool
	always  bool
}

var letterKinds = [...]letterFacts{
	{kind: LetterInvitation, reader: ReaderCandidate, counted: true},
	{kind: LetterReminder, reader: ReaderCandidate, counted: true},
	{kind: LetterReceipt, reader: ReaderCandidate, counted: true},
	{kind: LetterOwnCode, reader: ReaderCandidate, urgent: true, always: true},
	{kind: LetterOwnReleased, reader: ReaderCandidate, counted: true, always: true},
	{kind: LetterOwnAnswered, reader: ReaderCandidate, always: true},
	{kind: LetterCompleted, reader: ReaderInviter},
	{kind: LetterDigest, reader: ReaderInviter},
	{kind: LetterLinkRequested, reader: ReaderInviter},
	{kind: LetterOwnAsked, reader: ReaderInviter, always: true},
	{kind: LetterWebhookFailing, reader: ReaderAdmins},
	{kind: LetterWebhookGivenUp, reader: ReaderAdmins},
	{kind: LetterWebhookOff, reader: ReaderAdmins},
	{kind: LetterCreditsLow, reader: ReaderOwners, ours: true},
	{kind: LetterCreditsEmpty, reader: ReaderOwners, ours: true},
	{kind: LetterCreditsRefused, reader: ReaderOwners, ours: true},
	{kind: LetterTeamInvitation, reader: ReaderUser, counted: true},
	{kind: LetterPasswordReset, reader: ReaderUser, urgent: true, ours: true, always: true},
	{kind: LetterEmailChange, reader: ReaderUser, urgent: true, ours: true, always: true},
	{kind: LetterEmailChanged, reader: ReaderUser, urgent: true, ours: true, always: true},
	{kind: LetterSignUp, reader: ReaderStranger, urgent: true, ours: true, always: true},
	{kind: LetterEnrolment, reader: ReaderStranger, urgent: true},
	{kind: LetterEmailMoved, reader: ReaderUser, urgent: true, ours: true, always: true},
	{kind: LetterEmailRestored, reader: ReaderUser, urgent: true, ours: true, always: true},
	{kind: LetterPasswordChanged, reader: ReaderUser, urgent: true, ours: true, always: true},
	{kind: LetterTOTPOn, reader: ReaderUser, urgent: true, ours: true, always: true},
	{kind: LetterTOTPOff, reader: ReaderUser, urgent: true, ours: true, always: true},
	{kind: LetterTOTPReset, reader: ReaderUser, urgent: true, ours: true, always: true},
	{kind: LetterRecoveryCodes, reader: ReaderUser, urgent: true, ours: true, always: true},
}

// LetterKinds are the kinds of which keep is true, in the order in which they are
// explained; all of them for nil.
func LetterKinds(keep func(LetterKind) bool) []LetterKind {
	var kinds []LetterKind
	for _, f := range letterKinds {
		if keep == nil || keep(f.kind) {
			kinds = append(kinds, f.kind)
		}
	}
	return kinds
}

func (k LetterKind) facts() letterFacts {
	for _, f := range letterKinds {
		if f.kind == k {
			return f
		}
	}
	return letterFacts{}
}

// Reader is who reads letters of this kind, "" where there is no such kind.
func (k LetterKind) Reader() LetterReader { return k.facts().reader }

// ToCandidate reports whether letters of this kind go to the candidate they are about;
// the others go to people of the account.
func (k LetterKind) ToCandidate() bool { return k.Reader() == ReaderCandidate }

// Counted reports whether a letter of this kind counts for the account's daily number:
// it goes to somebody who did not ask for it.
func (k LetterKind) Counted() bool { return k.facts().counted }

// Urgent reports whether a person waits for every letter of this kind, or must hear of
// it at once: those about how somebody logs in.
func (k LetterKind) Urgent() bool { return k.facts().urgent }

// FromServer reports whether letters of this kind come from the server whatever sender the
// account has: those about how somebody logs in, which must arrive also while that sender is
// refused, and those about what the account has bought.
func (k LetterKind) FromServer() bool { return k.facts().ours }

// NeededAlways reports whether letters of this kind go out also while the account is suspended:
// those by which people log in or hear that somebody does, and those about what candidates ask
// for who want to know or change what is stored about them, or about their result.
func (k LetterKind) NeededAlways() bool { return k.facts().always }
