package mail

import (
	"slices"
	"testing"
)

// A digest keeps the password from whoever listens; inside TLS nobody does, and
// CRAM-MD5 would make the server keep the password itself.
func TestTheBestWayToLogInDependsOnTheEncryption(t *testing.T) {
	for url, want := range map[string][]string{
		"smtp://anna:geheim@mail.example.com": {"SCRAM-SHA-256", "SCRAM-SHA-1", "PLAIN", "LOGIN", "CRAM-MD5"},
		"smtp://anna:geheim@localhost":        {"SCRAM-SHA-256", "SCRAM-SHA-1", "CRAM-MD5", "PLAIN", "LOGIN"},
	} {
		s, err := NewSMTP(SMTPOptions{URL: url, From: "typus@example.com"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range s.mechanisms() {
			got = append(got, m.name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
}
