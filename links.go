package typus

import (
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Links makes the addresses by which others reach us: those in letters, webhooks and
// answers of the API. Without a BaseURL they are the paths of our own pages.
type Links struct {
	BaseURL string // origin, without a slash at the end
}

// Secure reports whether we are reached by https, so that cookies are for https only.
func (l Links) Secure() bool { return strings.HasPrefix(l.BaseURL, "https:") }

// Host is the name of the host we are reached at, without a port; "" for none.
func (l Links) Host() string {
	u, err := url.Parse(l.BaseURL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// Of makes the addresses of an account that people open who have no login: at its own host, if
// it has one. The team's are those of the server for everybody, since a login holds for one
// host.
func (l Links) Of(a Account) GuestLinks {
	u, err := url.Parse(l.BaseURL)
	if a.Host == "" || l.BaseURL == "" || err != nil {
		return GuestLinks{l.BaseURL}
	}
	host := a.Host
	if port := u.Port(); port != "" {
		host = net.JoinHostPort(host, port)
	}
	return GuestLinks{u.Scheme + "://" + host}
}

// Report shows the team a candidate, with the report once the test is finished.
func (l Links) Report(candidateID int64) string {
	return l.BaseURL + "/dashboard/kandidat/" + strconv.FormatInt(candidateID, 10)
}

// Dashboard lists the candidates.
func (l Links) Dashboard() string { return l.BaseURL + "/dashboard" }

// Credits shows the account's credits.
func (l Links) Credits() string { return l.BaseURL + "/dashboard/credits" }

// Webhooks shows the account's webhooks.
func (l Links) Webhooks() string { return l.BaseURL + "/dashboard/einstellungen/webhooks" }

// SecondFactor is where a user sets up a second factor.
func (l Links) SecondFactor() string {
	return l.BaseURL + "/dashboard/einstellungen/profil/zwei-faktor"
}

// Asked is the server's own address of what was asked for, by path and query, at another name.
func (l Links) Asked(uri string) string { return l.BaseURL + uri }

// SetUp makes the first account.
func (l Links) SetUp(token string) string {
	return l.BaseURL + "/einrichten?token=" + url.QueryEscape(token)
}

// ForgotPassword asks for a letter with a link to a new password.
func (l Links) ForgotPassword() string { return l.BaseURL + "/passwort" }

// Password sets a user's password.
func (l Links) Password(token string) string { return l.BaseURL + "/passwort/" + token }

// Confirm proves that an address is the user's: a new one, or that of a sign-up.
func (l Links) Confirm(token string) string { return l.BaseURL + "/bestaetigen/" + token }

// TakeBack makes a user's former address count again.
func (l Links) TakeBack(token string) string { return l.BaseURL + "/zuruecknehmen/" + token }

// APIInvites is where the API takes invitations.
func (l Links) APIInvites() string { return l.BaseURL + "/api/v1/invites" }

// APICandidates is where the API lists candidates.
func (l Links) APICandidates() string { return l.BaseURL + "/api/v1/candidates" }

// APICandidate is where the API answers with one candidate.
func (l Links) APICandidate(id int64) string {
	return l.APICandidates() + "/" + strconv.FormatInt(id, 10)
}

// APILetters is where the API lists the letters of a test world.
func (l Links) APILetters() string { return l.BaseURL + "/api/test/letters" }

// APIMove says how far a move of a test world's clock is.
func (l Links) APIMove(moveID int64) string {
	return l.BaseURL + "/api/test/clock/" + strconv.FormatInt(moveID, 10)
}

// ErrorHelp explains an error of the API by its code.
func (l Links) ErrorHelp(code string) string { return l.BaseURL + "/docs/errors#" + code }

// WebhookHelp explains to a receiver what calls it.
func (l Links) WebhookHelp() string { return l.BaseURL + "/docs/webhooks" }

// GuestLinks makes the addresses by which candidates, whoever enrols and experts reach us. The
// zero value makes the paths of our own pages.
type GuestLinks struct {
	origin string
}

// Origin is what the addresses begin with.
func (l GuestLinks) Origin() string { return l.origin }

// Test opens a candidate's test.
func (l GuestLinks) Test(token string) string { return l.origin + "/t/" + token }

// Expert is where an expert says what a position asks for.
func (l GuestLinks) Expert(token string) string { return l.origin + "/e/" + token }

// Public is where people ask for a test by the public link of a position.
func (l GuestLinks) Public(token string) string { return l.origin + "/p/" + token }

// Enrolment is where an address is confirmed that was typed at a public link.
func (l GuestLinks) Enrolment(token string) string { return l.Public("bestaetigen") + "/" + token }

// Reminders is where the candidate of a test ends the reminders.
func (l GuestLinks) Reminders(token string) string { return l.Test(token) + "/erinnerungen" }

// OwnResult shows a candidate their own result, on the device that handed in or by a code.
func (l GuestLinks) OwnResult(token string) string { return l.Test(token) + "/ergebnis" }
