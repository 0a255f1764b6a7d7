package web_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"typus"
	"typus/internal/web"
	"typus/internal/web/logtest"
)

// plain answers an error with its status and nothing of its text.
func plain(w http.ResponseWriter, r *http.Request, err error) {
	http.Error(w, "failed, request "+web.RequestID(r.Context()), web.Status(err))
}

// serve starts a server that handles everything with h and logs to the buffer.
func serve(t *testing.T, h http.Handler) (*httptest.Server, *logtest.Log) {
	t.Helper()
	log := new(logtest.Log)
	s := httptest.NewServer(web.WithRequestID(slog.New(slog.NewJSONHandler(log, nil)), h))
	t.Cleanup(s.Close)
	return s, log
}

func get(t *testing.T, url string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func TestEveryKindHasItsStatus(t *testing.T) {
	want := map[typus.Kind]int{
		typus.Internal: 500, typus.Invalid: 400, typus.Unauthorized: 401, typus.Forbidden: 403, typus.NotFound: 404,
		typus.Conflict: 409, typus.Gone: 410, typus.NoCredit: 402, typus.TooMany: 429, typus.Unavailable: 503, typus.OutcomeUnknown: 503, typus.Suspended: 403,
	}
	for kind, status := range want {
		if got := web.Status(typus.Errorf(kind, "x")); got != status {
			t.Errorf("%v: status %d, want %d", kind, got, status)
		}
	}
	if got := web.Status(errors.New("no kind")); got != 500 {
		t.Errorf("an error without a kind: status %d, want 500", got)
	}
	if got := web.Status(&web.StatusError{Status: 415}); got != 415 {
		t.Errorf("a StatusError: status %d, want 415", got)
	}
}

func TestAPanicIsAnsweredAsInternalAndLoggedWithItsStack(t *testing.T) {
	s, log := serve(t, web.Answer(plain, func(http.ResponseWriter, *http.Request) error { panic("boom") }))
	resp, body := get(t, s.URL)
	if resp.StatusCode != 500 || strings.Contains(body, "boom") || strings.Contains(body, "goroutine") {
		t.Errorf("got %d %q", resp.StatusCode, body)
	}
	s.Close()
	if !strings.Contains(log.String(), "boom") || !strings.Contains(log.String(), "handler_test.go") {
		t.Errorf("the log lacks the panic or its stack: %s", log)
	}
}

func TestAPanicOutsideAnyAnswerIsABare500(t *testing.T) {
	s, log := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") }))
	resp, body := get(t, s.URL)
	if resp.StatusCode != 500 || strings.Contains(body, "boom") {
		t.Errorf("got %d %q", resp.StatusCode, body)
	}
	s.Close()
	if !strings.Contains(log.String(), "boom") {
		t.Errorf("the log lacks the panic: %s", log)
	}
}

func TestABrokenAnswerNeverLooksWhole(t *testing.T) {
	for name, h := range map[string]web.HandlerFunc{
		"error": func(w http.ResponseWriter, _ *http.Request) error {
			io.WriteString(w, "half")
			return errors.New("too late")
		},
		"panic": func(w http.ResponseWriter, _ *http.Request) error {
			io.WriteString(w, "half")
			panic("too late")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, log := serve(t, web.Answer(plain, h))
			resp, err := s.Client().Get(s.URL)
			if err == nil {
				defer resp.Body.Close()
				_, err = io.ReadAll(resp.Body)
			}
			if err == nil {
				t.Error("the client saw a whole answer")
			}
			s.Close()
			if !strings.Contains(log.String(), "too late") {
				t.Errorf("the log lacks the cause: %s", log)
			}
		})
	}
}

func TestTheRequestIDIsKeptWhenItIsWellFormed(t *testing.T) {
	s, _ := serve(t, web.Answer(plain, func(http.ResponseWriter, *http.Request) error { return errors.New("x") }))
	for incoming, kept := range map[string]bool{
		"abc-1._Z": true, strings.Repeat("a", 64): true,
		"": false, strings.Repeat("a", 65): false, "a b": false, "ä": false, `"x"`: false,
	} {
		resp, body := get(t, s.URL, "X-Request-Id", incoming)
		id := resp.Header.Get("X-Request-Id")
		if (id == incoming) != kept || id == "" {
			t.Errorf("incoming %q became %q", incoming, id)
		}
		if !strings.Contains(body, id) {
			t.Errorf("the error answer %q lacks the id %q", body, id)
		}
	}
}

func TestTheLogNamesTheRouteAndNoSecret(t *testing.T) {
	routes := web.NewRoutes(plain, web.Route{Method: "GET", Pattern: "/t/{token}", Handle: func(w http.ResponseWriter, r *http.Request) error {
		_, err := io.WriteString(w, "hello")
		return err
	}})
	s, log := serve(t, routes)
	get(t, s.URL+"/t/SECRETTOKEN?email=SECRETMAIL", "Authorization", "Bearer SECRETKEY", "Referer", "http://SECRETREF/")
	get(t, s.URL+"/SECRETPATH")
	req, err := http.NewRequestWithContext(t.Context(), "SECRETMETHOD", s.URL+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	s.Close()
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("want three lines, got %q", lines)
	}
	for _, want := range []string{`"route":"/t/{token}"`, `"status":200`, `"bytes":5`, `"method":"GET"`, `"request_id":"`, `"took":`} {
		if !strings.Contains(lines[0], want) {
			t.Errorf("the line lacks %s: %s", want, lines[0])
		}
	}
	if strings.Contains(log.String(), "SECRET") {
		t.Errorf("the log holds a secret: %s", log)
	}
}
