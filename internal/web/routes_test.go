package web_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"typus/internal/web"
)

func echo(name string) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		_, err := io.WriteString(w, name+"|"+r.PathValue("id")+"|"+r.PathValue("part"))
		return err
	}
}

func table() *web.Routes {
	return web.NewRoutes(plain,
		web.Route{Method: "GET", Pattern: "/a/{id}", Handle: echo("read")},
		web.Route{Method: "DELETE", Pattern: "/a/{id}", Handle: echo("delete")},
		web.Route{Method: "GET", Pattern: "/a/list", Handle: echo("list")},
		web.Route{Method: "POST", Pattern: "/a/{id}/{part}", Handle: echo("part")},
	)
}

func TestRoutesMatchThePathAndDecodeItsValues(t *testing.T) {
	s, _ := serve(t, table())
	for path, want := range map[string]string{
		"/a/7":               "read|7|",
		"/a/list":            "list||",
		"/a/x%2Fy":           "read|x/y|",
		"/a/%2e%2e":          "read|..|",
		"/a/..":              "read|..|",
		"/a/M%C3%BCller%20A": "read|Müller A|",
		"/a/%25":             "read|%|",
		"/a/%00":             "read|\x00|",
	} {
		if resp, body := get(t, s.URL+path); resp.StatusCode != 200 || body != want {
			t.Errorf("%s: got %d %q, want %q", path, resp.StatusCode, body, want)
		}
	}
}

func TestUncleanPathsAreNotFoundAndNeverRedirected(t *testing.T) {
	s, _ := serve(t, table())
	for _, path := range []string{"/", "/a", "/a/", "//a/7", "/a//7", "/a/7/", "/b/./7", "/x/../a/7", "/A/7", "/%61/7", "/a/7/b/c"} {
		resp, _ := get(t, s.URL+path)
		if resp.StatusCode != 404 || resp.Request.URL.EscapedPath() != path {
			t.Errorf("%s: got %d at %s, want 404 at the same place", path, resp.StatusCode, resp.Request.URL.EscapedPath())
		}
	}
}

func TestAWrongMethodIsRefusedWithAllow(t *testing.T) {
	s, _ := serve(t, table())
	for _, c := range []struct{ method, path, allow string }{
		{"POST", "/a/7", "DELETE, GET, HEAD"},
		{"TRACE", "/a/7", "DELETE, GET, HEAD"},
		{"OPTIONS", "/a/list", "GET, HEAD"},
		{"GET", "/a/7/b", "POST"},
		{"HEAD", "/a/7/b", "POST"},
		{"NONSENSE", "/a/list", "GET, HEAD"},
	} {
		req, _ := http.NewRequest(c.method, s.URL+c.path, nil)
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 405 || resp.Header.Get("Allow") != c.allow {
			t.Errorf("%s %s: got %d, Allow %q; want 405, %q", c.method, c.path, resp.StatusCode, resp.Header.Get("Allow"), c.allow)
		}
	}
}

func TestHEADIsAnsweredLikeGETWithoutABody(t *testing.T) {
	s, _ := serve(t, table())
	resp, err := s.Client().Head(s.URL + "/a/7")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 || len(body) > 0 || resp.ContentLength != int64(len("read|7|")) {
		t.Errorf("got %d, %d bytes, Content-Length %d", resp.StatusCode, len(body), resp.ContentLength)
	}
}

func TestThePathsThatAreAnsweredAreKnownWithoutARequest(t *testing.T) {
	for at, want := range map[string]bool{
		"GET /a/7": true, "HEAD /a/7": true, "POST /a/7": false, "GET /a/x%2Fy": true, "GET /a/list": true, "DELETE /a/list": false,
		"POST /a/7/b": true, "GET /a/7/b": false, "GET /a/": false, "GET /a/%zz": false, "GET ": false,
	} {
		if method, path, _ := strings.Cut(at, " "); table().Answers(method, path) != want {
			t.Errorf("%s is answered: %t", at, !want)
		}
	}
}

func TestListReturnsEveryLineInOrder(t *testing.T) {
	var got []string
	for _, r := range table().List() {
		got = append(got, r.Method+" "+r.Pattern)
	}
	if want := "GET /a/{id},DELETE /a/{id},GET /a/list,POST /a/{id}/{part}"; strings.Join(got, ",") != want {
		t.Errorf("got %v", got)
	}
}
