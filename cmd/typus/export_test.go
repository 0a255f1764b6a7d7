package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEverythingAboutAPersonIsWrittenIntoOneFile(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		account := must[id](t, environ, "account", "create", "--name", "Muster GmbH", "--credits", "3")
		last := finishTwo(t, environ, account.ID)
		file := filepath.Join(t.TempDir(), "person.zip")
		args := []string{"export", "--account", itoa(account.ID), "--candidate", itoa(last), "--to", file}
		code, out, errOut := command(t, environ, args...)
		if code != 0 || !strings.HasPrefix(out, "everything about candidate "+itoa(last)+" is in "+file) || errOut != "" {
			t.Fatalf("exit %d: %s%s", code, out, errOut)
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v: %v", info.Mode(), err)
		}
		r, err := zip.OpenReader(file)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		names := map[string]bool{}
		for _, f := range r.File {
			names[f.Name] = true
		}
		for _, want := range []string{"daten.json", "verzeichnis.txt", "liesmich.txt", "bericht-de.pdf", "bericht-en.pdf", "tabellen/audit_log.csv"} {
			for _, of := range []int64{last, last - 1} { // both have the same address
				if want := "bewerbung-" + itoa(of) + "/" + want; !names[want] {
					t.Errorf("%s is missing from %v", want, names)
				}
			}
		}
		if !names["liesmich.txt"] || !strings.Contains(out, "others of the same address: "+itoa(last-1)) {
			t.Errorf("nothing says what the folders are: %s", out)
		}
		if code, _, errOut = command(t, environ, args...); code != 1 || !strings.Contains(errOut, "is there already") {
			t.Errorf("over a file that is there: exit %d: %s", code, errOut)
		}
		if code, _, errOut = command(t, environ, "export", "--account", itoa(account.ID), "--candidate", "nobody"); code != 1 || !strings.Contains(errOut, "no candidate") {
			t.Errorf("nobody: exit %d: %s", code, errOut)
		}
	})
}
