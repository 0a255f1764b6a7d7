package mail

import (
	"fmt"
	"time"

	"typus"
)

// Invitation is what the letter to a candidate says.
type Invitation struct {
	Language      string // "de" or "en"; German for any other
	CandidateName string
	AccountName   string
	Link          string
	Expires       time.Time
	Contact       string // address for questions, also the letter's Reply-To; "" for none
}

// Message writes the letter without an ID and a recipient's address. Names
// come out without anything that could be taken for a link, and a contact that
// is no address is left out. An error means that the letter's copy is broken.
func (i Invitation) Message() (Message, error) {
	i.CandidateName = plainName(i.CandidateName)
	i.AccountName = nameOr(i.AccountName, i.Language, "Das einladende Unternehmen", "The inviting company")
	if _, err := Address(i.Contact); err != nil {
		i.Contact = ""
	}
	m, err := render(typus.LetterInvitation, i.Language, i)
	m.FromName, m.ToName, m.ReplyTo = i.AccountName, i.CandidateName, i.Contact
	return m, err
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

// Until is the end of validity as the letter shows it, in UTC: the server
// does not know where the candidate lives.
func (i Invitation) Until() string {
	at := i.Expires.UTC()
	if known(i.Language) == "en" {
		return at.Format("2 January 2006, 15:04 (UTC)")
	}
	months := [...]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}
	return fmt.Sprintf("%d. %s %d, %s Uhr (UTC)", at.Day(), months[at.Month()-1], at.Year(), at.Format("15:04"))
}
