package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"typus/internal/instrument"
)

// The lines of the page about operation are typed in their order, in one shell: a backup, a
// restore into another directory, and the list of erasures.
func TestThePageAboutOperationIsExecuted(t *testing.T) {
	if testing.Short() {
		t.Skip("processes: not with -short")
	}
	for _, lang := range []string{"de", "en"} {
		t.Run(lang, func(t *testing.T) {
			text, err := os.ReadFile("../../internal/docs/text/" + lang + "/betrieb.md")
			if err != nil {
				t.Fatal(err)
			}
			var script strings.Builder
			for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
				script.WriteString(m[1])
			}
			b := newBackedUp(t)
			somebody, gone := b.invite(t, "somebody"), b.invite(t, "gone")
			b.opened(t, func(s *site) {
				if err := s.steps.FinishFor(t.Context(), b.account, somebody, plausible(instrument.Own(), 1), operator); err != nil {
					t.Fatal(err)
				}
			})
			p := serve(t, b.environ) // it runs on, and keeps the list
			b.erase(t, gone)
			until(t, time.Minute, "the erasure on the list", func() bool {
				list, err := os.ReadFile(b.database + ".erasures")
				return err == nil && strings.HasPrefix(string(list), itoa(gone))
			})
			dir := t.TempDir()
			typed := strings.NewReplacer("/var/lib/typus", filepath.Dir(b.database), "/var/backups", dir, "/srv", filepath.Join(dir, "srv")).Replace(script.String())
			program := filepath.Join(dir, "bin", "typus")
			if err := os.Mkdir(filepath.Dir(program), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(program, []byte("#!/bin/sh\nexec env "+asTypus+"=1 '"+os.Args[0]+"' \"$@\"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			bash := exec.Command("bash", "-e", "-c", typed)
			bash.Dir = dir
			bash.Env = []string{"PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH"), "HOME=" + dir}
			out, err := bash.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s\n--- by\n%s", err, out, typed)
			}
			p.stop(t)
			for _, want := range []string{"to restore it you need the secret key", "restored " + dir + "/typus/typus-", "erased again: 0, of 1 erasure", "0 differences", "1 erasure in " + dir, "TYPUS_OTHER_SECRET_KEY may be removed", "(the secret key): ", "account 1, which was 1, with 2 candidates"} {
				if !strings.Contains(string(out), want) {
					t.Errorf("%q is not said:\n%s", want, out)
				}
			}
			if !b.isThere(t, somebody) || b.isThere(t, gone) {
				t.Error("the account that came back from the backup does not hold whom it should")
			}
			restored := *b
			restored.database = filepath.Join(dir, "srv", "typus", "typus.db")
			restored.environ = []string{"TYPUS_DATABASE=" + restored.database}
			if !restored.isThere(t, somebody) || restored.isThere(t, gone) {
				t.Error("the restored database does not hold whom it should")
			}
		})
	}
}
