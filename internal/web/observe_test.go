package web_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"typus"
	"typus/internal/web"
)

func TestWhoObservesIsToldTheRouteAndTheStatusOfEachRequest(t *testing.T) {
	type seen struct {
		route  string
		status int
	}
	told := make(chan seen, 1)
	routes := web.NewRoutes(plain,
		web.Route{Method: "GET", Pattern: "/t/{token}", Handle: func(w http.ResponseWriter, _ *http.Request) error {
			_, err := io.WriteString(w, "hello")
			return err
		}},
		web.Route{Method: "GET", Pattern: "/nothing", Handle: func(http.ResponseWriter, *http.Request) error { return nil }},
		web.Route{Method: "GET", Pattern: "/gone", Handle: func(http.ResponseWriter, *http.Request) error { return typus.Errorf(typus.Gone, "gone") }},
		web.Route{Method: "GET", Pattern: "/panic", Handle: func(http.ResponseWriter, *http.Request) error { panic("broken") }},
	)
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/bare" {
			panic("outside any answer")
		}
		routes.ServeHTTP(w, r)
	})
	s, _ := serve(t, web.Observe(func(route string, status int, took time.Duration) {
		if took < 0 {
			t.Errorf("took %s", took)
		}
		told <- seen{route, status}
	}, bare))
	for path, want := range map[string]seen{
		"/t/SECRET": {"/t/{token}", 200}, "/nothing": {"/nothing", 200}, "/gone": {"/gone", 410}, "/panic": {"/panic", 500}, "/SECRET": {"", 404}, "/bare": {"", 500},
	} {
		get(t, s.URL+path)
		if got := <-told; got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
}
