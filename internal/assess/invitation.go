package assess

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"typus"
)

// Limits of what an invitation may hold (our choice: the API description names none).
const (
	maxName       = 200 // code points
	maxExternalID = 255 // code points
)

// Invitation is what an account asks for.
type Invitation struct {
	Name        string
	Email       string
	ExternalID  string // "" for none
	Language    string // "": the account's
	RoleProfile string // "": the account's
	SendEmail   bool
	InvitedBy   int64 // the user who invites, 0 for the API and the operator
}

// Check returns the invitation as it will be stored (name and e-mail trimmed
// and in NFC) and every fault, in the order of the fields.
func (s *Steps) Check(i Invitation) (Invitation, []typus.Field) {
	i.Name = norm.NFC.String(strings.TrimSpace(i.Name))
	i.Email = norm.NFC.String(strings.TrimSpace(i.Email))
	var f faults
	f.check("name", nameFault, i.Name)
	f.check("email", emailFault, i.Email)
	f.check("external_id", externalIDFault, i.ExternalID)
	f.check("language", s.languageFault, i.Language)
	f.check("role_profile", s.roleFault, i.RoleProfile)
	return i, f
}

func nameFault(name string) (string, string) {
	if r, bad := typus.UnsafeRune(name); bad {
		return typus.CodeInvalid, unsafeMsg(r)
	}
	if typus.Blank(name) {
		return typus.CodeRequired, "is required, 1 to 200 characters"
	}
	if utf8.RuneCountInString(name) > maxName {
		return typus.CodeTooLong, "may hold at most 200 characters"
	}
	return "", ""
}

func externalIDFault(id string) (string, string) {
	if r, bad := typus.UnsafeRune(id); bad {
		return typus.CodeInvalid, unsafeMsg(r)
	}
	if utf8.RuneCountInString(id) > maxExternalID {
		return typus.CodeTooLong, "may hold at most 255 characters"
	}
	return "", ""
}

func unsafeMsg(r rune) string {
	return fmt.Sprintf("contains the character U+%04X; remove control characters, line separators and direction overrides", r)
}

// emailFault accepts what mail can be sent to: typus.Mailbox holds the rule.
func emailFault(address string) (string, string) {
	_, fault := typus.Mailbox(address)
	if fault.Code == typus.CodeRequired {
		return fault.Code, "is required, even with send_email false"
	}
	return fault.Code, fault.Msg
}

// languageFault takes no language for the account's.
func (s *Steps) languageFault(language string) (string, string) {
	if language == "" {
		return "", ""
	}
	return s.chosenLanguageFault(language)
}

func (s *Steps) chosenLanguageFault(language string) (string, string) {
	if languages := s.instrument.Languages(); !slices.Contains(languages, language) {
		return typus.CodeInvalid, "must be one of: " + strings.Join(languages, ", ")
	}
	return "", ""
}

func (s *Steps) roleFault(key string) (string, string) {
	if key == "" {
		return "", ""
	}
	if _, known := s.instrument.Role(key); known {
		return "", ""
	}
	var keys []string
	for _, r := range s.instrument.Roles() {
		keys = append(keys, r.Key)
	}
	return typus.CodeInvalid, "must be one of: " + strings.Join(keys, ", ")
}
