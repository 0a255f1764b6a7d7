package main

import (
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"typus/internal/db/dbtest"
	"typus/internal/porttest"
	"typus/internal/store/storetest"
)

// An older program beside tables of a newer one changes nothing, whatever it is asked for.
func TestAnOlderProgramRefusesANewerSchemaInOneSentence(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		must[id](t, environ, "account", "create", "--name", "A")
		dsn := strings.TrimPrefix(environ[0], "TYPUS_DATABASE=")
		driver := "sqlite"
		if strings.HasPrefix(dsn, "postgres://") {
			driver = "pgx"
		}
		db, err := sql.Open(driver, dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(`insert into schema_migrations (name, applied_at) values ('9999_later.sql', 1)`); err != nil {
			t.Fatal(err)
		}
		contents := dbtest.Contents(t, dsn)
		before := contents()
		for _, args := range [][]string{{"serve"}, {"migrate"}, {"account", "list"}, {"account", "create", "--name", "B"}, {"credits", "add", "--account", "1", "--amount", "5", "--note", "x"}} {
			code, said := ended(t, append(environ, "TYPUS_ADDR="+porttest.Free(t)), args...)
			oneSentence(t, code, 1, said, "newer version of Typus", "9999_later.sql", "use that version", "restore the backup")
		}
		if changed := dbtest.Changed(before, contents()); len(changed) > 0 {
			t.Errorf("an older program has changed %q", changed)
		}
	})
}

// What a PostgreSQL server does not promise is said when a server starts, with the remedy.
func TestASettingThatLosesWhatWasAcknowledgedIsSaidAtTheStart(t *testing.T) {
	if testing.Short() {
		t.Skip("PostgreSQL: not with -short")
	}
	dsn := storetest.Postgres(t)
	p := serve(t, []string{"TYPUS_DATABASE=" + dsn + "?synchronous_commit=off", "TYPUS_SECRET_KEY=" + strings.Repeat("s", 40)})
	p.stop(t)
	settings := []string{"synchronous_commit"}
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var fsync string
	if err := db.QueryRow("show fsync").Scan(&fsync); err != nil {
		t.Fatal(err)
	}
	if fsync == "off" { // as of a server that the tests start
		settings = append(settings, "fsync")
	}
	for _, name := range settings {
		want := "PostgreSQL runs with " + name + "=off: a crash of its machine can lose what was acknowledged; set " + name + " = on"
		if n := strings.Count(p.log.String(), want); n != 1 {
			t.Errorf("%q is said %d times: %s", want, n, p.log)
		}
	}
}

// A disk that is full when a server or a command starts, where the tests may mount one.
func TestAFullDiskIsSaidInOneSentence(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=6m,mode=0700", "typus-test", dir).CombinedOutput(); err != nil {
		t.Skipf("this machine lets nobody mount: %s", out)
	}
	defer exec.Command("umount", dir).Run()
	path := filepath.Join(dir, "typus.db")
	must[id](t, []string{"TYPUS_DATABASE=" + path}, "account", "create", "--name", "A")
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for piece := make([]byte, 1024); err == nil; {
		_, err = filler.Write(piece)
	}
	if filler.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path string
		args []string
	}{
		"a server":        {path, []string{"serve"}},
		"a command":       {path, []string{"account", "create", "--name", strings.Repeat("B", 150)}},
		"a new file":      {filepath.Join(dir, "new.db"), []string{"serve"}},
		"a new directory": {filepath.Join(dir, "new", "typus.db"), []string{"serve"}},
	} {
		t.Run(name, func(t *testing.T) {
			code, said := ended(t, []string{"TYPUS_DATABASE=" + c.path, "TYPUS_ADDR=" + porttest.Free(t)}, c.args...)
			oneSentence(t, code, 1, said, "room")
		})
	}
	if err := os.Remove(filler.Name()); err != nil {
		t.Fatal(err)
	}
	must[id](t, []string{"TYPUS_DATABASE=" + path}, "account", "create", "--name", "C")
}
