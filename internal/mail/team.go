package mail

import (
	"strings"
	"time"

	"typus"
)

// TeamNotice is a letter to people of an account about one candidate: the test is
// finished, or the candidate asks for a new link or for an answer. It never says how a
// test went, because others may read the letter.
type TeamNotice struct {
	Language      string           // "de" or "en"; German for any other
	Kind          typus.LetterKind // LetterCompleted, LetterLinkRequested or LetterOwnAsked
	AccountName   string
	CandidateName string
	Link          string // to the candidate in the dashboard
}

// Message writes the letter without an ID and a recipient's address. Internal
// for another Kind.
func (n TeamNotice) Message() (Message, error) {
	n.AccountName = ourAccount(n.AccountName, n.Language)
	n.CandidateName = plainName(n.CandidateName)
	return fromUs(render(n.Kind, n.Language, n))
}

// TeamList is a letter to people of an account about several things: the
// candidates of a day, or webhooks that are in trouble.
type TeamList struct {
	Language    string           // "de" or "en"; German for any other
	Kind        typus.LetterKind // LetterDigest, LetterWebhookFailing, LetterWebhookGivenUp or LetterWebhookOff
	AccountName string
	People      []string // what is listed; names of people, hosts of webhooks
	More        int      // that are not listed
	Link        string   // to where all of them are
}

// Message writes the letter without an ID and a recipient's address. Internal
// for another Kind.
func (n TeamList) Message() (Message, error) {
	n.AccountName = ourAccount(n.AccountName, n.Language)
	return fromUs(render(n.Kind, n.Language, n))
}

// Count is how many there are in all.
func (n TeamList) Count() int { return len(n.People) + n.More }

// Names are the lines of the list.
func (n TeamList) Names() string {
	lines := make([]string, len(n.People))
	for i, name := range n.People {
		lines[i] = nameOr(name, n.Language, "ohne Namen", "without a name")
	}
	return strings.Join(lines, "\n")
}

// UserLetter is a letter to a present or future user: it brings a one-time link, or
// tells of a change in how they log in. An invitation comes from the account, and
// replies go to whoever invites. What a user has asked for comes from the service.
type UserLetter struct {
	Language    string           // "de" or "en"; German for any other
	Look        Look             // of the account; only an invitation wears it
	Kind        typus.LetterKind // names the text
	AccountName string
	Name        string // of the person; "" for none
	By          string // the name of the one who invites; "" for none
	Contact     string // the Reply-To of an invitation; "" for none
	Link        string
	Expires     time.Time // of the link; zero leaves it out
	At          time.Time // of the change that the letter is about
}

// Message writes the letter without an ID and a recipient's address. Internal
// when there is no text of that Kind.
func (l UserLetter) Message() (Message, error) {
	l.AccountName = ourAccount(l.AccountName, l.Language)
	l.Name, l.By = plainName(l.Name), plainName(l.By)
	m, err := fromUs(render(l.Kind, l.Language, l))
	if m.ToName = l.Name; l.Kind == typus.LetterTeamInvitation {
		m.FromName, m.ReplyTo = l.AccountName, l.Contact
	}
	return m, err
}

// Until is the end of the link as the letter shows it, "" for none.
func (l UserLetter) Until() string { return until(l.Expires, l.Language) }

// When is the time of the change as the letter shows it, "" for none.
func (l UserLetter) When() string { return until(l.At, l.Language) }

// Trial is a letter that somebody sends to themself to see that letters arrive.
type Trial struct {
	Language    string // "de" or "en"; German for any other
	Look        Look
	AccountName string
	Contact     string // the Reply-To of letters to candidates; "" for none
}

// Message writes the letter, with the sender's name and the reply address of
// letters to candidates, without an ID and a recipient's address.
func (t Trial) Message() (Message, error) {
	i := Invitation{Language: t.Language, Look: t.Look, AccountName: t.AccountName, Contact: t.Contact}.clean()
	return i.address(render(textTrial, i.Language, i))
}

func ourAccount(name, language string) string {
	return nameOr(name, language, "Ihr Unternehmen", "Your company")
}

// fromUs makes the service itself the sender.
func fromUs(m Message, err error) (Message, error) {
	m.FromName = product
	return m, err
}
