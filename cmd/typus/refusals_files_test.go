package main

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"typus/internal/backup"
	"typus/internal/porttest"
	"typus/internal/web/logtest"
)

// program is a copy of the test binary that every user of the machine may run. It lies in
// ownDir, which TestMain removes.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("/tmp", "typus-program-")
	if err != nil {
		return "", err
	}
	ownDir = dir
	text, err := os.ReadFile(os.Args[0])
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "typus")
	if err := os.WriteFile(path, text, 0o755); err != nil {
		return "", err
	}
	return path, os.Chmod(dir, 0o755)
})

// ownDir is outside of directories that only the tests' own user may enter; "" before program
// has made it.
var ownDir string

// asNobody runs a command line as the user nobody, if the tests run as root, and
// returns the exit code and what it printed.
func asNobody(t *testing.T, environ []string, args ...string) (int, string) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	log := new(logtest.Log)
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = append([]string{asTypus + "=1", "GORACE=" + os.Getenv("GORACE")}, environ...), "/", log, log
	if os.Getuid() == 0 {
		nobody, err := user.Lookup("nobody")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.ParseUint(nobody.Uid, 10, 32)
		gid, _ := strconv.ParseUint(nobody.Gid, 10, 32)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	patience := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }) // it serves
	defer patience.Stop()
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode(), log.String()
}

// openTo makes a directory that every user may enter, and write to with 0o777.
func openTo(t *testing.T, mode os.FileMode) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "typus-refusals-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700); os.RemoveAll(dir) })
	if err := os.Chmod(dir, mode); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAFileThatMayNotBeUsedIsSaidInOneSentence(t *testing.T) {
	me := "nobody"
	if os.Getuid() != 0 {
		u, err := user.Current()
		if err != nil {
			t.Fatal(err)
		}
		me = u.Username
	}
	owner := "run typus as its owner: sudo -u root typus"
	if os.Getuid() != 0 {
		owner = "let its owner use it (chmod u+"
	}
	// made is an installation of ours that everybody may enter.
	made := func(t *testing.T) (dir, path string) {
		dir = openTo(t, 0o777)
		path = filepath.Join(dir, "typus.db")
		must[id](t, []string{"TYPUS_DATABASE=" + path}, "account", "create", "--name", "A")
		for _, name := range []string{"typus.db", "secret.key"} {
			if err := os.Chmod(filepath.Join(dir, name), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return dir, path
	}
	for name, c := range map[string]struct {
		args  []string
		arm   func(t *testing.T) (path, culprit string)
		words []string
	}{
		"a database of somebody else": {[]string{"account", "list"}, func(t *testing.T) (string, string) {
			_, path := made(t)
			os.Chmod(path, 0o400)
			return path, path
		}, []string{"read and write the file", owner}},
		"a log of somebody else": {[]string{"account", "list"}, func(t *testing.T) (string, string) {
			_, path := made(t)
			os.WriteFile(path+"-wal", nil, 0o400)
			return path, path + "-wal"
		}, []string{"read and write the file", owner}},
		"a lock of somebody else": {[]string{"serve"}, func(t *testing.T) (string, string) {
			_, path := made(t)
			os.WriteFile(path+".lock", nil, 0o400)
			return path, path + ".lock"
		}, []string{"read and write the file", owner}},
		"a key of somebody else": {[]string{"account", "list"}, func(t *testing.T) (string, string) {
			dir, path := made(t)
			os.Chmod(filepath.Join(dir, "secret.key"), 0)
			return path, filepath.Join(dir, "secret.key")
		}, []string{"read and write the file", owner}},
		"a directory that is not ours": {[]string{"account", "list"}, func(t *testing.T) (string, string) {
			dir, path := made(t)
			os.Chmod(dir, 0o555)
			return path, dir
		}, []string{"write in the directory", owner}},
		"a new file in a directory that is not ours": {[]string{"serve"}, func(t *testing.T) (string, string) {
			dir := openTo(t, 0o555)
			return filepath.Join(dir, "typus.db"), dir
		}, []string{"may not make", "install -d -o " + me}},
		"a new directory in one that is not ours": {[]string{"serve"}, func(t *testing.T) (string, string) {
			dir := openTo(t, 0o555)
			return filepath.Join(dir, "data", "typus.db"), dir
		}, []string{"may not make", "install -d -o " + me}},
		"a directory that lets nobody in": {[]string{"account", "list"}, func(t *testing.T) (string, string) {
			dir, path := made(t)
			os.Chmod(dir, 0o600)
			return path, dir
		}, []string{"enter the directory", owner}},
	} {
		t.Run(name, func(t *testing.T) {
			path, culprit := c.arm(t)
			code, said := asNobody(t, []string{"TYPUS_DATABASE=" + path, "TYPUS_ADDR=" + porttest.Free(t)}, c.args...)
			oneSentence(t, code, 1, said, append(c.words, culprit, "the user "+me, "mode ")...)
			if strings.Contains(said, "chmod +x") || strings.Contains(said, "chown") {
				t.Errorf("the remedy takes files from a running server, or opens the key's directory: %s", said)
			}
			if strings.Count(said, "denied") > 0 {
				t.Errorf("the system's words: %s", said)
			}
		})
	}
}

// A directory of ours is open to its owner only, so that a server may be told how to get
// all of it; a command may not.
func TestOnlyAServerIsToldToTakeAnInstallationOver(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("only root makes files of somebody else")
		return
	}
	path := filepath.Join(openTo(t, 0o755), "data", "typus.db")
	must[id](t, []string{"TYPUS_DATABASE=" + path}, "account", "create", "--name", "A")
	environ := []string{"TYPUS_DATABASE=" + path, "TYPUS_ADDR=" + porttest.Free(t)}
	code, said := asNobody(t, environ, "serve")
	oneSentence(t, code, 1, said, "sudo -u root typus", "none runs now", "chown -R nobody "+filepath.Dir(path))
	code, said = asNobody(t, environ, "account", "list")
	oneSentence(t, code, 1, said, "sudo -u root typus")
	if strings.Contains(said, "chown") {
		t.Errorf("a command said: %s", said)
	}
}

// What root backs up or restores once, the server's user goes on with.
func TestWhatRootRestoresBelongsToWhoRunsTheServer(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("only root makes files of somebody else")
		return
	}
	dir := openTo(t, 0o755)
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(dir, "typus.db")}
	must[id](t, environ, "account", "create", "--name", "A")
	const server = 65534
	give := func() {
		for name := range files(t, dir) {
			if err := os.Chown(filepath.Join(dir, name), server, server); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Chown(dir, server, server); err != nil {
		t.Fatal(err)
	}
	give()
	file := filepath.Join(t.TempDir(), "one.db")
	must[backup.Made](t, environ, "backup", file)
	must[restored](t, environ, "restore", file)
	for name := range files(t, dir) {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if owner := info.Sys().(*syscall.Stat_t).Uid; owner != server {
			t.Errorf("%s belongs to the user %d", name, owner)
		}
	}
}

func TestAPathThatIsNoFileIsSaidInOneSentence(t *testing.T) {
	dir := t.TempDir()
	letter := filepath.Join(dir, "letter.txt")
	os.WriteFile(letter, []byte("Sehr geehrte Damen und Herren"), 0o600)
	for path, word := range map[string]string{
		dir:                               filepath.Join(dir, "typus.db"),
		letter:                            "no SQLite database",
		filepath.Join(letter, "typus.db"): "through a file",
	} {
		code, said := ended(t, []string{"TYPUS_DATABASE=" + path, "TYPUS_ADDR=" + porttest.Free(t)}, "serve")
		oneSentence(t, code, 2, said, path, word)
	}
}

// A read-only file system, where the tests may mount one.
func TestAReadOnlyFileSystemIsSaidInOneSentence(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("only root may mount")
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "typus.db")
	must[id](t, []string{"TYPUS_DATABASE=" + path}, "account", "create", "--name", "A")
	for _, options := range [][]string{{"--bind", dir, dir}, {"-o", "remount,bind,ro", dir}} {
		if out, err := exec.Command("mount", options...).CombinedOutput(); err != nil {
			t.Logf("this machine lets nobody mount: %s", out)
			exec.Command("umount", dir).Run()
			return
		}
	}
	defer exec.Command("umount", dir).Run()
	for _, args := range [][]string{{"serve"}, {"account", "list"}} {
		code, said := ended(t, []string{"TYPUS_DATABASE=" + path, "TYPUS_ADDR=" + porttest.Free(t)}, args...)
		oneSentence(t, code, 1, said, path, "read-only", "mount it for writing", "ReadWritePaths="+dir, "another place")
	}
}

func TestAnAddressThatCannotBeHadIsSaidInOneSentence(t *testing.T) {
	p := serve(t, []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")})
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db"), "TYPUS_BASE_URL=http://localhost"}
	taken := "127.0.0.1" + strings.TrimPrefix(p.base, "http://localhost")
	for addr, word := range map[string]string{
		taken:                  "another program listens on " + taken + " already",
		"192.0.2.1:8080":       "does not have the address",
		"no-such.invalid:8080": "there is no host",
	} {
		code, said := ended(t, append(environ, "TYPUS_ADDR="+addr), "serve")
		oneSentence(t, code, 1, said, addr, word, "TYPUS_ADDR")
	}
}
