package assess_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// year is just as old as answers may be that are taken over.
const year = 365 * aDay

// tested is a test that somebody has finished.
func (w *world) tested(i assess.Invitation) assess.Invited {
	w.Helper()
	out := w.answered(i)
	w.Must(w.Assess.Finish(w.Ctx, out.Token))
	return out
}

// proven is what a device keeps on which the code was entered that went to a candidate.
func (w *world) proven(out assess.Invited) string {
	w.Helper()
	w.Later(2 * time.Minute)
	w.Must(w.Assess.SendOwnCode(w.Ctx, out.Token, "", ""))
	letters, err := w.Store.LettersOf(w.Ctx, w.Account, out.Candidate.ID)
	w.Must(err)
	l := letters[len(letters)-1]
	code, err := w.Box.Open(l.Detail, l.DetailAAD())
	w.Must(err)
	kept, err := w.Assess.EnterOwnCode(w.Ctx, out.Token, assess.Entry{Code: string(code)})
	w.Must(err)
	return kept
}

// offered is when the answers were given that a candidate can take over, zero for none.
func (w *world) offered(out assess.Invited) time.Time {
	w.Helper()
	test, err := w.Assess.Test(w.Ctx, out.Token)
	w.Must(err)
	at, err := w.Assess.EarlierAnswers(w.Ctx, test)
	w.Must(err)
	return at
}

func (w *world) choice(kept string, at time.Time) assess.Choice {
	return assess.Choice{Kept: kept, AnsweredAt: at, Notice: typus.Notice{Version: "v2", Language: "en", At: w.Now()}, NoticeText: "notice"}
}

// takeOver takes over what is offered.
func (w *world) takeOver(out assess.Invited) (string, error) {
	w.Helper()
	return w.Assess.TakeOver(w.Ctx, out.Token, w.choice(w.proven(out), w.offered(out)))
}

var (
	first = assess.Invitation{Name: "Kim Beispiel", Email: "Kim@example.com", ExternalID: "bewerbung-1", SendEmail: true}
	again = assess.Invitation{Name: "Kim Beispiel", Email: "kim@Example.com", ExternalID: "bewerbung-2", RoleProfile: "hunter", SendEmail: true}
)

// The answers are copied, what is asked now is asked of them, and all that follows from a
// test follows, but for the credit.
func TestEarlierAnswersAreTakenOverForWhatIsAskedNow(t *testing.T) {
	run(t, func(w *world) {
		_, _, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, "https://a.example.com/hook", "", typus.Actor{Name: "operator"})
		w.Must(err)
		before := w.tested(first)
		answered := w.Now()
		w.Later(30 * aDay)
		out := w.invite(again)
		w.Must(w.Assess.Decline(w.Ctx, out.Token))
		if at := w.offered(out); !at.Equal(answered) {
			w.Fatalf("answers of %s are offered, want %s", at, answered)
		}
		kept, err := w.takeOver(out)
		w.Must(err)

		c := w.candidate(out.Candidate.ID)
		if c.Status != typus.StatusFinished || !c.CompletedAt.Equal(w.Now()) || !c.Answered().Equal(answered) || !c.StartedAt.IsZero() ||
			!c.DeclinedAt.IsZero() || c.Instrument != w.Instrument.Ref() || c.Language != "en" {
			w.Errorf("the candidate is %+v", c)
		}
		old, err := w.Store.Result(w.Ctx, w.Account, before.Candidate.ID)
		w.Must(err)
		copied, err := w.Store.Result(w.Ctx, w.Account, c.ID)
		w.Must(err)
		if string(copied.Answers) != string(old.Answers) || copied.RoleProfile != "hunter@1" || string(copied.Scores) == string(old.Scores) {
			w.Errorf("the result is of %s with %d answers", copied.RoleProfile, len(copied.Answers))
		}
		if n, differences, err := w.Assess.Verify(w.Ctx, w.Account); n != 2 || err != nil || len(differences) > 0 {
			w.Errorf("scored again: %d, %v, %v", n, differences, err)
		}
		event, err := w.Store.EventOf(w.Ctx, w.Account, c.ID, typus.EventCandidateCompleted)
		if err != nil || !strings.Contains(string(event.Payload), c.CompletedAt.UTC().Format("2006-01-02T15:04:05")) {
			w.Errorf("the event is %s, %v", event.Payload, err)
		}
		if deliveries, _ := w.Store.DeliveriesOf(w.Ctx, w.Account, event.ID); len(deliveries) != 1 {
			w.Errorf("%d deliveries", len(deliveries))
		}
		entries, _ := w.Store.CreditEntries(w.Ctx, w.Account, 1)
		if e := entries[0]; e.Delta != 0 || e.Reason != typus.ReasonTakenOver || e.CandidateID != c.ID || e.BalanceAfter != 9 {
			w.Errorf("booked %+v", e)
		}
		if test, _ := w.Assess.Test(w.Ctx, out.Token); w.Assess.OwnResult(test, kept) == nil {
			w.Error("the device does not show the own result")
		}
		if notice, err := w.Store.Acknowledgement(w.Ctx, store.WholeAccount(w.Account), c.ID); err != nil || notice.Version != "v2" {
			w.Errorf("acknowledged %+v, %v", notice, err)
		}
		if old := w.candidate(before.Candidate.ID); old.TakenOver() || !old.CompletedAt.Equal(answered) {
			w.Errorf("the earlier test has become %+v", old)
		}
	})
}

// What is taken over can be taken over again, and keeps the date of its answers.
func TestWhatWasTakenOverKeepsItsDate(t *testing.T) {
	run(t, func(w *world) {
		before := w.tested(first)
		answered := w.Now()
		w.Later(300 * aDay)
		second := w.invite(again)
		if _, err := w.takeOver(second); err != nil {
			w.Fatal(err)
		}
		w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), before.Candidate.ID, ada))
		third := w.invite(assess.Invitation{Name: "Kim Beispiel", Email: "kim@example.com"})
		if at := w.offered(third); !at.Equal(answered) {
			w.Errorf("answers of %s are offered, want %s", at, answered)
		}
		w.Later(year - 300*aDay)
		if at := w.offered(third); !at.IsZero() {
			w.Errorf("answers are offered that are older than a year: %s", at)
		}
	})
}

// Nothing is offered that is not the person's, not of this account, not of this version, too
// old, or not to be interpreted; and nothing but what was offered is taken.
func TestOnlyAnswersThatHoldAreTakenOver(t *testing.T) {
	for what, before := range map[string]func(w *world){
		"nothing":        func(*world) {},
		"another person": func(w *world) { w.tested(assess.Invitation{Name: "K", Email: "k@example.com"}) },
		"unfinished":     func(w *world) { w.answered(first) },
		"too old":        func(w *world) { w.tested(first); w.Later(year + time.Hour) },
		"erased": func(w *world) {
			w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), w.tested(first).Candidate.ID, ada))
		},
		"corrected away": func(w *world) {
			w.Must(w.Assess.Correct(w.Ctx, store.WholeAccount(w.Account), w.tested(first).Candidate.ID, "Kim", "x@example.com", ada, nil))
		},
		"corrected by the team": func(w *world) {
			out := w.tested(assess.Invitation{Name: "Kim Beispiel", Email: "k@example.com"})
			w.Must(w.Assess.Correct(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, "Kim Beispiel", again.Email, ada, nil))
		},
		"another version": func(w *world) { w.finishWith(w.with(w.released("1.0.0")), first) },
		"made up": func(w *world) {
			w.Must(w.Assess.FinishFor(w.Ctx, w.Account, w.invite(first).Candidate.ID, w.all(), "operator"))
		},
		"doubtful": func(w *world) { w.doubtful(first) },
		"another account": func(w *world) {
			own := w.Account
			w.Account = w.NewAccount(typus.Account{Name: "Andere GmbH"}, 10)
			w.tested(first)
			w.Account = own
		},
	} {
		t.Run(what, func(t *testing.T) {
			run(t, func(w *world) {
				before(w)
				at := w.Now()
				out := w.invite(again)
				if got := w.offered(out); !got.IsZero() {
					w.Errorf("answers of %s are offered", got)
				}
				_, err := w.Assess.TakeOver(w.Ctx, out.Token, w.choice(w.proven(out), at))
				if e, is := errors.AsType[*typus.Error](err); !is || e.Kind != typus.Conflict || e.Fields[0].Code != assess.CodeNothing {
					w.Errorf("taken over: %v", err)
				}
				if c := w.candidate(out.Candidate.ID); c.Status != typus.StatusOpen {
					w.Errorf("the candidate is %s", c.Status)
				}
			})
		})
	}
}

func (w *world) finishWith(s *assess.Steps, i assess.Invitation) {
	w.Helper()
	out := w.invite(i)
	w.Must(s.Begin(w.Ctx, out.Token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
	_, err := s.Answer(w.Ctx, out.Token, w.all())
	w.Must(err)
	w.Must(s.Finish(w.Ctx, out.Token))
}

// doubtful is a test with the same answer everywhere, in no time.
func (w *world) doubtful(i assess.Invitation) {
	w.Helper()
	out := w.invite(i)
	w.begin(out.Token)
	var given []assess.Given
	for _, it := range w.Instrument.Items() {
		given = append(given, assess.Given{ItemID: it.ID, Value: 4, ActiveMS: 300})
	}
	_, err := w.Assess.Answer(w.Ctx, out.Token, given)
	w.Must(err)
	w.Must(w.Assess.Finish(w.Ctx, out.Token))
	if c := w.candidate(out.Candidate.ID); !c.Scores.Doubtful() {
		w.Fatal("the result can be interpreted")
	}
}

// The link alone takes nothing over, nor does a code from before the address was corrected.
func TestWithoutACodeNothingIsTakenOver(t *testing.T) {
	run(t, func(w *world) {
		w.tested(first)
		out, other := w.invite(again), w.invite(assess.Invitation{Name: "Kim Beispiel", Email: "kim@example.com", ExternalID: "bewerbung-3"})
		at, kept := w.offered(out), w.proven(out)
		for _, k := range []string{"", "x", w.proven(other)} {
			_, err := w.Assess.TakeOver(w.Ctx, out.Token, w.choice(k, at))
			w.WantKind(err, typus.Forbidden)
		}
		w.Must(w.Assess.Correct(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, "Kim Beispiel", "k@example.com", ada, nil))
		_, err := w.Assess.TakeOver(w.Ctx, out.Token, w.choice(kept, at))
		w.WantKind(err, typus.Forbidden)
		w.Must(w.Assess.Correct(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, "Kim Beispiel", "kim@example.com", ada, nil))
		w.Later(assess.OwnResultLife)
		_, err = w.Assess.TakeOver(w.Ctx, out.Token, w.choice(kept, at))
		w.WantKind(err, typus.Forbidden)
	})
}

// Whoever has begun the new test has chosen it, and what has ended stays so.
func TestOnlyATestThatHasNotBegunIsReplaced(t *testing.T) {
	for what, c := range map[string]struct {
		meanwhile func(w *world, out assess.Invited)
		kind      typus.Kind
	}{
		"begun": {func(w *world, out assess.Invited) { w.begin(out.Token) }, typus.Conflict},
		"withdrawn": {func(w *world, out assess.Invited) {
			w.Must(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, ada))
		}, typus.Gone},
		"expired": {func(w *world, out assess.Invited) { w.Later(30 * aDay) }, typus.Gone},
	} {
		t.Run(what, func(t *testing.T) {
			run(t, func(w *world) {
				w.tested(first)
				out := w.invite(again)
				w.Later(29*aDay + 23*time.Hour)
				at, kept := w.offered(out), w.proven(out)
				if what == "expired" {
					w.Later(time.Hour)
				} else {
					c.meanwhile(w, out)
				}
				_, err := w.Assess.TakeOver(w.Ctx, out.Token, w.choice(kept, at))
				w.WantKind(err, c.kind)
				if c := w.candidate(out.Candidate.ID); c.Status == typus.StatusFinished {
					w.Error("it is finished")
				}
			})
		})
	}
}

// Fifty tabs at once, a begin among them, and an erasure of the earlier test: at most one
// result comes of it, and what was completed is what the ledger holds.
func TestOfManyWhoTakeOverAtOnceOneCounts(t *testing.T) {
	run(t, func(w *world) {
		for round := range 4 {
			i := first
			i.Email, i.ExternalID = fmt.Sprintf("kim%d@example.com", round), ""
			before := w.tested(i)
			out := w.invite(i)
			chosen := w.choice(w.proven(out), w.offered(out))
			for n, err := range parallel(24, func(n int) error {
				switch {
				case n == 7 && round%2 == 1:
					return w.Assess.Begin(w.Ctx, out.Token, chosen.Notice, chosen.NoticeText)
				case n == 11 && round > 1:
					return w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), before.Candidate.ID, ada)
				}
				_, err := w.Assess.TakeOver(w.Ctx, out.Token, chosen)
				return err
			}) {
				if err != nil && (round == 0 || !typus.Is(err, typus.Conflict)) {
					w.Errorf("round %d, call %d: %v", round, n, err)
				}
			}
			w.balanced()
		}
	})
}

// balanced holds that completions are the rows of the ledger, and the balance their sum.
func (w *world) balanced() {
	w.Helper()
	list, _, err := w.Store.Candidates(w.Ctx, w.Account, store.CandidateFilter{Status: typus.StatusFinished, Limit: 100})
	w.Must(err)
	entries, err := w.Store.CreditEntries(w.Ctx, w.Account, 1000)
	w.Must(err)
	booked, sum := map[int64]typus.CreditEntry{}, int64(0)
	for _, e := range entries {
		sum += e.Delta
		if e.CandidateID != 0 {
			booked[e.CandidateID] = e
		}
	}
	erased := len(booked)
	for _, c := range list {
		e, is := booked[c.ID]
		if !is || (e.Delta == 0) != c.TakenOver() || (e.Reason == typus.ReasonTakenOver) != c.TakenOver() {
			w.Errorf("for %d, taken over: %v, booked is %+v", c.ID, c.TakenOver(), e)
		}
		erased--
	}
	account, err := w.Store.Account(w.Ctx, w.Account)
	if err != nil || account.Credits != sum || erased < 0 {
		w.Errorf("balance %d, sum %d, %d without a candidate, %v", account.Credits, sum, erased, err)
	}
}

// Each is erased on its own: what the other says stays.
func TestWhatWasTakenOverAndWhereItCameFromAreErasedEachOnItsOwn(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		before := w.tested(first)
		out := w.invite(again)
		if _, err := w.takeOver(out); err != nil {
			w.Fatal(err)
		}
		w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), before.Candidate.ID, ada))
		kept, err := w.Store.Result(w.Ctx, w.Account, out.Candidate.ID)
		w.Must(err)
		var r instrument.Result
		w.Must(json.Unmarshal(kept.Scores, &r))
		if !r.Complete() {
			w.Error("the copy is not whole")
		}
		w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, ada))
		if _, err := w.Store.Result(w.Ctx, w.Account, out.Candidate.ID); !typus.Is(err, typus.NotFound) {
			w.Errorf("the copy: %v", err)
		}
	})
}
