package access_test

import (
	"strings"
	"testing"

	"typus"
	"typus/internal/accounts"
)

// Users, settings, plan and bought credits belong to the account; the operator who names its
// test world reads which account that is.
func TestATestWorldHasNoUsersSettingsOrCreditsOfItsOwn(t *testing.T) {
	run(t, func(w *world) {
		inner := w.Sandbox(0)
		_, _, err := w.Access.CreateUser(w.Ctx, typus.User{AccountID: inner.Account, Email: "ada@example.com", Role: typus.RoleOwner}, nil, "operator")
		w.WantKind(err, typus.Forbidden)
		if err == nil || !strings.Contains(err.Error(), "name account ") {
			w.Errorf("the refusal does not say which account: %v", err)
		}
		w.WantKind(w.Accounts.Operate(w.Ctx, inner.Account, typus.Actor{Name: "operator"}, func(a *typus.Account) { a.Plan = typus.PlanBusiness }), typus.Forbidden)
		_, _, err = w.Accounts.GrantCredits(w.Ctx, inner.Account, accounts.Grant{Amount: 5, Note: "x", Actor: "operator"})
		w.WantKind(err, typus.Forbidden)
		world, err := w.Store.Account(w.Ctx, inner.Account)
		if err != nil || world.Plan != typus.PlanStarter {
			w.Errorf("the world is %+v, %v", world, err)
		}
	})
}
