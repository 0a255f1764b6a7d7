package accounts_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/store"
)

// position adds a position and returns its id.
func (w *world) position(p typus.Position) int64 {
	w.Helper()
	if p.Reminders == 0 {
		p.Reminders = typus.RemindersOfAccount
	}
	id, err := w.Accounts.AddPosition(w.Ctx, store.WholeAccount(w.Account), p, nil, ada)
	w.Must(err)
	return id
}

// noted are the newest lines of the audit log, the oldest of them first.
func (w *world) noted(n int) string {
	w.Helper()
	log, err := w.Store.Audit(w.Ctx, w.Account, n)
	w.Must(err)
	var lines []string
	for _, e := range log {
		lines = append([]string{string(e.Action) + " " + e.Detail}, lines...)
	}
	return strings.Join(lines, "; ")
}

func TestWhatAPositionSaysIsCheckedAndWrittenDown(t *testing.T) {
	run(t, func(w *world) {
		all := store.WholeAccount(w.Account)
		w.position(typus.Position{Name: "Andere", Ref: "taken"})
		id := w.position(typus.Position{Name: " Vertrieb\r\nSüd ", Ref: " job-7 ", ClientName: "nobody"})
		p, err := w.Store.Position(w.Ctx, w.Account, id)
		w.Must(err)
		if p.Name != "Vertrieb Süd" || p.Ref != "job-7" || p.ClientName != "" || p.State != typus.PositionOpen {
			w.Errorf("added is %+v", p)
		}
		set := func(id int64, change func(p *typus.Position)) error {
			return w.Accounts.ChangePosition(w.Ctx, all, id, ada, func(p *typus.Position) bool { change(p); return true })
		}
		w.Must(set(id, func(p *typus.Position) {
			p.Ref, p.ClientKind, p.ClientName, p.RoleProfile, p.InviteDays, p.Reminders, p.State = "job-8", typus.ClientNamed, "Kunde AG", "hunter", 14, 0, typus.PositionClosed
		}))
		w.Must(set(id, func(*typus.Position) {}))
		want := fmt.Sprintf("position.added #%[1]d; position.changed #%[1]d position_ref, client, role_profile account → hunter, invite_days account → 14, reminders account → 0", id)
		if got := w.noted(2); got != want {
			w.Errorf("noted is %q, want %q", got, want)
		}
		if p, _ = w.Store.Position(w.Ctx, w.Account, id); p.State != typus.PositionOpen {
			w.Error("changing what a position says has closed it")
		}
		for field, change := range map[string]func(p *typus.Position){
			"name":        func(p *typus.Position) { p.Name = " " },
			"ref":         func(p *typus.Position) { p.Ref = strings.Repeat("x", 256) },
			"client_kind": func(p *typus.Position) { p.ClientKind = "x" },
			"client_name": func(p *typus.Position) { p.ClientKind, p.ClientName = typus.ClientNamed, "" },
			"client_de":   func(p *typus.Position) { p.ClientKind, p.ClientWords.EN = typus.ClientDescribed, " " },
			"client_en": func(p *typus.Position) {
				p.ClientKind, p.ClientWords.EN = typus.ClientDescribed, strings.Repeat("x", 201)
			},
			"role_profile": func(p *typus.Position) { p.RoleProfile = "x" },
			"language":     func(p *typus.Position) { p.Language = "fr" },
			"invite_days":  func(p *typus.Position) { p.InviteDays = 366 },
			"reminders":    func(p *typus.Position) { p.Reminders = 3 },
		} {
			w.wrong(field, set(id, change))
		}
		w.wrong("ref", set(id, func(p *typus.Position) { p.Ref = "taken" }))
		other := w.position(typus.Position{Name: "Dritte"})
		w.wrong("ref", set(id, func(p *typus.Position) { p.Ref = fmt.Sprint(other) }))
		w.Must(set(id, func(p *typus.Position) { p.Ref = fmt.Sprint(id) }))
		w.Must(set(id, func(p *typus.Position) { p.Ref = "job-8" }))
		_, err = w.Accounts.AddPosition(w.Ctx, store.WholeAccount(w.Account), typus.Position{Name: "Vierte", Ref: fmt.Sprint(other)}, nil, ada)
		w.wrong("ref", err)
		w.wrong("role_profile", set(0, func(p *typus.Position) { p.RoleProfile = "hunter" })) // the account's
		w.Must(set(0, func(p *typus.Position) { p.Name = "Initiativ" }))
		w.WantKind(set(id+99, func(*typus.Position) {}), typus.NotFound)
		err = w.Accounts.ChangePosition(w.Ctx, all, id, ada, func(p *typus.Position) bool { p.Name = "spät"; return false })
		w.Must(err)
		if p, _ = w.Store.Position(w.Ctx, w.Account, id); p.Name != "Vertrieb Süd" {
			w.Error("what came too late was stored")
		}
	})
}

// wrong fails unless err names exactly that field.
func (w *world) wrong(field string, err error) {
	w.Helper()
	w.WantKind(err, typus.Invalid)
	if e, ok := err.(*typus.Error); !ok || len(e.Fields) != 1 || e.Fields[0].Name != field {
		w.Errorf("%s: %v", field, err)
	}
}

func TestAFormThatIsSentTwiceAddsOnePosition(t *testing.T) {
	run(t, func(w *world) {
		by := ada
		by.Form = strings.Repeat("f", 26)
		for range 2 {
			_, err := w.Accounts.AddPosition(w.Ctx, store.WholeAccount(w.Account), typus.Position{Name: "Vertrieb"}, nil, by)
			if err != nil {
				w.WantKind(err, typus.Conflict)
			}
		}
		if list, _ := w.Store.Positions(w.Ctx, store.WholeAccount(w.Account)); len(list) != 2 {
			w.Errorf("there are %+v", list)
		}
	})
}

// invitedTo invites somebody to a position and returns the candidate.
func (w *world) invitedTo(position int64, email string) typus.Candidate {
	w.Helper()
	out, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Kim Muster", Email: email, PositionID: position}, nil)
	w.Must(err)
	return out.Candidate
}

func TestClosingAPositionDecidesAboutOpenInvitations(t *testing.T) {
	run(t, func(w *world) {
		all := store.WholeAccount(w.Account)
		id, other := w.position(typus.Position{Name: "Süd"}), w.position(typus.Position{Name: "Nord"})
		open, begun, elsewhere, kept := w.invitedTo(id, "a@example.com"), w.invitedTo(id, "b@example.com"), w.invitedTo(other, "c@example.com"), w.invitedTo(0, "d@example.com")
		token, err := w.Assess.Token(begun)
		w.Must(err)
		w.Must(w.Assess.Begin(w.Ctx, token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
		for range 2 { // the second time nothing is left to do
			n, err := w.Accounts.ClosePosition(w.Ctx, all, id, accounts.KeepOpen, ada)
			w.Must(err)
			if n != 0 {
				w.Errorf("%d were cancelled", n)
			}
		}
		n, err := w.Accounts.ClosePosition(w.Ctx, all, id, accounts.CancelOpen, ada)
		w.Must(err)
		if got, want := w.noted(2), fmt.Sprintf("position.closed #%d keep; candidate.cancelled ", id); n != 1 || got != want {
			w.Errorf("%d cancelled, noted %q, want %q", n, got, want)
		}
		for _, c := range []struct {
			candidate typus.Candidate
			want      typus.Stand
		}{{open, typus.StandWithdrawn}, {begun, typus.StandBegun}, {elsewhere, typus.StandOpen}, {kept, typus.StandOpen}} {
			now, err := w.Store.Candidate(w.Ctx, w.Account, c.candidate.ID)
			w.Must(err)
			if stand := now.Stand(w.Now()); stand != c.want {
				w.Errorf("%s stands %s, want %s", now.Email, stand, c.want)
			}
		}
		_, err = w.Accounts.ClosePosition(w.Ctx, all, 0, accounts.KeepOpen, ada)
		w.WantKind(err, typus.Conflict)
		_, err = w.Accounts.ClosePosition(w.Ctx, all, id, "x", ada)
		w.wrong("open", err)
	})
}

func TestAPositionIsReopenedAndArchived(t *testing.T) {
	run(t, func(w *world) {
		all, id := store.WholeAccount(w.Account), w.position(typus.Position{Name: "Süd"})
		w.WantKind(w.Accounts.ArchivePosition(w.Ctx, all, id, ada), typus.Conflict)
		_, err := w.Accounts.ClosePosition(w.Ctx, all, id, accounts.KeepOpen, ada)
		w.Must(err)
		closed, _ := w.Store.Position(w.Ctx, w.Account, id)
		for range 2 {
			w.Must(w.Accounts.ArchivePosition(w.Ctx, all, id, ada))
		}
		if p, _ := w.Store.Position(w.Ctx, w.Account, id); p.State != typus.PositionArchived || !p.ClosedAt.Equal(closed.ClosedAt) || p.ClosedAt.IsZero() {
			w.Errorf("archived is %+v", p)
		}
		for range 2 {
			w.Must(w.Accounts.ReopenPosition(w.Ctx, all, id, ada))
		}
		if p, _ := w.Store.Position(w.Ctx, w.Account, id); p.State != typus.PositionOpen || !p.ClosedAt.IsZero() {
			w.Errorf("opened again is %+v", p)
		}
		if got, want := w.noted(3), fmt.Sprintf("position.closed #%[1]d keep; position.archived #%[1]d; position.reopened #%[1]d", id); got != want {
			w.Errorf("noted is %q, want %q", got, want)
		}
		w.invitedTo(id, "a@example.com")
	})
}

// Whoever closes, and whoever invites, at the same moment agree on what was there first: no
// open invitation stays in a position that was closed together with its invitations.
func TestNobodyIsInvitedIntoAPositionThatIsBeingClosed(t *testing.T) {
	run(t, func(w *world) {
		all := store.WholeAccount(w.Account)
		for round := range 5 {
			id := w.position(typus.Position{Name: fmt.Sprint("Süd ", round)})
			var together sync.WaitGroup
			for n := range 8 {
				together.Go(func() {
					if n == 3 || n == 5 {
						if _, err := w.Accounts.ClosePosition(w.Ctx, all, id, accounts.CancelOpen, ada); err != nil {
							w.Error(err)
						}
						return
					}
					email := fmt.Sprintf("k%d-%d@example.com", round, n)
					_, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Kim Muster", Email: email, PositionID: id}, nil)
					if err != nil && !typus.Is(err, typus.Conflict) {
						w.Error(err)
					}
				})
			}
			together.Wait()
			list, _, err := w.Store.Candidates(w.Ctx, w.Account, store.CandidateFilter{Limit: 100})
			w.Must(err)
			for _, c := range list {
				if c.PositionID == id && c.Stand(w.Now()) != typus.StandWithdrawn {
					w.Errorf("%s stands %s in a closed position", c.Email, c.Stand(w.Now()))
				}
			}
			closings := 0
			log, _ := w.Store.Audit(w.Ctx, w.Account, 20)
			for _, e := range log {
				if e.Action == typus.AuditPositionClosed && e.Detail == fmt.Sprintf("#%d cancel", id) {
					closings++
				}
			}
			if closings != 1 {
				w.Errorf("the position was closed %d times", closings)
			}
		}
	})
}

func TestAPositionNamesUsersAndKeepsOthersOut(t *testing.T) {
	run(t, func(w *world) {
		user := func(email string, role typus.UserRole) (int64, store.Reader) {
			id, _, err := w.Access.CreateUser(w.Ctx, typus.User{AccountID: w.Account, Email: email, Role: role}, nil, "operator")
			w.Must(err)
			return id, store.Reader{AccountID: w.Account, UserID: id, Role: role, Positions: store.Positions{Open: true, Standard: true}}
		}
		eve, eves := user("eve@example.com", typus.RoleAdmin)
		bob, bobs := user("bob@example.com", typus.RoleAdmin)
		id, err := w.Accounts.AddPosition(w.Ctx, eves, typus.Position{Name: "Geheim", Confidential: true}, nil, ada)
		w.Must(err)
		if got, want := w.noted(2), fmt.Sprintf("position.added #%[1]d; position.members_changed #%[1]d +eve@example.com", id); got != want {
			w.Errorf("noted is %q, want %q", got, want)
		}
		reach := func(r store.Reader) bool {
			_, err := w.Store.PositionFor(w.Ctx, r, id)
			return err == nil
		}
		if !reach(eves) || reach(bobs) {
			w.Errorf("eve, who has made it, reaches it: %v, bob: %v", reach(eves), reach(bobs))
		}
		change := func(by store.Reader, confidential bool, members ...int64) error {
			return w.Accounts.ChangeAccess(w.Ctx, by, id, ada, func(typus.Position, accounts.Access) (accounts.Access, bool) {
				return accounts.Access{Confidential: confidential, Members: members}, true
			})
		}
		w.WantKind(change(bobs, false), typus.NotFound)
		w.Must(w.Accounts.ChangeAccess(w.Ctx, eves, id, ada, func(p typus.Position, now accounts.Access) (accounts.Access, bool) {
			if p.ID != id || !now.Confidential || len(now.Members) != 1 || now.Members[0] != eve {
				w.Errorf("%d names %+v", p.ID, now)
			}
			return accounts.Access{Confidential: true, Members: []int64{bob, bob}}, true
		}))
		if got, want := w.noted(1), fmt.Sprintf("position.members_changed #%d +bob@example.com -eve@example.com", id); got != want {
			w.Errorf("noted is %q, want %q", got, want)
		}
		if reach(eves) || !reach(bobs) {
			w.Error("who is no longer named reaches it, or who is named does not")
		}
		lines := func(r store.Reader) (n int) {
			list, err := w.Store.AuditLog(w.Ctx, r, store.AuditFilter{Limit: 100})
			w.Must(err)
			for _, l := range list {
				if strings.HasPrefix(string(l.Action), "position.") {
					n++
				}
			}
			return n
		}
		other, err := w.Accounts.AddPosition(w.Ctx, eves, typus.Position{Name: "Offen"}, nil, ada)
		w.Must(err)
		if all, own := lines(bobs), lines(eves); all != own+3 || own != 1 {
			w.Errorf("the log tells who does not reach position %d %d lines about positions, who does %d; %d is open", id, own, all, other)
		}
		w.Must(change(bobs, false))
		w.Must(change(eves, true))
		want := fmt.Sprintf("position.confidential_on #%[1]d; position.members_changed #%[1]d +eve@example.com", id)
		if got := w.noted(2); got != want {
			w.Errorf("noted is %q, want %q", got, want)
		}
		if !reach(eves) || reach(bobs) {
			w.Error("who makes a position confidential is not named in it")
		}
		w.Must(w.Accounts.SetBlind(w.Ctx, eves, id, ada, func(now typus.Position) (accounts.Blind, bool) {
			if now.ID != id || now.Blind {
				w.Errorf("asked of %+v", now)
			}
			return accounts.Blind{On: true}, false
		}))
		if p, _ := w.Store.Position(w.Ctx, w.Account, id); p.Blind {
			w.Error("what is not to be stored after all is stored")
		}
		w.Must(w.Accounts.SetBlind(w.Ctx, eves, id, ada, func(typus.Position) (accounts.Blind, bool) { return accounts.Blind{On: true, Everybody: true}, true }))
		if p, _ := w.Store.Position(w.Ctx, w.Account, id); !p.Blind || !p.BlindAll || !p.Confidential {
			w.Errorf("it is %+v", p)
		}
		stranger := w.NewAccount(typus.Account{Name: "Fremd GmbH"}, 0)
		foreign, _, err := w.Access.CreateUser(w.Ctx, typus.User{AccountID: stranger, Email: "mallory@example.com", Role: typus.RoleOwner}, nil, "operator")
		w.Must(err)
		w.WantKind(change(eves, false, bob, foreign), typus.NotFound)
		if p, _ := w.Store.Position(w.Ctx, w.Account, id); !p.Confidential || reach(bobs) {
			w.Error("half of what cannot be stored is stored")
		}
	})
}
