package access_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"typus"
)

func TestWhoIsInvitedSetsAPasswordByTheNewestLink(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@example.com", typus.RoleOwner)
		first, err := w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: " bo@example.com ", Role: typus.RoleMember}, actor(ada))
		w.Must(err)
		_, err = w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: "BO@example.com", Role: typus.RoleMember}, actor(ada))
		w.WantKind(err, typus.Conflict)
		bo, err := w.Store.UserByEmail(w.Ctx, w.Account, "bo@example.com")
		w.Must(err)
		second, err := w.Access.InviteUserAgain(w.Ctx, w.Account, bo.ID, actor(ada))
		w.Must(err)

		_, err = w.Access.SetPasswordByLink(w.Ctx, tokenIn(first), "Bo", passphrase, office)
		w.WantKind(err, typus.NotFound)
		in, err := w.Access.SetPasswordByLink(w.Ctx, tokenIn(second), "Bo", passphrase, office)
		w.Must(err)
		if in.User.Name != "Bo" || !in.Session.Verified {
			w.Errorf("joined as %+v", in.User)
		}
		_, err = w.Access.InviteUserAgain(w.Ctx, w.Account, bo.ID, actor(ada))
		w.WantKind(err, typus.Conflict)
		if n := lettersTo(w, typus.LetterTeamInvitation, "bo@example.com"); n != 2 {
			w.Errorf("%d invitations by letter, want 2", n)
		}
		if n := lettersTo(w, typus.LetterPasswordChanged, "bo@example.com"); n != 0 {
			w.Errorf("%d letters about a password that was the first", n)
		}
	})
}

// By role: who makes whom what, ends whose sessions, invites and removes.
func TestWhoMayChangeTheTeam(t *testing.T) {
	run(t, func(w *world) {
		everybody := map[typus.UserRole]typus.User{}
		for _, role := range []typus.UserRole{typus.RoleOwner, typus.RoleAdmin, typus.RoleMember, typus.RoleViewer, typus.RoleInterviewer} {
			everybody[role] = user(w, string(role)+"@example.com", role)
		}
		target := user(w, "target@example.com", typus.RoleMember)
		for role, u := range everybody {
			by, manages := actor(u), role == typus.RoleOwner || role == typus.RoleAdmin
			for _, to := range []typus.UserRole{typus.RoleOwner, typus.RoleViewer} {
				_, err := w.Access.ChangeRole(w.Ctx, w.Account, target.ID, to, typus.Session{}, by, nil)
				if may := role == typus.RoleOwner || manages && to != typus.RoleOwner; may != (err == nil) {
					w.Errorf("%s makes a member %s: %v", role, to, err)
				}
				w.Must(second(w.Access.ChangeRole(w.Ctx, w.Account, target.ID, typus.RoleMember, typus.Session{}, typus.Actor{Name: "operator"}, nil)))
			}
			_, err := w.Access.ChangeRole(w.Ctx, w.Account, everybody[typus.RoleOwner].ID, typus.RoleMember, typus.Session{}, by, nil)
			if err == nil {
				w.Errorf("%s has unseated the last owner", role)
			}
			err = w.Access.EndSessionsOf(w.Ctx, w.Account, target.ID, by)
			if manages != (err == nil) {
				w.Errorf("%s ends the sessions of a member: %v", role, err)
			}
			_, err = w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: "of." + string(role) + "@example.com", Role: typus.RoleMember}, by)
			if manages != (err == nil) {
				w.Errorf("%s invites a member: %v", role, err)
			}
			if !manages {
				w.WantKind(w.Access.RemoveUser(w.Ctx, w.Account, target.ID, by), typus.Forbidden)
			}
		}
	})
}

// second is the error of a call that returns something else before.
func second[T any](_ T, err error) error { return err }

func TestAChangedRoleEndsTheSessionsOfWhoHasIt(t *testing.T) {
	run(t, func(w *world) {
		ada, bo := user(w, "ada@example.com", typus.RoleOwner), user(w, "bo@example.com", typus.RoleOwner)
		mine, theirs := logIn(w, ada.Email), logIn(w, bo.Email)
		_, err := w.Access.ChangeRole(w.Ctx, w.Account, bo.ID, typus.RoleViewer, mine.Session, actor(ada), nil)
		w.Must(err)
		if visits(w, theirs) || !visits(w, mine) {
			w.Errorf("theirs opens %t, mine %t", visits(w, theirs), visits(w, mine))
		}
		_, err = w.Access.ChangeRole(w.Ctx, w.Account, bo.ID, "chief", mine.Session, actor(ada), nil)
		w.WantKind(err, typus.Invalid)
	})
}

// Two owners who unseat each other at once leave one.
func TestOneOwnerStaysWhoeverGoesAtOnce(t *testing.T) {
	run(t, func(w *world) {
		ada, bo := user(w, "ada@example.com", typus.RoleOwner), user(w, "bo@example.com", typus.RoleOwner)
		var gone atomic.Int64
		var all sync.WaitGroup
		for _, pair := range [][2]typus.User{{ada, bo}, {bo, ada}} {
			all.Go(func() {
				if w.Access.RemoveUser(w.Ctx, w.Account, pair[1].ID, actor(pair[0])) == nil {
					gone.Add(1)
				}
			})
		}
		all.Wait()
		owners, err := w.Store.Owners(w.Ctx, w.Account)
		if err != nil || owners != 1 || gone.Load() != 1 {
			w.Errorf("%d owners stay, %d went, %v", owners, gone.Load(), err)
		}
	})
}

// A user who has been taken out does nothing any more, whatever was begun before.
func TestWhoIsTakenOutChangesNothing(t *testing.T) {
	run(t, func(w *world) {
		ada, bo := user(w, "ada@example.com", typus.RoleOwner), user(w, "bo@example.com", typus.RoleAdmin)
		theirs := logIn(w, bo.Email)
		link, err := w.Access.NewPasswordLink(w.Ctx, w.Account, bo.Email, "operator")
		w.Must(err)
		w.Must(w.Access.RemoveUser(w.Ctx, w.Account, bo.ID, actor(ada)))
		if visits(w, theirs) {
			w.Error("a session outlives its user")
		}
		_, err = w.Access.SetPasswordByLink(w.Ctx, tokenIn(link), "", otherPassphrase, office)
		w.WantKind(err, typus.NotFound)
		_, err = w.Access.LogIn(w.Ctx, bo.Email, passphrase, office)
		w.WantKind(err, typus.Unauthorized)
		_, err = w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: "cleo@example.com", Role: typus.RoleMember}, actor(bo))
		w.WantKind(err, typus.Unauthorized)
	})
}

// The ids of another account lead nowhere.
func TestTheTeamOfAnotherAccountIsNotFound(t *testing.T) {
	run(t, func(w *world) {
		ada, bo := user(w, "ada@example.com", typus.RoleOwner), user(w, "bo@example.com", typus.RoleMember)
		other := w.NewAccount(typus.Account{Name: "Andere GmbH", ContactEmail: "other@example.com"}, 1)
		by := typus.Actor{Name: "operator"}
		w.WantKind(w.Access.RemoveUser(w.Ctx, other, bo.ID, by), typus.NotFound)
		w.WantKind(w.Access.EndSessionsOf(w.Ctx, other, bo.ID, by), typus.NotFound)
		w.WantKind(second(w.Access.ChangeRole(w.Ctx, other, bo.ID, typus.RoleViewer, typus.Session{}, by, nil)), typus.NotFound)
		w.WantKind(second(w.Access.InviteUserAgain(w.Ctx, other, bo.ID, by)), typus.NotFound)
		w.WantKind(second(w.Access.NewPasswordLink(w.Ctx, other, bo.Email, "operator")), typus.NotFound)
		w.WantKind(w.Access.RemoveUser(w.Ctx, other, bo.ID, actor(ada)), typus.Unauthorized)
	})
}

// A mailbox is one login and one member of a team, however its address is spelled.
func TestAMailboxIsOneLoginHoweverItIsSpelled(t *testing.T) {
	run(t, func(w *world) {
		ada := user(w, "ada@müller.example", typus.RoleOwner)
		for _, spelling := range []string{"Ada@xn--mller-kva.example", "ada@XN--MLLER-KVA.EXAMPLE", "ada@mu\u0308ller.example", "ADA@MÜLLER.EXAMPLE"} {
			in := logIn(w, spelling)
			if in.User.ID != ada.ID || in.User.Email != ada.Email {
				t.Errorf("%q logs in as %+v", spelling, in.User)
			}
			_, err := w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: spelling, Role: typus.RoleMember}, actor(ada))
			w.WantKind(err, typus.Conflict)
			w.WantKind(w.Access.ChangeEmail(w.Ctx, in.Session, ada, spelling, passphrase, actor(ada)), typus.Invalid)
		}
		_, err := w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: "bo@müller.example", Role: typus.RoleMember}, actor(ada))
		w.Must(err)
		_, err = w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: "bo@xn--mller-kva.example", Role: typus.RoleMember}, actor(ada))
		w.WantKind(err, typus.Conflict)
		w.Must(w.Access.ForgetPassword(w.Ctx, "ada@xn--mller-kva.example", office))
		letter(w, typus.LetterPasswordReset, ada.Email)
	})
}
