package main

import (
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// Who runs a server for themselves never meets a 402 unasked; what strangers make on
// an open one has a limit.
func TestTheFirstAccountHasNoLimitWhileSignUpIsClosed(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		create := func(more []string, args ...string) string {
			environ := append(append([]string{}, environ...), more...)
			acc := must[id](t, environ, append([]string{"account", "create", "--name", "A"}, args...)...)
			return planOf(t, environ, acc.ID)
		}
		if got := create(nil); got != "business 0" {
			t.Errorf("closed: %s", got)
		}
		if got := create(nil, "--plan", "starter"); got != "starter 10" {
			t.Errorf("closed, and asked for: %s", got)
		}
		if got := create([]string{"TYPUS_SIGNUP=open"}); got != "starter 10" {
			t.Errorf("open: %s", got)
		}
		serve(t, append(append([]string{}, environ...), "TYPUS_SIGNUP=open")).stop(t)
		if got := create(nil); got != "starter 10" {
			t.Errorf("beside a server that is open: %s", got)
		}
	})
}

func planOf(t *testing.T, environ []string, account int64) string {
	t.Helper()
	for _, a := range must[struct {
		Accounts []struct {
			ID      int64  `json:"id"`
			Plan    string `json:"plan"`
			Credits int64  `json:"credits"`
		} `json:"accounts"`
	}](t, environ, "account", "list").Accounts {
		if a.ID == account {
			return a.Plan + " " + itoa(a.Credits)
		}
	}
	return "none"
}

func TestTheSetUpMakesAnAccountWithoutALimitWhileSignUpIsClosed(t *testing.T) {
	for signUp, want := range map[string]string{"closed": "business 0", "open": "starter 10"} {
		environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db"), "TYPUS_SIGNUP=" + signUp}
		p := serve(t, environ)
		link := p.says(t, `/einrichten\?token=([0-9A-Za-z]+)\n`)
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := client.PostForm(p.base+"/einrichten", url.Values{
			"token": {link[1]}, "company": {"Muster GmbH"}, "language": {"de"}, "email": {"kim@example.com"}, "password": {"vier lose Wörter hier"}, "plan": {"gold"},
		})
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := planOf(t, environ, 1); got != want {
			t.Errorf("sign-up %s: %s, want %s", signUp, got, want)
		}
		p.stop(t)
	}
}

// The refusal names two commands; after either the same request works.
func TestTheCommandsOfA402EndIt(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		p := serve(t, environ)
		for name, command := range map[string]string{"credits": `typus (credits add --account \d+ --amount 50) --note`, "plan": `typus (account set --account \d+ --plan business)`} {
			acc := "--account=" + itoa(must[id](t, environ, "account", "create", "--name", name, "--plan", "starter", "--credits", "0").ID)
			key := must[newKey](t, environ, "key", "create", acc, "--name", "k").Key
			status, said := inviteOver(t, p.base, key)
			args := regexp.MustCompile(command).FindStringSubmatch(said)
			if status != http.StatusPaymentRequired || args == nil {
				t.Fatalf("%d does not say %s: %s", status, command, said)
			}
			line := strings.Fields(args[1])
			if name == "credits" {
				line = append(line, "--note", "more")
			}
			must[struct{}](t, environ, line...)
			if status, said := inviteOver(t, p.base, key); status != http.StatusCreated {
				t.Errorf("after %s: %d %s", name, status, said)
			}
		}
	})
}

// inviteOver invites somebody over HTTP and returns the status and what the answer
// says, in detail where it is a refusal.
func inviteOver(t *testing.T, base, key string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/api/v1/invites", strings.NewReader(`{"name":"P","email":"p@example.com","send_email":false}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Detail string `json:"detail"`
	}
	if err := json.UnmarshalRead(resp.Body, &answer); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer.Detail
}

func TestCreditsShowSaysThatABusinessPlanNeedsNone(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	must[id](t, environ, "account", "create", "--name", "A", "--plan", "business")
	if _, out, errOut := command(t, environ, "credits", "show", "--account", "1"); !strings.Contains(out, "balance: 0 (plan business: invitations are never refused)") {
		t.Errorf("got %s%s", out, errOut)
	}
}

func TestAnAccountIsChangedByCommandAndWhoDidItIsKept(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		acc := "--account=" + itoa(must[id](t, environ, "account", "create", "--name", "A", "--plan", "starter").ID)
		type account struct {
			Name          string `json:"name"`
			Plan          string `json:"plan"`
			RetentionDays int    `json:"retention_days"`
		}
		want := account{"Muster GmbH", "business", 180}
		if got := must[account](t, environ, "account", "set", acc, "--name", "Muster GmbH", "--plan", "business", "--retention-days", "180"); got != want {
			t.Errorf("got %+v", got)
		}
		want.RetentionDays = 0
		if got := must[account](t, environ, "account", "set", acc, "--retention-days", "0"); got != want {
			t.Errorf("what is not named is not changed: %+v", got)
		}
		for _, args := range [][]string{{acc}, {acc, "--plan", "gold"}, {acc, "--name", ""}, {acc, "--retention-days", "-1"}, {acc, "--retention-days", "3651"}, {"--plan", "business"}} {
			if code, _, errOut := command(t, environ, append([]string{"account", "set"}, args...)...); code != 2 || strings.Count(errOut, "\n") != 1 {
				t.Errorf("%v: exit %d, %s", args, code, errOut)
			}
		}
		if code, _, errOut := command(t, environ, "account", "set", "--account", "99", "--plan", "business"); code != 1 || !strings.Contains(errOut, "no such account") {
			t.Errorf("an unknown account: exit %d, %s", code, errOut)
		}
	})
}

// A host is a name of one account, and what it is set to is what its links begin with.
func TestTheOperatorSetsTheHostOfAnAccount(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		environ = append(environ, "TYPUS_BASE_URL=https://typus.example.com")
		for range 2 {
			must[id](t, environ, "account", "create", "--name", "A")
		}
		host := func(args ...string) string {
			t.Helper()
			return must[struct {
				Host string `json:"host"`
			}](t, environ, append([]string{"account", "set", "--account"}, args...)...).Host
		}
		if got := host("1", "--host", " Tests.Bücher.Example. "); got != "tests.xn--bcher-kva.example" {
			t.Errorf("the host is %s", got)
		}
		if got := host("1", "--name", "B"); got != "tests.xn--bcher-kva.example" {
			t.Errorf("what is not named has changed: %q", got)
		}
		for host, words := range map[string]string{
			"https://tests.kunde.example": "host must be a name such as", "tests.kunde.example:8443": "host must be a name such as", "10.0.0.1": "host must be a name such as", "localhost": "host must be a name such as",
			"TESTS.xn--bcher-kva.example": "host is that of account 1", "typus.example.com": "host is the server's own",
		} {
			if code, _, said := command(t, environ, "account", "set", "--account", "2", "--host", host); code != 2 || !strings.Contains(said, words) {
				t.Errorf("%s: exit %d, %s", host, code, said)
			}
		}
		if got := host("1", "--host", ""); got != "" {
			t.Errorf("without one: %s", got)
		}
		if got := host("2", "--host", "tests.bücher.example"); got != "tests.xn--bcher-kva.example" {
			t.Errorf("the host is not free again: %s", got)
		}
	})
}

// What an account may send is the operator's to set, and 0 is the server's number.
func TestTheOperatorSetsHowManyLettersAnAccountMaySend(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		must[id](t, environ, "account", "create", "--name", "A")
		letters := func(args ...string) int {
			t.Helper()
			return must[struct {
				Letters int `json:"letters_a_day"`
			}](t, environ, append([]string{"account", "set", "--account", "1"}, args...)...).Letters
		}
		if got := letters("--letters-a-day", "50"); got != 50 {
			t.Errorf("%d letters", got)
		}
		if got := letters("--name", "B"); got != 50 {
			t.Errorf("what is not named has changed: %d", got)
		}
		for _, n := range []string{"-1", "1000001", "many"} {
			if code, _, said := command(t, environ, "account", "set", "--account", "1", "--letters-a-day", n); code != 2 || !strings.Contains(said, "letters") {
				t.Errorf("%s: exit %d, %s", n, code, said)
			}
		}
		ofServer := append(slices.Clone(environ), "TYPUS_LETTERS_PER_DAY=7")
		for _, c := range []struct {
			environ   []string
			own, says string
		}{{ofServer, "8", ", 8 letters a day, "}, {ofServer, "0", ", 7 letters a day as the server says, "}, {environ, "0", ", any number of letters, "}} {
			if _, out, _ := command(t, c.environ, "account", "set", "--account", "1", "--letters-a-day", c.own); !strings.Contains(out, c.says) {
				t.Errorf("want %q: %s", c.says, out)
			}
		}
	})
}

// How many people an account stores is the operator's to bound, and what it stores is said.
func TestTheOperatorSetsHowManyPeopleAnAccountMayStore(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		must[id](t, environ, "account", "create", "--name", "A")
		for n, says := range map[string]string{"2": ", 0 of at most 2 people, ", "5000": ", 0 of at most 5000 people, ", "0": ", 0 of any number of people, "} {
			if code, out, said := command(t, environ, "account", "set", "--account", "1", "--max-people", n); code != 0 || !strings.Contains(out, says) {
				t.Errorf("want %q: %s%s", says, out, said)
			}
		}
		got := must[struct {
			MaxPeople int `json:"max_people"`
		}](t, environ, "account", "set", "--account", "1", "--max-people", "7")
		if got.MaxPeople != 7 {
			t.Errorf("%+v", got)
		}
		for _, n := range []string{"-1", "10000001"} {
			if code, _, said := command(t, environ, "account", "set", "--account", "1", "--max-people", n); code != 2 || !strings.Contains(said, "max_people must be 0 to") {
				t.Errorf("%s: exit %d, %s", n, code, said)
			}
		}
	})
}

// An account is in Central Europe unless the operator says otherwise, and nowhere that does not
// exist.
func TestTheOperatorSetsTheZoneOfAnAccount(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		zone := func(args ...string) string {
			return must[struct {
				Zone string `json:"zone"`
			}](t, environ, append([]string{"account", "set"}, args...)...).Zone
		}
		first, second := must[id](t, environ, "account", "create", "--name", "A"), must[id](t, environ, "account", "create", "--name", "B", "--zone", "Asia/Kathmandu")
		if got := zone("--account", itoa(first.ID), "--name", "C"); got != "Europe/Berlin" {
			t.Errorf("a new account is in %s", got)
		}
		if got := zone("--account", itoa(second.ID), "--name", "C"); got != "Asia/Kathmandu" {
			t.Errorf("an account made with --zone is in %s", got)
		}
		if got := zone("--account", itoa(second.ID), "--zone", "Pacific/Pago_Pago"); got != "Pacific/Pago_Pago" {
			t.Errorf("a moved account is in %s", got)
		}
		for _, args := range [][]string{{"account", "set", "--account", itoa(second.ID), "--zone", "Europe/Atlantis"}, {"account", "create", "--name", "D", "--zone", "Local"}} {
			if code, _, said := command(t, environ, args...); code == 0 || !strings.Contains(said, "zone must be the name of a time zone such as Europe/Berlin") {
				t.Errorf("%q: %d %s", args, code, said)
			}
		}
	})
}
