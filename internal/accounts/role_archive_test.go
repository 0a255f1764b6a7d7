package accounts_test

import (
	"fmt"
	"sync"
	"testing"

	"typus"
	"typus/internal/accounts"
	"typus/internal/instrument"
	"typus/internal/store"
)

// role is an own role profile that somebody has signed.
func (w *world) role(name string, by typus.Actor) typus.RoleProfile {
	w.Helper()
	base, importance := instrument.Own().Roles()[0], map[string]int{}
	for _, z := range base.Zones {
		importance[z.Dimension] = 3
	}
	id, err := w.Accounts.AddRole(w.Ctx, w.Account, base.Key, name, importance, true, by)
	w.Must(err)
	return typus.RoleProfile{ID: id}
}

// A position that takes a role profile while it is archived either comes first, and the
// profile stays, or is told that there is no such profile.
func TestNoPositionTakesARoleProfileThatIsBeingArchived(t *testing.T) {
	run(t, func(w *world) {
		eve, all := w.user("eve@example.com"), store.WholeAccount(w.Account)
		for n := range 12 {
			p := w.role(fmt.Sprintf("Profil %d", n), eve)
			id := w.position(typus.Position{Name: "Vorher"})
			var (
				wg            sync.WaitGroup
				archive, take error
			)
			wg.Go(func() { archive = w.Accounts.ArchiveRole(w.Ctx, w.Account, p.ID, eve) })
			wg.Go(func() {
				if n%2 == 0 {
					take = w.Accounts.ChangePosition(w.Ctx, all, id, ada, func(now *typus.Position) bool { now.RoleProfile = p.Key(); return true })
					return
				}
				_, take = w.Accounts.AddPosition(w.Ctx, all, typus.Position{Name: "Neu", RoleProfile: p.Key(), Reminders: typus.RemindersOfAccount}, nil, ada)
			})
			wg.Wait()
			if take == nil {
				w.WantKind(archive, typus.Conflict)
				continue
			}
			w.WantKind(take, typus.Invalid)
			w.Must(archive)
		}
	})
}

func TestAsManyRoleProfilesAsFitIntoAListAreOffered(t *testing.T) {
	run(t, func(w *world) {
		eve := w.user("eve@example.com")
		first := w.role("Erstes", eve)
		w.Must(w.Accounts.ArchiveRole(w.Ctx, w.Account, first.ID, eve))
		w.Must(w.Accounts.ArchiveRole(w.Ctx, w.Account, first.ID, eve))
		if got, want := w.noted(2), "role_profile.signed own-1@1 person; role_profile.archived own-1"; got != want {
			w.Errorf("noted is %q, want %q", got, want)
		}
		last := typus.RoleProfile{}
		for n := range accounts.MaxRoleProfiles {
			last = w.role(fmt.Sprintf("Profil %d", n), eve)
		}
		w.WantKind(w.Accounts.OfferRole(w.Ctx, w.Account, first.ID, eve), typus.Invalid)
		w.Must(w.Accounts.ArchiveRole(w.Ctx, w.Account, last.ID, eve))
		w.Must(w.Accounts.OfferRole(w.Ctx, w.Account, first.ID, eve))
		w.Must(w.Accounts.OfferRole(w.Ctx, w.Account, first.ID, eve))
		stranger := w.NewAccount(typus.Account{Name: "Fremd GmbH"}, 0)
		w.WantKind(w.Accounts.ArchiveRole(w.Ctx, stranger, first.ID, eve), typus.NotFound)
		w.WantKind(w.Accounts.OfferRole(w.Ctx, stranger, last.ID, eve), typus.NotFound)
	})
}
