package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The vectors of the documentation.
const (
	verifySecret  = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	verifyService = "X-Service-Signature: sha256=ebe12770ddc331c6869159e0146c0b46b45800df053fc0b6b95da386788db461"
	verifyHeaders = verifyService + "\nwebhook-id: evt_01JGJ6Q3YJ8X2V6W5T4S3R2Q1P\nwebhook-timestamp: 1767323045\n" +
		"webhook-signature: v1,ZL0eeeS4zMRXEcpA/8mEqNV9Jl4R0X+r+f89I+1EbQ0=\n"
	verifyAt = "--at=2026-01-02T03:05:00Z"
)

// verify runs webhook verify on a body that comes in.
func verify(t *testing.T, body string, args ...string) (int, string) {
	t.Helper()
	var out, errOut bytes.Buffer
	app := newApp([]string{"HOOK=" + verifySecret}, strings.NewReader(body), &out, &errOut)
	code := app.run(t.Context(), append([]string{"webhook", "verify"}, args...))
	if strings.Contains(out.String()+errOut.String(), verifySecret) {
		t.Error("the secret is printed")
	}
	return code, out.String() + errOut.String()
}

func TestWebhookVerifySaysWhatIsWrong(t *testing.T) {
	body, err := os.ReadFile("../../internal/docs/samples/body.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	secret, headers := "--secret-file="+file("secret", verifySecret+"\n"), "--headers-file="+file("headers", verifyHeaders)
	for name, c := range map[string]struct {
		body string
		args []string
		code int
		says string
	}{
		"all is right":         {string(body), []string{secret, headers, verifyAt}, 0, "What was pasted fits together."},
		"secret in a variable": {string(body), []string{"--secret-env=HOOK", headers, verifyAt}, 0, "webhook-signature: right"},
		"one header":           {string(body), []string{secret, "--header=" + verifyService}, 0, "webhook-signature: not there"},
		"a file":               {"", []string{secret, headers, verifyAt, "--body=" + file("body", string(body))}, 0, "X-Service-Signature: right"},
		"a line break":         {string(body) + "\n", []string{secret, headers, verifyAt}, 1, "line break or a space too many"},
		"too old":              {string(body), []string{secret, headers}, 1, "webhook-signature: right, but not fresh any more"},
		"as JSON":              {"{}", []string{secret, headers, verifyAt, "--json"}, 1, `{"ok":false,"signatures":[{"header":"X-Service-Signature","verdict":"wrong","causes":[{"cause":"unknown","about":"","said":"`},
		"no signature":         {"{}", []string{secret, "--header=Host: x"}, 1, "There is no signature in it."},
		"no such files":        {"", []string{"--secret-file=" + dir + "/none", "--header=x: y", "--body=" + dir + "/none", "--at=noon"}, 2, "secret"},
		"no such variable":     {"{}", []string{"--secret-env=NONE", headers}, 2, "not set"},
		"too long":             {strings.Repeat("x", 200_000), []string{secret, headers}, 2, "128 KiB"},
		"no secret":            {"{}", []string{headers}, 2, "secret-file"},
	} {
		code, said := verify(t, c.body, c.args...)
		if (code == 0) != (c.code == 0) || !strings.Contains(said, c.says) {
			t.Errorf("%s: code %d, said\n%s", name, code, said)
		}
	}
}
