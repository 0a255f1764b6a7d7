package accounts_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/accounts"
	"typus/internal/instrument"
	"typus/internal/store"
)

// user adds somebody to the team and returns who they are in the log.
func (w *world) user(email string) typus.Actor {
	w.Helper()
	id, _, err := w.Access.CreateUser(w.Ctx, typus.User{AccountID: w.Account, Email: email, Role: typus.RoleAdmin}, nil, "operator")
	w.Must(err)
	return typus.Actor{Name: email, UserID: id, IP: "192.0.2.7", RequestID: "r1"}
}

// together does two things at once and waits for both.
func together(one, two func() error) error {
	var (
		wg   sync.WaitGroup
		errs [2]error
	)
	for i, do := range []func() error{one, two} {
		wg.Go(func() { errs[i] = do() })
	}
	wg.Wait()
	return errors.Join(errs[:]...)
}

// Whoever saves the members of a position builds on what the other has saved.
func TestTwoWhoNameMembersAtOnceLoseNobody(t *testing.T) {
	run(t, func(w *world) {
		ben, eve := w.user("ben@example.com"), w.user("eve@example.com")
		name := func(id int64, who typus.Actor) func() error {
			return func() error {
				return w.Accounts.ChangeAccess(w.Ctx, store.WholeAccount(w.Account), id, who, func(_ typus.Position, now accounts.Access) (accounts.Access, bool) {
					return accounts.Access{Members: append(slices.Clone(now.Members), who.UserID)}, true
				})
			}
		}
		for n := range 10 {
			id := w.position(typus.Position{Name: fmt.Sprintf("Stelle %d", n)})
			w.Must(together(name(id, ben), name(id, eve)))
			w.Must(w.Accounts.ChangeAccess(w.Ctx, store.WholeAccount(w.Account), id, ada, func(_ typus.Position, now accounts.Access) (accounts.Access, bool) {
				if !slices.Equal(now.Members, []int64{ben.UserID, eve.UserID}) {
					w.Errorf("position %d names %v", id, now.Members)
				}
				return now, false
			}))
			for _, said := range []string{"+ben@example.com", "+eve@example.com"} {
				if lines := w.noted(2); strings.Count(lines, fmt.Sprintf("position.members_changed #%d %s", id, said)) != 1 {
					w.Errorf("the log says %q", lines)
				}
			}
		}
	})
}

// Of two who give a host to two accounts at once, the second hears whose it is, as if they had
// come one after the other.
func TestTwoWhoGiveOneHostToTwoAccountsAtOnce(t *testing.T) {
	run(t, func(w *world) {
		give := func(s *store.Store, account int64) error {
			return accounts.New(accounts.Options{Store: s, Box: w.Box, Instrument: w.Instrument, BaseURL: "https://typus.example.com", Clock: w.Now}).
				Operate(w.Ctx, account, typus.Actor{Name: typus.ActorOperator}, func(a *typus.Account) { a.Host = "tests.example.com" })
		}
		other := w.NewAccount(typus.Account{Name: "Zweite GmbH"}, 0)
		waits, second := make(chan bool, 100), make(chan error, 1)
		behind := w.Store.Watched(func(query string) error {
			if strings.Contains(query, "pg_advisory_xact_lock") || strings.Contains(query, "update accounts") {
				waits <- true
			}
			return nil
		})
		begun := false
		first := w.Store.Watched(func(query string) error {
			if begun || !strings.Contains(query, "update accounts") { // it has looked, and writes
				return nil
			}
			begun = true
			go func() { second <- give(behind, other) }()
			if w.Store.Shared() { // SQLite has one writer
				<-waits
			}
			return nil
		})
		w.Must(give(first, w.Account))
		err := <-second
		w.WantKind(err, typus.Invalid)
		if want := fmt.Sprintf("host is that of account %d", w.Account); !begun || err == nil || !strings.Contains(err.Error(), want) {
			w.Errorf("want %q: %v", want, err)
		}
	})
}

// Of two who sign the next version of a role profile, the second is shown what the first has
// signed, whoever that is, and signs on top of it.
func TestTwoWhoSignARoleProfileAtOnceLoseNoVersion(t *testing.T) {
	run(t, func(w *world) {
		ben, eve := w.user("ben@example.com"), w.user("eve@example.com")
		base := instrument.Own().Roles()[0]
		importance := map[string]int{}
		for _, z := range base.Zones {
			importance[z.Dimension] = 3
		}
		for n := range 5 {
			id, err := w.Accounts.AddRole(w.Ctx, w.Account, base.Key, fmt.Sprintf("Profil %d", n), importance, true, ben)
			w.Must(err)
			sign := func(who typus.Actor, knows *int) func() error {
				return func() error {
					_, err := w.Accounts.SignRole(w.Ctx, w.Account, id, who, func(now typus.RoleProfile) (accounts.RoleDraft, bool) {
						if now.Version.Version != *knows {
							*knows = now.Version.Version
							return accounts.RoleDraft{}, false
						}
						return again(w, now, "sagt "+who.Name), true
					})
					return err
				}
			}
			knowsBen, knowsEve := 1, 1
			w.Must(together(sign(ben, &knowsBen), sign(eve, &knowsEve)))
			if knowsBen+knowsEve != 1+2 {
				w.Fatalf("they know versions %d and %d: nobody is second, or both are", knowsBen, knowsEve)
			}
			if knowsBen == 2 {
				w.Must(sign(ben, &knowsBen)())
			} else {
				w.Must(sign(eve, &knowsEve)())
			}
			all, err := w.Store.RoleVersions(w.Ctx, w.Account, id)
			w.Must(err)
			if len(all) != 3 || all[0].Reason == all[1].Reason || all[0].Version != 3 {
				w.Errorf("the versions are %+v", all)
			}
		}
	})
}

// again is a draft that asks for what is asked for now, by another name.
func again(w *world, now typus.RoleProfile, reason string) accounts.RoleDraft {
	w.Helper()
	var role instrument.Role
	w.Must(json.Unmarshal(now.Version.Profile, &role))
	d := accounts.RoleDraft{Name: role.Name + " " + reason, Reason: reason, Signed: true}
	for _, z := range role.Zones {
		why := "wie im Profil des Tests"
		d.Asks = append(d.Asks, accounts.RoleAsk{Weight: int(z.Weight*100 + 0.5), Low: int(z.Low), High: int(z.High), WhyZone: why, WhyUpper: why})
	}
	return d
}
