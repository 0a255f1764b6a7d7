package assess

import (
	"context"

	"golang.org/x/text/unicode/norm"

	"typus"
	"typus/internal/clerk"
)

// Invitation is what an account asks for.
type Invitation struct {
	Name        string
	Email       string
	ExternalID  string // "" for none
	PositionID  int64  // what for, 0 for the account's default position
	Language    string // "": the position's, else the account's
	RoleProfile string // "": the position's, else the account's
	KeepRole    bool   // whoever invites may not change the role profile of an open test
	SendEmail   bool
	InvitedBy   int64 // the user who invites, 0 for the API and the operator
}

// Check returns the invitation as it will be stored (name and e-mail in
// NFC, without what nobody sees) and every fault, in the order of the fields.
func (s *Steps) Check(i Invitation) (Invitation, []typus.Field) {
	i.Name = norm.NFC.String(typus.TypedName(i.Name))
	i.Email = norm.NFC.String(typus.TypedAddress(i.Email))
	var f clerk.Faults
	checkName(&f, i.Name)
	checkEmail(&f, i.Email)
	f.AtMost("external_id", i.ExternalID, clerk.MaxExternalID)
	f.Language(i.Language, s.instrument)
	f.Role(i.RoleProfile, s.instrument)
	return i, f
}

func checkName(f *clerk.Faults, name string) {
	if _, unsafe := typus.UnsafeRune(name); !unsafe && typus.Blank(name) {
		f.Add("name", typus.CodeRequired, "is required, 1 to 200 characters")
		return
	}
	f.Remark("name", name)
}

func checkEmail(f *clerk.Faults, address string) {
	if address == "" {
		f.Add("email", typus.CodeRequired, "is required, even with send_email false")
		return
	}
	f.Email("email", address)
}

// CheckOwnRole is Invalid where an invitation names an own role profile that the account
// does not have, or that nobody has signed yet; Check cannot know.
func (s *Steps) CheckOwnRole(ctx context.Context, accountID int64, key string) error {
	var f clerk.Faults
	if err := f.OwnRole(ctx, s.store, accountID, key, s.instrument); err != nil {
		return err
	}
	return f.Err()
}
