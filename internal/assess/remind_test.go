package assess_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

const aDay = 24 * time.Hour

var chef = typus.Actor{Name: "chef@example.com"}

// today runs a test whose clock begins with the database's: what the courier
// writes back is stamped by that one.
func today(t *testing.T, test func(w *world)) {
	run(t, func(w *world) {
		w.Set(time.Now().UTC().Truncate(time.Millisecond))
		test(w)
	})
}

// deliver does the courier's part: every letter that waits becomes as said.
func (w *world) deliver(state typus.LetterState) {
	w.Helper()
	err := w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		letters, err := tx.Letters(w.Ctx, w.Account, 100)
		for _, l := range letters {
			if l.State == typus.LetterQueued && err == nil {
				_, err = tx.RetryLetter(w.Ctx, w.Account, l.ID, time.Now().Add(-time.Second))
			}
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	claimed, err := w.Store.ClaimLetters(w.Ctx, store.Claim{Owner: "me", Lease: time.Minute, Limit: 100})
	if err != nil {
		w.Fatal(err)
	}
	for _, l := range claimed {
		l.State = state
		if mine, err := w.Store.FinishLetter(w.Ctx, "me", l, 0); err != nil || !mine {
			w.Fatal(mine, err)
		}
	}
}

func (w *world) remindDue() {
	w.Helper()
	if err := w.Assess.RemindDue(w.Ctx, w.Now()); err != nil {
		w.Fatal(err)
	}
}

// reminders counts the reminders to a candidate.
func (w *world) reminders(id int64) int {
	w.Helper()
	letters, err := w.Store.LettersOf(w.Ctx, w.Account, id)
	if err != nil {
		w.Fatal(err)
	}
	n := 0
	for _, l := range letters {
		if l.Kind == typus.LetterReminder {
			n++
		}
	}
	return n
}

func TestACandidateIsRemindedAfterTwoAndAfterFiveDays(t *testing.T) {
	today(t, func(w *world) {
		out := w.invite(jana)
		w.deliver(typus.LetterSent)
		var got []string
		for d := range 29 {
			w.remindDue()
			w.remindDue()
			if n := w.reminders(out.Candidate.ID); n > len(got) {
				got = append(got, fmt.Sprint("day ", d))
			}
			w.deliver(typus.LetterSent)
			w.Later(aDay + time.Second)
		}
		if want := []string{"day 2", "day 5"}; !slices.Equal(got, want) {
			w.Errorf("reminded on %v, want %v", got, want)
		}
	})
}

func TestAReminderWaitsForTwoDaysWithoutActivity(t *testing.T) {
	today(t, func(w *world) {
		out := w.invite(jana)
		w.deliver(typus.LetterSent)
		w.Later(aDay)
		w.begin(out.Token)
		w.Later(12 * time.Hour)
		if _, err := w.Assess.Answer(w.Ctx, out.Token, w.all()[:3]); err != nil {
			w.Fatal(err)
		}
		w.Later(2*aDay - time.Second)
		if w.remindDue(); w.reminders(out.Candidate.ID) != 0 {
			w.Error("reminded although something was answered less than two days ago")
		}
		w.Later(time.Second)
		if w.remindDue(); w.reminders(out.Candidate.ID) != 1 {
			w.Error("not reminded two days after the last answer")
		}
	})
}

func TestNobodyIsRemindedWhoShouldNotBe(t *testing.T) {
	for name, c := range map[string]struct {
		silent bool // invited without a letter
		do     func(w *world, out assess.Invited) error
	}{
		"finished": {do: func(w *world, out assess.Invited) error {
			w.begin(out.Token)
			if _, err := w.Assess.Answer(w.Ctx, out.Token, w.all()); err != nil {
				return err
			}
			return w.Assess.Finish(w.Ctx, out.Token)
		}},
		"declined": {do: func(w *world, out assess.Invited) error { return w.Assess.Decline(w.Ctx, out.Token) }},
		"cancelled": {do: func(w *world, out assess.Invited) error {
			return w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, chef)
		}},
		"expired": {do: func(w *world, out assess.Invited) error {
			return w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
				return tx.ExtendCandidate(w.Ctx, w.Account, out.Candidate.ID, w.Now().Add(aDay))
			})
		}},
		"bounced":    {do: func(w *world, _ assess.Invited) error { w.deliver(typus.LetterFailed); return nil }},
		"wants none": {do: func(w *world, out assess.Invited) error { return w.Assess.StopReminders(w.Ctx, out.Token) }},
		"no reminders in this account": {do: func(w *world, _ assess.Invited) error {
			a, err := w.Store.Account(w.Ctx, w.Account)
			if err != nil {
				return err
			}
			a.Reminders = 0
			return w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.SetAccount(w.Ctx, a) })
		}},
		"no letter was wanted": {silent: true, do: func(*world, assess.Invited) error { return nil }},
		"no letter has gone out": {do: func(w *world, _ assess.Invited) error {
			claimed, err := w.Store.ClaimLetters(w.Ctx, store.Claim{Owner: "me", Lease: time.Hour, Limit: 10})
			if len(claimed) != 1 {
				w.Errorf("claimed %v", claimed)
			}
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			today(t, func(w *world) {
				i := jana
				i.SendEmail = !c.silent
				out := w.invite(i)
				if err := c.do(w, out); err != nil {
					w.Fatal(err)
				}
				w.deliver(typus.LetterSent)
				for range 10 {
					w.Later(aDay)
					w.remindDue()
				}
				if n := w.reminders(out.Candidate.ID); n != 0 {
					w.Errorf("%d reminders", n)
				}
			})
		})
	}
}

func TestAReminderThatComesBackEndsTheReminders(t *testing.T) {
	today(t, func(w *world) {
		out := w.invite(jana)
		w.deliver(typus.LetterSent)
		w.Later(2*aDay + time.Minute)
		w.remindDue()
		w.deliver(typus.LetterFailed)
		w.Later(10 * aDay)
		w.remindDue()
		if n := w.reminders(out.Candidate.ID); n != 1 {
			w.Errorf("%d reminders, want the one that came back", n)
		}
	})
}

func TestManyInstancesRemindEachCandidateOnce(t *testing.T) {
	today(t, func(w *world) {
		var ids []int64
		for n := range 20 {
			out := w.invite(assess.Invitation{Name: "P", Email: fmt.Sprintf("p%d@example.com", n), SendEmail: true})
			ids = append(ids, out.Candidate.ID)
		}
		w.deliver(typus.LetterSent)
		w.Later(2*aDay + time.Minute)
		for _, err := range parallel(8, func(int) error { return w.Assess.RemindDue(w.Ctx, w.Now()) }) {
			if err != nil {
				w.Error(err)
			}
		}
		for _, id := range ids {
			if n := w.reminders(id); n != 1 {
				w.Errorf("candidate %d was reminded %d times", id, n)
			}
		}
	})
}

// wantRefusal checks the reason of a Conflict.
func (w *world) wantRefusal(err error, code assess.Obstacle) {
	w.Helper()
	e, ok := err.(*typus.Error)
	if !ok || e.Kind != typus.Conflict || len(e.Fields) != 1 || e.Fields[0].Code != string(code) {
		w.Errorf("error is %v, want a conflict because of %q", err, code)
	}
}

func TestAReminderByHandGoesOutOnceADay(t *testing.T) {
	today(t, func(w *world) {
		out := w.invite(jana)
		id := out.Candidate.ID
		remind := func() error { return w.Assess.Remind(w.Ctx, store.WholeAccount(w.Account), id, chef) }
		w.wantRefusal(remind(), assess.ObstacleQueued)
		w.deliver(typus.LetterSent)
		w.wantRefusal(remind(), assess.ObstacleRecent)
		w.wantRefusal(w.Assess.Resend(w.Ctx, store.WholeAccount(w.Account), id, chef), assess.ObstacleRecent)
		w.Later(aDay)
		won := 0
		for _, err := range parallel(10, func(int) error { return remind() }) {
			if err == nil {
				won++
			}
		}
		if won != 1 || w.reminders(id) != 1 {
			w.Errorf("%d of ten at once got through, %d letters", won, w.reminders(id))
		}
		w.deliver(typus.LetterSent)
		w.Later(aDay) // the one by itself keeps its distance from the one by hand
		if w.remindDue(); w.reminders(id) != 1 {
			w.Error("reminded by itself a day after a reminder by hand")
		}
		audit, err := w.Store.AuditOf(w.Ctx, w.Account, id)
		if err != nil || len(audit) != 1 || audit[0].Action != "candidate.reminded" || audit[0].Actor != chef.Name {
			w.Errorf("%+v, %v", audit, err)
		}
		_, foreign := w.NewAccount(typus.Account{Name: "Other"}, 1), w.Account
		w.Account = foreign
		w.WantKind(w.Assess.Remind(w.Ctx, store.WholeAccount(w.Account+1), id, chef), typus.NotFound)
	})
}

func TestAfterABounceTheInvitationIsSentAgainAndReminded(t *testing.T) {
	today(t, func(w *world) {
		id := w.invite(jana).Candidate.ID
		w.deliver(typus.LetterFailed)
		w.wantRefusal(w.Assess.Remind(w.Ctx, store.WholeAccount(w.Account), id, chef), assess.ObstacleBounced)
		if err := w.Assess.Resend(w.Ctx, store.WholeAccount(w.Account), id, chef); err != nil {
			w.Fatal(err)
		}
		w.deliver(typus.LetterSent)
		w.Later(2*aDay + time.Minute)
		if w.remindDue(); w.reminders(id) != 1 {
			w.Error("not reminded two days after the second letter")
		}
	})
}

func TestWhoHasRunOutIsNotedOnceAndCanBeInvitedAgain(t *testing.T) {
	today(t, func(w *world) {
		out := w.invite(jana)
		other := w.invite(assess.Invitation{Name: "B", Email: "b@example.com"})
		expired := func(id int64) int {
			lines, err := w.Store.AuditOf(w.Ctx, w.Account, id)
			if err != nil {
				w.Fatal(err)
			}
			n := 0
			for _, l := range lines {
				if l.Action == "candidate.expired" && l.Actor == "server" {
					n++
				}
			}
			return n
		}
		expire := func() {
			for _, err := range parallel(4, func(int) error { return w.Assess.ExpireDue(w.Ctx, w.Now()) }) {
				if err != nil {
					w.Error(err)
				}
			}
		}
		if expire(); expired(out.Candidate.ID) != 0 {
			w.Error("noted before its time")
		}
		w.Later(30 * aDay)
		expire()
		expire()
		for _, id := range []int64{out.Candidate.ID, other.Candidate.ID} {
			if n := expired(id); n != 1 {
				w.Errorf("candidate %d: noted %d times", id, n)
			}
		}
		if _, err := w.Store.CandidateByOpenRef(w.Ctx, w.Account, fmt.Sprintf("%d\u001fcrm-1\u001fjana@example.com", w.Account)); err == nil {
			w.Error("the external_id is still taken")
		}
		if err := w.Assess.Extend(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, w.Now().Add(aDay), chef, nil); err != nil {
			w.Fatal(err)
		}
		w.Later(aDay)
		if expire(); expired(out.Candidate.ID) != 2 {
			w.Error("an extended invitation that runs out again is not noted")
		}
	})
}

func TestARequestForALinkIsToldOnceADayAndExtendsNothing(t *testing.T) {
	today(t, func(w *world) {
		out := w.invite(jana)
		ask := func() error { return w.Assess.RequestLink(w.Ctx, out.Token) }
		w.WantKind(ask(), typus.Conflict)
		w.Later(31 * aDay)
		for _, err := range parallel(5, func(int) error { return ask() }) {
			if err != nil {
				w.Error(err)
			}
		}
		told := func() int { return strings.Count(w.letterKinds(), "link_requested") }
		if told() != 1 {
			w.Errorf("letters: %s", w.letterKinds())
		}
		asked, err := w.Assess.LinkRequested(w.Ctx, out.Candidate)
		if err != nil || !asked || w.candidate(out.Candidate.ID).Stand(w.Now()) != typus.StandExpired {
			w.Errorf("asked %t, %v", asked, err)
		}
		w.Later(aDay)
		if err := ask(); err != nil || told() != 2 {
			w.Errorf("the day after: %v, %s", err, w.letterKinds())
		}
		w.WantKind(w.Assess.RequestLink(w.Ctx, "unknown"), typus.NotFound)
	})
}

// letters are kind and recipient of all letters of the account, oldest first.
func (w *world) recipients() string {
	w.Helper()
	letters, err := w.Store.Letters(w.Ctx, w.Account, 100)
	if err != nil {
		w.Fatal(err)
	}
	var list []string
	for _, l := range slices.Backward(letters) {
		list = append(list, string(l.Kind)+" "+l.To)
	}
	return strings.Join(list, ", ")
}

func (w *world) finished(i assess.Invitation) {
	w.Helper()
	out := w.answered(i)
	if err := w.Assess.Finish(w.Ctx, out.Token); err != nil {
		w.Fatal(err)
	}
}

// user is somebody who can log in.
func (w *world) user(email string, role typus.UserRole) int64 {
	w.Helper()
	password := "vier lose Wörter hier"
	return w.person(email, role, &password)
}

// invited is a person who has not accepted.
func (w *world) invited(email string, role typus.UserRole) int64 {
	w.Helper()
	return w.person(email, role, nil)
}

func (w *world) person(email string, role typus.UserRole, password *string) int64 {
	w.Helper()
	id, _, err := w.Access.CreateUser(w.Ctx, typus.User{AccountID: w.Account, Email: email, Role: role}, password, "operator")
	if err != nil {
		w.Fatal(err)
	}
	return id
}

func (w *world) set(change func(*typus.Account)) {
	w.Helper()
	err := w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		a, err := tx.LockAccount(w.Ctx, w.Account)
		if err != nil {
			return err
		}
		change(&a)
		return tx.SetAccount(w.Ctx, a)
	})
	if err != nil {
		w.Fatal(err)
	}
}

// beyond is a member who reads positions that name them only, and none does.
func (w *world) beyond(email string) int64 {
	w.Helper()
	id := w.user(email, typus.RoleMember)
	w.reaches(id, false)
	return id
}

// reaches says whether a user reads the candidates of the default position.
func (w *world) reaches(user int64, does bool) {
	w.Helper()
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.SetOnlyNamed(w.Ctx, w.Account, user, !does) }))
}

// confidential keeps the default position to its owners and to whom it names.
func (w *world) confidential() { w.Helper(); w.keeps(0, true) }

// keeps says whether a position, 0 for the default one, is kept to its owners and to whom it
// names.
func (w *world) keeps(position int64, does bool) {
	w.Helper()
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		p, err := tx.LockStandardPosition(w.Ctx, w.Account, w.Now())
		if err == nil && position != 0 {
			p, err = tx.LockPosition(w.Ctx, w.Account, position, w.Now())
		}
		if err != nil {
			return err
		}
		p.Confidential = does
		return tx.SetPositionSecrecy(w.Ctx, p)
	}))
}

func TestAFinishedTestIsToldToTheRightPeople(t *testing.T) {
	silent := assess.Invitation{Name: "B", Email: "b@example.com"}
	for name, c := range map[string]struct {
		invitation assess.Invitation
		set        func(w *world, i *assess.Invitation)
		want       string
	}{
		"no owner yet":  {silent, nil, "completed owner@example.com"},
		"with a letter": {jana, nil, "invitation jana@example.com, receipt jana@example.com, completed owner@example.com"},
		"two owners": {silent, func(w *world, _ *assess.Invitation) {
			w.user("a@example.com", typus.RoleOwner)
			w.user("c@example.com", typus.RoleOwner)
		}, "completed a@example.com, completed c@example.com"},
		"an owner who has not accepted": {silent, func(w *world, _ *assess.Invitation) {
			w.invited("mistyped@example.com", typus.RoleOwner)
		}, "completed owner@example.com"},
		"one owner of two has accepted": {silent, func(w *world, _ *assess.Invitation) {
			w.invited("mistyped@example.com", typus.RoleOwner)
			w.user("a@example.com", typus.RoleOwner)
		}, "completed a@example.com"},
		"daily, and an owner who has not accepted": {silent, func(w *world, _ *assess.Invitation) {
			w.set(func(a *typus.Account) { a.Notify = typus.NotifyDaily })
			w.invited("mistyped@example.com", typus.RoleOwner)
		}, "completed_daily owner@example.com"},
		"an inviter who has not accepted": {silent, func(w *world, i *assess.Invitation) {
			i.InvitedBy = w.invited("mistyped@example.com", typus.RoleMember)
		}, "completed owner@example.com"},
		"daily, and an inviter who has not accepted": {silent, func(w *world, i *assess.Invitation) {
			w.set(func(a *typus.Account) { a.Notify = typus.NotifyDaily })
			i.InvitedBy = w.invited("mistyped@example.com", typus.RoleMember)
		}, "completed_daily owner@example.com"},
		"addresses of choice": {silent, func(w *world, _ *assess.Invitation) {
			w.set(func(a *typus.Account) { a.NotifyEmails = "x@example.com\ny@example.com" })
		}, "completed x@example.com, completed y@example.com"},
		"the inviter": {silent, func(w *world, i *assess.Invitation) {
			w.user("a@example.com", typus.RoleOwner)
			i.InvitedBy = w.user("m@example.com", typus.RoleMember)
		}, "completed m@example.com"},
		"an inviter who has lost reach": {silent, func(w *world, i *assess.Invitation) {
			w.user("a@example.com", typus.RoleOwner)
			i.InvitedBy = w.beyond("m@example.com")
		}, "completed a@example.com"},
		"an inviter without reach, and addresses of choice of whom one has none": {silent, func(w *world, i *assess.Invitation) {
			i.InvitedBy = w.beyond("m@example.com")
			w.set(func(a *typus.Account) { a.NotifyEmails = "M@example.com\nx@example.com" })
		}, "completed x@example.com"},
		"a confidential position, of which no outsider hears": {silent, func(w *world, i *assess.Invitation) {
			w.user("a@example.com", typus.RoleOwner)
			i.InvitedBy = w.user("m@example.com", typus.RoleMember)
			w.set(func(a *typus.Account) { a.NotifyEmails = "x@example.com" })
			w.confidential()
		}, "completed a@example.com"},
		"another confidential position, of which no outsider hears either": {silent, func(w *world, i *assess.Invitation) {
			w.user("a@example.com", typus.RoleOwner)
			w.set(func(a *typus.Account) { a.NotifyEmails = "x@example.com" })
			i.PositionID = w.hiring(typus.Position{Name: "Geheim", Confidential: true})
		}, "completed a@example.com"},
		"the default position, open beside a confidential one": {silent, func(w *world, _ *assess.Invitation) {
			w.user("a@example.com", typus.RoleOwner)
			w.set(func(a *typus.Account) { a.NotifyEmails = "x@example.com" })
			w.hiring(typus.Position{Name: "Geheim", Confidential: true})
		}, "completed x@example.com"},
		"an open position beside a confidential one": {silent, func(w *world, i *assess.Invitation) {
			w.user("a@example.com", typus.RoleOwner)
			w.set(func(a *typus.Account) { a.NotifyEmails = "x@example.com" })
			w.hiring(typus.Position{Name: "Geheim", Confidential: true})
			i.PositionID = w.hiring(typus.Position{Name: "Offen"})
		}, "completed x@example.com"},
		"an address of choice of an owner who has not accepted": {silent, func(w *world, _ *assess.Invitation) {
			w.invited("mistyped@example.com", typus.RoleOwner)
			w.set(func(a *typus.Account) { a.NotifyEmails = "mistyped@example.com" })
		}, "completed mistyped@example.com"},
		"a confidential position, and an address of choice of an owner who has not accepted": {silent, func(w *world, _ *assess.Invitation) {
			w.user("a@example.com", typus.RoleOwner)
			w.invited("mistyped@example.com", typus.RoleOwner)
			w.set(func(a *typus.Account) { a.NotifyEmails = "mistyped@example.com" })
			w.confidential()
		}, "completed a@example.com"},
		"a confidential position, and the account's address of an owner who has not accepted": {silent, func(w *world, _ *assess.Invitation) {
			w.invited("owner@example.com", typus.RoleOwner)
			w.confidential()
		}, ""},
		"an inviter who was removed": {silent, func(w *world, i *assess.Invitation) {
			w.user("a@example.com", typus.RoleOwner)
			i.InvitedBy = w.user("m@example.com", typus.RoleMember)
			w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.RemoveUser(w.Ctx, w.Account, i.InvitedBy) }))
		}, "completed a@example.com"},
		"daily, and an inviter who has lost reach": {silent, func(w *world, i *assess.Invitation) {
			w.set(func(a *typus.Account) { a.Notify = typus.NotifyDaily })
			w.user("a@example.com", typus.RoleOwner)
			i.InvitedBy = w.beyond("m@example.com")
		}, "completed_daily a@example.com"},
		"an inviter who is gone": {silent, func(w *world, i *assess.Invitation) {
			w.user("a@example.com", typus.RoleOwner)
			i.InvitedBy = 4711
		}, "completed a@example.com"},
		"daily": {silent, func(w *world, _ *assess.Invitation) { w.set(func(a *typus.Account) { a.Notify = typus.NotifyDaily }) }, "completed_daily owner@example.com"},
		"off":   {silent, func(w *world, _ *assess.Invitation) { w.set(func(a *typus.Account) { a.Notify = typus.NotifyOff }) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(w *world) {
				if c.set != nil {
					c.set(w, &c.invitation)
				}
				w.finished(c.invitation)
				if got := w.recipients(); got != c.want {
					w.Errorf("letters: %s\nwant: %s", got, c.want)
				}
			})
		})
	}
}

func TestTheDailyLetterIsOneForEachPersonAndDay(t *testing.T) {
	run(t, func(w *world) {
		inviter := w.user("m@example.com", typus.RoleMember)
		w.set(func(a *typus.Account) { a.Notify = typus.NotifyDaily })
		for n := range 3 {
			w.finished(assess.Invitation{Name: "P", Email: fmt.Sprintf("p%d@example.com", n)})
			w.finished(assess.Invitation{Name: "P", Email: fmt.Sprintf("q%d@example.com", n), InvitedBy: inviter})
		}
		if got := w.recipients(); got != "completed_daily owner@example.com, completed_daily m@example.com" {
			w.Errorf("letters: %s", got)
		}
		letters, _ := w.Store.Letters(w.Ctx, w.Account, 10)
		for _, l := range letters {
			if want := time.Date(2026, 11, 28, 6, 0, 0, 0, time.UTC); !l.NextAttemptAt.Equal(want) {
				w.Errorf("due at %s, want %s", l.NextAttemptAt, want)
			}
		}
	})
}

// The daily letter goes out in the morning where the account is: at 10 o'clock in UTC that is
// still to come on Pago Pago, and tomorrow's on Kiritimati.
func TestTheDailyLetterGoesOutInTheAccountsMorning(t *testing.T) {
	run(t, func(w *world) {
		w.set(func(a *typus.Account) { a.Notify = typus.NotifyDaily })
		for n, c := range []struct {
			zone typus.Zone
			due  time.Time
		}{
			{"Europe/Berlin", time.Date(2026, 11, 28, 5, 0, 0, 0, time.UTC)},
			{"Pacific/Kiritimati", time.Date(2026, 11, 27, 16, 0, 0, 0, time.UTC)},
			{"Pacific/Pago_Pago", time.Date(2026, 11, 27, 17, 0, 0, 0, time.UTC)},
		} {
			w.set(func(a *typus.Account) { a.Zone = c.zone })
			inviter := w.user(fmt.Sprintf("m%d@example.com", n), typus.RoleMember)
			w.finished(assess.Invitation{Name: "P", Email: fmt.Sprintf("p%d@example.com", n), InvitedBy: inviter})
			letters, err := w.Store.Letters(w.Ctx, w.Account, 100)
			w.Must(err)
			for _, l := range letters {
				if l.UserID == inviter && !l.NextAttemptAt.Equal(c.due) {
					w.Errorf("in %s the letter is due at %s, want %s", c.zone, l.NextAttemptAt, c.due)
				}
			}
		}
	})
}

func TestOwnersAreWrittenToInTheirOwnLanguageWhateverItIsAbout(t *testing.T) {
	for notify, about := range map[typus.Notify]typus.LetterKind{typus.NotifyNow: typus.LetterCompleted, typus.NotifyDaily: typus.LetterDigest} {
		t.Run(string(notify), func(t *testing.T) {
			run(t, func(w *world) {
				w.Account = w.NewAccount(typus.Account{Name: "A", ContactEmail: "owner@example.com"}, 1)
				w.set(func(a *typus.Account) { a.Notify = notify })
				english := w.user("e@example.com", typus.RoleOwner)
				w.user("d@example.com", typus.RoleOwner)
				err := w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.SetPreferences(w.Ctx, w.Account, english, "en", "") })
				if err != nil {
					w.Fatal(err)
				}
				w.completeSome(1)
				_, _, err = w.Assess.Invite(w.Ctx, w.Account, jana, nil)
				w.WantKind(err, typus.NoCredit)
				letters, err := w.Store.Letters(w.Ctx, w.Account, 100)
				if err != nil {
					w.Fatal(err)
				}
				var got []string
				for _, l := range letters {
					got = append(got, fmt.Sprintf("%s %s %s", l.Kind, l.To, l.Language))
				}
				var want []string
				for _, kind := range []typus.LetterKind{about, typus.LetterCreditsEmpty, typus.LetterCreditsRefused} {
					want = append(want, string(kind)+" d@example.com de", string(kind)+" e@example.com en")
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					w.Errorf("letters: %q\nwant: %q", got, want)
				}
			})
		})
	}
}

// What an owner has invited and what nobody has stand in one letter, whichever is finished
// first.
func TestAnOwnerWhoInvitesHearsOfOthersToo(t *testing.T) {
	for name, ownFirst := range map[string]bool{"their own first": true, "their own last": false} {
		t.Run(name, func(t *testing.T) {
			run(t, func(w *world) {
				owner := w.user("o@example.com", typus.RoleOwner)
				w.set(func(a *typus.Account) { a.Notify = typus.NotifyDaily })
				own, others := assess.Invitation{Name: "Own", Email: "own@example.com", InvitedBy: owner}, assess.Invitation{Name: "API", Email: "api@example.com"}
				order := []assess.Invitation{others, own, own}
				if ownFirst {
					order = []assess.Invitation{own, own, others}
				}
				begun := w.Now()
				for _, i := range order {
					w.finished(i)
				}
				if got := w.digests(begun); got != "o@example.com: API Own Own" {
					w.Errorf("the letters list %s", got)
				}
			})
		})
	}
}

// Whom a daily letter lists is decided when it is sent: the inviter's letter leaves out who is
// out of their reach by then, and the owners' has them, although the inviter is still there.
func TestADailyLetterListsWhomItsReaderMaySeeThen(t *testing.T) {
	run(t, func(w *world) {
		w.user("o@example.com", typus.RoleOwner)
		inviter := w.user("m@example.com", typus.RoleMember)
		w.set(func(a *typus.Account) { a.Notify = typus.NotifyDaily })
		begun := w.Now()
		w.finished(assess.Invitation{Name: "API", Email: "api@example.com"})
		w.finished(assess.Invitation{Name: "Own", Email: "own@example.com", InvitedBy: inviter})
		for _, c := range []struct {
			change func()
			want   string
		}{
			{func() {}, "m@example.com: Own, o@example.com: API"},
			{func() { w.reaches(inviter, false) }, "m@example.com: , o@example.com: API Own"},
			{func() { w.reaches(inviter, true) }, "m@example.com: Own, o@example.com: API"},
			{w.confidential, "m@example.com: , o@example.com: API Own"},
			{func() {
				w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.RemoveUser(w.Ctx, w.Account, inviter) }))
			}, "m@example.com: , o@example.com: API Own"},
		} {
			c.change()
			if got := w.digests(begun); got != c.want {
				w.Errorf("the letters list %s, want %s", got, c.want)
			}
		}
	})
}

// What an outsider is told is decided when the letter goes, of each position by itself.
func TestAnOutsiderIsNotToldOfAPositionThatHasBecomeConfidential(t *testing.T) {
	run(t, func(w *world) {
		w.set(func(a *typus.Account) { a.Notify, a.NotifyEmails = typus.NotifyDaily, "x@example.com" })
		begun, position := w.Now(), w.hiring(typus.Position{Name: "Süd"})
		w.finished(assess.Invitation{Name: "Everyday", Email: "everyday@example.com"})
		w.finished(assess.Invitation{Name: "South", Email: "south@example.com", PositionID: position})
		people, _, err := w.Store.Candidates(w.Ctx, w.Account, store.CandidateFilter{Limit: 10})
		w.Must(err)
		for _, c := range []struct {
			secret bool
			want   string
			south  string // why a letter about South is not sent
		}{
			{false, "x@example.com: Everyday South", ""},
			{true, "x@example.com: Everyday", typus.NotSentOutOfReach},
			{false, "x@example.com: Everyday South", ""},
		} {
			w.keeps(position, c.secret)
			if got := w.digests(begun); got != c.want {
				w.Errorf("confidential: %t: the letters list %s, want %s", c.secret, got, c.want)
			}
			for _, one := range people {
				want := ""
				if one.PositionID == position {
					want = c.south
				}
				got, err := w.Store.WhyNotTold(w.Ctx, typus.Letter{AccountID: w.Account, CandidateID: one.ID, To: "x@example.com"})
				if err != nil || got != want {
					w.Errorf("confidential: %t: a letter about %s is not sent for %q, %v; want %q", c.secret, one.Name, got, err, want)
				}
			}
		}
	})
}

// digests are the daily letters that wait, each with those whom it would list now.
func (w *world) digests(begun time.Time) string {
	w.Helper()
	account, err := w.Store.Account(w.Ctx, w.Account)
	w.Must(err)
	letters, err := w.Store.Letters(w.Ctx, w.Account, 10)
	w.Must(err)
	var list []string
	for _, l := range letters {
		if l.Kind != typus.LetterDigest {
			continue
		}
		finished, _, err := w.Store.FinishedSince(w.Ctx, account, l, begun, 10)
		w.Must(err)
		var names []string
		for _, c := range finished {
			names = append(names, c.Name)
		}
		slices.Sort(names)
		list = append(list, l.To+": "+strings.Join(names, " "))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func TestALetterIsTriedAgainByHand(t *testing.T) {
	today(t, func(w *world) {
		w.invite(jana)
		w.deliver(typus.LetterFailed)
		letters, _ := w.Store.Letters(w.Ctx, w.Account, 10)
		retry := func() error { return w.Assess.RetryLetter(w.Ctx, store.WholeAccount(w.Account), letters[0].ID, chef) }
		if err := retry(); err != nil {
			w.Fatal(err)
		}
		w.deliver(typus.LetterSent)
		w.WantKind(retry(), typus.Conflict)
		w.WantKind(w.Assess.RetryLetter(w.Ctx, store.WholeAccount(w.Account+1), letters[0].ID, chef), typus.NotFound)
	})
}
