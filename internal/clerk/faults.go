package clerk

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"typus"
	"typus/internal/instrument"
)

// maxText bounds a name, a note or a description, in code points (our choice: the
// API description names none).
const maxText = 200

// MaxExternalID bounds a reference of the customer's, in code points (our choice: the API
// description names no limit).
const MaxExternalID = 255

// Faults collects what is wrong with the fields of a request.
type Faults []typus.Field

// Add adds a fault; its words are a predicate ("is required").
func (f *Faults) Add(field, code, msg string) {
	*f = append(*f, typus.Field{Name: field, Code: code, Msg: msg})
}

// When adds a fault of the code invalid if something is wrong.
func (f *Faults) When(wrong bool, field, msg string) {
	if wrong {
		f.Add(field, typus.CodeInvalid, msg)
	}
}

// Text adds a fault unless value has 1 to 200 characters, one of them visible.
func (f *Faults) Text(field, value string) {
	if typus.Blank(value) {
		f.Add(field, typus.CodeRequired, "must hold 1 to 200 characters")
		return
	}
	f.Remark(field, value)
}

// Remark adds a fault unless value has at most 200 characters, none of them unsafe.
func (f *Faults) Remark(field, value string) { f.AtMost(field, value, maxText) }

// AtMost adds a fault unless value has at most that many characters, none of them
// unsafe.
func (f *Faults) AtMost(field, value string, most int) {
	if r, bad := typus.UnsafeRune(value); bad {
		f.Add(field, typus.CodeInvalid, typus.UnsafeMsg(r))
	} else if utf8.RuneCountInString(value) > most {
		f.Add(field, typus.CodeTooLong, fmt.Sprintf("may hold at most %d characters", most))
	}
}

// Email adds a fault unless value is one address that mail can be sent to
// (typus.Mailbox).
func (f *Faults) Email(field, value string) {
	if value == "" {
		f.Add(field, typus.CodeRequired, "must be an address such as name@example.com")
	} else if _, fault := typus.Mailbox(value); fault.Code != "" {
		f.Add(field, fault.Code, fault.Msg)
	}
}

// Language adds a fault unless value is a language of the test, or "" for the
// account's.
func (f *Faults) Language(value string, test *instrument.Instrument) {
	if value != "" {
		f.ChosenLanguage(value, test)
	}
}

// ChosenLanguage adds a fault unless value is a language of the test.
func (f *Faults) ChosenLanguage(value string, test *instrument.Instrument) {
	languages := test.Languages()
	f.When(!slices.Contains(languages, value), "language", "must be one of: "+strings.Join(languages, ", "))
}

// Role adds a fault unless key is a role profile of the test, or "" for the account's.
// The account's own ones pass: it takes the database to know them, see OwnRole.
func (f *Faults) Role(key string, test *instrument.Instrument) {
	if key == "" {
		return
	}
	if _, known := test.Role(key); known {
		return
	}
	if _, own := typus.OwnRoleID(key); own {
		return
	}
	f.Add("role_profile", typus.CodeInvalid, "must be one of: "+strings.Join(rolesOf(test), ", "))
}

// RoleReader reads own role profiles: a store, or a transaction.
type RoleReader interface {
	// RoleProfile reads one of an account, or says NotFound.
	RoleProfile(ctx context.Context, accountID, id int64) (typus.RoleProfile, error)
	// RoleProfiles lists those of an account, oldest first.
	RoleProfiles(ctx context.Context, accountID int64) ([]typus.RoleProfile, error)
}

// OwnRole adds a fault if key is that of an own role profile, and the account has none such,
// nobody has signed it yet, or it is archived. It says which of these, and names what can be
// chosen instead.
func (f *Faults) OwnRole(ctx context.Context, from RoleReader, accountID int64, key string, test *instrument.Instrument) error {
	id, own := typus.OwnRoleID(key)
	if !own {
		return nil
	}
	p, err := from.RoleProfile(ctx, accountID, id)
	if err != nil && !typus.Is(err, typus.NotFound) || p.Offered() {
		return err
	}
	all, err := from.RoleProfiles(ctx, accountID)
	if err != nil {
		return err
	}
	keys := append(rolesOf(test), offered(all)...)
	f.Add("role_profile", typus.CodeInvalid, unoffered(p)+"must be one of: "+strings.Join(keys, ", "))
	return nil
}

// unoffered is why a role profile cannot be chosen, "" for one that is not there.
func unoffered(p typus.RoleProfile) string {
	switch {
	case p.ID == 0:
		return ""
	case p.Version.Version == 0:
		return "is not signed yet; "
	}
	return "is archived; "
}

// mostNamed is how many own role profiles a message names, the newest.
const mostNamed = 5

// offered are the own role profiles that can be chosen, by key and name.
func offered(all []typus.RoleProfile) []string {
	var named []string
	for _, p := range slices.Backward(all) {
		switch {
		case !p.Offered():
		case len(named) == mostNamed:
			return append(named, "…")
		default:
			named = append(named, p.Key()+" ("+p.Name+")")
		}
	}
	return named
}

// rolesOf are the keys of the role profiles of a test.
func rolesOf(test *instrument.Instrument) []string {
	var keys []string
	for _, r := range test.Roles() {
		keys = append(keys, r.Key)
	}
	return keys
}

// Bounds of what a team writes about a candidate, in code points (our choice).
const (
	MaxNote = 4000
	MaxTag  = 40
)

// MaxComment bounds what a candidate says about their result, in code points (our choice).
const MaxComment = 5000

// Note returns a note as it is stored, and adds a fault unless it has 1 to MaxNote
// characters, on any number of lines.
func (f *Faults) Note(field, text string) string { return f.lines(field, text, MaxNote) }

// Comment is Note for at most MaxComment characters.
func (f *Faults) Comment(field, text string) string { return f.lines(field, text, MaxComment) }

func (f *Faults) lines(field, text string, most int) string {
	text = norm.NFC.String(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")))
	if _, unsafe := typus.UnsafeRune(lines.Replace(text)); !unsafe && typus.Blank(text) {
		f.Add(field, typus.CodeRequired, "must hold a text")
		return text
	}
	f.AtMost(field, lines.Replace(text), most)
	return text
}

var lines = strings.NewReplacer("\n", " ", "\t", " ")

// Tag returns a tag as it is stored, without what nobody sees, and adds a fault unless it has
// 1 to MaxTag characters.
func (f *Faults) Tag(field, text string) string {
	text = norm.NFC.String(strings.Join(strings.Fields(typus.TypedName(text)), " "))
	if _, unsafe := typus.UnsafeRune(text); !unsafe && typus.Blank(text) {
		f.Add(field, typus.CodeRequired, "must hold a text")
		return text
	}
	f.AtMost(field, text, MaxTag)
	return text
}

// Account adds the faults of what a new account and a changed one have in common.
func (f *Faults) Account(a typus.Account, test *instrument.Instrument) {
	f.Text("name", a.Name)
	f.When(!a.Plan.Valid(), "plan", "must be starter or business")
	f.Language(a.Language, test)
	f.When(!a.Zone.Known(), "zone", "must be the name of a time zone such as Europe/Berlin")
	f.Role(a.RoleProfile, test)
	f.When(a.InviteDays < 1 || a.InviteDays > typus.MaxInviteDays, "invite_days", fmt.Sprintf("must be 1 to %d", typus.MaxInviteDays))
	if a.ContactEmail != "" {
		f.Email("contact_email", a.ContactEmail)
	}
}

// Err is an error of the kind Invalid that names every field, nil for no fault.
func (f Faults) Err() error { return typus.WrongFields(f) }
