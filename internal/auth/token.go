package auth

const tokenLen = 32

// NewToken makes a candidate token or a one-time token: 32 base62 characters
// from crypto/rand, 190 bits. Like a key it is stored as its Hash only, or sealed.
func NewToken() string { return randomBase62(tokenLen) }

// WellFormedToken reports whether token has the form of a token. It says
// nothing about whether the token exists.
func WellFormedToken(token string) bool { return len(token) == tokenLen && isBase62(token) }
