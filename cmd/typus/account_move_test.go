package main

import (
	"database/sql"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus/internal/accountfile"
	"typus/internal/db"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// Killed in the middle, an export leaves no file under its name, and an import no account. The
// next one goes as if there had been none; and who holds a link or a key goes on there.
func TestAMoveThatIsKilledLeavesNothing(t *testing.T) {
	both(t, func(t *testing.T, environ []string) {
		account := must[id](t, environ, "account", "create", "--name", "Muster GmbH", "--credits", "1000").ID
		key := must[newKey](t, environ, "key", "create", "--account", itoa(account), "--name", "CRM").Key
		var token string
		onSite(t, environ, func(s *site) error {
			token = readyTests(t, s, account, 0, 1)[0]
			return heavyLog(t, s, account, 20_000) // each takes a while
		})
		dir := t.TempDir()
		file, fileKey := filepath.Join(dir, "account.typus"), filepath.Join(dir, "file.key")
		for try := 0; ; try++ {
			if try == 20 {
				t.Fatal("no export was killed in the middle")
			}
			export := []string{"account", "export", "--account", itoa(account), "--out", file, "--key-file", fileKey}
			killedWhen(t, environ, export, func() bool { return sizeOf(file+".part") > 1<<20 || sizeOf(file) > 0 })
			if sizeOf(file) == 0 {
				must[accountfile.ExportedAccount](t, environ, export...)
				break
			}
			if err := os.Remove(file); err != nil { // too late
				t.Fatal(err)
			}
		}
		if left, _ := filepath.Glob(file + "*"); len(left) != 1 {
			t.Errorf("the next export leaves %v", left)
		}

		imports := []string{"account", "import", file, "--key-file", fileKey}
		var to []string
		for try := 0; ; try++ {
			if try == 20 {
				t.Fatal("no import was killed in the middle")
			}
			to = anotherDatabase(t, environ)
			must[struct{}](t, to, "migrate")
			killedWhen(t, to, imports, func() bool { return logIsWritten(t, to) })
			all := must[struct{ Accounts []id }](t, to, "account", "list").Accounts
			if len(all) == 0 {
				break
			}
			if !slices.Equal(all, []id{{account}}) { // too late: then it is whole
				t.Fatalf("accounts %v", all)
			}
		}
		if done := must[accountfile.ImportedAccount](t, to, imports...); done.Account != account || done.Candidates != 1 {
			t.Errorf("%+v", done)
		}
		p := serve(t, to)
		if status, said := inviteOver(t, p.base, key); status != http.StatusCreated {
			t.Errorf("with the key of the account: %d %s", status, said)
		}
		if !handIn(&http.Client{Timeout: time.Minute}, p.base+"/t/"+token+"/fertig") {
			t.Error("a test that was begun cannot be handed in")
		}
		p.stop(t)
	})
}

// An import honours the list of erasures that this server keeps, and the one that it is given.
func TestAnImportHonoursBothListsOfErasures(t *testing.T) {
	b := newBackedUp(t)
	one, other, stays := b.invite(t, "one"), b.invite(t, "other"), b.invite(t, "stays")
	dir := t.TempDir()
	file, key := filepath.Join(dir, "account.typus"), filepath.Join(dir, "key")
	must[accountfile.ExportedAccount](t, b.environ, "account", "export", "--account", itoa(b.account), "--out", file, "--key-file", key)
	line := func(erased int64) []byte {
		var text string
		b.opened(t, func(s *site) {
			c, err := s.store.Candidate(t.Context(), b.account, erased)
			if err != nil {
				t.Fatal(err)
			}
			text = itoa(erased) + " " + itoa(c.CreatedAt.UnixMilli()) + " " + itoa(time.Now().UnixMilli()) + "\n"
		})
		return []byte(text)
	}
	to := backedUp{database: filepath.Join(t.TempDir(), "typus.db"), account: b.account}
	to.environ = []string{"TYPUS_DATABASE=" + to.database}
	must[struct{}](t, to.environ, "migrate")
	given := filepath.Join(dir, "given")
	for path, text := range map[string][]byte{to.database + ".erasures": line(one), given: line(other)} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done := must[accountfile.ImportedAccount](t, to.environ, "account", "import", file, "--key-file", key, "--erasures", given)
	if done.Erased != 2 || to.isThere(t, one) || to.isThere(t, other) || !to.isThere(t, stays) {
		t.Errorf("%+v", done)
	}
	list, err := os.ReadFile(to.database + ".erasures")
	if err != nil {
		t.Fatal(err)
	}
	for _, erased := range []int64{one, other} {
		if !strings.Contains("\n"+string(list), "\n"+itoa(erased)+" ") {
			t.Errorf("%d is not on the list of the server: %s", erased, list)
		}
	}
}

// Who came with new ids and was erased does not come back with the same file after the backup
// from before that was restored: the database that was there knows who they were.
func TestARestoreKnowsWhoHasComeSinceTheBackup(t *testing.T) {
	b, from := newBackedUp(t), newBackedUp(t)
	b.invite(t, "here") // with the id of gone
	gone := from.invite(t, "gone")
	from.invite(t, "stays")
	dir := t.TempDir()
	file, key := filepath.Join(dir, "account.typus"), filepath.Join(dir, "key")
	must[accountfile.ExportedAccount](t, from.environ, "account", "export", "--account", itoa(from.account), "--out", file, "--key-file", key)
	imports := func(list string) accountfile.ImportedAccount {
		return must[accountfile.ImportedAccount](t, b.environ, "account", "import", file, "--key-file", key, "--new-ids", filepath.Join(dir, list))
	}
	before := b.backup(t, "before.db")
	done := imports("first")
	text, err := os.ReadFile(filepath.Join(dir, "first"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "candidate,"+itoa(gone)+",")
	line, _, _ := strings.Cut(rest, "\n")
	now, err := strconv.ParseInt(line, 10, 64)
	if err != nil || !done.Renumbered {
		t.Fatalf("%+v, %v: %s", done, err, text)
	}
	moved := *b
	moved.account = done.Account
	moved.erase(t, now)
	b.restore(t, before)
	if again := imports("again"); again.Candidates != 2 || again.Erased != 1 {
		t.Errorf("%+v", again)
	}
}

// Where the list of erasures cannot be written once the account is in, that it is in is said
// all the same, and where.
func TestAnImportSaysThatTheAccountIsInWhateverFailsLater(t *testing.T) {
	from := newBackedUp(t)
	dir := t.TempDir()
	file, key := filepath.Join(dir, "account.typus"), filepath.Join(dir, "key")
	must[accountfile.ExportedAccount](t, from.environ, "account", "export", "--account", itoa(from.account), "--out", file, "--key-file", key)
	list := filepath.Join(dir, strings.Repeat("x", 250)) // which can be made, but not under another name first
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(dir, "typus.db"), "TYPUS_ERASURES=" + list}
	must[struct{}](t, environ, "migrate")
	code, out, errOut := command(t, environ, "account", "import", file, "--key-file", key)
	for _, words := range []string{"the account is in, as account " + itoa(from.account), "list of erasures"} {
		if code != 1 || !strings.Contains(errOut, words) {
			t.Errorf("code %d, %q is not said in %s", code, words, errOut)
		}
	}
	if !strings.Contains(out, "account "+itoa(from.account)) {
		t.Errorf("it says %s", out)
	}
}

// heavyLog makes the account larger, by entries of a kilobyte in its audit log.
func heavyLog(t *testing.T, s *site, account int64, entries int) error {
	t.Helper()
	place := slices.IndexFunc(store.MovedTables(), func(m store.MovedTable) bool { return m.Name == "audit_log" })
	values := map[string]any{"account_id": account, "actor": "x", "action": "x", "detail": strings.Repeat("x", 1000), "ip": "", "request_id": "", "created_at": int64(1)}
	return s.store.InTx(t.Context(), func(tx *store.Tx) error {
		if err := tx.TakeTime(t.Context()); err != nil {
			return err
		}
		last, err := tx.ReserveIDs(t.Context(), "audit_log", 0, int64(entries))
		if err != nil {
			return err
		}
		var rows [][]any
		for i := range int64(entries) {
			var row []any
			for _, c := range store.MovedTables()[place].Columns {
				row = append(row, values[c.Name])
			}
			row[0] = last - i
			if rows = append(rows, row); len(rows) == db.RowsAtOnce || i == int64(entries)-1 {
				if err := tx.PutMoved(t.Context(), place, rows); err != nil {
					return err
				}
				rows = rows[:0]
			}
		}
		return nil
	})
}

// anotherDatabase is an installation that is not there yet, on the same kind of database.
func anotherDatabase(t *testing.T, like []string) []string {
	t.Helper()
	if !onPostgres(like) {
		return []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "data", "typus.db")}
	}
	return []string{"TYPUS_DATABASE=" + storetest.Postgres(t), "TYPUS_SECRET_KEY=" + strings.Repeat("t", 40)}
}

func onPostgres(environ []string) bool { return strings.Contains(environ[0], "postgres") }

// logIsWritten reports whether somebody writes the audit log in a transaction that has not
// ended, or has begun to fill the log of SQLite with it.
func logIsWritten(t *testing.T, environ []string) bool {
	t.Helper()
	_, dsn, _ := strings.Cut(environ[0], "=")
	if !onPostgres(environ) {
		return sizeOf(dsn+"-wal") > 1<<20
	}
	conn, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	n := 0
	err = conn.QueryRow(`select count(*) from pg_locks where relation = 'audit_log'::regclass and mode = 'RowExclusiveLock'`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n > 0
}

// killedWhen starts a command and kills it once something is so, or it has come to its end.
func killedWhen(t *testing.T, environ, args []string, so func() bool) {
	t.Helper()
	p := startProcess(t, environ, args...)
	ended := make(chan struct{})
	go func() { p.Wait(); close(ended) }()
	begun := time.Now()
	for !so() {
		select {
		case <-ended:
			return
		case <-time.After(time.Millisecond):
		}
		if time.Since(begun) > time.Minute {
			p.Process.Kill()
			<-ended
			t.Fatalf("typus %s does not begin: %s", strings.Join(args, " "), p.log)
		}
	}
	p.Process.Kill()
	<-ended
}

func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}
