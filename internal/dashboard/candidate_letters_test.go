package dashboard

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// written is a candidate to whom an invitation was written.
func (w *world) written(name, email string) assess.Invited {
	w.Helper()
	return w.invitedBy(w.Account, assess.Invitation{Name: name, Email: email, SendEmail: true})
}

// ends lets every letter that waits end in a way.
func (w *world) ends(change func(l *typus.Letter)) {
	w.Helper()
	claimed, err := w.Store.ClaimLetters(w.Ctx, store.Claim{Owner: "me", Lease: time.Hour, Limit: 100})
	w.Must(err)
	if len(claimed) == 0 {
		w.Fatal("no letter waits")
	}
	for _, l := range claimed {
		change(&l)
		_, err := w.Store.FinishLetter(w.Ctx, "me", l, time.Hour)
		w.Must(err)
	}
}

// What happened to a letter is said in the reader's language, and a letter that is
// held for good does not wait.
func TestTheTimelineSaysWhyALetterDidNotGoOut(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		de, en := w.as(member), w.as(member)
		en.post("/dashboard/sprache", map[string][]string{"sprache": {"en"}})
		for name, c := range map[string]struct {
			change   func(l *typus.Letter)
			de, en   []string
			sayNever string
		}{
			"refused": {
				func(l *typus.Letter) {
					l.State, l.LastCode, l.LastError = typus.LetterFailed, 550, "the mail server refused the recipient: 550 5.1.1 no such mailbox"
				},
				[]string{"Einladung an refused@example.com unzustellbar", "Der Mailserver hat die Adresse abgelehnt: <span lang=\"en\">550 5.1.1 no such mailbox"},
				[]string{"Invitation to refused@example.com undeliverable", "The mail server refused the address: <span lang=\"en\">550 5.1.1 no such mailbox"}, "the mail server refused",
			},
			"uncertain": {
				func(l *typus.Letter) {
					l.State, l.LastError = typus.LetterUncertain, "the mail server did not answer in time"
				},
				[]string{"Einladung an uncertain@example.com ungewiss, möglicherweise angekommen", "Der Mailserver hat nicht rechtzeitig geantwortet", "senden Sie die Einladung noch einmal"},
				[]string{"Invitation to uncertain@example.com uncertain, may have arrived", "The mail server did not answer in time", "send the invitation again"}, "the mail server did",
			},
			"held": {
				func(l *typus.Letter) {
					l.State, l.LastError = typus.LetterHeld, "not sent: the candidate does not want to take part"
				},
				[]string{"<span>Einladung nicht gesendet</span>", "Die Person möchte nicht teilnehmen"},
				[]string{"<span>Invitation not sent</span>", "The person does not want to take part"}, "wartet auf den Versand",
			},
			"late": {
				func(l *typus.Letter) {
					l.State, l.LastCode, l.LastError = typus.LetterQueued, 451, "the mail server cannot be reached"
				},
				[]string{"Eine E-Mail wartet auf den Versand", "Der Mailserver ist nicht erreichbar"},
				[]string{"An e-mail is waiting to be sent", "The mail server cannot be reached"}, "the mail server cannot",
			},
			"sent": {
				func(l *typus.Letter) { l.State, l.LastCode = typus.LetterSent, 250 },
				[]string{"Einladung gesendet an sent@example.com"}, []string{"Invitation sent to sent@example.com"}, "wartet auf den Versand",
			},
		} {
			out := w.written("Kim Muster", name+"@example.com")
			w.ends(c.change)
			a := de.get("/dashboard/kandidat/"+id(out)).want(t, 200, c.de...)
			en.get("/dashboard/kandidat/"+id(out)).want(t, 200, c.en...)
			if strings.Contains(a.body, c.sayNever) {
				t.Errorf("%s: the page says %q", name, c.sayNever)
			}
		}
	})
}

// A letter above the daily number goes out by itself: it waits.
func TestALetterAboveTheDailyNumberWaits(t *testing.T) {
	w := newWorld(t)
	events := timeline{f: w.face, v: speaking("de")}
	events.letters([]typus.Letter{{Kind: typus.LetterReminder, State: typus.LetterHeld, HeldUntil: w.Now().Add(time.Hour)}})
	if e := events.events[0]; e.Text != "Eine E-Mail wartet auf den Versand" || !strings.HasPrefix(e.Detail, "Die tägliche Höchstzahl an E-Mails ist erreicht.") {
		t.Errorf("the timeline says %+v", e)
	}
}

// Each reason that the sender of letters may give is one that the log can say in
// the reader's language, also those that were stored long ago.
func TestEveryReasonAgainstALetterHasWords(t *testing.T) {
	stored := []string{
		"not sent: the test is finished",
		"not sent: the invitation was cancelled",
		"not sent: the candidate does not want to take part",
		"not sent: the invitation has expired",
		"not sent: the candidate wants no reminders",
		"not sent: the link works again",
		"not sent: nobody is left to report",
		"not sent: every webhook is on again",
		"not sent: every webhook works again or is off",
		"not sent: the webhook is deleted",
		"not sent: its link was used, replaced or has run out",
		"not sent: this person has accepted already",
		"not sent: the credits are used up, which another letter says",
		"not sent: the account has credits again",
	}
	nouns, err := os.ReadFile("../../letter.go")
	if err != nil {
		t.Fatal(err)
	}
	known := regexp.MustCompile(`NotSent\w+ += NotSent \+ "([^"]*)"`).FindAllStringSubmatch(string(nouns), -1)
	if len(known) < len(stored) {
		t.Errorf("only %d reasons are found", len(known))
	}
	for _, m := range known {
		stored = append(stored, typus.NotSent+m[1])
	}
	failures := regexp.MustCompile(`\tFailed\w+ += "([^"]*)"`).FindAllStringSubmatch(string(nouns), -1)
	if len(failures) < 14 {
		t.Errorf("only %d failures are found", len(failures))
	}
	for _, m := range failures {
		stored = append(stored, m[1])
	}
	stored = append(stored, typus.Unknown)
	f := newTestFace(t)
	for _, said := range stored {
		for _, lang := range []string{"de", "en"} {
			if reason, words := f.letterReason(speaking(lang), said); reason == "" || words != "" || reason == said || strings.Contains(reason, "not sent") {
				t.Errorf("%q is said as %q", said, reason+words)
			}
		}
	}
}

// A reason has one place, so that what is stored and what is said cannot part.
func TestNobodyElseWritesWhyALetterDidNotGo(t *testing.T) {
	sources, err := filepath.Glob("../../internal/*/*.go")
	if err != nil || len(sources) < 100 {
		t.Fatalf("%d sources, %v", len(sources), err)
	}
	for _, file := range sources {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		own := strings.Contains(string(text), `"not sent: `) || strings.Contains(string(text), `"the mail server `)
		if own && !strings.HasSuffix(file, "_test.go") {
			t.Errorf("%s has a reason of its own", file)
		}
	}
}

// The page offers what would be done, and says why it does not offer the rest.
func TestThePageOffersTheLettersThatMayBeWritten(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(member)
		out := w.written("Kim Muster", "kim@example.com")
		path := "/dashboard/kandidat/" + id(out)
		offers := func(remind, send bool, says string) {
			t.Helper()
			a := c.get(path).want(t, 200, says)
			for action, want := range map[string]bool{"/erinnern": remind, "/senden": send} {
				if strings.Contains(a.body, `action="`+path+action+`"`) != want {
					t.Errorf("%s is offered: %t, want %t", action, !want, want)
				}
				first := remind == (action == "/erinnern")
				if want && first && !strings.Contains(a.body, "Berichtigen und neu senden") && !strings.Contains(a.body, fmt.Sprintf(`action="%s%s"><button class="button">`, path, action)) {
					t.Errorf("%s is not the first that is offered", action)
				}
			}
		}
		offers(false, false, "Erinnern und erneut einladen ist gerade nicht möglich (eine E-Mail ist schon unterwegs).")
		w.ends(func(l *typus.Letter) {
			l.State, l.LastCode, l.LastError = typus.LetterFailed, 550, "the mail server refused the recipient: 550"
		})
		offers(false, true, "Eine Erinnerung ist gerade nicht möglich (die Adresse ist nicht erreichbar).")
		c.get(path).want(t, 200, `<button class="button" name="senden" value="1">Berichtigen und neu senden</button>`)
		c.follow(c.post(path+"/senden", nil)).want(t, 200, "unterwegs")
		w.ends(func(l *typus.Letter) { l.State, l.LastCode = typus.LetterSent, 250 })
		offers(false, false, "ist gerade nicht möglich (in den letzten 24 Stunden ging schon eine E-Mail hinaus).")
		w.Later(25 * time.Hour)
		c = w.as(member)
		offers(true, true, "Jetzt erinnern")
		w.Must(w.Assess.StopReminders(w.Ctx, out.Token))
		offers(false, true, "Eine Erinnerung ist gerade nicht möglich (möchte keine Erinnerungen).")
		if a := w.as(viewer).get(path).want(t, 200); strings.Contains(a.body, "gerade nicht möglich") {
			t.Error("a viewer is told about what only others may do")
		}
		alone := w.invited("Robin Muster", "crm-7") // hears nothing of us
		if a := c.get("/dashboard/kandidat/"+id(alone)).want(t, 200, "Einladung senden"); strings.Contains(a.body, "gerade nicht möglich") {
			t.Error("something is refused to somebody who was never written to")
		}
	})
}

// A receiver that is deleted since is still named.
func TestTheTimelineNamesReceiversThatAreGone(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		hook, _, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, "http://127.0.0.1:65535/haken", "", by)
		w.Must(err)
		done := w.finished("Fertig Muster")
		path := "/dashboard/kandidat/" + id(done)
		w.as(member).get(path).want(t, 200, "Webhook an 127.0.0.1:65535 steht noch aus")
		about, err := w.Store.DossierOf(w.Ctx, store.WholeAccount(w.Account), done.Candidate.ID)
		deliveries := about.Deliveries
		w.Must(err)
		claimed, err := w.Store.ClaimDeliveries(w.Ctx, "me", time.Hour, 10)
		w.Must(err)
		if len(claimed) != 1 || claimed[0].Delivery.ID != deliveries[0].ID {
			t.Fatalf("claimed %+v", claimed)
		}
		w.Must(w.Accounts.DeleteEndpoint(w.Ctx, w.Account, hook, by))
		w.as(member).get(path).want(t, 200, "127.0.0.1:65535")
	})
}
