package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"typus"
	"typus/internal/backup"
	"typus/internal/db"
	"typus/internal/store"
)

// dump has pg_dump make the file. Without a pg_dump of the server's version the error is the
// line that makes the file elsewhere.
func (a *app) dump(ctx context.Context, settings settings, file string, keep int) error {
	if keep > 0 {
		return usageError("--keep counts backups of SQLite databases; files of pg_dump are removed by whoever has them made")
	}
	if err := backup.Writable(file); err != nil {
		return err
	}
	what, err := whatToDump(ctx, settings.Database)
	if err != nil {
		return err
	}
	address, err := db.ForDump(settings.Database)
	if err != nil {
		return err
	}
	program := programOf("pg_dump", what.major, os.Getenv("PATH"))
	if program == "" {
		return withoutDump(what.major, address, file)
	}
	if err := runDump(ctx, program, address, file); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return db.Refused(file, err)
	}
	done := struct {
		File      string `json:"file"`
		Bytes     int64  `json:"bytes"`
		Key       string `json:"key"`
		SecondKey string `json:"second_key,omitempty"`
	}{File: file, Bytes: info.Size(), Key: what.keys[0]}
	if len(what.keys) > 1 {
		done.SecondKey = what.keys[1]
	}
	return a.print(done, fmt.Sprintf("%s is a dump for pg_restore (%d bytes); to use it you need %s", file, info.Size(), keysNeeded(what.keys)))
}

// withoutDump says what to type where pg_dump is.
func withoutDump(major string, address db.DumpAddress, file string) error {
	return typus.Errorf(typus.Conflict, "pg_dump of PostgreSQL %s is not here; install it (postgresql-client-%s), or type where it is, with the password in PGPASSWORD or ~/.pgpass: pg_dump %s",
		major, major, shellLine(dumpArgs(address, file)))
}

// dumpable is what has to be known of a database that is dumped.
type dumpable struct {
	major string   // the server's version
	keys  []string // fingerprints of the secret keys, at least one
}

func whatToDump(ctx context.Context, dsn string) (dumpable, error) {
	st, err := store.Open(ctx, dsn)
	if err != nil {
		return dumpable{}, err
	}
	d, err := dumpableIn(ctx, st)
	return d, errors.Join(err, st.Close())
}

func dumpableIn(ctx context.Context, st *store.Store) (dumpable, error) {
	settings, err := st.Settings(ctx)
	if err != nil {
		return dumpable{}, err
	}
	newest, err := st.Newest(ctx)
	if err == nil && newest == "" {
		err = typus.Errorf(typus.Conflict, "the database is empty: there is nothing to back up")
	}
	if err != nil {
		return dumpable{}, err
	}
	keys, err := backup.KeysOf(ctx, st)
	if len(keys) == 0 {
		keys = []string{""}
	}
	major, _, _ := strings.Cut(settings["postgres_version"], ".")
	return dumpable{major, keys}, err
}

// programOf finds a program of PostgreSQL of a major version: in PATH, or where Debian and
// Red Hat keep each version; "" when there is none.
func programOf(name, major, path string) string {
	dirs := append(filepath.SplitList(path), "/usr/lib/postgresql/"+major+"/bin", "/usr/pgsql-"+major+"/bin")
	for _, dir := range dirs {
		program := filepath.Join(dir, name)
		if info, err := os.Stat(program); err != nil || info.IsDir() {
			continue
		}
		said, err := exec.Command(program, "--version").Output() //nolint:gosec,noctx // a program that the operator has installed
		if fields := strings.Fields(string(said)); err == nil && len(fields) > 2 && strings.HasPrefix(fields[2]+".", major+".") {
			return program
		}
	}
	return ""
}

func dumpArgs(address db.DumpAddress, file string) []string {
	args := []string{"--format=custom", "--no-owner", "--no-privileges", "--no-password", "--file=" + file, "--dbname=" + address.Address}
	if address.Schema != "" {
		args = append(args, "--schema="+address.Schema)
	}
	return args
}

// shellLine quotes words for a shell.
func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

// runDump runs pg_dump, with the password in its environment, into a file that has its name
// only when pg_dump has ended well and the file is on the disk.
func runDump(ctx context.Context, program string, address db.DumpAddress, file string) error {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*.part") // mode 0600; nobody else's
	if err != nil {
		return db.Refused(file, err)
	}
	part := f.Name()
	defer func() { _ = os.Remove(part) }()
	var said strings.Builder
	dump := exec.CommandContext(ctx, program, dumpArgs(address, part)...) //nolint:gosec // the operator's database
	dump.Stderr = &said
	dump.Env = os.Environ()
	if address.Password != "" {
		dump.Env = append(dump.Env, "PGPASSWORD="+address.Password)
	}
	err = dump.Run()
	if err != nil {
		return errors.Join(typus.Errorf(typus.Unavailable, "pg_dump has failed: %s", short(strings.Join(strings.Fields(said.String()), " "), 300)).WithCause(err), f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return db.Refused(file, err)
	}
	if err := backup.GiveName(part, file); err != nil {
		return err
	}
	if err := backup.SyncDir(filepath.Dir(file)); err != nil {
		return db.Refused(file, err)
	}
	return nil
}
