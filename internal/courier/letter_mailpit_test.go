package courier

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/mail"
	"typus/internal/mail/mailpittest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestALetterThatAForeignServerPutsOffWaitsAMinuteAtFirst(t *testing.T) {
	w := newWorld(t, storetest.OpenSQLite(t), nil)
	server := mailpittest.Start(t)
	server.RefuseRecipients(451)
	id := w.candidate("Jürgen Groß 🦊", "anna@example.com")
	w.invite(id)
	began := time.Now()
	stop := start(w.courier(w.foreign(server), func(c *Courier) { c.pace = usualPace() }))
	w.eventually("the attempt is over", func() bool { l := w.letter(id); return l.State == typus.LetterQueued && l.Attempts == 1 })
	stop()
	l := w.letter(id)
	if l.LastCode != 451 || l.LastError != "the mail server refused the recipient: 451 Chaos recipient error" {
		t.Errorf("%+v", l)
	}
	if wait := l.NextAttemptAt.Sub(began); wait < 59*time.Second || wait > time.Minute+time.Since(began)+time.Second {
		t.Errorf("the next attempt is %v away, want a minute", wait)
	}
	if n := server.Count(); n != 0 {
		t.Errorf("%d letters arrived", n)
	}
}

// The waits are those of the product, but nobody waits for them here.
func TestALetterThatAForeignServerPutsOffArrivesOnceItIsTaken(t *testing.T) {
	w := newWorld(t, storetest.OpenSQLite(t), nil)
	server := mailpittest.Start(t)
	server.RefuseRecipients(451)
	id := w.candidate("Jürgen Groß 🦊", "anna@bücher.example")
	w.invite(id)
	var waits []time.Duration
	thrice := make(chan struct{})
	stop := start(w.courier(w.foreign(server), func(c *Courier) {
		c.pace.letterGap = func(attempts int, random func() float64) time.Duration {
			if waits = append(waits, mail.Backoff(attempts, random)); len(waits) == 3 {
				close(thrice)
			}
			return 0
		}
	}))
	<-thrice
	server.AcceptRecipients()
	l := w.letterBecomes(id, typus.LetterSent)
	stop()

	if want := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}; !slices.Equal(waits[:3], want) {
		t.Errorf("the waits were %v, want %v", waits, want)
	}
	if l.Attempts != len(waits)+1 || l.LastCode != 250 || l.LastError != "" {
		t.Errorf("after %d failures the letter is %+v", len(waits), l)
	}
	got := server.Messages()
	if len(got) != 1 {
		t.Fatalf("%d letters arrived, want 1", len(got))
	}
	m := got[0]
	if want := fmt.Sprintf("letter-%d.%d@typus.example.com", l.ID, l.CreatedAt.UnixMilli()); m.MessageID != want {
		t.Errorf("Message-ID %s, want %s", m.MessageID, want)
	}
	if m.From.Name != "Demo GmbH" || m.From.Address != "typus@mail.example.com" || m.To[0].Address != "anna@xn--bcher-kva.example" || m.ReplyTo[0].Address != "chef@example.com" {
		t.Errorf("from %v to %v, reply to %v", m.From, m.To, m.ReplyTo)
	}
	for _, part := range []string{"Guten Tag Jürgen Groß 🦊", "https://typus.example.com/t/" + token} {
		if !strings.Contains(m.Text, part) || !strings.Contains(m.HTML, part) {
			t.Errorf("the letter lacks %q:\n%s\n%s", part, m.Text, m.HTML)
		}
	}
}

// After a bounce the same invitation again sends a letter at once, and so does
// one with the address put right: nobody waits for a timer or an operator.
func TestAfterABounceARepeatedAndACorrectedInvitationGoOutAtOnce(t *testing.T) {
	w := newWorld(t, storetest.OpenSQLite(t), nil)
	w.tx(func(tx *store.Tx) error {
		_, err := tx.BookCredit(t.Context(), typus.CreditEntry{AccountID: w.account, Delta: 5, Reason: typus.ReasonGrant, Actor: "operator", CreatedAt: time.Now()})
		return err
	})
	server := mailpittest.Start(t)
	c := w.courier(w.foreign(server), func(c *Courier) { c.pace = usualPace() })
	steps := assess.New(assess.Options{Store: w.store, Box: w.box, Instrument: instrument.Own(), BaseURL: "https://typus.example.com"})
	invite := func(email string) assess.Invited {
		t.Helper()
		out, _, err := steps.Invite(t.Context(), w.account, assess.Invitation{Name: "Anna Groß", Email: email, ExternalID: "crm-42", SendEmail: true}, nil)
		if err != nil || out.Mail != typus.LetterQueued {
			t.Fatalf("%+v, %v", out, err)
		}
		return out
	}
	stop := start(c)
	defer stop()

	server.RefuseRecipients(550)
	first := invite("ana@example.com")
	l := w.letterBecomes(first.Candidate.ID, typus.LetterFailed)
	if l.Attempts != 1 || l.LastCode != 550 || l.LastError != "the mail server refused the recipient: 550 Chaos recipient error" {
		t.Errorf("%+v", l)
	}

	server.AcceptRecipients()
	again, corrected := invite("ana@example.com"), invite("anna@example.com")
	if !again.Repeat || again.Link != first.Link || corrected.Repeat {
		t.Errorf("%+v\n%+v", again, corrected)
	}
	w.letterBecomes(again.Candidate.ID, typus.LetterSent)
	w.letterBecomes(corrected.Candidate.ID, typus.LetterSent)
	links := map[string]string{}
	for _, m := range server.Messages() {
		links[m.To[0].Address] = m.Text
	}
	for to, invited := range map[string]assess.Invited{"ana@example.com": again, "anna@example.com": corrected} {
		if !strings.Contains(links[to], invited.Link) {
			t.Errorf("%s got %q, want %s in it", to, links[to], invited.Link)
		}
	}
}

func (w *world) foreign(server *mailpittest.Server) *mail.SMTP {
	w.t.Helper()
	s, err := mail.NewSMTP(mail.SMTPOptions{URL: server.URL(), From: "Typus <typus@mail.example.com>"})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}
