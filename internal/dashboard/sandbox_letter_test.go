package dashboard

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"typus/internal/assess"
	"typus/internal/page"
	"typus/internal/testpage"
	"typus/internal/waittest"
	"typus/internal/web"
)

var (
	keptLetterLink = regexp.MustCompile(`href="(/dashboard/test/postfach/\d+)"`)
	testLink       = regexp.MustCompile(`href="(http://[^"]+)(/t/[^"/?#]+)`)
)

// tests is the address of the pages that lead through a test.
func (w *world) tests() string {
	w.Helper()
	site, err := page.New() // a site of its own: the pages of one test join it once
	w.Must(err)
	face, err := testpage.New(testpage.Options{Steps: w.Assess, Site: site, BaseURL: w.server.URL, Clock: w.Now})
	w.Must(err)
	server := httptest.NewServer(web.WithRequestID(slog.New(slog.DiscardHandler), web.SecurityHeaders(false, face)))
	w.Cleanup(server.Close)
	return server.URL
}

// keptLetter has the courier keep the letter of an invitation, and is the address of its page.
func (w *world) keptLetter(c *client) string {
	w.Helper()
	stop, path := w.deliver(), ""
	waittest.Until(w, "the letter is kept", func() bool {
		found := keptLetterLink.FindStringSubmatch(c.get(sandboxLettersPath).body)
		if found != nil {
			path = found[1]
		}
		return found != nil
	})
	stop()
	return path
}

// The letter of an invitation in a test world comes to the mailbox page whole: what mail
// programs show of it can do no harm there, and its link leads to the test of that person.
func TestALetterOfATestWorldIsShownAndItsLinkOpensTheTest(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		there := w.testWorld()
		test := w.invitedBy(there, assess.Invitation{Name: "Tom <i>Probe</i>", Email: "tom@example.com", Language: "de", SendEmail: true})
		c := w.as(admin)
		path := w.keptLetter(c)
		shown := c.get(path).want(t, 200, "tom@example.com", `href="`+path+`/html"`, `href="/dashboard/test/kandidat/`+id(test)+`"`, `href="/t/`+test.Token)
		shown.without(t, "<i>Probe")
		letter := c.get(path+"/html").want(t, 200, "Tom &lt;i&gt;Probe&lt;/i&gt;")
		letter.without(t, "<script", "<i>Probe", "javascript:")
		harmless(t, letter)
		link := testLink.FindStringSubmatch(letter.body)
		if link == nil || link[1] != w.server.URL || link[2] != "/t/"+test.Token {
			t.Fatalf("the letter's link is %q", link)
		}
		tests := w.tests()
		if a := fetched(t, tests+link[2]); a.StatusCode != 200 || !strings.Contains(a.body, "Muster Software GmbH") {
			t.Errorf("the letter's link is answered with %s", a.Status)
		}
		if a := fetched(t, tests+link[2]+"x"); a.StatusCode == 200 {
			t.Error("any link opens a test")
		}
		w.as(viewer).get(path+"/html").want(t, 403)
		w.asOf(w.newAccount("Andere GmbH"), owner).get(path+"/html").without(t, test.Token)
	})
}

// fetched asks for a page as a stranger does.
func fetched(t *testing.T, address string) answer {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res, string(body)}
}

// harmless fails where a letter that is shown as a page may run or load something.
func harmless(t *testing.T, a answer) {
	t.Helper()
	policy := a.Header.Get("Content-Security-Policy")
	for _, part := range []string{"sandbox;", "default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy of a letter is %q, without %s", policy, part)
		}
	}
	if strings.Contains(policy, "allow-") || strings.Contains(policy, "script-src") || a.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("a letter is shown with %v", a.Header)
	}
}
