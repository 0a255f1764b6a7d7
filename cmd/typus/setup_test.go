package main

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

// From an empty database to a person who is logged in, through the browser alone.
func TestANewServerIsSetUpInTheBrowser(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	p := serve(t, environ)
	link := p.says(t, `http://localhost:\d+/einrichten\?token=([0-9A-Za-z]{43})\n`)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	setUp := func() *http.Response {
		resp, err := client.PostForm(p.base+"/einrichten", url.Values{
			"token": {link[1]}, "company": {"Muster GmbH"}, "language": {"de"}, "email": {"kim@example.com"}, "password": {"vier lose Wörter hier"},
		})
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp
	}
	if resp := setUp(); resp.Header.Get("Location") != "/dashboard/willkommen" || len(resp.Cookies()) == 0 {
		t.Errorf("the set-up: %s, %v", resp.Status, resp.Header)
	}
	if resp := setUp(); resp.StatusCode != http.StatusNotFound {
		t.Errorf("the set-up for the second time: %s", resp.Status)
	}
	p.stop(t)
	for _, secret := range []string{"vier lose", "kim@example.com"} {
		if strings.Contains(p.log.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
	if n := strings.Count(p.log.String(), link[1]); n != 1 {
		t.Errorf("the token is written %d times", n)
	}
	again := serve(t, environ)
	again.stop(t)
	if strings.Contains(again.log.String(), "/einrichten") {
		t.Error("a link is printed though there is an account")
	}
}
