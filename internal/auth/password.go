package auth

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"typus"
)

// The bounds of a password in characters (code points). There are no rules of
// composition: length is what counts (NIST SP 800-63B, 5.1.1.2).
const (
	MinPassword = 12
	MaxPassword = 128
)

// What PasswordFault says. They are constants so that a page can say them in
// another language.
const (
	PasswordTooShort  = "the password needs at least 12 characters; a few unrelated words in a row are easy to remember"
	PasswordTooLong   = "the password can have at most 128 characters"
	PasswordPersonal  = "the password must not contain parts of the name, the e-mail address or the company"
	PasswordCommon    = "the password is among those that are guessed first; a few unrelated words in a row are easy to remember"
	PasswordMalformed = "the password contains characters that are not valid text"
)

// HashPassword makes an argon2id hash in PHC form with a random 16-byte salt,
// 19 MiB, two passes, one lane: the least that OWASP's Password Storage Cheat
// Sheet asks for, so that a small server survives many log-ins at once. Internal
// when the system gives no random bytes.
func HashPassword(password string) (string, error) {
	phc, err := argon2id.CreateHash(password, &argon2id.Params{
		Memory: 19456, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32,
	})
	if err != nil {
		return "", typus.Errorf(typus.Internal, "the password could not be stored").WithCause(err)
	}
	return phc, nil
}

// CheckPassword reports whether password is the one phc was made from, in
// constant time and with the parameters phc names. Internal when phc is not an
// argon2id hash.
func CheckPassword(password, phc string) (bool, error) {
	ok, err := argon2id.ComparePasswordAndHash(password, phc)
	if err != nil {
		return false, typus.Errorf(typus.Internal, "the stored password is unreadable").WithCause(err)
	}
	return ok, nil
}

// PasswordFault says what is wrong with a new password as one of the constants
// Password…, "" if nothing. A password must not contain a word of at least four
// letters or digits from the e-mail address, the name or the company, in any
// letter case, and must not be a common one: whoever guesses begins there.
func PasswordFault(password, email, name, company string) string {
	switch n := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password):
		return PasswordMalformed
	case n < MinPassword:
		return PasswordTooShort
	case n > MaxPassword:
		return PasswordTooLong
	case containsWordOf(password, email+" "+name+" "+company):
		return PasswordPersonal
	case isCommon(password):
		return PasswordCommon
	}
	return ""
}

func containsWordOf(password, text string) bool {
	const shortest = 4 // below that, passphrases of ordinary words would be refused
	password = strings.ToLower(password)
	for _, word := range strings.FieldsFunc(strings.ToLower(text), notLetterOrDigit) {
		if utf8.RuneCountInString(word) >= shortest && strings.Contains(password, word) {
			return true
		}
	}
	return false
}

func notLetterOrDigit(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
