package mail

import "typus"

// product is the sender's name of letters that the service itself writes.
const product = "Typus"

// CreditNotice is a letter to an account's owners about its balance.
type CreditNotice struct {
	Language    string           // "de" or "en"; German for any other
	Kind        typus.LetterKind // LetterCreditsLow, LetterCreditsEmpty or LetterCreditsRefused
	AccountName string
	Plan        typus.Plan // the starter plan stops inviting at 0, the business plan does not
	Balance     int64
	// DashboardURL leads to the credits in the dashboard.
	DashboardURL string
}

// Message writes the letter without an ID and a recipient's address. Internal
// when Kind is none of the three.
func (n CreditNotice) Message() (Message, error) {
	n.AccountName = ourAccount(n.AccountName, n.Language)
	return fromUs(render(n.Kind, n.Language, n))
}

// Starter reports whether invitations stop at a balance of 0.
func (n CreditNotice) Starter() bool { return n.Plan == typus.PlanStarter }
