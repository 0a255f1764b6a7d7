package smtptest

import (
	"encoding/base64"
	"strings"
)

// plainResponse is what RFC 4616 sends for "user password".
func plainResponse(login string) string {
	user, password, _ := strings.Cut(login, " ")
	return base64.StdEncoding.EncodeToString([]byte("\x00" + user + "\x00" + password))
}
