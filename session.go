package typus

import (
	"strconv"
	"time"
)

// How long a login lasts (our choice): without being used, and in all.
const (
	SessionIdle = 12 * time.Hour
	SessionLife = 14 * 24 * time.Hour
)

// Session is one login on one device.
type Session struct {
	Hash        string // hex SHA-256 of the cookie's token, which is kept nowhere
	UserID      int64
	AccountID   int64
	Verified    bool      // false: the password was right, the second factor is still to come
	ConfirmedAt time.Time // when the password was last given
	CreatedAt   time.Time
	SeenAt      time.Time // to the minute
	ExpiresAt   time.Time // the end, however much it is used
	IP          string
	Agent       string // browser and system in words, such as "Firefox, Windows"
}

// Live reports whether the session holds at a time. One that was made or used while
// a clock was ahead does not.
func (s Session) Live(at time.Time) bool {
	return Ahead(s.ExpiresAt, at, SessionLife+Skew) > 0 && Recent(s.SeenAt, at, SessionIdle)
}

// LinkPurpose is what a one-time link of a user may do.
type LinkPurpose string

// The purposes of one-time links.
const (
	LinkPassword LinkPurpose = "password" // set a password
	LinkEmail    LinkPurpose = "email"    // confirm the address in the link's detail
	LinkRestore  LinkPurpose = "restore"  // make the former address in the link's detail count again
)

// How long one-time links are good for (our choice).
const (
	InviteLinkLife = 7 * 24 * time.Hour // handed on by people: an invitation, or a link of the operator's
	MailLinkLife   = 30 * time.Minute   // asked for at the screen: a forgotten password, a new address
	SignUpLinkLife = 24 * time.Hour
	SetUpLinkLife  = time.Hour
	TakeBackLife   = 7 * 24 * time.Hour // of a change of the address, by whoever reads the former one
)

// UserLink is a one-time link of a user.
type UserLink struct {
	Hash      string // hex SHA-256 of its token
	UserID    int64
	Purpose   LinkPurpose
	Detail    string // the address of LinkEmail and LinkRestore; of LinkPassword, the id of the user who sent an invitation, LinkOfOperator or ""
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // zero: not yet
	EndedAt   time.Time // when another link or a change ended it unused, zero: none did
	TOTPAt    time.Time // of LinkRestore, since when the second factor of then counted; zero: there was none
}

// LinkOfOperator is the detail of a link by which the operator lets a user in who
// already has a password. It ends the ways back of all earlier addresses of the login.
const LinkOfOperator = "operator"

// InvitedBy is the user who sent an invitation with the link, 0 for none.
func (l UserLink) InvitedBy() int64 {
	id, err := strconv.ParseInt(l.Detail, 10, 64)
	if l.Purpose != LinkPassword || err != nil {
		return 0
	}
	return id
}

// Usable reports whether the link may still be used at a time. A link that was made
// while a clock was ahead may not be used, because it would be good for longer than
// anybody was told. The exception is a link that takes back a change of the address: it
// stays good.
func (l UserLink) Usable(at time.Time) bool {
	if !l.UsedAt.IsZero() || !l.EndedAt.IsZero() {
		return false
	}
	if l.Purpose == LinkRestore {
		return at.Before(l.ExpiresAt)
	}
	return Ahead(l.ExpiresAt, at, l.ExpiresAt.Sub(l.CreatedAt)+Skew) > 0
}

// SignUp is a new account that waits for the confirmation of its address.
type SignUp struct {
	Hash         string // hex SHA-256 of the one-time token
	Email        string
	Name         string // may be empty
	AccountName  string
	Language     string
	PasswordHash string // argon2id in PHC form
	KeepDays     int    // of the account's results after a decision; 0: until erased by hand
	Zone         Zone   // of the account
	CreatedAt    time.Time
	ExpiresAt    time.Time
}

// Usable reports whether the account can still be made at a time, with the rule of
// UserLink.Usable.
func (s SignUp) Usable(at time.Time) bool { return Ahead(s.ExpiresAt, at, SignUpLinkLife+Skew) > 0 }
