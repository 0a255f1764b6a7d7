package auth

const (
	tokenLen   = 32
	sessionLen = 43
)

// NewToken makes a candidate token: 32 base62 characters from crypto/rand, 190
// bits. Like a key it is stored as its Hash only, or sealed.
func NewToken() string { return randomBase62(tokenLen) }

// WellFormedToken reports whether token has the form of a token. It says
// nothing about whether the token exists.
func WellFormedToken(token string) bool { return len(token) == tokenLen && isBase62(token) }

// NewSession makes the token of a session or of a user's one-time link: 43
// base62 characters from crypto/rand, 256 bits. It is stored as its Hash.
func NewSession() string { return randomBase62(sessionLen) }

// WellFormedSession reports whether token has the form of one that NewSession
// makes. It says nothing about whether the session exists.
func WellFormedSession(token string) bool { return len(token) == sessionLen && isBase62(token) }
