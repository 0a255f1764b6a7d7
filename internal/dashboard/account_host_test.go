package dashboard

import (
	"crypto/sha256"
	"encoding/hex"

	"html"

	"net/url"
	"regexp"

	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/mail/smtptest"
)

// guestPath is the path of a link that somebody opens who has no login.
var guestPath = regexp.MustCompile(`^/([tpe])/`)

// Every page and every letter has the host of its account in links for people without a login,
// and that of the server in all others, however many accounts there are.
func TestLinksLeadToTheHostOfTheirAccount(t *testing.T) {
	w := newWorld(t)
	w.face.SignUp = true
	w.hosts = map[int64]string{}
	sink := smtptest.Start(t, nil)
	w.trials(sink, "")
	base, err := url.Parse(w.server.URL)
	w.Must(err)
	seen := map[string]int{}
	check := func(where, text string, account int64) {
		t.Helper()
		for _, link := range linkForm.FindAllString(html.UnescapeString(text), -1) {
			u, err := url.Parse(link)
			if err != nil || u.Hostname() != base.Hostname() && !strings.HasSuffix(u.Hostname(), ".kunde.example") {
				continue // somebody else's
			}
			kind := guestPath.FindStringSubmatch(u.Path)
			if kind == nil {
				if u.Hostname() != base.Hostname() && u.Path != "" {
					t.Errorf("%s: %s leads the team to an account's host", where, link)
				}
				continue
			}
			of := account
			if of == 0 {
				of = w.ownerOf(kind[1], strings.Split(u.Path, "/")[2])
			}
			if u.Hostname() != w.hosts[of] || u.Port() != base.Port() {
				t.Errorf("%s: %s is of account %d, whose host is %s", where, link, of, w.hosts[of])
			}
			seen[kind[1]]++
		}
	}
	n := 0
	for _, r := range w.face.routes() {
		for _, d := range deeds[r.pattern] {
			if r.method != "POST" || d.file != "" {
				continue
			}
			n++
			w.Set(time.Now()) // letters are due by the clock of the wall
			s, c := w.set(d, n)
			check(r.pattern, c.post(s.address(t, r.pattern), s.form).body, s.account)
		}
	}
	w.Set(time.Now())
	s, c := w.set(deed{}, n+1)
	c.post(s.address(t, positionName+"/link"), fields("most", "20"))
	for _, r := range w.face.routes() {
		if r.method == "GET" && strings.HasPrefix(r.pattern, "/dashboard") && !strings.Contains(r.pattern, "...") {
			check(r.pattern, c.get(s.address(t, r.pattern)).body, s.account)
		}
	}
	inRound(s)
	check("a round of experts", c.get(roundPath(s.names["/dashboard/rollenprofile/{profil}"])).body, s.account)
	for _, kind := range []string{"t", "p", "e"} {
		if seen[kind] == 0 {
			t.Errorf("no page shows a link /%s/", kind)
		}
	}
	clear(seen)
	kinds := w.sendAll(sink)
	for _, kind := range []typus.LetterKind{typus.LetterInvitation, typus.LetterReminder, typus.LetterTeamInvitation, typus.LetterPasswordReset} {
		if kinds[kind] == 0 {
			t.Errorf("no letter of the kind %s went out: %v", kind, kinds)
		}
	}
	for _, e := range sink.Envelopes() {
		body, err := e.Text()
		w.Must(err)
		check("a letter to "+e.To[0], body, 0)
	}
	if seen["t"] < 10 {
		t.Errorf("letters led to %d tests", seen["t"])
	}
}

// ownerOf is whose account a token belongs to.
func (w *world) ownerOf(kind, token string) int64 {
	w.Helper()
	sum := sha256.Sum256([]byte(token))
	hash := hex.EncodeToString(sum[:])
	if kind != "t" {
		w.Fatalf("a letter has a link /%s/", kind)
	}
	c, err := w.Store.CandidateByToken(w.Ctx, hash)
	w.Must(err)
	return c.AccountID
}
