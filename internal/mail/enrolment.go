package mail

import (
	"time"

	"typus"
)

// Enrolment is a letter to an address that was typed at the public link of a position. It
// names nobody, because whoever typed it can have taken any address and any name.
type Enrolment struct {
	Language    string // "de" or "en"; German for any other
	Look        Look
	AccountName string
	Contact     string    // address for questions, also the letter's Reply-To; "" for none
	Link        string    // by which the address is confirmed
	Expires     time.Time // of the link
}

// Message writes the letter as Invitation's does.
func (e Enrolment) Message() (Message, error) {
	i := Invitation{Language: e.Language, Look: e.Look, AccountName: e.AccountName, Contact: e.Contact, Link: e.Link, Expires: e.Expires}.clean()
	return i.address(render(typus.LetterEnrolment, i.Language, i))
}
