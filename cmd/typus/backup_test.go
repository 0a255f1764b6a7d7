package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/backup"
	"typus/internal/store"
	"typus/internal/waittest"
)

// backedUp is an installation on SQLite, and where its backups go.
type backedUp struct {
	environ  []string
	database string
	backups  string
	account  int64
	key      string
}

func newBackedUp(t *testing.T) *backedUp {
	t.Helper()
	b := &backedUp{database: migrated(t), backups: t.TempDir()}
	b.environ = []string{"TYPUS_DATABASE=" + b.database}
	b.account = must[id](t, b.environ, "account", "create", "--name", "Muster GmbH", "--credits", "1000").ID
	b.key = must[newKey](t, b.environ, "key", "create", "--account", itoa(b.account), "--name", "CRM").Key
	return b
}

// opened runs do on the open installation.
func (b *backedUp) opened(t *testing.T, do func(s *site)) {
	t.Helper()
	s := beside(t, b.environ)
	do(s)
	if err := s.store.Close(); err != nil {
		t.Error(err)
	}
}

func (b *backedUp) invite(t *testing.T, name string) int64 {
	t.Helper()
	var id int64
	b.opened(t, func(s *site) {
		out, _, err := s.steps.Invite(t.Context(), b.account, assess.Invitation{Name: name, Email: name + "@example.com"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		id = out.Candidate.ID
	})
	return id
}

func (b *backedUp) erase(t *testing.T, id int64) {
	t.Helper()
	b.opened(t, func(s *site) {
		if err := s.steps.Erase(t.Context(), store.WholeAccount(b.account), id, typus.Actor{Name: operator}); err != nil {
			t.Fatal(err)
		}
	})
}

func (b *backedUp) isThere(t *testing.T, id int64) bool {
	t.Helper()
	var err error
	b.opened(t, func(s *site) { _, err = s.store.Candidate(t.Context(), b.account, id) })
	if err != nil && !typus.Is(err, typus.NotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func (b *backedUp) backup(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(b.backups, name)
	if made := must[backup.Made](t, b.environ, "backup", file); made.File != file || made.Bytes == 0 || made.Key == "" {
		t.Errorf("the backup says %+v", made)
	}
	return file
}

func (b *backedUp) restore(t *testing.T, file string) restored {
	t.Helper()
	return must[restored](t, b.environ, "restore", file)
}

// change runs SQL on a file, as another program does.
func change(t *testing.T, file, text string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(text, args...); err != nil {
		t.Fatal(err)
	}
}

// Whoever was erased stays erased, and nobody gets an id that somebody else had: links and
// rows of other systems that name it must not lead to another person.
func TestErasuresSurviveARestoreAndNoIDIsGivenTwice(t *testing.T) {
	b := newBackedUp(t)
	early := b.invite(t, "early")
	first := b.backup(t, "first.db")
	late := b.invite(t, "late")
	b.erase(t, late)
	b.erase(t, early)
	done := b.restore(t, first)
	if done.Erased != 1 || done.Known != 2 {
		t.Errorf("after the first restore: %+v", done)
	}
	if b.isThere(t, early) || b.isThere(t, late) {
		t.Error("somebody is back who was erased")
	}
	next := b.invite(t, "next")
	if next <= late+idsApart-1 {
		t.Errorf("the ids go on at %d after %d", next, late)
	}
	second := b.backup(t, "second.db")
	done = b.restore(t, second)
	if done.Erased != 0 || !b.isThere(t, next) || b.isThere(t, late) || b.isThere(t, early) {
		t.Errorf("after the second restore: %+v", done)
	}
	b.erase(t, next)
	if done = b.restore(t, second); done.Erased != 1 || b.isThere(t, next) {
		t.Errorf("after the third restore: %+v", done)
	}
	list, err := os.ReadFile(b.database + ".erasures")
	if err != nil || strings.Count(string(list), "\n") != 3 {
		t.Errorf("the list is %q, %v", list, err)
	}
}

// idsApart is by how much ids move on with a restore.
const idsApart = 1_000_000

// The same through running servers: what the API answers afterwards.
func TestABackupOfARunningServerIsRestored(t *testing.T) {
	b := newBackedUp(t)
	p := serve(t, b.environ)
	var (
		writing      sync.WaitGroup
		acknowledged []int64
		enough       = make(chan struct{})
		stop         = make(chan struct{})
	)
	w := &walk{base: p.base, key: b.key, out: discard(), client: &http.Client{Timeout: time.Minute}}
	writing.Go(func() {
		for n := range 90 { // a key may ask a hundred times in a minute
			select {
			case <-stop:
				return
			default:
			}
			w.externalID = fmt.Sprintf("crm-%d", n)
			if err := w.invite(t.Context()); err != nil {
				t.Error(err)
				return
			}
			if acknowledged = append(acknowledged, w.candidateID); n == 20 {
				close(enough)
			}
		}
	})
	<-enough
	file := b.backup(t, "running.db")
	close(stop)
	writing.Wait()
	waittest.Until(t, "the list of erasures", func() bool { _, err := os.Stat(b.database + ".erasures"); return err == nil })
	gone := acknowledged[0]
	b.erase(t, gone)
	waittest.Until(t, "the erasure on the list", func() bool {
		text, err := os.ReadFile(b.database + ".erasures")
		return err == nil && strings.HasPrefix(string(text), itoa(gone)+" ")
	})
	code, _, errOut := command(t, b.environ, "restore", file)
	oneSentence(t, code, 1, errOut, "server is running on", "stop it first")
	p.Process.Kill()
	p.Wait()

	done := b.restore(t, file)
	if done.Erased != 1 || done.Candidates < 21 {
		t.Errorf("restored: %+v", done)
	}
	p = serve(t, b.environ)
	w.base = p.base
	if _, err := w.call(t.Context(), "GET", "/api/v1/candidates/"+itoa(gone), "", &struct{}{}); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("who was erased is answered with %v", err)
	}
	for _, id := range acknowledged[1:21] { // those of before the backup
		if _, err := w.call(t.Context(), "GET", "/api/v1/candidates/"+itoa(id), "", &struct{}{}); err != nil {
			t.Errorf("candidate %d: %v", id, err)
		}
	}
	w.externalID = "crm-new"
	if err := w.invite(t.Context()); err != nil || w.candidateID <= slices.Max(acknowledged) {
		t.Errorf("%v: the next id is %d", err, w.candidateID)
	}
	p.stop(t)
}

// heavy makes the database larger, by rows of a kilobyte.
func (b *backedUp) heavy(t *testing.T, rows int) {
	t.Helper()
	change(t, b.database, `
		with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
		insert into audit_log (account_id, actor, action, detail, created_at) select ?, 'x', 'x', hex(zeroblob(500)), 1 from n`, rows, b.account)
}

func TestABackupThatIsKilledLeavesNothingUnderItsName(t *testing.T) {
	b := newBackedUp(t)
	b.heavy(t, 20_000) // a copy takes a while
	caught := false
	for try := 0; try < 20 && !caught; try++ {
		file := filepath.Join(b.backups, fmt.Sprintf("killed-%d.db", try))
		p := startProcess(t, b.environ, "backup", file)
		begun := func() bool {
			half, _ := filepath.Glob(file + ".*.part")
			_, err := os.Stat(file)
			return err == nil || len(half) > 0
		}
		if !waittest.So(time.Minute, begun) {
			t.Fatalf("no backup is begun: %s", p.log)
		}
		p.Process.Kill()
		p.Wait()
		if _, err := os.Stat(file); err == nil { // too late: then it is whole
			if code, _, errOut := command(t, b.environ, "restore", file); code != 0 {
				t.Errorf("what has its name is not whole: %s", errOut)
			}
			continue
		}
		caught = true
		half, _ := filepath.Glob(file + ".*.part")
		if code, _, errOut := command(t, b.environ, "restore", half[0]); code != 2 || !strings.Contains(errOut, half[0]) {
			t.Errorf("half a backup was restored: exit %d, %s", code, errOut)
		}
		b.backup(t, filepath.Base(file))
		if left, _ := filepath.Glob(file + ".*"); len(left) != 0 {
			t.Errorf("the next backup leaves %v", left)
		}
	}
	if !caught {
		t.Error("no backup was killed in the middle")
	}
}

func TestABackupIsForItsOwnerAndReplacesNothing(t *testing.T) {
	b := newBackedUp(t)
	file := b.backup(t, "one.db")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	secret, err := os.ReadFile(filepath.Join(filepath.Dir(b.database), "secret.key"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), strings.TrimSpace(string(secret))) {
		t.Errorf("the key is in the backup, %v", err)
	}
	code, _, errOut := command(t, b.environ, "backup", file)
	oneSentence(t, code, 1, errOut, file, "is there already")
	code, _, errOut = command(t, b.environ, "backup", filepath.Join(b.backups, "none", "one.db"))
	oneSentence(t, code, 2, errOut, "there is no directory", "mkdir -m 700")
	code, _, errOut = command(t, []string{"TYPUS_DATABASE=" + filepath.Join(b.backups, "other.db")}, "backup", filepath.Join(b.backups, "two.db"))
	oneSentence(t, code, 1, errOut, "there is no database at")
	for _, args := range [][]string{{"backup"}, {"backup", "a", "b"}, {"backup", "a", "--keep", "0"}, {"backup", filepath.Join(b.backups, "x.db"), "--keep", "3"}, {"restore"}} {
		if code, _, errOut := command(t, b.environ, args...); code != 2 {
			t.Errorf("typus %v: exit %d, %s", args, code, errOut)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(b.backups, "*")); len(left) != 1 {
		t.Errorf("the refusals left %v", left)
	}
}

func TestOnlyItsOwnOldestBackupsAreRemoved(t *testing.T) {
	b := newBackedUp(t)
	made := b.backup(t, "typus-20200101T000000Z.db")
	text, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	other := newBackedUp(t).backup(t, "typus-20190101T000000Z.db")
	foreign, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-48 * time.Hour)
	for name, text := range map[string][]byte{
		"typus-20200102T000000Z.db": text, "before-the-upgrade.db": text, // one has a name of its own
		"typus-20180101T000000Z.db": foreign, "typus-20170101T000000Z.db": []byte("no database"),
		"typus-20200103T000000Z.db.part": text, "typus-20200104T000000Z.db.part": text,
	} {
		if err := os.WriteFile(filepath.Join(b.backups, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	os.Chtimes(filepath.Join(b.backups, "typus-20200103T000000Z.db.part"), long, long)
	done := must[backup.Made](t, b.environ, "backup", b.backups, "--keep", "2")
	if len(done.Removed) != 1 || done.Removed[0] != made {
		t.Errorf("removed %v", done.Removed)
	}
	var left []string
	entries, _ := os.ReadDir(b.backups)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := []string{"before-the-upgrade.db", "typus-20170101T000000Z.db", "typus-20180101T000000Z.db", "typus-20200102T000000Z.db", "typus-20200104T000000Z.db.part", filepath.Base(done.File)}
	if !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
}

// A clock that was wrong has named backups by a time to come. They do not push out the one
// that was just made, and are not removed for what a wrong clock has said.
func TestABackupThatWasJustMadeIsNeverRemoved(t *testing.T) {
	b := newBackedUp(t)
	text, err := os.ReadFile(b.backup(t, "typus-20990101T000000Z.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"typus-20990102T000000Z.db", "typus-20200101T000000Z.db", "typus-20200102T000000Z.db"} {
		if err := os.WriteFile(filepath.Join(b.backups, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done := must[backup.Made](t, b.environ, "backup", b.backups, "--keep", "2")
	want := []string{"typus-20200102T000000Z.db", filepath.Base(done.File), "typus-20990101T000000Z.db", "typus-20990102T000000Z.db"}
	if left := slices.Sorted(maps.Keys(files(t, b.backups))); !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
}

// What is changed in a backup is noticed, even a bit in a name, which SQLite does not check.
func TestABackupInWhichABitHasChangedIsRefused(t *testing.T) {
	b := newBackedUp(t)
	b.invite(t, "somebody")
	good, err := os.ReadFile(b.backup(t, "good.db"))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(good, []byte("somebody@example.com"))
	if at < 0 {
		t.Fatal("the address is not in the backup")
	}
	good[at] ^= 1
	file := filepath.Join(b.backups, "changed.db")
	if err := os.WriteFile(file, good, 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, errOut := command(t, b.environ, "restore", file)
	oneSentence(t, code, 2, errOut, "is damaged", "take another backup")
}

// A restored database in use changes, and its backups are restored in their turn; so is one
// that was copied into its place by hand.
func TestBackupsOfARestoredDatabaseAreWhole(t *testing.T) {
	b := newBackedUp(t)
	first := b.backup(t, "first.db")
	b.restore(t, first)
	late := b.invite(t, "late")
	b.restore(t, b.backup(t, "second.db"))
	if !b.isThere(t, late) {
		t.Error("the second restore has lost somebody")
	}
	text, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.database, text, 0o600); err != nil {
		t.Fatal(err)
	}
	byHand := b.invite(t, "byhand")
	done := b.restore(t, b.backup(t, "third.db"))
	if !b.isThere(t, byHand) {
		t.Error("the third restore has lost somebody")
	}
	b.restore(t, done.Aside)
	if !b.isThere(t, byHand) {
		t.Error("the database that was put aside has lost somebody")
	}
}

// Two installations whose backups go to the same place at the same time do not mix.
func TestTwoInstallationsDoNotWriteToOneBackup(t *testing.T) {
	one, other := newBackedUp(t), newBackedUp(t)
	one.heavy(t, 20_000)
	file := filepath.Join(one.backups, "same.db")
	p := startProcess(t, one.environ, "backup", file)
	waittest.Until(t, "the first backup", func() bool {
		half, _ := filepath.Glob(file + ".*.part")
		_, err := os.Stat(file)
		return len(half) > 0 || err == nil
	})
	code, _, errOut := command(t, other.environ, "backup", file)
	switch err := p.Wait(); {
	case err == nil: // the first has had the name before the second
		oneSentence(t, code, 1, errOut, file, "is there already")
		one.restore(t, file)
	case code == 0:
		oneSentence(t, 1, 1, p.log.String(), file, "is there already")
		other.restore(t, file)
	default:
		t.Errorf("neither was made: %v, %s", err, errOut)
	}
	if left, _ := filepath.Glob(file + ".*"); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// What a backup by the time has left that was killed goes with the next one.
func TestWhatAKilledBackupHasLeftGoesWithTheNext(t *testing.T) {
	b := newBackedUp(t)
	b.heavy(t, 20_000)
	var left []string
	for try := 0; try < 20 && len(left) == 0; try++ {
		p := startProcess(t, b.environ, "backup", b.backups)
		waittest.Until(t, "a backup", func() bool { all, err := os.ReadDir(b.backups); return err != nil || len(all) > try })
		p.Process.Kill()
		p.Wait()
		left, _ = filepath.Glob(filepath.Join(b.backups, "*.part"))
		if len(left) == 0 { // too late: then there is one more, and the next needs another second
			os.Rename(onlyIn(t, b.backups), filepath.Join(b.backups, fmt.Sprintf("whole-%d.db", try)))
		}
	}
	if len(left) == 0 {
		t.Fatal("no backup was killed in the middle")
	}
	b.backup(t, "typus-20200101T000000Z.db")
	if left, _ = filepath.Glob(filepath.Join(b.backups, "*.part*")); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// onlyIn is the backup named by its time in a directory that has one.
func onlyIn(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "typus-*.db"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	return found[0]
}
