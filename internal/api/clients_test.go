package api_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// workshop is a copy of testdata/clients with the description that a server gives out.
func (w *world) workshop() string {
	w.Helper()
	dir := w.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/clients")); err != nil {
		w.Fatal(err)
	}
	description := w.doWith(w.plain, call{path: "/api/openapi.yaml", key: "-"}).body
	if err := os.WriteFile(filepath.Join(dir, "openapi.yaml"), []byte(description), 0o600); err != nil {
		w.Fatal(err)
	}
	tools, err := filepath.Abs("../../.cache/npm-clients/node_modules")
	if err != nil {
		w.Fatal(err)
	}
	if err := os.Symlink(tools, filepath.Join(dir, "node_modules")); err != nil {
		w.Fatal(err)
	}
	return dir
}

// run runs a command in dir, without a network, and returns the last line it prints.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("generators: not with -short")
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s (scripts/tools installs what it needs): %v\n%s", name, strings.Join(args, " "), err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// The generators that people use make clients of the description, the clients
// compile, and each does the main job: invite, list, read, and be refused.
func TestGeneratedClientsDoTheMainJob(t *testing.T) {
	w := newWorld(t)
	w.finish(w.invite(`{` + person + `,"external_id":"finished"}`).CandidateToken)
	finished, err := w.Store.Candidate(t.Context(), w.Account, 100000000000001)
	if err != nil {
		t.Fatal(err)
	}
	dir := w.workshop()
	for name, client := range map[string]func(t *testing.T) string{
		"oapi-codegen": func(t *testing.T) string {
			run(t, dir, "go", "tool", "oapi-codegen", "-config", "oapi-codegen/config.yaml", "openapi.yaml")
			return run(t, dir, "go", "run", "./oapi-codegen", w.url, w.key)
		},
		"ogen": func(t *testing.T) string {
			run(t, dir, "go", "tool", "ogen", "--config", "ogen/config.yaml", "--target", "ogen/api", "--package", "api", "--loglevel", "error", "openapi.yaml")
			return run(t, dir, "go", "run", "./ogen", w.url, w.key)
		},
		"openapi-typescript": func(t *testing.T) string {
			run(t, dir, "node_modules/.bin/openapi-typescript", "openapi.yaml", "--output", "openapi-typescript/api.d.ts")
			run(t, dir, "node_modules/.bin/tsc", "--project", "openapi-typescript", "--outDir", "built")
			if err := os.Rename(filepath.Join(dir, "built/main.js"), filepath.Join(dir, "built/main.mjs")); err != nil {
				t.Fatal(err)
			}
			return run(t, dir, "node", "built/main.mjs", w.url, w.key)
		},
	} {
		t.Run(name, func(t *testing.T) {
			said := client(t)
			c := parse[candidate](t, w.do(call{path: "/api/v1/candidates/" + name + "?include=extra"}))
			want := fmt.Sprint(c.Extra.InviteURL, " ", c.ID, " ", c.Extra.InviteURL, " ", finished.Scores.Overall, " invalid_input name email")
			if said != want || c.Extra.Language != "en" || c.Extra.Mail != "none" || c.Name != "Jana Müller" {
				t.Errorf("got %s\nwant %s of %+v", said, want, c)
			}
		})
	}
}
