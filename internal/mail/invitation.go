package mail

import (
	"fmt"
	"time"

	"typus"
)

// Invitation is what the letter to a candidate says.
type Invitation struct {
	Language      string // "de" or "en"; German for any other
	Look          Look
	CandidateName string
	AccountName   string
	Link          string
	Expires       time.Time
	Contact       string                // address for questions, also the letter's Reply-To; "" for none
	Own           *typus.LetterTemplate // the account's own text; nil for ours
	Told          typus.NoticeFacts     // what the candidate is told: the letter says for whom the account looks for people
}

// Message writes the letter, without an ID and without a recipient's address. Names
// lose everything that could be taken for a link, and a contact that is no address is
// left out. An error means that our text of the letter is broken.
func (i Invitation) Message() (Message, error) {
	i = i.clean()
	return i.address(write(typus.LetterInvitation, i.Language, i.Own, i, i.values(), i.Link))
}

// clean removes from the fields whatever a mail program could take for a link.
func (i Invitation) clean() Invitation {
	i.CandidateName = plainName(i.CandidateName)
	i.AccountName = nameOr(i.AccountName, i.Language, "Das einladende Unternehmen", "The inviting company")
	if _, err := Address(i.Contact); err != nil {
		i.Contact = ""
	}
	return i
}

// values are what the placeholders of an own text stand for.
func (i Invitation) values() map[string]string {
	return map[string]string{
		typus.PlaceholderName: i.CandidateName, typus.PlaceholderAccount: i.AccountName,
		typus.PlaceholderLink: i.Link, typus.PlaceholderExpires: i.Until(),
	}
}

// Client is for whom the account looks for people, "" for itself or for one that is not named.
func (i Invitation) Client() string { return plainName(i.Told.Client) }

// ClientKind says in place of Client what kind of company it is, "" for none.
func (i Invitation) ClientKind() string {
	if i.Client() != "" {
		return ""
	}
	words, _ := i.Told.ClientKind.In(known(i.Language))
	return plain(words, maxClientKind)
}

// maxClientKind is how many characters of such a description a letter shows: all that an
// account may store.
const maxClientKind = 200

func (i Invitation) address(m Message, err error) (Message, error) {
	m.FromName, m.ToName, m.ReplyTo = i.AccountName, i.CandidateName, i.Contact
	return m, err
}

// Until is the end of validity as the letter shows it, with the zone that Expires is in: the
// candidate may live in another one.
func (i Invitation) Until() string { return until(i.Expires, i.Language) }

// Reminder is what the letter to a candidate says who has not finished.
type Reminder struct {
	Invitation
	Begun bool   // the test has begun: it goes on where it was left
	Stop  string // address at which one click ends the reminders
}

// Message writes the letter as Invitation's does. Its header and its small print have
// the link that ends the reminders with one click.
func (r Reminder) Message() (Message, error) {
	r.Invitation = r.clean()
	m, err := r.address(write(typus.LetterReminder, r.Language, r.Own, r, r.values(), r.Link, r.Stop))
	m.Stop = r.Stop
	return m, err
}

// Receipt is what the letter to a candidate says who has finished. It says nothing of the
// result, because others may read it: the team can correct the address.
type Receipt struct {
	Language      string // "de" or "en"; German for any other
	Look          Look
	CandidateName string
	AccountName   string
	Contact       string                // address for questions, also the letter's Reply-To; "" for none
	Link          string                // to the candidate's own result
	Policy        typus.OwnResultPolicy // when it can be seen there
	Own           *typus.LetterTemplate // the account's own text; nil for ours
	Told          typus.NoticeFacts     // as Invitation's
}

// Message writes the letter as Invitation's does. The small print leads to the page of the
// own result, where the link alone shows nothing.
func (r Receipt) Message() (Message, error) {
	i := Invitation{Language: r.Language, Look: r.Look, CandidateName: r.CandidateName, AccountName: r.AccountName, Contact: r.Contact, Own: r.Own, Told: r.Told}.clean()
	fields := struct {
		Invitation
		Link   string
		Policy string
	}{i, r.Link, string(r.Policy)}
	return i.address(write(typus.LetterReceipt, i.Language, i.Own, fields, i.values(), r.Link))
}

// OwnLetter is what a letter to a candidate says about the page of their own result. None
// says anything of the result.
type OwnLetter struct {
	Language      string           // "de" or "en"; German for any other
	Look          Look             // of the account
	Kind          typus.LetterKind // LetterOwnCode, LetterOwnReleased or LetterOwnAnswered
	CandidateName string
	AccountName   string
	Contact       string    // address for questions, also the letter's Reply-To; "" for none
	Link          string    // to that page; a code has none, because whoever asked has the page open
	Code          string    // six digits
	Before        bool      // the test is not handed in: the code is to earlier answers, if there are any
	Expires       time.Time // of the code
}

// Message writes the letter as Invitation's does. Internal for another Kind.
func (l OwnLetter) Message() (Message, error) {
	i := Invitation{
		Language: l.Language, Look: l.Look, CandidateName: l.CandidateName, AccountName: l.AccountName, Contact: l.Contact, Link: l.Link,
		Expires: l.Expires,
	}.clean()
	fields := struct {
		Invitation
		Code   string
		Before bool
	}{i, l.Code, l.Before}
	if len(l.Code) == 6 {
		fields.Code = l.Code[:3] + " " + l.Code[3:]
	}
	return i.address(render(l.Kind, i.Language, fields, l.Link))
}

func nameOr(name, language, german, english string) string {
	if name = plainName(name); name != "" {
		return name
	}
	if known(language) == "en" {
		return english
	}
	return german
}

// until is a time as letters show it, in its zone and with that; "" for the zero time.
func until(at time.Time, language string) string {
	if at.IsZero() {
		return ""
	}
	if known(language) == "en" {
		return at.Format("2 January 2006, 15:04") + " (" + typus.ZoneName(at, "en") + ")"
	}
	months := [...]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}
	return fmt.Sprintf("%d. %s %d, %s Uhr (%s)", at.Day(), months[at.Month()-1], at.Year(), at.Format("15:04"), typus.ZoneName(at, "de"))
}
