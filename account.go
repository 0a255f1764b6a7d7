package typus

import (
	"cmp"
	"slices"
	"time"
)

// Plan is what an account pays for.
type Plan string

// The two plans. Without credits only the starter plan, the "entry-level plan" of API
// description 7, is refused an invitation.
const (
	PlanStarter  Plan = "starter"
	PlanBusiness Plan = "business"
)

// Valid reports whether p is one of the two plans.
func (p Plan) Valid() bool { return p == PlanStarter || p == PlanBusiness }

// MaxInviteDays is for how many days an invitation may be valid from now on, when it is
// new and when it is extended (our choice).
const MaxInviteDays = 365

// MaxReminders is how many letters go at most to those who have not finished (our choice).
const MaxReminders = 2

// The bounds of Account.ShelfMonths (our choice): a result is not out of date within half
// a year, and what people said of themselves three years ago is.
const (
	MinShelfMonths = 6
	MaxShelfMonths = 36
)

// The bounds of Account.KeepAnswersDays (our choice): an integrator looks into a fault a week
// later, and nobody needs what a receiver answered a quarter ago.
const (
	MinKeepAnswersDays = 7
	MaxKeepAnswersDays = 90
)

// MostPeople bounds Account.MaxPeople (our choice): a server has no room for more.
const MostPeople = 10_000_000

// MaxLettersADay bounds Account.LettersADay, as it does the server's own number.
const MaxLettersADay = 1_000_000

// Account is the customer: it owns users, keys, candidates, webhooks and credits.
type Account struct {
	ID           int64
	ParentID     int64         // the account whose test world this is, 0: it is live
	Ahead        time.Duration // how far the clock of a test world is ahead of the machine's
	Name         string
	Plan         Plan
	Credits      int64  // balance, the sum of the ledger; may be below zero
	Language     string // "de" or "en": the language of letters and tests unless the invitation says otherwise
	Host         string // by which its candidates reach the server, "" for that of the server; the operator's to set
	Zone         Zone   // where its days begin and end, and whose hours are said
	RoleProfile  string // key of the role profile that invitations get unless they name one
	InviteDays   int    // days an invitation link stays valid, 1 to MaxInviteDays
	ContactEmail string // whom a candidate may ask, and who hears of credits while the account has no owner; may be empty
	CreatedAt    time.Time
	MaxPeople    int // candidates stored at once, 0 for any number, always 0 of a test world; the operator's to set
	LettersADay  int // to others in a day of UTC, 0 for the server's number; the operator's to set

	Accent             string    // "#rrggbb" of the account's own pages, "" for ours
	LogoType           string    // media type of the logo, "" for none
	LogoHash           string    // hex SHA-256 of the logo, "" for none: another picture, another address
	Reminders          int       // letters to those who have not finished, 0 to 2
	KeepFinishedDays   int       // retention after completion, 0: until erased by hand
	KeepUnfinishedDays int       // retention of tests that were never finished, from the end of the invitation; 0: until erased by hand
	KeepFromDecision   bool      // results are kept from the decision, else from the closing of the position (EraseAt)
	KeepUndecidedDays  int       // and while nothing is decided for so long after completion at most; 0: no bound
	KeepAnswersDays    int       // answers of webhooks' receivers and bodies of test events, MinKeepAnswersDays to MaxKeepAnswersDays
	KeepSetAt          time.Time // when the retention was last changed
	ErasureWaits       int       // people whose retention is over, more than are erased without an owner's word; 0: nobody waits
	ErasureWordAt      time.Time // the last such word covers whoever was due by then; zero: none was given
	WelcomeDE          string    // the account's own words on the start page of the test; may be empty
	WelcomeEN          string
	Notify             Notify    // when the team hears that a test was finished
	NotifyEmails       string    // for tests that no user invited, one address a line; "": the owners
	ScoreSortingAt     time.Time // when the account accepted the notice about sorting by score, zero: not yet
	ScoreSortingBy     string
	DecidesElsewhere   bool           // decisions about candidates are kept in another system
	ForwardsLetters    bool           // letters of this test world to people of its account are sent, too
	ShelfMonths        int            // after so many months a report says that it is too old, MinShelfMonths to MaxShelfMonths
	Notice             NoticeFacts    // what the account tells candidates before the test
	OwnResult          OwnResultTerms // when candidates see their own result, unless their position says otherwise
	DeletingAt         time.Time      // since when it is being deleted and lets nobody in, zero: it is not
	SuspendedAt        time.Time      // since when the operator has suspended it, zero: they have not
	SuspendedReason    string         // what they say about that to its owners and admins; may be empty
}

// IsWorld reports whether the account is a test world: a copy of its parent's settings in
// which nobody is real and the clock can be moved on.
func (a Account) IsWorld() bool { return a.ParentID != 0 }

// Home is the id of the account itself, or of the one whose test world it is. Users, letter
// texts and role profiles belong to it.
func (a Account) Home() int64 { return cmp.Or(a.ParentID, a.ID) }

// Itself is Forbidden for a test world, whose users, settings and plan are those of the account
// that it belongs to; the error names that account. Conflict: Open.
func (a Account) Itself() error {
	if !a.IsWorld() {
		return a.Open()
	}
	return Errorf(Forbidden, "account %d is the test world of account %d and has its users and settings; name account %d", a.ID, a.ParentID, a.ParentID)
}

// Open is a Conflict for an account that is being deleted: nobody is let in any more.
func (a Account) Open() error {
	if a.DeletingAt.IsZero() {
		return nil
	}
	return Errorf(Conflict, "account %d is being deleted and lets nobody in any more", a.ID)
}

// Suspended reports whether the operator has suspended the account: nobody is invited, nothing
// is begun and nothing is sent, while its people read, take along and erase what is theirs.
func (a Account) Suspended() bool { return !a.SuspendedAt.IsZero() }

// Serving is nil for an account for which everything is done. Conflict: Open. Suspended.
func (a Account) Serving() error {
	if err := a.Open(); err != nil || !a.Suspended() {
		return err
	}
	return Errorf(Suspended, "whoever runs this server has suspended the account (since %s), and nothing is done for it until they resume it; they can say why",
		a.SuspendedAt.UTC().Format(time.DateOnly))
}

// WorldTime is a stored time as the account's people see it. In a test world it is as
// much later as the world's clock is ahead; the zero time stays what it is.
func (a Account) WorldTime(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return at.Add(a.Ahead)
}

// MachineTime is the reverse of WorldTime, for times that people give.
func (a Account) MachineTime(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return at.Add(-a.Ahead)
}

// Shown is WorldTime in the account's zone, for whoever reads it; the zero time stays what it
// is.
func (a Account) Shown(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return a.WorldTime(at).In(a.Zone.Location())
}

// DayOf is the day of a stored time as the account's people see it, YYYY-MM-DD; "" for the
// zero time.
func (a Account) DayOf(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return a.Shown(at).Format(time.DateOnly)
}

// DayBegins is the stored time at which the day of a stored time began for the account's
// people.
func (a Account) DayBegins(at time.Time) time.Time {
	begins, _, _ := a.Zone.Day(a.DayOf(at))
	return a.MachineTime(begins)
}

// EndOfDay is the last minute of a day that people of the account type, YYYY-MM-DD, as a
// stored time; zero if it is no day.
func (a Account) EndOfDay(day string) time.Time {
	_, ends, sound := a.Zone.Day(day)
	if !sound {
		return time.Time{}
	}
	return a.MachineTime(ends.Add(-time.Minute))
}

// OutOfCredits reports whether the account may invite nobody (API description 7).
func (a Account) OutOfCredits() bool { return a.Plan == PlanStarter && a.Credits <= 0 }

// Welcome is what the account says on the start page in a language, "" for nothing.
func (a Account) Welcome(language string) string {
	if language == "en" {
		return a.WelcomeEN
	}
	return a.WelcomeDE
}

// Notify is when the team hears that a test was finished.
type Notify string

// The choices of Notify.
const (
	NotifyNow   Notify = "now"
	NotifyDaily Notify = "daily"
	NotifyOff   Notify = "off"
)

// Valid reports whether n is one of the three choices.
func (n Notify) Valid() bool { return n == NotifyNow || n == NotifyDaily || n == NotifyOff }

// Logo is the picture an account shows beside its name.
type Logo struct {
	MediaType string // "image/png", "image/jpeg" or "image/webp"
	Hash      string // hex SHA-256 of Body
	Body      []byte
}

// UserRole is what a user may do in an account.
type UserRole string

// The roles, from most to least: each may all that the next one may. An interviewer sees
// the candidates of their positions and nothing else of the account.
const (
	RoleOwner       UserRole = "owner"
	RoleAdmin       UserRole = "admin"
	RoleMember      UserRole = "member"
	RoleViewer      UserRole = "viewer"
	RoleInterviewer UserRole = "interviewer"
)

// UserRoles are all roles, from most to least.
func UserRoles() []UserRole {
	return []UserRole{RoleOwner, RoleAdmin, RoleMember, RoleViewer, RoleInterviewer}
}

// Valid reports whether r is one of UserRoles.
func (r UserRole) Valid() bool { return slices.Contains(UserRoles(), r) }

// AtLeast reports whether r may all that another role may. Who has no role may nothing,
// and what needs none is for everybody.
func (r UserRole) AtLeast(needed UserRole) bool {
	all := UserRoles()
	if needed == "" {
		return true
	}
	has := slices.Index(all, r)
	return has >= 0 && has <= slices.Index(all, needed)
}

// User is a person who logs in to the dashboard of one account.
type User struct {
	ID          int64
	AccountID   int64
	Email       string
	Role        UserRole
	Name        string // may be empty
	Language    string // "" for the browser's
	Theme       string // "light", "dark", "" for the system's
	HasPassword bool   // false: invited, and has not accepted yet
	HasTOTP     bool   // a second factor is asked for at the login
	OnlyNamed   bool   // reads candidates of the positions that name the user; else of all but confidential ones
	CreatedAt   time.Time
	LastLoginAt time.Time // zero: never
	// ResultsReadAt is up to when completed tests are not new to the user; zero: never said.
	ResultsReadAt time.Time
}

// Called is what others call the user: the name, or the address without one.
func (u User) Called() string {
	if u.Name == "" {
		return u.Email
	}
	return u.Name
}
