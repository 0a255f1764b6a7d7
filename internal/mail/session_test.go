package mail

import (
	"net"
	"slices"
	"strings"
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

// Before the connection is encrypted anybody on the way may answer for the
// mail server; what they send must not fill the memory.
func TestAServerThatNeverStopsTalkingIsCutOff(t *testing.T) {
	for name, flood := range map[string]string{
		"greeting lines":   strings.Repeat("220-"+strings.Repeat("x", 60)+"\r\n", 500),
		"one endless line": strings.Repeat("x", 32<<10),
	} {
		t.Run(name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			said := make(chan int, 1)
			go func() {
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				total := 0
				for total < 256<<20 {
					n, err := conn.Write([]byte(flood))
					if total += n; err != nil {
						break
					}
				}
				said <- total
			}()
			s, err := NewSMTP(SMTPOptions{URL: "smtp://" + ln.Addr().String(), From: "typus@example.com"})
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range s.Send(t.Context(), []Message{{ID: "x@example.com", To: "anna@example.com", Subject: "s", Text: "t", HTML: "h"}}, nil) {
				if err == nil {
					t.Error("the letter was accepted")
				}
			}
			if total := <-said; total > 32<<20 { // what was read and what the sockets hold
				t.Errorf("%d MB were taken", total>>20)
			}
		})
	}
}
