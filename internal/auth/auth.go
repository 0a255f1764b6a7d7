// Package auth makes and checks keys, tokens and passwords.
package auth

// NewAPIKey makes a key: "typ_live_", 30 base62 characters, 6 base62 characters of CRC-32 (contract 3).
func NewAPIKey() string { panic("unwritten") }

// WellFormedAPIKey reports whether key has the form and the checksum; no database is needed to refuse the others.
func WellFormedAPIKey(key string) bool { panic("unwritten") }

// NewToken makes a candidate token or one-time token: 32 base62 characters (190 bits).
func NewToken() string { panic("unwritten") }

// WellFormedToken reports whether a token has that form.
func WellFormedToken(token string) bool { panic("unwritten") }

// Hash is the lower-case hex SHA-256 by which keys and tokens are stored and looked up.
func Hash(secret string) string { panic("unwritten") }

// HashPassword makes an argon2id PHC string (m=19456 KiB, t=2, p=1).
func HashPassword(password string) (string, error) { panic("unwritten") }

// CheckPassword compares in constant time.
func CheckPassword(password, phc string) (bool, error) { panic("unwritten") }

// PasswordFault says in words what is wrong with a new password, "" if nothing (12..128 characters, …).
func PasswordFault(password, email, name, company string) string { panic("unwritten") }
