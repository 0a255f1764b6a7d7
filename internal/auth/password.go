package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
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

// turns lets four passwords be worked on at once, so that many log-ins at the
// same time cost four times 19 MiB and not all of the memory.
var turns = make(chan struct{}, 4)

// work counts what has been worked on.
var work atomic.Int64

// PasswordWork is how many passwords this process has hashed or checked: the
// costly part of a log-in, which must be the same whether or not there is such a
// user.
func PasswordWork() int64 { return work.Load() }

// waiting counts those who wait for their turn; above maxWaiting nobody else does,
// so that a flood is answered at once and not after its senders have gone.
var waiting atomic.Int64

const maxWaiting = 200

// inTurn runs fn as one of four. Unavailable: ctx ended before, or too many wait.
func inTurn(ctx context.Context, fn func()) error {
	if waiting.Add(1) > maxWaiting {
		waiting.Add(-1)
		return typus.Errorf(typus.Unavailable, "too many people log in at this moment; try again")
	}
	select {
	case turns <- struct{}{}:
		waiting.Add(-1)
	case <-ctx.Done():
		waiting.Add(-1)
		return typus.Errorf(typus.Unavailable, "the request ended before its turn").WithCause(ctx.Err())
	}
	defer func() { <-turns }()
	work.Add(1)
	fn()
	return nil
}

// strength is the least that OWASP's Password Storage Cheat Sheet asks for.
var strength = argon2id.Params{Memory: 19456, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// Weaken lets new hashes, and the check of nobody's password, cost next to nothing until
// restore is called. It is for tests of other things than passwords; a test sees to it that
// nothing else calls it. Not to be called while others hash.
func Weaken() (restore func()) {
	full := strength
	strength.Memory = 64
	return func() { strength = full }
}

// HashPassword makes an argon2id hash in PHC form with a random 16-byte salt,
// 19 MiB, two passes, one lane, so that a small server survives many log-ins at
// once. Internal when the system gives no random bytes; Unavailable when ctx ends
// before its turn or too many wait.
func HashPassword(ctx context.Context, password string) (string, error) {
	var (
		phc string
		err error
	)
	if late := inTurn(ctx, func() { phc, err = argon2id.CreateHash(password, &strength) }); late != nil {
		return "", late
	}
	if err != nil {
		return "", typus.Errorf(typus.Internal, "the password could not be stored").WithCause(err)
	}
	return phc, nil
}

// What checking a password may take at most. A hash names its own parameters, and one that came
// with an account from elsewhere could name all of the memory.
const (
	mostMemory = 64 << 10 // KiB
	mostPasses = 16       // and lanes
	leastKey   = 16       // bytes; of a key of none every password would be the right one
)

// Checkable reports whether CheckPassword checks phc: it is an argon2id hash that takes no more
// than a small server has.
func Checkable(phc string) bool {
	p, _, key, err := argon2id.DecodeHash(phc)
	return err == nil && p.Memory <= mostMemory && p.Iterations >= 1 && p.Iterations <= mostPasses &&
		p.Parallelism >= 1 && p.Parallelism <= mostPasses && len(key) >= leastKey
}

// CheckPassword reports whether password is the one phc was made from, in
// constant time and with the parameters phc names. Internal when phc is not
// Checkable; Unavailable as HashPassword.
func CheckPassword(ctx context.Context, password, phc string) (bool, error) {
	var (
		ok  bool
		err error
	)
	if late := inTurn(ctx, func() {
		if Checkable(phc) {
			ok, err = argon2id.ComparePasswordAndHash(password, phc)
		} else {
			err = errUncheckable
		}
	}); late != nil {
		return false, late
	}
	if err != nil {
		return false, typus.Errorf(typus.Internal, "the stored password is unreadable").WithCause(err)
	}
	return ok, nil
}

var errUncheckable = errors.New("auth: no argon2id hash that may be checked")

// nobody is a hash with the parameters of today that no known password has.
func nobody() string {
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", strength.Memory, strength.Iterations)
}

// CheckNoPassword does the work of CheckPassword for somebody who has no
// password or does not exist, so that the time of an answer tells nobody who is a
// user. Unavailable as HashPassword.
func CheckNoPassword(ctx context.Context, password string) error {
	_, err := CheckPassword(ctx, password, nobody())
	return err
}

// Outdated reports whether phc was made with less than HashPassword's parameters;
// the password should be hashed again when it is next given.
func Outdated(phc string) bool {
	params, _, _, err := argon2id.DecodeHash(phc)
	return err == nil && (params.Memory < strength.Memory || params.Iterations < strength.Iterations)
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
