package main

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
)

// granted is what `credits add --json` prints.
type granted struct {
	Balance int64 `json:"balance"`
	Booked  bool  `json:"booked"`
}

// ledger is what `credits show --json` prints.
type ledger struct {
	Balance  int64     `json:"balance"`
	Bookings []booking `json:"bookings"`
}

func TestAGrantWithAReferenceIsBookedOnce(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		acc := "--account=" + itoa(must[id](t, environ, "account", "create", "--name", "A").ID)
		other := "--account=" + itoa(must[id](t, environ, "account", "create", "--name", "B").ID)
		add := func(account, amount string) []string {
			return []string{"credits", "add", account, "--amount", amount, "--note", "Rechnung 7", "--reference", "RE-7"}
		}
		var atOnce sync.WaitGroup
		answers := make([]granted, 8)
		for i := range answers {
			atOnce.Go(func() { answers[i] = must[granted](t, environ, add(acc, "50")...) })
		}
		atOnce.Wait()
		booked := 0
		for _, a := range answers {
			if a.Balance != 50 {
				t.Errorf("balance %d", a.Balance)
			}
			if a.Booked {
				booked++
			}
		}
		if booked != 1 {
			t.Errorf("%d of eight say that they booked", booked)
		}
		must[granted](t, environ, "credits", "add", acc, "--amount", "5", "--note", "more")
		code, out, errOut := command(t, environ, add(acc, "50")...)
		if code != 0 || !strings.HasPrefix(out, "balance: 50\n") || !strings.Contains(out, "nothing was booked now") {
			t.Errorf("a repeat: exit %d, %s%s", code, out, errOut)
		}
		code, _, errOut = command(t, environ, add(acc, "60")...)
		if code != 1 || !strings.Contains(errOut, `the reference "RE-7" is booked already, with 50 credits and not 60`) {
			t.Errorf("another amount: exit %d, %s", code, errOut)
		}
		if got := must[granted](t, environ, add(other, "60")...); got.Balance != 60 || !got.Booked {
			t.Errorf("another account: %+v", got)
		}
		got := must[ledger](t, environ, "credits", "show", acc)
		if got.Balance != 55 || len(got.Bookings) != 2 || got.Bookings[1].Reference != "RE-7" || got.Bookings[1].Delta != 50 {
			t.Errorf("the ledger: %+v", got)
		}
	})
}

// A server that is lost at the commit does not say what became of it. The command says
// how to go on: look first, or with a reference repeat it, which books once.
func TestAGrantOfUnknownOutcomeSaysHowToGoOn(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		if strings.Contains(t.Name(), "sqlite") {
			return // its commit has an outcome, or the process is gone
		}
		acc := "--account=" + itoa(must[id](t, environ, "account", "create", "--name", "A").ID)
		dsn := strings.TrimPrefix(environ[0], "TYPUS_DATABASE=")
		through := []string{"TYPUS_DATABASE=" + cutAtCommit(t, dsn), environ[1]}
		add := []string{"credits", "add", acc, "--amount", "50", "--note", "Rechnung 7"}
		code, said := ended(t, through, add...)
		oneSentence(t, code, 1, said, "may be booked or not", "typus credits show --account", "--reference")
		if got := must[ledger](t, environ, "credits", "show", acc); got.Balance != 50 {
			t.Fatalf("balance %d: the server did not commit, so the test says nothing", got.Balance)
		}
		add = append(add, "--reference", "RE-8")
		code, said = ended(t, through, add...)
		oneSentence(t, code, 1, said, "may be booked or not", "repeat the same command")
		if got := must[granted](t, environ, add...); got.Booked || got.Balance != 100 {
			t.Errorf("the repeat: %+v", got)
		}
	})
}

// cutAtCommit is a proxy before a PostgreSQL server that passes the commit of a grant
// on and cuts the connection instead of its answer.
func cutAtCommit(t *testing.T, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	u.Host = listening(t, func(client net.Conn) { cutting(client, server) })
	return u.String()
}

func cutting(client net.Conn, server string) {
	defer client.Close()
	conn, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer conn.Close()
	var mu sync.Mutex
	cut, grant := false, false
	go func() {
		for buffer := make([]byte, 1<<16); ; {
			n, err := conn.Read(buffer)
			mu.Lock()
			gone := cut
			mu.Unlock()
			if err != nil || gone {
				client.Close()
				return
			}
			client.Write(buffer[:n])
		}
	}()
	for buffer := make([]byte, 1<<16); ; {
		n, err := client.Read(buffer)
		if err != nil && err != io.EOF || n == 0 {
			return
		}
		grant = grant || bytes.Contains(buffer[:n], []byte("credit_ledger"))
		if grant && bytes.Contains(buffer[:n], []byte("commit\x00")) {
			mu.Lock()
			cut = true
			mu.Unlock()
		}
		if _, err := conn.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// What is stored in a test world lies as far back as its clock is ahead.
func TestBookingsHaveTheTimesOfTheAccountsClock(t *testing.T) {
	at := time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)
	for ahead, want := range map[time.Duration]string{0: "2026-03-02T09:00:00Z", 48 * time.Hour: "2026-03-04T09:00:00Z"} {
		if got := bookings(typus.Account{Ahead: ahead}, []typus.CreditEntry{{CreatedAt: at}}); got[0].CreatedAt != want {
			t.Errorf("%s ahead: %s, want %s", ahead, got[0].CreatedAt, want)
		}
	}
}
