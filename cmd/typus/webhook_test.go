package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/porttest"
	"typus/internal/store"
	"typus/internal/webhook"
)

// tested is what `webhook test --json` prints.
type tested struct {
	ID        string `json:"id"`
	Delivered bool   `json:"delivered"`
	Status    int    `json:"status"`
	Error     string `json:"error"`
}

// answering is a receiver that keeps what it gets and answers with one status.
type answering struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	got    []*http.Request
	bodies [][]byte
}

func newAnswering(t *testing.T) *answering {
	a := &answering{status: 200}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.got, a.bodies = append(a.got, r), append(a.bodies, body)
		w.WriteHeader(a.status)
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *answering) answer(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status = status
}

func (a *answering) requests() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.got)
}

// first is what came first.
func (a *answering) first() (*http.Request, []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.got[0], a.bodies[0]
}

type newHook struct {
	ID     int64  `json:"id"`
	Secret string `json:"secret"`
}

func TestATestEventReachesARealReceiverAndTellsWhatItAnswered(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		p := serve(t, environ)
		acc := "--account=" + itoa(must[id](t, environ, "account", "create", "--name", "Muster GmbH").ID)
		receiver := newAnswering(t)
		hook := must[newHook](t, environ, "webhook", "create", acc, "--url", receiver.URL+"/hook?token=geheim")
		here := "--id=" + itoa(hook.ID)

		got := must[tested](t, environ, "webhook", "test", acc, here)
		if !got.Delivered || got.Status != 200 || got.Error != "" {
			t.Fatalf("answered with 200: %+v", got)
		}
		sent, body := receiver.first()
		if sent.Header.Get("X-Service-Delivery") != got.ID {
			t.Errorf("the receiver was told of delivery %q, the command of %q", sent.Header.Get("X-Service-Delivery"), got.ID)
		}
		if sent.Header.Get("X-Service-Signature") != webhook.Sign(hook.Secret, body) || !strings.Contains(string(body), `"test":true`) {
			t.Errorf("signed %s: %s", sent.Header.Get("X-Service-Signature"), body)
		}

		receiver.answer(500)
		code, out, errOut := command(t, environ, "webhook", "test", acc, here)
		if code != 1 || !strings.HasPrefix(out, "the receiver answered 500 after ") || !strings.Contains(errOut, "did not arrive (http_5xx)") {
			t.Errorf("answered with 500: exit %d, %s%s", code, out, errOut)
		}
		nobody := must[newHook](t, environ, "webhook", "create", acc, "--url", "http://"+porttest.Free(t))
		code, out, errOut = command(t, environ, "webhook", "test", acc, "--id="+itoa(nobody.ID), "--json")
		if code != 1 || !strings.Contains(out, `"delivered":false,"status":0`) || !strings.Contains(errOut, "did not arrive (refused)") || !strings.Contains(out, `"error":"refused","about":""`) {
			t.Errorf("nobody listens: exit %d, %s%s", code, out, errOut)
		}
		receiver.answer(410)
		if code, _, errOut := command(t, environ, "webhook", "test", acc, here); code != 1 || !strings.Contains(errOut, "(gone)") {
			t.Errorf("answered with 410: exit %d, %s", code, errOut)
		}
		if code, _, errOut := command(t, environ, "webhook", "test", acc, here); code != 1 || !strings.Contains(errOut, "the webhook is off") {
			t.Errorf("switched off by 410: exit %d, %s", code, errOut)
		}
		if _, out, _ := command(t, environ, "webhook", "list", acc); !strings.Contains(out, "gone") {
			t.Errorf("the list: %s", out)
		}
		if n := receiver.requests(); n != 3 {
			t.Errorf("%d requests, want 3: a test is made once", n)
		}

		must[tested](t, environ, "webhook", "test", acc, "--id="+itoa(must[newHook](t, environ, "webhook", "create", acc, "--url", newAnswering(t).URL).ID))
		if code, _, errOut := command(t, environ, "webhook", "test", acc, "--id="+itoa(nobody.ID)); code != 1 || !strings.Contains(errOut, "at most 5 test events a minute") {
			t.Errorf("a sixth within the minute: exit %d, %s", code, errOut)
		}
		p.stop(t)
		for _, secret := range []string{hook.Secret, "token=geheim"} {
			if strings.Contains(p.log.String(), secret) {
				t.Errorf("the log holds %q", secret)
			}
		}
	})
}

// Who has a webhook is nobody else's business: another account's looks like none.
func TestATestEventGoesToAWebhookOfTheAccountThatIsOn(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		receiver := newAnswering(t)
		mine, theirs := "--account="+itoa(must[id](t, environ, "account", "create", "--name", "A").ID), must[id](t, environ, "account", "create", "--name", "B").ID
		hook := must[newHook](t, environ, "webhook", "create", "--account="+itoa(theirs), "--url", receiver.URL)
		deleted := must[newHook](t, environ, "webhook", "create", mine, "--url", receiver.URL)
		must[id](t, environ, "webhook", "delete", mine, "--id="+itoa(deleted.ID))

		said := map[string]bool{}
		for _, no := range []int64{999, hook.ID, deleted.ID} {
			code, out, errOut := command(t, environ, "webhook", "test", mine, "--id="+itoa(no))
			said[errOut] = true
			if code != 1 || out != "" || !strings.Contains(errOut, "there is no such webhook") {
				t.Errorf("webhook %d: exit %d, %s%s", no, code, out, errOut)
			}
		}
		if len(said) != 1 {
			t.Errorf("the answers differ: %v", said)
		}
		if code, _, errOut := command(t, environ, "webhook", "test", "--account=999", "--id="+itoa(hook.ID)); code != 1 || strings.Contains(errOut, "webhook") {
			t.Errorf("an unknown account: exit %d, %s", code, errOut)
		}
		for _, args := range [][]string{{mine}, {"--id=1"}, {mine, "--id=x"}, {mine, "--id=1", "more"}} {
			if code, _, _ := command(t, environ, append([]string{"webhook", "test"}, args...)...); code != 2 {
				t.Errorf("%v: exit %d, want 2", args, code)
			}
		}

		pause(t, environ, theirs, hook.ID)
		if code, _, errOut := command(t, environ, "webhook", "test", "--account="+itoa(theirs), "--id="+itoa(hook.ID)); code != 1 || !strings.Contains(errOut, "the webhook is off; switch it on first") {
			t.Errorf("paused: exit %d, %s", code, errOut)
		}
		if n := receiver.requests(); n != 0 {
			t.Errorf("%d requests went out", n)
		}
	})
}

func pause(t *testing.T, environ []string, account, hook int64) {
	t.Helper()
	s, err := store.Open(t.Context(), strings.TrimPrefix(environ[0], "TYPUS_DATABASE="))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.InTx(t.Context(), func(tx *store.Tx) error {
		return tx.SetEndpointStatus(t.Context(), account, hook, typus.EndpointPaused, "", time.Now())
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestATestEventThatNoServerTakesUpIsTakenBack(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		receiver := newAnswering(t)
		acc := "--account=" + itoa(must[id](t, environ, "account", "create", "--name", "A").ID)
		hook := must[newHook](t, environ, "webhook", "create", acc, "--url", receiver.URL)
		var out, errOut strings.Builder
		hasty := newApp(environ, strings.NewReader(""), &out, &errOut)
		hasty.testPatience = 300 * time.Millisecond
		code := hasty.run(t.Context(), []string{"webhook", "test", acc, "--id=" + itoa(hook.ID)})
		if code == 0 || out.String() != "" || !strings.Contains(errOut.String(), "is typus serve running on this database?") {
			t.Errorf("exit %d, %s%s", code, &out, &errOut)
		}
		p := serve(t, environ)
		if got := must[tested](t, environ, "webhook", "test", acc, "--id="+itoa(hook.ID)); !got.Delivered {
			t.Errorf("with a server: %+v", got)
		}
		p.stop(t)
		if n := receiver.requests(); n != 1 {
			t.Errorf("%d requests: the one that was taken back went out", n)
		}
	})
}

func TestServeWarnsOfASignUpThatLeadsNowhere(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + t.TempDir() + "/typus.db"}
	for _, open := range []bool{true, false} {
		p := serve(t, append(environ, "TYPUS_SIGNUP="+map[bool]string{true: "open", false: "closed"}[open]))
		p.stop(t)
		if said := strings.Contains(p.log.String(), "nobody can sign up"); said != open {
			t.Errorf("sign-up open %t: warned %t", open, said)
		}
	}
}
