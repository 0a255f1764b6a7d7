package auth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"

	"typus"
)

// The second factor as authenticator apps know it (RFC 6238): a new code of six
// digits every 30 seconds, SHA-1, and a seed of 160 bits (RFC 4226, 4).
const (
	totpPeriod = 30 * time.Second
	totpDigits = 6
	totpSeed   = 20 // bytes
	totpSkew   = 1  // steps that a device's clock may be off
)

var base32NoPadding = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewTOTPSeed makes the seed of a second factor: 32 base32 characters.
func NewTOTPSeed() string {
	seed := make([]byte, totpSeed)
	rand.Read(seed)
	return base32NoPadding.EncodeToString(seed)
}

// TOTPLink is the address that an authenticator app takes a seed from, usually
// shown as a QR code.
func TOTPLink(seed, issuer, email string) string {
	q := url.Values{"secret": {seed}, "issuer": {issuer}}
	return "otpauth://totp/" + url.PathEscape(issuer+":"+email) + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// TOTPCode is the code of a seed at a time. Internal: the seed is unreadable.
func TOTPCode(seed string, at time.Time) (string, error) { return codeOf(seed, stepOf(at)) }

func stepOf(at time.Time) int64 { return at.Unix() / int64(totpPeriod/time.Second) }

func codeOf(seed string, step int64) (string, error) {
	code, err := hotp.GenerateCodeCustom(seed, uint64(step), hotp.ValidateOpts{Digits: totpDigits, Algorithm: otp.AlgorithmSHA1}) //nolint:gosec // steps are positive
	if err != nil {
		return "", typus.Errorf(typus.Internal, "the stored second factor is unreadable").WithCause(err)
	}
	return code, nil
}

// TOTPStep finds the time step whose code this is, at most one step off. False:
// it is no code of this time. Whoever accepts it must refuse the same step and
// those before it from then on. Spaces in the code do not count. Internal: the
// seed is unreadable.
func TOTPStep(seed, code string, at time.Time) (int64, bool, error) {
	code = strings.Join(strings.Fields(code), "")
	var found int64
	for step := stepOf(at) - totpSkew; step <= stepOf(at)+totpSkew; step++ {
		right, err := codeOf(seed, step)
		if err != nil {
			return 0, false, err
		}
		if subtle.ConstantTimeCompare([]byte(right), []byte(code)) == 1 {
			found = step
		}
	}
	return found, found != 0, nil
}
