package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"typus"
	"typus/internal/assess"
	"typus/internal/backup"
	"typus/internal/db"
	"typus/internal/store/storetest"
)

func TestAListOfErasuresIsAppliedWhereIDAndTimeAgree(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		account := must[id](t, environ, "account", "create", "--name", "A").ID
		settings, err := loadSettings(pflag.NewFlagSet("", pflag.ContinueOnError), environ)
		if err != nil {
			t.Fatal(err)
		}
		s, err := openSite(t.Context(), settings, openBeside)
		if err != nil {
			t.Fatal(err)
		}
		defer s.store.Close()
		invite := func(name string) typus.Candidate {
			out, _, err := s.steps.Invite(t.Context(), account, assess.Invitation{Name: name, Email: name + "@example.com"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return out.Candidate
		}
		gone, other, stays := invite("gone"), invite("other"), invite("stays")
		line := func(c typus.Candidate, later int64) string {
			return itoa(c.ID) + " " + itoa(c.CreatedAt.UnixMilli()+later) + " " + itoa(c.CreatedAt.UnixMilli()+1) + "\n"
		}
		file := filepath.Join(t.TempDir(), "list")
		// Somebody else has had the id of other, and the last line was cut off.
		list := line(gone, 0) + line(other, 1) + "100000000000777 1700000000000 1700000000001\n" + strings.TrimSpace(line(stays, 0))
		if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
		done := must[backup.Applied](t, environ, "erasures", "apply", file)
		if done.Erased != 1 || done.Known != 3 || done.LastID != 100000000000777+idsApart {
			t.Errorf("applied: %+v", done)
		}
		for c, want := range map[int64]bool{gone.ID: false, other.ID: true, stays.ID: true} {
			if _, err := s.store.Candidate(t.Context(), account, c); (err == nil) != want {
				t.Errorf("candidate %d: %v", c, err)
			}
		}
		if next := invite("next"); next.ID != done.LastID+1 {
			t.Errorf("the next id is %d", next.ID)
		}
		lines, err := s.store.AuditOf(t.Context(), account, gone.ID)
		if err != nil || len(lines) == 0 || lines[0].Action != typus.AuditCandidateErased && lines[len(lines)-1].Action != typus.AuditCandidateErased {
			t.Errorf("the audit log says %+v, %v", lines, err)
		}
		to := filepath.Join(t.TempDir(), "export")
		if code, _, errOut := command(t, environ, "erasures", "export", to); code != 0 {
			t.Errorf("exit %d: %s", code, errOut)
		}
		if text, err := os.ReadFile(to); err != nil || !strings.Contains(string(text), line(gone, 0)) {
			t.Errorf("exported %q, %v", text, err)
		}
		code, _, errOut := command(t, environ, "erasures", "export", to)
		oneSentence(t, code, 1, errOut, "is there already")
		code, _, errOut = command(t, environ, "erasures", "apply", to+".none")
		oneSentence(t, code, 2, errOut, "there is no list of erasures at")
		if err := os.WriteFile(to, []byte("1 2 3\nname,email\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errOut = command(t, environ, "erasures", "apply", to)
		oneSentence(t, code, 2, errOut, "line 2 of "+to)
	})
}

func TestAPostgreSQLDatabaseIsDumpedAndComesBack(t *testing.T) {
	environ := []string{"TYPUS_DATABASE=" + storetest.Postgres(t), "TYPUS_SECRET_KEY=" + strings.Repeat("s", 40)}
	must[id](t, environ, "account", "create", "--name", "Muster GmbH")
	file := filepath.Join(t.TempDir(), "typus.dump")
	code, out, errOut := command(t, environ, "backup", file)
	if code != 0 || !strings.HasPrefix(out, file+" is a dump for pg_restore") {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if left, _ := filepath.Glob(file + ".*"); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	code, _, errOut = command(t, environ, "backup", file)
	oneSentence(t, code, 1, errOut, "is there already")
	what, err := whatToDump(t.Context(), strings.TrimPrefix(environ[0], "TYPUS_DATABASE="))
	if err != nil {
		t.Fatal(err)
	}
	restore := programOf("pg_restore", what.major, os.Getenv("PATH"))
	sql, err := exec.Command(restore, "--file=-", file).Output()
	if err != nil || !strings.Contains(string(sql), "Muster GmbH") {
		t.Errorf("the dump does not hold the account: %v", err)
	}
	code, _, errOut = command(t, environ, "restore", file)
	oneSentence(t, code, 2, errOut, "pg_restore", "typus erasures apply FILE")
}

func TestWithoutPgDumpTheExactLineIsSaidWithoutThePassword(t *testing.T) {
	if program := programOf("pg_dump", "99", os.Getenv("PATH")); program != "" {
		t.Errorf("%s is of version 99", program)
	}
	address, err := db.ForDump("postgres://typus:geheim@db.example.com/typus?pool_max_conns=4")
	if err != nil {
		t.Fatal(err)
	}
	said := "typus: " + message(withoutDump("16", address, "/backups/it's.dump")) + "\n"
	oneSentence(t, 1, 1, said, "postgresql-client-16", "PGPASSWORD",
		`pg_dump '--format=custom' '--no-owner' '--no-privileges' '--no-password' '--file=/backups/it'\''s.dump' '--dbname=postgres://typus@db.example.com/typus'`)
}
