package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"typus/internal/porttest"
)

func TestHealthAsksTheServerOfTheseSettings(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	addr := porttest.Free(t)
	code, _, errOut := command(t, environ, "health", "--addr", addr)
	if code != 1 || !strings.Contains(errOut, "no server answers at http://"+addr) {
		t.Errorf("nobody there: exit %d, %s", code, errOut)
	}
	p := serve(t, environ)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(p.base, "http://"))
	said := must[struct {
		OK       bool   `json:"ok"`
		Database string `json:"database"`
	}](t, environ, "health", "--addr", "127.0.0.1:"+port)
	if !said.OK || said.Database != "sqlite" {
		t.Errorf("a server that works: %+v", said)
	}
	if code, out, errOut := command(t, environ, "health", "--addr", "127.0.0.1:"+port); code != 0 || !strings.Contains(out, "works") {
		t.Errorf("in words: exit %d, %s%s", code, out, errOut)
	}
}

func TestHealthSaysWhyAServerCannotWork(t *testing.T) {
	for body, want := range map[string]string{
		`{"ok":false,"version":"v0","database":"postgres"}`: "cannot reach its database",
		`{"status":"up"}`: "is not Typus",
		`<!doctype html>`: "is not Typus",
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			w.Write([]byte(body))
		}))
		code, out, errOut := command(t, nil, "health", "--addr", strings.TrimPrefix(s.URL, "http://"))
		if s.Close(); code != 1 || out != "" || !strings.Contains(errOut, want) {
			t.Errorf("%s: exit %d, %q, %q", body, code, out, errOut)
		}
	}
}

func TestAServerOnAllAddressesIsAskedAtLoopback(t *testing.T) {
	for addr, want := range map[string]string{
		"0.0.0.0:8080": "127.0.0.1:8080", ":8080": "127.0.0.1:8080", "[::]:8080": "[::1]:8080",
		"127.0.0.1:9": "127.0.0.1:9", "10.0.0.7:80": "10.0.0.7:80", "localhost:80": "localhost:80", "[::1]:80": "[::1]:80",
	} {
		if got := near(addr); got != want {
			t.Errorf("near(%s) = %s, want %s", addr, got, want)
		}
	}
}
