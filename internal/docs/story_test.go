package docs_test

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"typus/internal/docs"
	"typus/internal/page"
	"typus/internal/page/pagetest"
	"typus/internal/porttest"
)

// story is what a reader of /docs/start types, line by line, and what is answered.
func story(t *testing.T) (typed, answered string) {
	t.Helper()
	site, err := page.New()
	if err != nil {
		t.Fatal(err)
	}
	h, err := docs.New(docs.Options{Site: site, BaseURL: "https://typus.example.com", HeaderPrefix: "X-Service"})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/docs/start", nil))
	doc, err := html.Parse(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, figure := range pagetest.All(doc, "figure") {
		class, _ := pagetest.Attr(figure, "class")
		for n := range pagetest.All(figure, "code")[0].Descendants() {
			if n.Type == html.TextNode {
				said[class] += n.Data
			}
		}
	}
	return said["code"], said["code output"]
}

// TestEveryLineOfTheFirstStepsIsExecuted runs them all in one shell, as a reader
// does: a home of its own, the source as the directory to begin in, and other
// ports, since those of the page may be taken.
func TestEveryLineOfTheFirstStepsIsExecuted(t *testing.T) {
	if testing.Short() {
		t.Skip("programs: not with -short")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(porttest.Free(t), ":")
	_, receiver, _ := strings.Cut(porttest.Free(t), ":")
	typed, answered := story(t)
	script := strings.NewReplacer("8080", port, "9000", receiver).Replace(typed)

	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	home := t.TempDir()
	bash := exec.CommandContext(ctx, "bash", "-e", "-c", script)
	bash.Dir = root
	bash.Env = append(ownEnviron(), "HOME="+home, "TYPUS_ADDR=127.0.0.1:"+port)
	for _, name := range []string{"GOPATH", "GOCACHE", "GOMODCACHE"} { // they lie below the real home
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		bash.Env = append(bash.Env, name+"="+strings.TrimSpace(string(out)))
	}
	bash.WaitDelay = time.Second
	out, err := bash.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n--- by\n%s", err, out, script)
	}
	for _, want := range []string{
		"account 1, retention 180 days after the decision\n", `{"ok":true,"version":`, `"database":"sqlite"}`,
		`{"ok":true,"invite_url":"http://localhost:` + port + `/t/`, "candidate 100000000000001 is finished",
		" crm-42 Jana Öztürk ", `"status":"abgeschlossen"`,
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not among the output:\n%s", want, out)
		}
	}
	_, result, _ := strings.Cut(string(out), " crm-42 ")
	if result, _, _ = strings.Cut(result, "\n"); !strings.Contains(answered, result) {
		t.Errorf("the receiver printed %q, the page promises\n%s", result, answered)
	}
	if _, err := os.Stat(filepath.Join(home, "typus-demo")); err == nil {
		t.Error("the directory is still there")
	}
}
