package courier

import (
	"testing"

	"typus"
	"typus/internal/bounce"
	"typus/internal/mail/smtptest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestEachSendingOfALetterLeavesWithAReturnPathOfItsOwn(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, nil)
		mailbox, err := bounce.NewMailbox(w.box, "bounces@example.com")
		if err != nil {
			t.Fatal(err)
		}
		sink := smtptest.Start(t, func(s *smtptest.Server) {
			s.Confirm = func(n int) string { return map[bool]string{false: "250 2.0.0 kept"}[n == 1] }
		})
		id := w.candidate("Anna Beispiel", "anna@example.com")
		w.invite(id)
		stop := start(w.courier(w.smtp(sink), func(c *Courier) { c.sender = func(l typus.Letter, _ string) string { return mailbox.For(l) } }))
		l := w.letterBecomes(id, typus.LetterSent)
		stop()
		got := sink.Envelopes()
		if len(got) != 2 {
			t.Fatalf("%d letters, want 2", len(got))
		}
		for n, e := range got {
			want := typus.Posting{AccountID: w.account, LetterID: l.ID, Attempt: n + 1}
			if p, ours := bounce.Find(w.box, e.From); !ours || p != want {
				t.Errorf("letter %d came from %s: %+v", n, e.From, p)
			}
			head, _ := w.read(e)
			if from, err := head.AddressList("From"); err != nil || from[0].Address != "typus@mail.example.com" || head.Get("Return-Path") != "" {
				t.Errorf("letter %d: From %v, %v, Return-Path %q", n, from, err, head.Get("Return-Path"))
			}
		}
	})
}

func TestWithoutAMailboxForReportsTheSenderIsTheOperator(t *testing.T) {
	w := newWorld(t, storetest.OpenSQLite(t), nil)
	sink := smtptest.Start(t, nil)
	id := w.candidate("Anna Beispiel", "anna@example.com")
	w.invite(id)
	stop := start(w.courier(w.smtp(sink), nil))
	w.letterBecomes(id, typus.LetterSent)
	stop()
	if from := sink.Envelopes()[0].From; from != "typus@mail.example.com" {
		t.Errorf("the letter came from %s", from)
	}
}

// What a test world keeps may be forwarded to the account; nothing of it comes back.
func TestALetterOfATestWorldHasNoReturnPath(t *testing.T) {
	w := newWorld(t, storetest.OpenSQLite(t), nil).inWorld(0)
	mailbox, err := bounce.NewMailbox(w.box, "bounces@example.com")
	if err != nil {
		t.Fatal(err)
	}
	id := w.candidate("Anna Beispiel", "anna@example.com")
	w.invite(id)
	stop := start(w.courier(nil, func(c *Courier) { c.sender = func(l typus.Letter, _ string) string { return mailbox.For(l) } }))
	w.letterBecomes(id, typus.LetterSent)
	stop()
	if kept, said := w.keptLetters(); len(kept) != 1 || said[0].ReturnPath != "" {
		t.Errorf("kept is %+v", said)
	}
}
