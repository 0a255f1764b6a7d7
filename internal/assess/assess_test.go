package assess_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/auth"
	"typus/internal/instrument"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
	"typus/internal/worldtest"
)

func init() { auth.Weaken() }

// world is an account on an empty database.
type world struct{ *worldtest.World }

func run(t *testing.T, test func(w *world)) {
	storetest.Run(t, func(t *testing.T, s *store.Store) { test(newWorld(t, s)) })
}

func newWorld(t *testing.T, s *store.Store) *world {
	return &world{worldtest.New(t, s, worldtest.Options{})}
}

func (w *world) invite(i assess.Invitation) assess.Invited {
	w.Helper()
	out, _, err := w.Assess.Invite(w.Ctx, w.Account, i, nil)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

func (w *world) candidate(id int64) typus.Candidate {
	w.Helper()
	c, err := w.Store.Candidate(w.Ctx, w.Account, id)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

func (w *world) begin(token string) {
	w.Helper()
	if err := w.Assess.Begin(w.Ctx, token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"); err != nil {
		w.Fatal(err)
	}
}

// all answers every item of the test with the middle of the scale.
func (w *world) all() []assess.Given {
	var given []assess.Given
	for i, it := range w.Instrument.Items() {
		given = append(given, assess.Given{ItemID: it.ID, Value: 2 + i%4, ActiveMS: 4000})
	}
	return given
}

func (w *world) answered(i assess.Invitation) assess.Invited {
	w.Helper()
	out := w.invite(i)
	w.begin(out.Token)
	w.Later(10 * time.Minute)
	if _, err := w.Assess.Answer(w.Ctx, out.Token, w.all()); err != nil {
		w.Fatal(err)
	}
	return out
}

// parallel runs do n times at once and returns the errors.
func parallel(n int, do func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = do(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

var jana = assess.Invitation{Name: "Jana Öztürk", Email: "jana@example.com", ExternalID: "crm-1", SendEmail: true}

func TestFiftyParallelFinishesCountOnce(t *testing.T) {
	run(t, func(w *world) {
		for _, url := range []string{"https://a.example.com/hook", "https://b.example.com/hook"} {
			if _, _, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, url, "", typus.Actor{Name: "operator"}); err != nil {
				w.Fatal(err)
			}
		}
		out := w.answered(jana)
		for _, err := range parallel(50, func(int) error { return w.Assess.Finish(w.Ctx, out.Token) }) {
			if err != nil {
				w.Errorf("a finish failed: %v", err)
			}
		}
		c := w.candidate(out.Candidate.ID)
		if c.Status != typus.StatusFinished || c.Scores == nil || c.CompletedAt.IsZero() {
			w.Fatalf("candidate is %s, scores %v", c.Status, c.Scores)
		}
		account, _ := w.Store.Account(w.Ctx, w.Account)
		entries, _ := w.Store.CreditEntries(w.Ctx, w.Account, 100)
		if account.Credits != 9 || len(entries) != 2 || entries[0].BalanceAfter != 9 || entries[0].CandidateID != c.ID {
			w.Errorf("balance %d, ledger %+v", account.Credits, entries)
		}
		event, err := w.Store.EventOf(w.Ctx, w.Account, c.ID, typus.EventCandidateCompleted)
		if err != nil {
			w.Fatal(err)
		}
		want, err := webhook.Payload(c, *c.Scores, fmt.Sprintf("https://typus.example.com/dashboard/kandidat/%d", c.ID), c.CompletedAt)
		if err != nil || string(event.Payload) != string(want) {
			w.Errorf("the event's body is\n%s\nwant\n%s (%v)", event.Payload, want, err)
		}
		deliveries, _ := w.Store.DeliveriesOf(w.Ctx, w.Account, event.ID)
		if len(deliveries) != 2 {
			w.Errorf("%d deliveries, want one per endpoint", len(deliveries))
		}
		result, err := w.Store.Result(w.Ctx, w.Account, c.ID)
		if err != nil {
			w.Fatal(err)
		}
		var sheet instrument.Sheet
		if err := sheet.UnmarshalBinary(result.Answers); err != nil || sheet.Answers[0].Value != 2 {
			w.Errorf("frozen answers %v, %v", sheet.Answers[:1], err)
		}
	})
}

// Whoever looks while another hands in sees the full sheet or a finished test,
// never an empty sheet: that would lead back to the first item.
func TestNobodySeesAnEmptySheetWhileATestIsFinished(t *testing.T) {
	run(t, func(w *world) {
		for i := range 5 {
			out := w.answered(assess.Invitation{Name: "P", Email: fmt.Sprintf("p%d@example.com", i)})
			for _, err := range parallel(20, func(i int) error {
				if i%4 == 0 {
					return w.Assess.Finish(w.Ctx, out.Token)
				}
				test, err := w.Assess.Test(w.Ctx, out.Token)
				if err == nil && test.Candidate.Status == typus.StatusStarted && test.Position < len(w.Instrument.Items()) {
					return fmt.Errorf("begun, and open at position %d", test.Position)
				}
				return err
			}) {
				if err != nil {
					w.Error(err)
				}
			}
		}
	})
}

func TestATestWithOpenItemsIsNotFinished(t *testing.T) {
	run(t, func(w *world) {
		out := w.invite(jana)
		w.WantKind(w.Assess.Finish(w.Ctx, out.Token), typus.Conflict)
		w.begin(out.Token)
		given := w.all()
		if _, err := w.Assess.Answer(w.Ctx, out.Token, given[:96]); err != nil {
			w.Fatal(err)
		}
		w.WantKind(w.Assess.Finish(w.Ctx, out.Token), typus.Conflict)
		if c := w.candidate(out.Candidate.ID); c.Status != typus.StatusStarted {
			w.Errorf("status %s", c.Status)
		}
	})
}

func TestAnInvitationIsRepeatedWhileItIsOpen(t *testing.T) {
	run(t, func(w *world) {
		first := w.invite(jana)
		again := w.invite(assess.Invitation{Name: "Jana Neu", Email: "JANA@example.com", ExternalID: "crm-1", SendEmail: true})
		if !again.Repeat || again.Link != first.Link || again.Candidate.ID != first.Candidate.ID {
			w.Errorf("the second call made %+v", again)
		}
		if c := w.candidate(first.Candidate.ID); c.Name != "Jana Neu" {
			w.Errorf("the name is still %q", c.Name)
		}
		if letters, _ := w.Store.Letters(w.Ctx, w.Account, 10); len(letters) != 1 {
			w.Errorf("%d letters, want one", len(letters))
		}
		other := w.invite(assess.Invitation{Name: "Jana", Email: "other@example.com", ExternalID: "crm-1"})
		if other.Repeat {
			w.Error("another e-mail repeated the invitation")
		}
	})
}

func TestAFinishedCancelledOrExpiredInvitationIsMadeAnew(t *testing.T) {
	ends := map[string]func(w *world, out assess.Invited) error{
		"finished": func(w *world, out assess.Invited) error { return w.Assess.Finish(w.Ctx, out.Token) },
		"cancelled": func(w *world, out assess.Invited) error {
			return w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, typus.Actor{Name: "x"})
		},
		"expired": func(w *world, _ assess.Invited) error { w.Later(31 * 24 * time.Hour); return nil },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			run(t, func(w *world) {
				out := w.answered(jana)
				if err := end(w, out); err != nil {
					w.Fatal(err)
				}
				if again := w.invite(jana); again.Repeat || again.Candidate.ID == out.Candidate.ID || again.Link == out.Link {
					w.Errorf("the invitation was repeated: %+v", again)
				}
			})
		})
	}
}

func TestFiftyEqualInvitationsMakeOneCandidateAndOneLetter(t *testing.T) {
	run(t, func(w *world) {
		links := make([]string, 50)
		for _, err := range parallel(50, func(i int) error {
			out, _, err := w.Assess.Invite(w.Ctx, w.Account, jana, nil)
			links[i] = out.Link
			return err
		}) {
			if err != nil {
				w.Error(err)
			}
		}
		for _, link := range links {
			if link != links[0] {
				w.Fatalf("two links: %s and %s", link, links[0])
			}
		}
		if letters, _ := w.Store.Letters(w.Ctx, w.Account, 100); len(letters) != 1 {
			w.Errorf("%d letters", len(letters))
		}
	})
}

func TestAnIdempotencyKeyReplaysItsAnswer(t *testing.T) {
	run(t, func(w *world) {
		keyID, _, err := w.Access.CreateKey(w.Ctx, w.Account, "crm", typus.Actor{Name: "operator"})
		if err != nil {
			w.Fatal(err)
		}
		idem := func(sha string) *assess.Idempotency {
			return &assess.Idempotency{APIKeyID: keyID, Key: "k1", RequestSHA256: sha}
		}
		anonymous := assess.Invitation{Name: "Jana", Email: "jana@example.com", SendEmail: true}
		var mu sync.Mutex
		answers := map[string]int{}
		for _, err := range parallel(50, func(int) error {
			out, _, err := w.Assess.Invite(w.Ctx, w.Account, anonymous, idem("a"))
			mu.Lock()
			defer mu.Unlock()
			answers[out.Link]++
			return err
		}) {
			if err != nil {
				w.Error(err)
			}
		}
		if len(answers) != 1 {
			w.Errorf("%d different answers", len(answers))
		}
		if list, _, _ := w.Store.Candidates(w.Ctx, w.Account, store.CandidateFilter{Limit: 100}); len(list) != 1 {
			w.Errorf("%d candidates", len(list))
		}
		_, _, err = w.Assess.Invite(w.Ctx, w.Account, anonymous, idem("b"))
		w.WantKind(err, typus.Conflict)
		w.Later(25 * time.Hour)
		if _, replay, err := w.Assess.Invite(w.Ctx, w.Account, anonymous, idem("b")); err != nil || replay {
			w.Errorf("after a day the key is still taken: %v", err)
		}
	})
}

func TestWithoutCreditsTheStarterPlanInvitesNobody(t *testing.T) {
	run(t, func(w *world) {
		broke := w.NewAccount(typus.Account{Name: "Broke", ContactEmail: "broke@example.com"}, 0)
		woken := 0
		stop := w.Store.OnDue(func() { woken++ })
		for range 3 {
			_, _, err := w.Assess.Invite(w.Ctx, broke, jana, nil)
			w.WantKind(err, typus.NoCredit)
		}
		if stop(); woken != 1 {
			w.Errorf("whoever sends the letter about it was woken %d times, want once", woken)
		}
		for _, err := range parallel(20, func(int) error { _, _, err := w.Assess.Invite(w.Ctx, broke, jana, nil); return err }) {
			w.WantKind(err, typus.NoCredit)
		}
		if list, _, _ := w.Store.Candidates(w.Ctx, broke, store.CandidateFilter{Limit: 10}); len(list) != 0 {
			w.Error("a candidate was stored")
		}
		letters, _ := w.Store.Letters(w.Ctx, broke, 100)
		if len(letters) != 1 || letters[0].Kind != typus.LetterCreditsRefused || letters[0].To != "broke@example.com" {
			w.Errorf("letters %+v, want one a day", letters)
		}
		w.Later(24 * time.Hour)
		_, _, err := w.Assess.Invite(w.Ctx, broke, jana, nil)
		w.WantKind(err, typus.NoCredit)
		if letters, _ := w.Store.Letters(w.Ctx, broke, 100); len(letters) != 2 {
			w.Errorf("%d letters on the second day", len(letters))
		}
		business := w.NewAccount(typus.Account{Name: "Invoiced", Plan: typus.PlanBusiness}, 0)
		if _, _, err := w.Assess.Invite(w.Ctx, business, jana, nil); err != nil {
			w.Errorf("the business plan was refused: %v", err)
		}
	})
}

func TestARepeatNeedsNoCredit(t *testing.T) {
	run(t, func(w *world) {
		w.Account = w.NewAccount(typus.Account{Name: "One"}, 1)
		open := w.invite(assess.Invitation{Name: "A", Email: "a@example.com", ExternalID: "a"})
		done := w.answered(assess.Invitation{Name: "B", Email: "b@example.com", ExternalID: "b"})
		if err := w.Assess.Finish(w.Ctx, done.Token); err != nil {
			w.Fatal(err)
		}
		again := w.invite(assess.Invitation{Name: "A", Email: "a@example.com", ExternalID: "a"})
		if !again.Repeat || again.Link != open.Link {
			w.Errorf("got %+v", again)
		}
	})
}

// letterKinds are the letters of the account, oldest first.
func (w *world) letterKinds() string {
	w.Helper()
	letters, err := w.Store.Letters(w.Ctx, w.Account, 100)
	if err != nil {
		w.Fatal(err)
	}
	var kinds []string
	for _, l := range slices.Backward(letters) {
		kinds = append(kinds, string(l.Kind))
	}
	return strings.Join(kinds, " ")
}

// completeSome finishes n tests that were invited before the balance is asked for.
func (w *world) completeSome(n int) {
	w.Helper()
	var tests []assess.Invited
	for i := range n {
		tests = append(tests, w.answered(assess.Invitation{Name: "P", Email: fmt.Sprintf("p%d@example.com", i)}))
	}
	for _, out := range tests {
		if err := w.Assess.Finish(w.Ctx, out.Token); err != nil {
			w.Fatal(err)
		}
	}
}

func TestOwnersHearOfALowAndAnEmptyBalanceOnceForEachGrant(t *testing.T) {
	for _, plan := range []typus.Plan{typus.PlanStarter, typus.PlanBusiness} {
		t.Run(string(plan), func(t *testing.T) {
			run(t, func(w *world) {
				w.Account = w.NewAccount(typus.Account{Name: "A", Plan: plan, ContactEmail: "owner@example.com"}, 10)
				w.set(func(a *typus.Account) { a.Notify = typus.NotifyOff })
				w.completeSome(14) // to −4: low at 2, empty at 0, nothing below
				if got := w.letterKinds(); got != "credits_low credits_empty" {
					w.Errorf("letters: %s", got)
				}
				w.Later(time.Hour)
				if _, _, err := w.Accounts.GrantCredits(w.Ctx, w.Account, accounts.Grant{Amount: 6, Note: "top-up", Actor: "operator"}); err != nil {
					w.Fatal(err)
				}
				w.completeSome(1) // to 1, the mark of a grant of 6
				if got := w.letterKinds(); got != "credits_low credits_empty credits_low" {
					w.Errorf("letters: %s", got)
				}
			})
		})
	}
}

func TestATopUpThatEndsBelowItsMarkIsToldAtTheNextTest(t *testing.T) {
	run(t, func(w *world) {
		w.Account = w.NewAccount(typus.Account{Name: "A", ContactEmail: "owner@example.com"}, 1)
		w.set(func(a *typus.Account) { a.Notify = typus.NotifyOff })
		w.completeSome(5) // to −4
		w.Later(time.Hour)
		if entry, _, err := w.Accounts.GrantCredits(w.Ctx, w.Account, accounts.Grant{Amount: 8, Note: "top-up", Actor: "operator"}); err != nil || entry.BalanceAfter != 4 {
			w.Fatal(entry, err)
		}
		if _, _, err := w.Accounts.GrantCredits(w.Ctx, w.Account, accounts.Grant{Amount: 25, Note: "top-up", Actor: "operator"}); err != nil { // 29, mark 5
			w.Fatal(err)
		}
		w.completeSome(24) // to 5
		w.Later(time.Hour)
		w.completeSome(2) // 4 and 3: told already
		if got := w.letterKinds(); got != "credits_empty credits_low" {
			w.Errorf("letters: %s", got)
		}
	})
}

func TestAnOperatorsFinishIsOneTransactionAndSaysWhoDidIt(t *testing.T) {
	run(t, func(w *world) {
		out := w.invite(jana)
		bad := w.all()
		bad[5].Value = 9
		w.WantKind(w.Assess.FinishFor(w.Ctx, w.Account, out.Candidate.ID, bad, "operator"), typus.Invalid)
		w.WantKind(w.Assess.FinishFor(w.Ctx, w.Account, out.Candidate.ID, w.all()[:9], "operator"), typus.Conflict)
		if c := w.candidate(out.Candidate.ID); c.Status != typus.StatusOpen {
			w.Fatalf("a refused finish left the status %s", c.Status)
		}
		if err := w.Assess.FinishFor(w.Ctx, w.Account, out.Candidate.ID, w.all(), "operator"); err != nil {
			w.Fatal(err)
		}
		w.WantKind(w.Assess.FinishFor(w.Ctx, w.Account, out.Candidate.ID, w.all(), "operator"), typus.Conflict)
		entries, _ := w.Store.CreditEntries(w.Ctx, w.Account, 1)
		audit, _ := w.Store.AuditOf(w.Ctx, w.Account, out.Candidate.ID)
		notice, _ := w.Store.Acknowledgement(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
		if entries[0].Actor != "operator" || len(audit) != 1 || audit[0].Action != "candidate.finished_by_operator" || !notice.At.IsZero() {
			w.Errorf("ledger %+v, audit %+v, notice %+v", entries, audit, notice)
		}
	})
}

func TestAnOperatorDoesNotFinishWhatAPersonHasBegunOrDeclined(t *testing.T) {
	run(t, func(w *world) {
		begun := w.invite(jana)
		w.begin(begun.Token)
		if _, err := w.Assess.Answer(w.Ctx, begun.Token, w.all()[:1]); err != nil {
			w.Fatal(err)
		}
		w.WantKind(w.Assess.FinishFor(w.Ctx, w.Account, begun.Candidate.ID, w.all(), "operator"), typus.Conflict)
		declined := w.invite(assess.Invitation{Name: "D", Email: "d@example.com"})
		if err := w.Assess.Decline(w.Ctx, declined.Token); err != nil {
			w.Fatal(err)
		}
		w.WantKind(w.Assess.FinishFor(w.Ctx, w.Account, declined.Candidate.ID, w.all(), "operator"), typus.Conflict)
	})
}

func TestADeclineStopsAnswersAndTheHandInOfAnotherTab(t *testing.T) {
	run(t, func(w *world) {
		out := w.answered(jana)
		if err := w.Assess.Decline(w.Ctx, out.Token); err != nil {
			w.Fatal(err)
		}
		w.WantKind(w.Assess.Finish(w.Ctx, out.Token), typus.Conflict)
		_, err := w.Assess.Answer(w.Ctx, out.Token, w.all()[:1])
		w.WantKind(err, typus.Conflict)
	})
}

func TestAnExpiredOrCancelledTestStopsAndAnExtendedOneGoesOn(t *testing.T) {
	run(t, func(w *world) {
		out := w.answered(jana)
		w.Later(31 * 24 * time.Hour)
		w.WantKind(w.Assess.Finish(w.Ctx, out.Token), typus.Gone)
		_, err := w.Assess.Answer(w.Ctx, out.Token, w.all()[:1])
		w.WantKind(err, typus.Gone)
		err = w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			return tx.ExtendCandidate(w.Ctx, w.Account, out.Candidate.ID, w.Now().Add(time.Hour))
		})
		if err != nil {
			w.Fatal(err)
		}
		if err := w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, typus.Actor{Name: "operator"}); err != nil {
			w.Fatal(err)
		}
		w.WantKind(w.Assess.Finish(w.Ctx, out.Token), typus.Gone)
		w.WantKind(w.Assess.Begin(w.Ctx, out.Token, typus.Notice{}, ""), typus.Gone)
	})
}

func TestBeginningStoresTheAcknowledgementBeforeAnyAnswer(t *testing.T) {
	run(t, func(w *world) {
		out := w.invite(jana)
		_, err := w.Assess.Answer(w.Ctx, out.Token, w.all()[:1])
		w.WantKind(err, typus.Conflict)
		w.begin(out.Token)
		w.Later(time.Minute)
		w.begin(out.Token) // changes nothing
		n, err := w.Store.Acknowledgement(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
		if err != nil || n.Version != "v1" || n.Language != "de" || !n.At.Equal(w.Now().Add(-time.Minute)) {
			w.Errorf("acknowledgement %+v, %v", n, err)
		}
		if c := w.candidate(out.Candidate.ID); c.Status != typus.StatusStarted || c.Instrument != w.Instrument.Ref() {
			w.Errorf("candidate %+v", c)
		}
	})
}

// Language, text and acknowledgement are stored together or not at all.
func TestWhatCannotBeAcknowledgedChangesNothing(t *testing.T) {
	run(t, func(w *world) {
		first, out := w.invite(jana), w.invite(assess.Invitation{Name: "Otto Muster", Email: "otto@example.com", Language: "de"})
		n := typus.Notice{Version: "of two texts", Language: "en", At: w.Now()}
		w.Must(w.Assess.Begin(w.Ctx, first.Token, n, "one text"))
		w.WantKind(w.Assess.Begin(w.Ctx, out.Token, n, "another text"), typus.Internal)
		c, err := w.Store.Candidate(w.Ctx, w.Account, out.Candidate.ID)
		if err != nil || c.Status != typus.StatusOpen || c.Language != "de" {
			w.Errorf("the candidate is %s in %s, %v", c.Status, c.Language, err)
		}
		w.Must(w.Assess.Begin(w.Ctx, out.Token, n, "one text"))
		if c, err = w.Store.Candidate(w.Ctx, w.Account, out.Candidate.ID); err != nil || c.Status != typus.StatusStarted || c.Language != "en" || !c.ChoseLanguage {
			w.Errorf("the candidate is %s in %s, %v", c.Status, c.Language, err)
		}
	})
}

func TestAnswersAreCheckedAndSavedAllOrNone(t *testing.T) {
	run(t, func(w *world) {
		out := w.invite(jana)
		w.begin(out.Token)
		items := w.Instrument.Items()
		bad := map[string][]assess.Given{
			"an unknown item":       {{ItemID: items[0].ID, Value: 3}, {ItemID: "zz99", Value: 3}},
			"a value off the scale": {{ItemID: items[0].ID, Value: 7}},
			"a negative value":      {{ItemID: items[0].ID, Value: -1}},
			"nothing chosen":        {{ItemID: items[0].ID}},
			"value and skip":        {{ItemID: items[0].ID, Value: 3, Skip: true}},
			"a later block":         {{ItemID: items[0].ID, Value: 3}, {ItemID: items[20].ID, Value: 3}},
		}
		for name, given := range bad {
			if _, err := w.Assess.Answer(w.Ctx, out.Token, given); err == nil || typus.KindOf(err) != typus.Invalid {
				w.Errorf("%s: %v", name, err)
			}
		}
		test, err := w.Assess.Test(w.Ctx, out.Token)
		if err != nil || test.Position != 0 {
			w.Errorf("something was saved: position %d, %v", test.Position, err)
		}
	})
}

func TestARepeatedAnswerAddsNoTimeAndAChangedOneCounts(t *testing.T) {
	run(t, func(w *world) {
		out := w.invite(jana)
		w.begin(out.Token)
		first := w.Instrument.Items()[0].ID
		for _, g := range []assess.Given{{ItemID: first, Value: 3, ActiveMS: 4000}, {ItemID: first, Value: 3, ActiveMS: 4000}, {ItemID: first, Value: 5, ActiveMS: 1000}} {
			if _, err := w.Assess.Answer(w.Ctx, out.Token, []assess.Given{g}); err != nil {
				w.Fatal(err)
			}
		}
		test, _ := w.Assess.Test(w.Ctx, out.Token)
		if a := test.Sheet.Answers[0]; a.Value != 5 || a.ActiveMS != 4000 || a.Changes != 1 {
			w.Errorf("answer %+v", a)
		}
	})
}

func TestAPauseBetweenTwoAnswersIsTheirDistanceWithoutTheActiveTime(t *testing.T) {
	run(t, func(w *world) {
		out := w.invite(jana)
		w.begin(out.Token)
		given := w.all()
		for _, g := range given[:2] {
			w.Later(15 * time.Minute)
			if _, err := w.Assess.Answer(w.Ctx, out.Token, []assess.Given{g}); err != nil {
				w.Fatal(err)
			}
		}
		test, _ := w.Assess.Test(w.Ctx, out.Token)
		if want := 15*60*1000 - 4000; test.Sheet.MaxPauseMS != want {
			w.Errorf("pause %d ms, want %d", test.Sheet.MaxPauseMS, want)
		}
	})
}

func TestParallelSaversOfOneTestLoseNothing(t *testing.T) {
	run(t, func(w *world) {
		out := w.invite(jana)
		w.begin(out.Token)
		items := w.Instrument.Items()
		for _, err := range parallel(9, func(i int) error {
			_, err := w.Assess.Answer(w.Ctx, out.Token, []assess.Given{{ItemID: items[i].ID, Value: 1 + i%6, ActiveMS: 3000}})
			return err
		}) {
			if err != nil {
				w.Error(err)
			}
		}
		if test, _ := w.Assess.Test(w.Ctx, out.Token); test.Position != 9 {
			w.Errorf("an answer is lost: first open position %d", test.Position)
		}
	})
}

func TestNothingChangesAfterFinishing(t *testing.T) {
	run(t, func(w *world) {
		out := w.answered(jana)
		if err := w.Assess.Finish(w.Ctx, out.Token); err != nil {
			w.Fatal(err)
		}
		before := w.candidate(out.Candidate.ID)
		if _, err := w.Assess.Answer(w.Ctx, out.Token, w.all()[:5]); err != nil {
			w.Errorf("a late answer is an error: %v", err)
		}
		for name, err := range map[string]error{
			"begin": w.Assess.Begin(w.Ctx, out.Token, typus.Notice{}, ""), "decline": w.Assess.Decline(w.Ctx, out.Token), "finish": w.Assess.Finish(w.Ctx, out.Token),
		} {
			if err != nil {
				w.Errorf("%s: %v", name, err)
			}
		}
		w.WantKind(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, typus.Actor{Name: "x"}), typus.Conflict)
		after := w.candidate(out.Candidate.ID)
		if after.CompletedAt != before.CompletedAt || after.Scores.Overall != before.Scores.Overall || !after.DeclinedAt.IsZero() || !after.CancelledAt.IsZero() {
			w.Errorf("before %+v, after %+v", before, after)
		}
	})
}

func TestALanguageIsChosenByTheInvitationOrTheCandidateOnly(t *testing.T) {
	run(t, func(w *world) {
		byDefault := w.invite(jana)
		if c := w.candidate(byDefault.Candidate.ID); c.Language != "de" || c.ChoseLanguage {
			w.Errorf("by default: %q, chosen %v", c.Language, c.ChoseLanguage)
		}
		named := w.invite(assess.Invitation{Name: "N", Email: "n@example.com", Language: "de"})
		if c := w.candidate(named.Candidate.ID); c.Language != "de" || !c.ChoseLanguage {
			w.Errorf("named: %q, chosen %v", c.Language, c.ChoseLanguage)
		}
		if err := w.Assess.SetLanguage(w.Ctx, byDefault.Token, "en"); err != nil {
			w.Fatal(err)
		}
		if c := w.candidate(byDefault.Candidate.ID); c.Language != "en" || !c.ChoseLanguage {
			w.Errorf("switched: %q, chosen %v", c.Language, c.ChoseLanguage)
		}
		w.WantKind(w.Assess.SetLanguage(w.Ctx, byDefault.Token, "fr"), typus.Invalid)
	})
}

// The page of such a test offers no decline; one that was open before can still send it.
func TestWhatHasEndedCannotBeDeclined(t *testing.T) {
	run(t, func(w *world) {
		withdrawn := w.invite(assess.Invitation{Name: "W", Email: "w@example.com"})
		w.Must(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), withdrawn.Candidate.ID, typus.Actor{Name: "operator"}))
		expired := w.invite(assess.Invitation{Name: "E", Email: "e@example.com"})
		w.Later(31 * 24 * time.Hour)
		for name, out := range map[string]assess.Invited{"withdrawn": withdrawn, "expired": expired} {
			err := w.Assess.Decline(w.Ctx, out.Token)
			w.WantKind(err, typus.Gone)
			if c := w.candidate(out.Candidate.ID); !c.DeclinedAt.IsZero() {
				w.Errorf("%s: declined at %v", name, c.DeclinedAt)
			}
			lines, err := w.Store.AuditOf(w.Ctx, w.Account, out.Candidate.ID)
			w.Must(err)
			for _, l := range lines {
				if l.Action == "candidate.declined" {
					w.Errorf("%s: the log says that it was declined", name)
				}
			}
		}
	})
}

func TestADeclineIsTakenBackByBeginning(t *testing.T) {
	run(t, func(w *world) {
		out := w.invite(jana)
		for range 2 {
			if err := w.Assess.Decline(w.Ctx, out.Token); err != nil {
				w.Fatal(err)
			}
		}
		if c := w.candidate(out.Candidate.ID); c.DeclinedAt.IsZero() || c.Status != typus.StatusOpen {
			w.Errorf("candidate %+v", c)
		}
		if audit, _ := w.Store.AuditOf(w.Ctx, w.Account, out.Candidate.ID); len(audit) != 1 || audit[0].Action != "candidate.declined" {
			w.Errorf("audit %+v", audit)
		}
		w.begin(out.Token)
		if c := w.candidate(out.Candidate.ID); !c.DeclinedAt.IsZero() {
			w.Error("the decline is still there")
		}
	})
}

func TestAnUnknownTokenOpensNothing(t *testing.T) {
	run(t, func(w *world) {
		for _, token := range []string{"", "x", auth.NewToken(), strings.Repeat("a", 10_000), "\x00"} {
			_, err := w.Assess.Test(w.Ctx, token)
			w.WantKind(err, typus.NotFound)
			w.WantKind(w.Assess.Finish(w.Ctx, token), typus.NotFound)
		}
	})
}

func TestAnotherAccountsCandidateIsNotFound(t *testing.T) {
	run(t, func(w *world) {
		out := w.invite(jana)
		other := w.NewAccount(typus.Account{Name: "Other"}, 5)
		w.WantKind(w.Assess.Cancel(w.Ctx, store.WholeAccount(other), out.Candidate.ID, typus.Actor{Name: "x"}), typus.NotFound)
		if again, _, err := w.Assess.Invite(w.Ctx, other, jana, nil); err != nil || again.Repeat {
			w.Errorf("another account repeated the invitation: %+v, %v", again, err)
		}
	})
}
