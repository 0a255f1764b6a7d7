package mail_test

import (
	"slices"
	"strings"
	"testing"

	"typus/internal/mail"
	"typus/internal/mail/smtptest"
)

func rehearse(t *testing.T, url string) ([]string, error) {
	t.Helper()
	smtp, err := mail.NewSMTP(mail.SMTPOptions{URL: url, From: "typus@mail.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	m := written(t)(mail.Trial{Language: "en", AccountName: "Demo GmbH"}.Message())
	m.To, m.ID = "chef@example.com", "trial-1@typus.example.com"
	return smtp.Rehearse(t.Context(), m)
}

func TestARehearsalTellsWhatBothSaid(t *testing.T) {
	sink := smtptest.Start(t, nil)
	said, err := rehearse(t, sink.URL())
	if err != nil || len(sink.Envelopes()) != 1 {
		t.Fatal(err)
	}
	all := strings.Join(said, "\n")
	for _, part := range []string{"C: EHLO mail.example.com", "C: MAIL FROM:<typus@mail.example.com>", "C: RCPT TO:<chef@example.com>", "C: DATA", "S: 250"} {
		if !strings.Contains(all, part) {
			t.Errorf("it lacks %q:\n%s", part, all)
		}
	}
}

func TestARehearsalTellsTheReplyThatEndedIt(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*smtptest.Server)
		want   string
	}{
		"greeting":  {func(s *smtptest.Server) { s.Greeting = "554 5.3.2 closed today" }, "S: 554 5.3.2 closed today"},
		"recipient": {func(s *smtptest.Server) { s.Reply = func(string) string { return "550 5.1.1 nobody\u202e here" } }, "S: 550 5.1.1 nobody here"},
		"message":   {func(s *smtptest.Server) { s.Verdict = func([]byte) string { return "554 5.7.1 spam" } }, "S: 554 5.7.1 spam"},
	} {
		said, err := rehearse(t, smtptest.Start(t, c.change).URL())
		if err == nil || !slices.Contains(said, c.want) {
			t.Errorf("%s: %q, %v; want the line %q", name, said, err, c.want)
		}
	}
}

func TestARehearsalNeverHoldsThePassword(t *testing.T) {
	const user, password = "typus", "ein-langes-geheimnis"
	for _, known := range []string{password, "another"} {
		sink := smtptest.Start(t, func(s *smtptest.Server) { s.Login = user + " " + known })
		said, _ := rehearse(t, "smtp://"+user+":"+password+"@"+sink.Addr)
		all := strings.Join(said, "\n")
		for _, secret := range []string{password, "ZWluLWxhbmdlcy1nZWhlaW1uaXM", "AHR5cHVzAGVpbi1sYW5nZXMtZ2VoZWltbmlz"} { // as it is, and in base64
			if strings.Contains(all, secret) {
				t.Errorf("it holds %q:\n%s", secret, all)
			}
		}
		if !strings.Contains(all, "C: ") {
			t.Errorf("nothing was said:\n%s", all)
		}
	}
}

func TestAServerThatCannotBeReachedSaysNothing(t *testing.T) {
	said, err := rehearse(t, "smtp://127.0.0.1:1")
	if err == nil || len(said) != 0 {
		t.Errorf("%q, %v", said, err)
	}
}
