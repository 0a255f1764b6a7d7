package api_test

import (
	"fmt"
	"strings"
	"testing"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
)

// Who names an own role profile that cannot be chosen reads why, and which can.
func TestAnOwnRoleProfileThatCannotBeChosenIsRefusedWithThoseThatCan(t *testing.T) {
	w := newWorld(t)
	user, _, err := w.Access.CreateUser(w.Ctx, typus.User{AccountID: w.Account, Email: "ada@example.com", Role: typus.RoleAdmin}, nil, "operator")
	w.Must(err)
	by := typus.Actor{Name: "ada@example.com", UserID: user}
	sign := func(name string) string {
		importance := map[string]int{}
		for _, z := range w.Instrument.Roles()[0].Zones {
			importance[z.Dimension] = 3
		}
		id, err := w.Accounts.AddRole(w.Ctx, w.Account, "hunter", name, importance, true, by)
		w.Must(err)
		return typus.RoleProfile{ID: id}.Key()
	}
	refused := func(key, want string) {
		t.Helper()
		r := w.do(call{path: "/api/v1/invites", body: `{` + person + `,"role_profile":"` + key + `"}`})
		said := parse[problem](t, r)
		if r.status != 400 || len(said.Errors) != 1 || said.Errors[0].Field != "role_profile" || said.Errors[0].Message != want {
			t.Errorf("%s: %d %s, want %q", key, r.status, r.body, want)
		}
	}
	ours := "must be one of: general_sales, farmer, hunter, inside_sales, key_account, sdr, technical_sales"
	refused("own-999999", ours)
	unsigned, err := w.Accounts.BeginRole(w.Ctx, w.Account, "hunter", "Innendienst", []accounts.Expert{{Name: "A"}, {Name: "B"}, {Name: "C"}}, "de", by)
	w.Must(err)
	refused(typus.RoleProfile{ID: unsigned}.Key(), "is not signed yet; "+ours)
	north, old := sign("Nord"), sign("Alt")
	archived, _ := typus.OwnRoleID(old)
	w.Must(w.Accounts.ArchiveRole(w.Ctx, w.Account, archived, by))
	refused(old, "is archived; "+ours+", "+north+" (Nord)")
	var newest []string
	for n := range 6 {
		name := fmt.Sprintf("Süd %d", n)
		newest = append([]string{sign(name) + " (" + name + ")"}, newest...)
	}
	refused(old, "is archived; "+ours+", "+strings.Join(newest[:5], ", ")+", …")
	// How the account calls them, and which there are, is not for every form on the web.
	for _, key := range []string{w.limitedKey(access.KeyLimit{Scope: typus.ScopeInvite}), w.limitedKey(access.KeyLimit{OnePosition: true})} {
		for _, role := range []string{old, "own-999999", typus.RoleProfile{ID: unsigned}.Key()} {
			r := w.do(call{path: "/api/v1/invites", body: `{` + person + `,"role_profile":"` + role + `"}`, key: key})
			if said := parse[problem](t, r); r.status != 400 || len(said.Errors) != 1 || said.Errors[0].Message != "is no role profile that this account can choose" {
				t.Errorf("%s: %d %s", role, r.status, r.body)
			}
		}
	}
	if r := w.do(call{path: "/api/v1/invites", body: `{` + person + `,"role_profile":"` + north + `"}`}); r.status != 201 {
		t.Errorf("one that can be chosen: %d %s", r.status, r.body)
	}
}
