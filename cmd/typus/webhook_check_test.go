package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"typus/internal/webhook"
)

func TestWebhookCheckTriesAReceiver(t *testing.T) {
	check := func(h http.HandlerFunc, args ...string) (int, string) {
		r := httptest.NewServer(h)
		defer r.Close()
		var out, errOut bytes.Buffer
		code := newApp([]string{"HOOK=" + verifySecret}, nil, &out, &errOut).run(t.Context(), append([]string{"webhook", "check", r.URL, "--secret-env=HOOK"}, args...))
		if strings.Contains(out.String()+errOut.String(), verifySecret) {
			t.Error("the secret is printed")
		}
		return code, out.String() + errOut.String()
	}
	right := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if webhook.VerifyStandard(verifySecret, r.Header, body, time.Now()) != nil {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}
	if code, said := check(right); code != 0 || strings.Count(said, "  ok  ") != 11 {
		t.Errorf("code %d\n%s", code, said)
	}
	takesAll := func(http.ResponseWriter, *http.Request) {}
	if code, said := check(takesAll); code != 1 || !strings.Contains(said, " 2  WRONG  a forged one, signed with another secret: 200; a receiver refuses it") || !strings.Contains(said, "2 of 11") {
		t.Errorf("code %d\n%s", code, said)
	}
	if code, said := check(takesAll, "--json"); code != 1 || !strings.Contains(said, `{"ok":false,"deliveries":[{"delivery":"a right delivery","ok":true,"answer":"200","should":"answers with 2xx"}`) {
		t.Errorf("code %d\n%s", code, said)
	}
}
