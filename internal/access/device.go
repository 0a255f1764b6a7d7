package access

import (
	"encoding/base64"
	"strings"

	"typus"
	"typus/internal/auth"
)

// Device is where somebody logs in.
type Device struct {
	Cookie string // what LoggedIn.Device left there the last time, "" for nothing
	IP     string
	Agent  string // browser and system in words
}

// LoggedIn is a login that has begun or is complete.
type LoggedIn struct {
	Token   string // of the session, for its cookie
	Session typus.Session
	User    typus.User
	Device  string // what the device should keep for its next login; "" while a second factor is to come
}

// What a device keeps is sealed, so that nobody can make one up.
const devicePlace = "device"

// deviceCookie makes a device recognisable. It holds the address with which the device
// has logged in, and an id by which its tries are counted.
func (s *Steps) deviceCookie(email string) string {
	plain := auth.NewToken() + auth.Hash(typus.MailboxKey(email))
	return base64.RawURLEncoding.EncodeToString(s.box.Seal([]byte(plain), devicePlace))
}

// knownDevice is the id of a device that has logged in with this address before,
// "" for any other.
func (s *Steps) knownDevice(cookie, email string) string {
	sealed, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil || cookie == "" {
		return ""
	}
	plain, err := s.box.Open(sealed, devicePlace)
	if err != nil {
		return ""
	}
	id, ok := strings.CutSuffix(string(plain), auth.Hash(typus.MailboxKey(email)))
	if !ok || !auth.WellFormedToken(id) {
		return ""
	}
	return id
}
