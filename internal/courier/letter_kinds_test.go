package courier

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/mail/smtptest"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
)

// add queues a letter of the account.
func (w *world) add(l typus.Letter) int64 {
	w.t.Helper()
	if l.CreatedAt.IsZero() {
		l.CreatedAt = time.Now()
	}
	l.AccountID = w.account
	if l.Kind.Reader() == typus.ReaderStranger {
		l.AccountID = 0
	}
	if l.Language == "" {
		l.Language = "de"
	}
	var id int64
	w.tx(func(tx *store.Tx) error {
		var err error
		id, err = tx.AddLetter(w.t.Context(), l)
		return err
	})
	return id
}

// settled is a letter once it is sent or held.
func (w *world) settled(id int64) typus.Letter {
	w.t.Helper()
	var l typus.Letter
	w.eventually("the letter is settled", func() bool {
		var err error
		if l, err = w.store.Letter(w.t.Context(), w.account, id); err != nil {
			w.t.Fatal(err)
		}
		return l.State == typus.LetterSent || l.State == typus.LetterHeld
	})
	return l
}

func (w *world) user(role typus.UserRole) int64 {
	w.t.Helper()
	var id int64
	w.tx(func(tx *store.Tx) error {
		var err error
		id, err = tx.AddUser(w.t.Context(), typus.User{
			AccountID: w.account, Email: "ada@example.com", Name: "Ada <b>Probe</b> https://evil.example", Role: role, Language: "en", CreatedAt: time.Now(),
		}, "")
		return err
	})
	return id
}

// finished adds a candidate who has finished.
func (w *world) finished(name string, warnings ...typus.Warning) int64 {
	w.t.Helper()
	id := w.candidate(name, "anna@example.com")
	w.tx(func(tx *store.Tx) error {
		now := time.Now()
		if _, err := tx.BeginCandidate(w.t.Context(), w.account, id, typus.Notice{Version: "1", Language: "de", At: now}, "test@1", now); err != nil {
			return err
		}
		_, err := tx.FinishCandidate(w.t.Context(), w.account, id, typus.Scores{Overall: 81, Warnings: append([]typus.Warning{}, warnings...)}, now)
		return err
	})
	return id
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// link keeps a one-time link of a user and returns the letter that brings it.
func (w *world) link(kind typus.LetterKind, user int64, token string, expires time.Time) typus.Letter {
	w.t.Helper()
	w.tx(func(tx *store.Tx) error {
		return tx.AddUserLink(w.t.Context(), w.account, typus.UserLink{
			Hash: hashOf(token), UserID: user, Purpose: "password", CreatedAt: time.Now(), ExpiresAt: expires,
		})
	})
	l := typus.Letter{Kind: kind, UserID: user, To: "ada@example.com"}
	l.Detail = w.box.Seal([]byte(token), l.DetailAAD())
	return l
}

// code is a letter with a good code to a candidate's own result.
func (w *world) code(id int64, code string) typus.Letter {
	w.t.Helper()
	w.tx(func(tx *store.Tx) error {
		c, err := tx.LockCandidate(w.t.Context(), w.account, id)
		if err != nil {
			return err
		}
		return tx.SetOwnCode(w.t.Context(), id, typus.OwnCode{Hash: w.box.Mark(code, c.OwnCodePlace()), MadeAt: time.Now()})
	})
	l := typus.Letter{CandidateID: id, Kind: typus.LetterOwnCode, To: "outdated@example.com"}
	l.Detail = w.box.Seal([]byte(code), l.DetailAAD())
	return l
}

func TestEveryKindOfLetterHasAWriterAndNoOtherHas(t *testing.T) {
	for _, kind := range typus.LetterKinds(nil) {
		if letterKinds[kind].write == nil {
			t.Errorf("nobody writes %s", kind)
		}
	}
	if n := len(typus.LetterKinds(nil)); len(letterKinds) != n {
		t.Errorf("%d kinds have a writer, want %d", len(letterKinds), n)
	}
}

func TestAReminderCarriesItsWayOut(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		id := w.candidate("Anna Beispiel", "anna@example.com")
		w.add(typus.Letter{CandidateID: id, Kind: typus.LetterReminder, To: "outdated@example.com"})
		stop := start(w.courier(w.smtp(sink), nil))
		w.eventually("it is sent", func() bool { return len(sink.Envelopes()) == 1 })
		stop()
		head, body := w.read(sink.Envelopes()[0])
		out := "https://typus.example.com/t/" + token + "/erinnerungen"
		if head.Get("List-Unsubscribe") != "<"+out+">" || head.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
			t.Errorf("List-Unsubscribe %q, -Post %q", head.Get("List-Unsubscribe"), head.Get("List-Unsubscribe-Post"))
		}
		if !strings.Contains(body, "Keine weiteren Erinnerungen: "+out) || sink.Envelopes()[0].To[0] != "anna@example.com" {
			t.Errorf("to %v:\n%s", sink.Envelopes()[0].To, body)
		}
	})
}

func TestACandidateAnswersTheUserWhoInvited(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		user := w.user(typus.RoleMember)
		for n, inviter := range []int64{user, user + 1, 0} { // one is gone
			w.tx(func(tx *store.Tx) error {
				hash := fmt.Sprintf("hash%d", n)
				id, _, err := tx.AddCandidate(t.Context(), store.NewCandidate{Candidate: typus.Candidate{
					AccountID: w.account, Name: "Anna", Email: fmt.Sprintf("anna%d@example.com", n), Language: "de", RoleProfile: "general_sales", InvitedBy: inviter,
					CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour), TokenHash: hash,
					SealedToken: w.box.Seal([]byte(token), typus.Candidate{TokenHash: hash}.TokenAAD()),
				}})
				if err != nil {
					return err
				}
				_, err = tx.AddLetter(t.Context(), typus.Letter{AccountID: w.account, CandidateID: id, Kind: typus.LetterInvitation, Language: "de", CreatedAt: time.Now()})
				return err
			})
		}
		stop := start(w.courier(w.smtp(sink), nil))
		w.eventually("all are sent", func() bool { return len(sink.Envelopes()) == 3 })
		stop()
		for _, e := range sink.Envelopes() {
			head, _ := w.read(e)
			want := "<chef@example.com>"
			if e.To[0] == "anna0@example.com" {
				want = "<ada@example.com>"
			}
			if got := head.Get("Reply-To"); got != want || !strings.Contains(head.Get("From"), "Demo GmbH") || !strings.Contains(head.Get("From"), "typus@mail.example.com") {
				t.Errorf("to %s: Reply-To %s, From %s; want %s", e.To[0], got, head.Get("From"), want)
			}
		}
	})
}

// exhaust makes the last attempt of what is due fail.
func (w *world) exhaust(e typus.Event) {
	w.t.Helper()
	claimed, err := w.store.ClaimDeliveries(w.t.Context(), "me", time.Minute, 10)
	if err != nil || len(claimed) != 1 {
		w.t.Fatalf("%v, %v", claimed, err)
	}
	last := claimed[0].Delivery
	last.Failures = typus.DeliveryAttempts - 1
	refused := webhook.Result{Outcome: webhook.Outcome{Attempt: typus.Attempt{Outcome: webhook.OutcomeFailed, HTTPStatus: 422, URL: claimed[0].Endpoint.URL}}}
	mine, err := w.store.FinishAttempt(w.t.Context(), "me", last, refused.Attempt, func(e typus.Endpoint, _ typus.Delivery, _ bool, now time.Time) typus.Verdict {
		return webhook.Judge(e, last, refused, now)
	})
	if err != nil || !mine || claimed[0].Event.ID != e.ID {
		w.t.Fatalf("%t, %v", mine, err)
	}
}

func TestEveryLetterToTheTeamSaysWhatIsTrueAndNoScores(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		user := w.user(typus.RoleAdmin)
		done, late := w.finished("Otto Muster"), w.candidate("Jana Beispiel", "jana@example.com")
		endpoint, _ := w.endpoint("https://hooks.example.com/geheimer-pfad")
		w.tx(func(tx *store.Tx) error {
			if err := tx.ExtendCandidate(t.Context(), w.account, late, time.Now().Add(-time.Hour)); err != nil {
				return err
			}
			return tx.SetEndpointStatus(t.Context(), w.account, endpoint, typus.EndpointGone, "410", time.Now())
		})
		refusing, _ := w.endpoint("https://picky.example.com/geheimer-pfad")
		w.exhaust(w.event(done))
		soon := time.Now().Add(time.Hour)
		wants := map[int64][]string{
			w.add(typus.Letter{CandidateID: done, Kind: typus.LetterCompleted, To: "team@example.com"}):                          {"Otto Muster hat den Test", fmt.Sprintf("/dashboard/kandidat/%d", done)},
			w.add(typus.Letter{CandidateID: late, Kind: typus.LetterLinkRequested, To: "team@example.com"}):                      {"Jana Beispiel", "Von selbst wird nichts verl", fmt.Sprintf("/dashboard/kandidat/%d", late)},
			w.add(typus.Letter{Kind: typus.LetterDigest, To: "chef@example.com", CreatedAt: time.Now().Add(-time.Hour)}):         {"- Otto Muster", "https://typus.example.com/dashboard"},
			w.add(typus.Letter{Kind: typus.LetterWebhookOff, To: "team@example.com", Language: "en"}):                            {fmt.Sprintf("Webhook %d hooks", endpoint), "/dashboard/einstellungen/webhooks"},
			w.add(typus.Letter{Kind: typus.LetterWebhookGivenUp, To: "team@example.com", CreatedAt: time.Now().Add(-time.Hour)}): {fmt.Sprintf("- Webhook %d picky", refusing), "/dashboard/einstellungen/webhooks"},
			w.add(typus.Letter{CandidateID: done, Kind: typus.LetterReceipt, To: "outdated@example.com"}):                        {"vielen Dank", "chef@example.com"},
			w.add(typus.Letter{CandidateID: done, Kind: typus.LetterOwnReleased, To: "outdated@example.com"}):                    {"freigegeben", "/t/" + token + "/ergebnis"},
			w.add(typus.Letter{CandidateID: done, Kind: typus.LetterOwnAnswered, To: "outdated@example.com"}):                    {"beantwortet", "/t/" + token + "/ergebnis"},
			w.add(typus.Letter{CandidateID: done, Kind: typus.LetterOwnAsked, To: "team@example.com"}):                           {"Otto Muster bittet um Antwort", fmt.Sprintf("/dashboard/kandidat/%d", done)},
			w.add(w.code(done, "271828")):                                       {"271 828", "15 Minuten"},
			w.add(w.link(typus.LetterTeamInvitation, user, "team-token", soon)): {"https://typus.example.com/passwort/team-token", "Guten Tag Ada <b>Probe</b>,"},
			w.add(w.link(typus.LetterPasswordReset, user, "reset-token", soon)): {"https://typus.example.com/passwort/reset-token"},
			w.add(w.link(typus.LetterEmailChange, user, "email-token", soon)):   {"https://typus.example.com/bestaetigen/email-token"},
			w.add(w.link(typus.LetterEmailChanged, user, "back-token", soon)):   {"https://typus.example.com/zuruecknehmen/back-token", "Der Link gilt bis zum"},
		}
		for kind, part := range map[typus.LetterKind]string{
			typus.LetterEmailMoved: "nicht mehr anmelden", typus.LetterEmailRestored: "gilt seit dem", typus.LetterPasswordChanged: "https://typus.example.com/passwort", typus.LetterTOTPOn: "eingeschaltet",
			typus.LetterTOTPOff: "ausgeschaltet", typus.LetterTOTPReset: "/dashboard/einstellungen/profil/zwei-faktor", typus.LetterRecoveryCodes: "neue Wiederherstellungscodes",
		} {
			wants[w.add(typus.Letter{Kind: kind, UserID: user, To: "ada@example.com"})] = []string{part, "(UTC)"}
		}
		stop := start(w.courier(w.smtp(sink), nil))
		for id := range wants {
			if l := w.settled(id); l.State != typus.LetterSent {
				t.Errorf("%s is %s: %s", l.Kind, l.State, l.LastError)
			}
		}
		stop()
		bodies := map[string]string{}
		for _, e := range sink.Envelopes() {
			head, body := w.read(e)
			bodies[strings.Trim(head.Get("Message-Id"), "<>")] = body
		}
		for id, parts := range wants {
			l, err := s.Letter(t.Context(), w.account, id)
			if err != nil {
				t.Fatal(err)
			}
			body := bodies[fmt.Sprintf("letter-%d.%d@typus.example.com", l.ID, l.CreatedAt.UnixMilli())]
			for _, part := range parts {
				if !strings.Contains(body, part) {
					t.Errorf("%s lacks %q:\n%s", l.Kind, part, body)
				}
			}
			for _, never := range []string{" 81", "geheimer-pfad", "evil.example"} { // the score, a secret, somebody's link
				if strings.Contains(body, never) {
					t.Errorf("%s holds %q:\n%s", l.Kind, never, body)
				}
			}
		}
		for _, secret := range []string{"team-token", "reset-token", "email-token", "back-token", "ada@"} {
			if strings.Contains(w.logs.String(), secret) {
				t.Errorf("the log holds %q", secret)
			}
		}
	})
}

// signUp adds an account that waits for its address, and the letter about it.
func (w *world) signUp(name string, expires time.Time) int64 {
	w.t.Helper()
	w.tx(func(tx *store.Tx) error {
		if err := tx.AddServerAccount(w.t.Context(), time.Now()); err != nil {
			return err
		}
		return tx.AddSignUp(w.t.Context(), typus.SignUp{
			Hash: hashOf(name), Email: name + "@example.com", AccountName: "Neue AG", Language: "de", CreatedAt: time.Now(), ExpiresAt: expires,
		})
	})
	l := typus.Letter{Kind: typus.LetterSignUp, To: name + "@example.com"}
	l.Detail = w.box.Seal([]byte(name), l.DetailAAD())
	return w.add(l)
}

// The team can correct the address of a candidate, so somebody else may read the receipt.
func TestTheReceiptTellsNoResultsApart(t *testing.T) {
	w := newWorld(t, storetest.Open(t, storetest.SQLite(t)), nil)
	c := w.courier(nil, nil)
	for _, language := range []string{"de", "en"} {
		var letters []mail.Message
		for _, id := range []int64{w.finished("Otto Muster"), w.finished("Otto Muster", typus.Warning{Key: typus.DoubtfulAnswers, Severity: typus.SeverityCaution})} {
			m, err := c.message(t.Context(), typus.Letter{AccountID: w.account, CandidateID: id, Kind: typus.LetterReceipt, Language: language})
			if err != nil {
				t.Fatal(err)
			}
			letters = append(letters, m)
		}
		if a, b := letters[0], letters[1]; a.Text == "" || a.Subject != b.Subject || a.Text != b.Text || a.HTML != b.HTML {
			t.Errorf("the receipts differ:\n%s\n%s", a.Text, b.Text)
		}
	}
}

func TestWhoSignsUpGetsTheLinkThatMakesTheAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		w.signUp("new", time.Now().Add(time.Hour))
		late := w.signUp("late", time.Now().Add(-time.Hour))
		stop := start(w.courier(w.smtp(sink), nil))
		w.eventually("one is sent and the other put off", func() bool {
			return w.looks(late) > 1 && len(sink.Envelopes()) == 1
		})
		stop()
		got := sink.Envelopes()
		if _, body := w.read(got[0]); got[0].To[0] != "new@example.com" || !strings.Contains(body, "https://typus.example.com/bestaetigen/new") || !strings.Contains(body, "Neue AG") {
			t.Errorf("to %v:\n%s", got[0].To, body)
		}
	})
}

// The letter to an address that was typed at a public link names nobody: anybody can have typed
// any name. It goes out while the link in it is good.
func TestWhoEnrolsGetsTheLinkThatConfirmsTheAddress(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		w.enrols("new", time.Now().Add(time.Hour))
		late := w.enrols("late", time.Now().Add(-time.Hour))
		stop := start(w.courier(w.smtp(sink), nil))
		w.eventually("one is sent and the other put off", func() bool {
			return w.looks(late) > 1 && len(sink.Envelopes()) == 1
		})
		stop()
		got := sink.Envelopes()
		_, body := w.read(got[0])
		if got[0].To[0] != "new@example.com" || !strings.Contains(body, "https://typus.example.com/p/bestaetigen/new") || strings.Contains(body, "Evil") {
			t.Errorf("to %v:\n%s", got[0].To, body)
		}
	})
}

// enrols adds what somebody typed at a public link, and the letter about it.
func (w *world) enrols(name string, expires time.Time) int64 {
	w.t.Helper()
	ctx := w.t.Context()
	l := typus.Letter{Kind: typus.LetterEnrolment, To: name + "@example.com"}
	l.Detail = w.box.Seal([]byte(name), l.DetailAAD())
	w.tx(func(tx *store.Tx) error { return tx.AddServerAccount(ctx, time.Now()) })
	id := w.add(l)
	w.tx(func(tx *store.Tx) error {
		p, err := tx.LockStandardPosition(ctx, w.account, time.Now())
		if err != nil {
			return err
		}
		link, err := tx.PublicLinkOf(ctx, w.account, p.ID)
		if err == nil && link.ID == 0 {
			link.ID, err = tx.AddPublicLink(ctx, typus.PublicLink{AccountID: w.account, PositionID: p.ID, TokenHash: name, SealedToken: []byte{1}, Most: 5, CreatedAt: time.Now()})
		}
		if err != nil {
			return err
		}
		return tx.AddEnrolment(ctx, link.ID, typus.Enrolment{
			Hash: hashOf(name), Name: "Evil Offer", Email: name + "@example.com", Language: "de", LetterID: id, CreatedAt: time.Now(), ExpiresAt: expires,
		})
	})
	return id
}

func TestALetterWhoseReasonIsGoneIsHeld(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		user := w.user(typus.RoleOwner)
		quiet, open, late := w.candidate("Anna", "anna@example.com"), w.candidate("Otto", "otto@example.com"), w.candidate("Jana", "jana@example.com")
		w.tx(func(tx *store.Tx) error {
			if err := tx.ExtendCandidate(t.Context(), w.account, late, time.Now().Add(-time.Hour)); err != nil {
				return err
			}
			_, err := tx.CancelCandidate(t.Context(), w.account, late, time.Now())
			return err
		})
		w.tx(func(tx *store.Tx) error {
			_, err := tx.StopReminders(t.Context(), w.account, quiet, time.Now())
			return err
		})
		done := w.finished("Anna")
		var outside int64
		w.tx(func(tx *store.Tx) error {
			var err error
			outside, err = tx.AddUser(t.Context(), typus.User{AccountID: w.account, Email: "outside@example.com", Role: typus.RoleMember, CreatedAt: time.Now()}, "")
			if err != nil {
				return err
			}
			return tx.SetOnlyNamed(t.Context(), w.account, outside, true)
		})
		gone := typus.Letter{Kind: typus.LetterPasswordReset, UserID: user, To: "ada@example.com"}
		gone.Detail = w.box.Seal([]byte("unknown"), gone.DetailAAD())
		used := w.link(typus.LetterPasswordReset, user, "used", time.Now().Add(time.Hour))
		w.tx(func(tx *store.Tx) error {
			_, err := tx.UseUserLink(t.Context(), w.account, user, hashOf("used"), time.Now())
			return err
		})
		replaced := w.code(done, "314159")
		w.code(done, "271828")
		wants := map[int64]string{
			w.add(replaced): "its code was used",
			w.add(typus.Letter{CandidateID: quiet, Kind: typus.LetterReminder}):                             "wants no reminders",
			w.add(typus.Letter{CandidateID: open, Kind: typus.LetterLinkRequested, To: "team@example.com"}): "the link works again",
			w.add(typus.Letter{CandidateID: late, Kind: typus.LetterLinkRequested, To: "team@example.com"}): "the invitation was cancelled",
			w.add(typus.Letter{Kind: typus.LetterDigest, To: "team@example.com"}):                           "nobody is left",
			w.add(typus.Letter{Kind: typus.LetterWebhookOff, To: "team@example.com"}):                       "every webhook is on",
			w.add(typus.Letter{Kind: typus.LetterWebhookFailing, To: "team@example.com"}):                   "every webhook works again",
			w.add(typus.Letter{Kind: typus.LetterWebhookGivenUp, To: "team@example.com"}):                   "the webhook is deleted",
			w.add(typus.Letter{CandidateID: done, Kind: typus.LetterCompleted, UserID: outside}):            "may not see this candidate",
			w.add(typus.Letter{CandidateID: done, Kind: typus.LetterCompleted, UserID: outside + 1000}):     "no longer in the team",
			w.add(used): "its link was used",
			w.add(gone): "its link was used",
			w.add(typus.Letter{Kind: typus.LetterPasswordChanged, UserID: user + 1000, To: "ada@example.com"}): "no longer in the team",
		}
		stop := start(w.courier(w.smtp(sink), nil))
		for id, why := range wants {
			if l := w.settled(id); l.State != typus.LetterHeld || !strings.Contains(l.LastError, why) {
				t.Errorf("%s is %s: %q, want %q", l.Kind, l.State, l.LastError, why)
			}
		}
		stop()
		if n := len(sink.Envelopes()); n != 0 {
			t.Errorf("%d letters went out", n)
		}
	})
}

func TestAnOwnTextIsSentWithEveryPlaceholderFilled(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		w.tx(func(tx *store.Tx) error {
			return tx.SetLetterTemplate(t.Context(), typus.LetterTemplate{
				AccountID: w.account, Kind: typus.LetterInvitation, Language: "de", Subject: "Post von {account}", Body: "Hallo {name}, bis {expires}:\n\n{link}", ChangedAt: time.Now(),
			})
		})
		w.invite(w.candidate("Anna Beispiel", "anna@example.com"))
		stop := start(w.courier(w.smtp(sink), nil))
		w.eventually("it is sent", func() bool { return len(sink.Envelopes()) == 1 })
		stop()
		head, body := w.read(sink.Envelopes()[0])
		if head.Get("Subject") != "Post von Demo GmbH" || !strings.Contains(body, "Hallo Anna Beispiel, bis ") || !strings.Contains(body, "/t/"+token) || strings.Contains(body, "{name}") {
			t.Errorf("%s\n%s", head.Get("Subject"), body)
		}
	})
}

// One instance is killed after it has claimed a letter, another after it has
// handed one over but not written that down: both letters arrive, the second
// twice with the same Message-ID.
func TestWhatADeadInstanceHadClaimedGoesOut(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		id := w.candidate("Anna", "anna@example.com")
		w.add(typus.Letter{CandidateID: id, Kind: typus.LetterReminder})
		dead := w.courier(w.smtp(sink), nil)
		claimed, err := s.ClaimLetters(t.Context(), store.Claim{Owner: "dead", Lease: -time.Second, Limit: 10})
		if err != nil || len(claimed) != 1 {
			t.Fatal(claimed, err)
		}
		m, err := dead.write(t.Context(), claimed[0])
		if err != nil {
			t.Fatal(err)
		}
		noted := func(int) error {
			_, err := s.HandingOver(t.Context(), "dead", claimed[0])
			return err
		}
		for _, err := range dead.mailer.Send(t.Context(), []mail.Message{m}, noted) {
			if err != nil {
				t.Fatal(err)
			}
		}
		stop := start(w.courier(w.smtp(sink), nil))
		w.eventually("it has come twice", func() bool { return len(sink.Envelopes()) == 2 })
		w.settled(claimed[0].ID)
		stop()
		first, _ := w.read(sink.Envelopes()[0])
		second, _ := w.read(sink.Envelopes()[1])
		if first.Get("Message-Id") == "" || first.Get("Message-Id") != second.Get("Message-Id") {
			t.Errorf("%s and %s", first.Get("Message-Id"), second.Get("Message-Id"))
		}
	})
}

func TestLettersAboveTheDailyNumberWaitAndGoOutByThemselves(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		var ids []int64
		for n := range 3 {
			id := w.candidate("Anna", fmt.Sprintf("p%d@example.com", n))
			ids = append(ids, w.add(typus.Letter{CandidateID: id, Kind: typus.LetterInvitation}))
		}
		c := w.courier(w.smtp(sink), func(c *Courier) { c.perDay = 2 })
		stop := start(c)
		for n, id := range ids {
			if l := w.settled(id); (l.State == typus.LetterSent) != (n < 2) || l.State == typus.LetterHeld && l.HeldUntil.IsZero() {
				t.Errorf("letter %d is %s, held until %s", n, l.State, l.HeldUntil)
			}
		}
		stop()
		// The next day: nothing has been sent on it yet.
		stop = start(w.courier(w.smtp(sink), func(c *Courier) { c.perDay = 3 }))
		w.tx(func(tx *store.Tx) error {
			_, err := tx.RetryLetter(t.Context(), w.account, ids[2], time.Now())
			return err
		})
		w.eventually("it goes out", func() bool { return len(sink.Envelopes()) == 3 })
		stop()
	})
}

// An invitation to a team comes from the account, names who invites and is answered
// to them; what a user has asked for comes from the service.
func TestAnInvitationToATeamComesFromWhoInvites(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		sink := smtptest.Start(t, nil)
		user := w.user(typus.RoleAdmin)
		var petra, other int64
		w.tx(func(tx *store.Tx) error {
			var err error
			petra, err = tx.AddUser(t.Context(), typus.User{
				AccountID: w.account, Email: "petra@example.com", Name: "Petra Beispiel https://evil.example", Role: typus.RoleOwner, CreatedAt: time.Now(),
			}, "hash")
			if err != nil {
				return err
			}
			account, err := tx.AddAccount(t.Context(), typus.Account{Name: "Andere AG", CreatedAt: time.Now()})
			if err != nil {
				return err
			}
			other, err = tx.AddUser(t.Context(), typus.User{AccountID: account, Email: "fremd@example.com", Name: "Fremd", Role: typus.RoleOwner, CreatedAt: time.Now()}, "hash")
			return err
		})
		invited := func(by, token string) typus.Letter {
			l := typus.Letter{Kind: typus.LetterTeamInvitation, UserID: user, To: token + "@example.com"}
			l.Detail = w.box.Seal([]byte(token), l.DetailAAD())
			w.tx(func(tx *store.Tx) error {
				return tx.AddUserLink(t.Context(), w.account, typus.UserLink{
					Hash: hashOf(token), UserID: user, Purpose: typus.LinkPassword, Detail: by, CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour),
				})
			})
			return l
		}
		for _, l := range []typus.Letter{
			invited(fmt.Sprint(petra), "petra"), invited("", "operator"), invited(fmt.Sprint(other), "foreign"), w.link(typus.LetterPasswordReset, user, "reset", time.Now().Add(time.Hour)),
		} {
			w.add(l)
		}
		stop := start(w.courier(w.smtp(sink), nil))
		defer stop()
		w.eventually("they are sent", func() bool { return len(sink.Envelopes()) == 4 })
		for _, e := range sink.Envelopes() {
			head, body := w.read(e)
			from, replyTo, says := "Demo GmbH", "chef@example.com", "Sie sind eingeladen"
			switch to := head.Get("To"); {
			case strings.Contains(to, "petra@"):
				replyTo, says = "petra@example.com", "Petra Beispiel lädt Sie ein"
			case strings.Contains(to, "ada@"):
				from, replyTo, says = "Typus", "", "Passwort"
			}
			if !strings.Contains(head.Get("From"), from) || !strings.Contains(body, says) || (replyTo == "") != (head.Get("Reply-To") == "") || !strings.Contains(head.Get("Reply-To"), replyTo) ||
				strings.Contains(body, "evil") || strings.Contains(body, "Fremd") {
				t.Errorf("from %s, reply to %q:\n%s", head.Get("From"), head.Get("Reply-To"), body)
			}
		}
	})
}

func TestNobodyIsInvitedToATeamThatTheyAreInAlready(t *testing.T) {
	w := newWorld(t, storetest.OpenSQLite(t), nil)
	sink := smtptest.Start(t, nil)
	user := w.user(typus.RoleAdmin)
	id := w.add(w.link(typus.LetterTeamInvitation, user, "team-token", time.Now().Add(time.Hour)))
	w.tx(func(tx *store.Tx) error { return tx.SetPassword(t.Context(), w.account, user, "hash") })
	stop := start(w.courier(w.smtp(sink), nil))
	defer stop()
	if l := w.settled(id); l.State != typus.LetterHeld || !strings.Contains(l.LastError, "accepted already") {
		t.Errorf("the letter is %s: %s", l.State, l.LastError)
	}
}
