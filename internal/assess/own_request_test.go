package assess_test

import (
	"slices"
	"testing"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/store"
)

// asks is what a candidate who has finished asks the team for.
func (w *world) asks(i assess.Invitation) typus.Request {
	w.Helper()
	out := w.answered(i)
	w.Must(w.Assess.Finish(w.Ctx, out.Token))
	w.Must(w.Assess.OwnRequest(w.Ctx, out.Token, typus.RequestAccess, "", typus.Actor{Name: typus.ActorCandidate}))
	open, err := w.Store.OpenRequests(w.Ctx, store.WholeAccount(w.Account), 10)
	w.Must(err)
	if len(open) != 1 {
		w.Fatalf("open are %+v", open)
	}
	return open[0].Request
}

func TestWhatACandidateAsksForReachesSomebodyWhoMayAnswer(t *testing.T) {
	blind := func(w *world, all bool) {
		w.Must(w.Accounts.SetBlind(w.Ctx, store.WholeAccount(w.Account), 0, ada, func(typus.Position) (accounts.Blind, bool) { return accounts.Blind{On: true, Everybody: all}, true }))
	}
	for name, c := range map[string]struct {
		set  func(w *world) int64 // whoever invites
		want string
	}{
		"nobody has joined": {func(*world) int64 { return 0 }, "own_asked owner@example.com"},
		"an address of choice, and nobody has joined": {func(w *world) int64 {
			w.set(func(a *typus.Account) { a.NotifyEmails = "x@example.com" })
			return 0
		}, "own_asked x@example.com"},
		"an address of choice of nobody in the team": {func(w *world) int64 {
			w.set(func(a *typus.Account) { a.NotifyEmails = "x@example.com" })
			w.user("a@example.com", typus.RoleOwner)
			return 0
		}, "own_asked a@example.com"},
		"the inviter": {func(w *world) int64 {
			w.user("a@example.com", typus.RoleOwner)
			return w.user("m@example.com", typus.RoleMember)
		}, "own_asked m@example.com"},
		"an inviter who reads only": {func(w *world) int64 {
			w.user("a@example.com", typus.RoleOwner)
			return w.user("m@example.com", typus.RoleViewer)
		}, "own_asked a@example.com"},
		"an inviter who rates first": {func(w *world) int64 {
			blind(w, false)
			w.user("a@example.com", typus.RoleOwner)
			return w.user("m@example.com", typus.RoleMember)
		}, "own_asked a@example.com"},
		"an admin of choice where everybody rates first": {func(w *world) int64 {
			blind(w, true)
			w.set(func(a *typus.Account) { a.NotifyEmails = "b@example.com" })
			w.user("b@example.com", typus.RoleAdmin)
			return w.user("a@example.com", typus.RoleOwner)
		}, "own_asked a@example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(w *world) {
				w.set(func(a *typus.Account) { a.Notify = typus.NotifyOff })
				w.asks(assess.Invitation{Name: "B", Email: "b@example.com", InvitedBy: c.set(w)})
				if got := w.recipients(); got != c.want {
					t.Errorf("letters: %s\nwant: %s", got, c.want)
				}
			})
		})
	}
}

// Owners answer also where everybody rates first; nobody else who has not rated does.
func TestAnOwnerAnswersWhereEverybodyRatesFirst(t *testing.T) {
	run(t, func(w *world) {
		w.Must(w.Accounts.SetBlind(w.Ctx, store.WholeAccount(w.Account), 0, ada, func(typus.Position) (accounts.Blind, bool) { return accounts.Blind{On: true, Everybody: true}, true }))
		q := w.asks(assess.Invitation{Name: "B", Email: "b@example.com"})
		q.Answer = "Die Auskunft kommt per Brief."
		for _, c := range []struct {
			role typus.UserRole
			open int
		}{{typus.RoleAdmin, 0}, {typus.RoleOwner, 1}} {
			reader := store.Reader{
				AccountID: w.Account, UserID: w.user(string(c.role)+"@example.com", c.role), Role: c.role,
				Positions: store.Positions{Everything: true}, Blind: store.Blind{Somewhere: true, Standard: true},
			}
			if open, err := w.Store.OpenRequests(w.Ctx, reader, 10); err != nil || len(open) != c.open {
				t.Errorf("%s has %+v, %v", c.role, open, err)
			}
			err := w.Assess.AnswerRequest(w.Ctx, reader, q, ada)
			if c.open == 0 {
				w.wantRefusal(err, assess.ObstacleWithheld)
			} else {
				w.Must(err)
			}
		}
	})
}

// Whoever asks for the result hears of its release even if no letter went out before; whoever
// has not asked does not.
func TestWhoHasAskedForTheResultHearsOfItsRelease(t *testing.T) {
	for asked, want := range map[bool]int{true: 1, false: 0} {
		run(t, func(w *world) {
			out := w.answered(assess.Invitation{Name: "B", Email: "b@example.com"})
			w.Must(w.Assess.Finish(w.Ctx, out.Token))
			if asked {
				w.Must(w.Assess.OwnRequest(w.Ctx, out.Token, typus.RequestResult, "", ada))
			}
			w.Must(w.Assess.ReleaseOwn(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, ada))
			letters, err := w.Store.LettersOf(w.Ctx, w.Account, out.Candidate.ID)
			w.Must(err)
			n := 0
			for _, l := range letters {
				if l.Kind == typus.LetterOwnReleased {
					n++
				}
			}
			if n != want {
				t.Errorf("asked %v: %d letters", asked, n)
			}
		})
	}
}

// The operator, who is nobody's colleague, is not taken for somebody who has left the team.
func TestTheOperatorIsNotSomebodyWhoHasLeft(t *testing.T) {
	run(t, func(w *world) {
		out := w.answered(jana)
		w.Must(w.Assess.Finish(w.Ctx, out.Token))
		for _, by := range []typus.Actor{{Name: typus.ActorOperator}, {Name: "gone@example.com", UserID: 987654}} {
			w.Must(w.Assess.NoteCopied(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, by))
		}
		p, err := w.Store.OwnPage(w.Ctx, out.Candidate)
		w.Must(err)
		if len(p.Looks) != 2 || p.Looks[0].Operator || p.Looks[0].Role != "" || !p.Looks[1].Operator || !p.Looks[1].File {
			t.Errorf("looks: %+v", p.Looks)
		}
	})
}

// Looks of one day are one line, and which day that is depends on where the account is.
func TestLooksAreToldByTheAccountsDays(t *testing.T) {
	run(t, func(w *world) {
		out := w.answered(jana)
		w.Must(w.Assess.Finish(w.Ctx, out.Token))
		for range 5 { // 10:20 to 11:40 in UTC: on Kiritimati one day, on Pago Pago two
			w.Later(20 * time.Minute)
			w.Must(w.Assess.NoteCopied(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, typus.Actor{Name: typus.ActorOperator}))
		}
		for zone, days := range map[typus.Zone][]string{
			"UTC": {"2026-11-27"}, "Pacific/Kiritimati": {"2026-11-28"}, "Pacific/Pago_Pago": {"2026-11-26", "2026-11-27"},
		} {
			w.set(func(a *typus.Account) { a.Zone = zone })
			p, err := w.Store.OwnPage(w.Ctx, out.Candidate)
			w.Must(err)
			var got []string
			for _, l := range p.Looks {
				got = append(got, (typus.Account{Zone: zone}).DayOf(l.Day))
				if begins := (typus.Account{Zone: zone}).DayBegins(l.Day); !begins.Equal(l.Day) {
					w.Errorf("in %s a look is told at %s", zone, l.Day)
				}
			}
			if !slices.Equal(got, days) {
				w.Errorf("in %s looks are told on %q, want %q", zone, got, days)
			}
		}
	})
}

// What is decided about letting candidates see results counts at the moment of the release: a
// page that is older neither releases nor answers what was asked for.
func TestNothingIsReleasedWhereResultsAreShownOtherwise(t *testing.T) {
	run(t, func(w *world) {
		all := store.WholeAccount(w.Account)
		out := w.answered(jana)
		w.Must(w.Assess.Finish(w.Ctx, out.Token))
		w.Must(w.Assess.OwnRequest(w.Ctx, out.Token, typus.RequestResult, "", ada))
		shown := func(terms typus.OwnResultTerms) {
			w.Must(w.Accounts.SetPositionOwnTerms(w.Ctx, all, 0, ada, func(typus.OwnResultTerms) (typus.OwnResultTerms, bool) { return terms, true }))
		}
		release := func() error { return w.Assess.ReleaseOwn(w.Ctx, all, out.Candidate.ID, ada) }
		for _, terms := range []typus.OwnResultTerms{{Policy: typus.OwnResultAtOnce}, {Policy: typus.OwnResultNone, Reason: "Betriebsvereinbarung"}} {
			shown(terms)
			w.wantRefusal(release(), assess.ObstacleTerms)
		}
		open, err := w.Store.OpenRequests(w.Ctx, all, 10)
		w.Must(err)
		if own, err := w.Store.OwnResult(w.Ctx, out.Candidate.ID); err != nil || !own.ReleasedAt.IsZero() || len(open) != 1 {
			t.Errorf("released is %+v, %v, open are %+v", own, err, open)
		}
		shown(typus.OwnResultTerms{})
		w.Must(release())
	})
}
