package access_test

import (
	"fmt"
	"slices"
	"testing"

	"typus"
	"typus/internal/access"
	"typus/internal/store"
)

// positionsFor are two positions of the account.
func positionsFor(w *world) (int64, int64) {
	w.Helper()
	var ids [2]int64
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		for i, name := range []string{"Nord", "Süd"} {
			var err error
			ids[i], err = tx.AddPosition(w.Ctx, typus.Position{AccountID: w.Account, Name: name, State: typus.PositionOpen, CreatedAt: w.Now()})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	return ids[0], ids[1]
}

// notedOf are the newest lines of the audit log with one of the actions, oldest first.
func notedOf(w *world, actions ...typus.AuditAction) []string {
	w.Helper()
	lines, err := w.Store.Audit(w.Ctx, w.Account, 100)
	w.Must(err)
	var noted []string
	for _, l := range slices.Backward(lines) {
		if slices.Contains(actions, l.Action) {
			noted = append(noted, string(l.Action)+" "+l.Detail)
		}
	}
	return noted
}

// What is stored of a user's reach is what was asked for, the rest stays, and only what
// changed is noted.
func TestAUsersReachIsSetAndEachPositionThatChangesIsNoted(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		bo := user(w, "bo@example.com", typus.RoleMember)
		north, south := positionsFor(w)
		set := func(r access.Reach) error {
			return w.Access.SetReach(w.Ctx, w.Account, bo.ID, actor(ada), func(u typus.User, _ []int64) (access.Reach, bool) {
				if u.ID != bo.ID {
					w.Errorf("asked about %+v", u)
				}
				return r, true
			})
		}
		stands := func(what string, onlyNamed bool, named ...int64) {
			t.Helper()
			u, err := w.Store.User(w.Ctx, w.Account, bo.ID)
			w.Must(err)
			naming, err := w.Store.PositionsNaming(w.Ctx, w.Account, bo.ID)
			w.Must(err)
			if u.OnlyNamed != onlyNamed || !slices.Equal(naming, named) {
				w.Errorf("%s: only named %v, named by %v", what, u.OnlyNamed, naming)
			}
		}
		w.Must(set(access.Reach{OnlyNamed: true, Named: map[int64]bool{north: true, south: true}}))
		stands("both", true, north, south)
		w.Must(set(access.Reach{OnlyNamed: true, Named: map[int64]bool{north: false, 0: false}}))
		stands("one less", true, south)
		w.Must(set(access.Reach{OnlyNamed: true, Named: map[int64]bool{south: true}}))
		stands("as it was", true, south)
		w.Must(set(access.Reach{Named: map[int64]bool{0: true}}))
		standard, err := w.Store.StandardPosition(w.Ctx, w.Account)
		w.Must(err)
		stands("the default one becomes a row", false, south, standard.ID)
		changed := "user.reach_changed bo@example.com member"
		want := []string{
			fmt.Sprintf("position.members_changed #%d +bo@example.com", north), fmt.Sprintf("position.members_changed #%d +bo@example.com", south), changed,
			fmt.Sprintf("position.members_changed #%d -bo@example.com", north), changed,
			"position.members_changed +bo@example.com", changed,
		}
		if noted := notedOf(w, typus.AuditPositionMembers, typus.AuditUserReachChanged); !slices.Equal(noted, want) {
			w.Errorf("noted is %q, want %q", noted, want)
		}
	})
}

func TestAReachThatIsWithdrawnOrRefusedChangesNothing(t *testing.T) {
	run(t, func(w *world) {
		bo := user(w, "bo@example.com", typus.RoleMember)
		ada := user(w, "ada@example.com", typus.RoleOwner)
		north, _ := positionsFor(w)
		other := w.NewAccount(typus.Account{Name: "Andere GmbH"}, 0)
		var foreign int64
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			var err error
			foreign, err = tx.AddPosition(w.Ctx, typus.Position{AccountID: other, Name: "Fremd", State: typus.PositionOpen, CreatedAt: w.Now()})
			return err
		}))
		set := func(account int64, by typus.Actor, goOn bool, named ...int64) error {
			return w.Access.SetReach(w.Ctx, account, bo.ID, by, func(typus.User, []int64) (access.Reach, bool) {
				r := access.Reach{OnlyNamed: true, Named: map[int64]bool{}}
				for _, id := range named {
					r.Named[id] = true
				}
				return r, goOn
			})
		}
		w.Must(set(w.Account, actor(ada), false, north))
		w.WantKind(set(w.Account, actor(bo), true, north), typus.Forbidden)
		w.WantKind(set(w.Account, actor(ada), true, north, foreign), typus.NotFound) // the whole of it
		w.WantKind(set(other, typus.Actor{Name: "operator"}, true), typus.NotFound)
		u, err := w.Store.User(w.Ctx, w.Account, bo.ID)
		w.Must(err)
		naming, err := w.Store.PositionsNaming(w.Ctx, w.Account, bo.ID)
		w.Must(err)
		if noted := notedOf(w, typus.AuditPositionMembers, typus.AuditUserReachChanged); u.OnlyNamed || len(naming) > 0 || len(noted) > 0 {
			w.Errorf("only named %v, named by %v, noted %q", u.OnlyNamed, naming, noted)
		}
	})
}

func TestAUserIsRenamedUnlessSomebodyElseWasFaster(t *testing.T) {
	run(t, func(w *world) {
		bo := user(w, "bo@example.com", typus.RoleMember)
		w.Must(w.Access.RenameUser(w.Ctx, bo, "  Bo Muster ", actor(bo), nil))
		w.Must(w.Access.RenameUser(w.Ctx, bo, "Zweite", actor(bo), func(now typus.User) bool { return now.Name == "" }))
		w.WantKind(w.Access.RenameUser(w.Ctx, bo, "Bo\x00", actor(bo), nil), typus.Invalid)
		gone := bo
		gone.ID += 1000
		w.WantKind(w.Access.RenameUser(w.Ctx, gone, "Niemand", actor(bo), nil), typus.NotFound)
		u, err := w.Store.User(w.Ctx, w.Account, bo.ID)
		w.Must(err)
		if noted := notedOf(w, typus.AuditUserRenamed); u.Name != "Bo Muster" || len(noted) != 1 || noted[0] != "user.renamed bo@example.com member" {
			w.Errorf("called %q, noted %q", u.Name, noted)
		}
	})
}
