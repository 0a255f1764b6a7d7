package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"typus/internal/instrument"
	"typus/internal/waittest"
)

// The lines of the page about operation are typed in their order, in one shell: a backup, a
// restore into another directory, and the list of erasures.
func TestThePageAboutOperationIsExecuted(t *testing.T) {
	typedPage(t, func(lang string) string { return shellLines(t, lang, "betrieb", -1) }, func(t *testing.T, s typedSite) {
		s.said(t, "to restore it you need the secret key", "restored "+s.dir+"/typus/typus-", "erased again: 0, of 1 erasure", "0 differences", "1 erasure in "+s.dir, "TYPUS_OTHER_SECRET_KEY may be removed", "(the secret key): ")
		restored := *s.backedUp
		restored.database = filepath.Join(filepath.Dir(s.database), "trial", "typus.db")
		restored.environ = []string{"TYPUS_DATABASE=" + restored.database}
		if !restored.isThere(t, s.somebody) || restored.isThere(t, s.gone) {
			t.Error("the restored database does not hold whom it should")
		}
	})
}

// Those of the page about many customers are typed by somebody who has made a backup as the
// page about operation says.
func TestThePageAboutManyCustomersIsExecuted(t *testing.T) {
	typedPage(t, func(lang string) string {
		return shellLines(t, lang, "betrieb", 1) + shellLines(t, lang, "kunden", -1)
	}, func(t *testing.T, s typedSite) {
		s.said(t, "account 1, which was 1, with 2 candidates")
	})
}

// shellLines are those of the first n shell blocks of a page, of all if n is negative.
func shellLines(t *testing.T, lang, page string, n int) string {
	t.Helper()
	text, err := os.ReadFile("../../internal/docs/text/" + lang + "/" + page + ".md")
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), n) {
		lines.WriteString(m[1])
	}
	if lines.Len() == 0 {
		t.Fatalf("%s: /docs/%s has no lines to type", lang, page)
	}
	return lines.String()
}

// typedSite is an installation after the lines of a page, with what they printed.
type typedSite struct {
	*backedUp
	dir            string // in which the page's directories are
	out            string
	somebody, gone int64 // a candidate, and one who was erased before
}

func (s typedSite) said(t *testing.T, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(s.out, want) {
			t.Errorf("%q is not said:\n%s", want, s.out)
		}
	}
}

// typedPage types lines beside a running server, in both languages, and lets the caller look.
func typedPage(t *testing.T, lines func(lang string) string, look func(*testing.T, typedSite)) {
	if testing.Short() {
		t.Skip("processes: not with -short")
	}
	for _, lang := range []string{"de", "en"} {
		t.Run(lang, func(t *testing.T) {
			b := newBackedUp(t)
			somebody, gone := b.invite(t, "somebody"), b.invite(t, "gone")
			b.opened(t, func(s *site) {
				if err := s.steps.FinishFor(t.Context(), b.account, somebody, plausible(instrument.Own(), 1), operator); err != nil {
					t.Fatal(err)
				}
			})
			p := serve(t, b.environ) // it runs on, and keeps the list
			b.erase(t, gone)
			waittest.Until(t, "the erasure on the list", func() bool {
				list, err := os.ReadFile(b.database + ".erasures")
				return err == nil && strings.HasPrefix(string(list), itoa(gone))
			})
			dir := t.TempDir()
			typed := strings.NewReplacer("/var/lib/typus", filepath.Dir(b.database), "/var/backups", dir).Replace(lines(lang))
			program := filepath.Join(dir, "bin", "typus")
			if err := os.Mkdir(filepath.Dir(program), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(program, []byte("#!/bin/sh\nexec env "+asTypus+"=1 '"+os.Args[0]+"' \"$@\"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			bash := exec.Command("bash", "-e", "-c", typed)
			bash.Dir = dir
			bash.Env = []string{"PATH=" + filepath.Dir(program) + ":" + os.Getenv("PATH"), "HOME=" + dir, "GORACE=" + os.Getenv("GORACE")}
			out, err := bash.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s\n--- by\n%s", err, out, typed)
			}
			p.stop(t)
			if !b.isThere(t, somebody) || b.isThere(t, gone) {
				t.Error("the account does not hold whom it should")
			}
			look(t, typedSite{backedUp: b, dir: dir, out: string(out), somebody: somebody, gone: gone})
		})
	}
}
