package dashboard

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/page"
	"typus/internal/store"
	"typus/internal/web"
)

// frame is what the layout shows around every page.
type frame struct {
	page.Frame
	Me      *me // nil before the login
	Area    string
	Section string // of the settings
	Crumbs  []crumb
	Flash   flash
	Apart   bool      // the page says a good flash itself, beside the form that it is about
	Nonce   string    // names a form on the page that makes something
	Seen    string    // what a form on the page that replaces something shows of it
	Overdue int       // people whose deletion waits for an owner's word; told to those who can see the settings
	NoMail  bool      // letters wait since there is no mail server; told to those who can change it
	Away    time.Time // since when letters wait for the mail server, zero: they do not; told to the same
	Hook    string    // text key: a webhook that is off or fails, "" for none; told to the same
	Idle    time.Time // since when the account has been suspended, zero: it is not
	IdleWhy string    // why, told to those who run the account; may be empty
	Alert   string
	Faults  []*field // in the order of the form
}

// me is the logged-in user as the layout shows them.
type me struct {
	ID                   int64
	Email, Name, Account string
	Role                 typus.UserRole
	Theme                string
	Credits              int64
	Low                  bool // invitations are refused
	World                bool // the page is about the account's test world
}

// May reports whether the user has at least a role; templates hide what would
// be refused.
func (m *me) May(role string) bool { return m != nil && m.Role.AtLeast(typus.UserRole(role)) }

// CreditCount is Credits for texts that depend on the number, cut to −2 to 2: only one
// and minus one differ from the rest.
func (m *me) CreditCount() int { return int(min(max(m.Credits, -2), 2)) }

// Called is how the user is addressed.
func (m *me) Called() string { return typus.User{Name: m.Name, Email: m.Email}.Called() }

// Initials are one or two letters for the user's menu.
func (m *me) Initials() string {
	var letters []rune
	for _, word := range strings.FieldsFunc(m.Called(), func(r rune) bool { return r == ' ' || r == '.' || r == '@' || r == '-' }) {
		letters = append(letters, []rune(strings.ToUpper(word))[0])
	}
	return string(letters[:min(len(letters), 2)])
}

// crumb is a page above the one shown.
type crumb struct {
	Label string // text key; "" for Name
	Name  string
	Path  string
}

// The areas of the navigation.
const (
	areaHome       = "heute"
	areaCandidates = "kandidaten"
	areaPositions  = "stellen"
	areaInvite     = "einladen"
	areaCredits    = "credits"
	areaSettings   = "einstellungen"
	areaSandbox    = "test"
)

// frame starts a page of an area and takes what the last action left to say.
func (f *face) frame(v *visit, area string) frame {
	fr := frame{Area: area, Flash: f.takeFlash(v), Nonce: newNonce(v)}
	if fr.Flash == (flash{}) && v.URL.Query().Has(sentMark) {
		fr.Flash = flash{Kind: "good", Text: f.say(v, f.sentText(v))}
	}
	if !v.known() {
		if said := lateText(v); said != "" && fr.Flash == (flash{}) {
			fr.Flash = flash{Kind: "bad", Text: f.say(v, said)}
		}
		fr.Switch.Keep = v.URL.RawQuery
		return fr
	}
	fr.Brand, fr.Times = v.Account.Name, page.TimesOf(v.Account)
	fr.Switch = page.Switch{Action: languagePath, Page: ownPath(v.URL.RequestURI())}
	fr.Me = &me{
		ID: v.User.ID, Email: v.User.Email, Name: v.User.Name, Account: v.Account.Name, Role: v.User.Role, Theme: v.User.Theme,
		Credits: v.Account.Credits, Low: v.Account.OutOfCredits(), World: v.Account.IsWorld(),
	}
	fr.Idle = v.Account.SuspendedAt
	if v.may(admin) {
		fr.IdleWhy = v.Account.SuspendedReason
	}
	if v.may(admin) && !v.Account.IsWorld() {
		fr.NoMail, fr.Overdue = !f.Mail, v.Account.ErasureWaits
		fr.Away, fr.Hook = f.away(v), hookTold[v.Trouble.Endpoints]
	}
	return fr
}

// awayAfter is how long letters wait for the mail server until that is said.
const awayAfter = 15 * time.Minute

// away is since when letters wait for a mail server that there is.
func (f *face) away(v *visit) time.Time {
	since := v.Trouble.MailSince
	if !f.Mail || since.IsZero() || f.now().Sub(since) < awayAfter {
		return time.Time{}
	}
	return since
}

// hookTold are the text keys of what is said of webhooks.
var hookTold = map[store.EndpointTrouble]string{store.EndpointOff: "shell.hookOff", store.EndpointFails: "shell.hookFailing"}

// copied is something to copy, and what it is.
type copied struct {
	Value string
	Label string // text key
	Of    string // whose it is, where there are several of a kind
}

// Copy is for the button that copies a value, which is named by a text key.
func (frame) Copy(value, label string) copied { return copied{Value: value, Label: label} }

// CopyOf is Copy for one of several, which the name tells apart.
func (frame) CopyOf(value, label, name string) copied { return copied{value, label, name} }

// Here is the value of aria-current in the navigation: the page itself, or a page below
// it.
func (fr frame) Here() string {
	if len(fr.Crumbs) > 0 {
		return "true"
	}
	return "page"
}

// settingsFrame starts a page of the settings.
func (f *face) settingsFrame(v *visit, section string) frame {
	fr := f.frame(v, areaSettings)
	fr.Section = section
	return fr
}

// The sections of the settings; those of the account are the last words of their addresses.
const (
	sectionKeys     = "api-schluessel"
	sectionWebhooks = "webhooks"
	sectionSandbox  = "test"
	sectionTeam     = "team"
	sectionRoles    = "rollenprofile"
	sectionGeneral  = "allgemein"
	sectionLook     = "auftritt"
	sectionMessages = "nachrichten"
	sectionDecision = "entscheidung"
	sectionOwn      = "ergebnis"
	sectionKeep     = "aufbewahrung"
	sectionNotice   = "hinweise"
	sectionLetters  = "briefe"
	sectionAudit    = "protokoll"
	sectionProfile  = "profil"
)

// The groups of the sections.
const (
	groupLinks   = "verbindungen"
	groupAccount = "konto"
)

// Group is the group of the section, or the section itself where it stands alone.
func (fr frame) Group() string {
	switch fr.Section {
	case sectionKeys, sectionWebhooks, sectionSandbox:
		return groupLinks
	case sectionTeam, sectionRoles, sectionProfile, "":
		return fr.Section
	}
	return groupAccount
}

// render answers with a page.
func (f *face) render(v *visit, status int, view page.View) error {
	if v.Account.IsWorld() {
		return f.renderWorld(v, status, view)
	}
	return f.pages.Render(v.w, status, v.lang, view)
}

// plainView is a page that says one thing.
type plainView struct {
	frame
	Heading, Advice string // text keys
	Said            string // in place of Advice
	Refused         bool   // nothing was taken of a form: the browser keeps what it has of it
}

// Template names the page.
func (plainView) Template() string { return "plain" }

// maxDrained bounds how much of a body is read that is refused for its length.
const maxDrained = 64 << 20

// unread answers a form that could not be read. Of one that is too large, the rest is read
// first, up to a bound: some browsers show nothing but a broken connection if they are
// answered while they send. Then the page says how much it was.
func (f *face) unread(v *visit, err error, rest io.Reader, most int64) error {
	if !v.known() || web.Status(err) != http.StatusRequestEntityTooLarge {
		return err
	}
	read, _ := io.Copy(io.Discard, io.LimitReader(rest, maxDrained)) // what cannot be read was not needed
	fr := f.frame(v, "")
	fr.Switch.None = true
	view := plainView{frame: fr, Heading: "form.tooLarge.heading"}
	view.Said = f.say(v, "form.tooLarge", "Size", bytesInWords(v.lang, max(v.ContentLength, most+read)), "Most", bytesInWords(v.lang, most))
	return f.render(v, http.StatusRequestEntityTooLarge, view)
}

// bytesInWords writes a number of bytes for people, rounded up, so that what is above a bound
// never looks like it.
func bytesInWords(lang string, n int64) string {
	if n < 1<<20 {
		return strconv.FormatInt((n+1023)>>10, 10) + " KB"
	}
	said := tenths(lang, int((n*10+1<<20-1)>>20))
	return strings.TrimSuffix(strings.TrimSuffix(said, ".0"), ",0") + " MB"
}

// missing is the page for whatever does not exist or belongs to somebody else. It does
// not tell which.
func (f *face) missing(v *visit) error {
	fr := f.frame(v, "")
	fr.Switch.None = v.Method != http.MethodGet
	return f.render(v, http.StatusNotFound, plainView{frame: fr, Heading: "error.missing.heading", Advice: "shell.missing"})
}

// refuse is the page for those whose role does not allow what they asked for.
func (f *face) refuse(v *visit) error {
	fr := f.frame(v, "")
	fr.Switch.None = v.Method != http.MethodGet
	return f.render(v, http.StatusForbidden, plainView{frame: fr, Heading: "shell.refused.heading", Advice: "shell.refused.advice"})
}

// suspended is the page for what is not done while the account is suspended. What was typed
// stays with the browser. The script that keeps a draft hears it as a word of its own.
func (f *face) suspended(v *visit) error {
	if v.Header.Get("Accept") == "application/json" {
		return sayKept(v, http.StatusForbidden, keptDraft{Suspended: true})
	}
	fr := f.frame(v, "")
	fr.Switch.None = v.Method != http.MethodGet
	return f.render(v, http.StatusForbidden, plainView{frame: fr, Heading: "shell.suspended.heading", Advice: "shell.suspended.advice", Refused: true})
}

func (f *face) root(v *visit) error {
	return f.goOn(v, homePath)
}

// settings leads to the first section that the role may open.
func (f *face) settings(v *visit) error {
	if !v.may(viewer) {
		return f.goOn(v, profilePath)
	}
	return f.goOn(v, keysPath)
}
