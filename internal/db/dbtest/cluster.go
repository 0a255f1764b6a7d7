package dbtest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"typus/internal/porttest"
)

// Cluster is a PostgreSQL server of its own in a temporary directory. It does
// not sync, and it ends, directory and all, with the process that started it,
// however that ends.
type Cluster struct {
	URL     string // of its superuser
	dir     string
	alive   io.Closer
	done    chan struct{} // closed when the server is gone
	log     bytes.Buffer  // why it went, if not on demand; read after done
	release func()        // its port
}

// watch runs the server until standard input ends, which the kernel sees to
// when the starting process is gone, and removes the directory.
const watch = `
exec 3<&0
"$1" -D "$2/data" -F -p "$3" -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 -c max_wal_size=128MB \
	>"$2/log" 2>&1 3<&- &
server=$!
(read -r _ <&3; kill -INT $server) &
wait $server || tail -n 5 "$2/log" >&2
rm -rf "$2"`

// StartPostgres starts a server from the installed programs. As root it runs it
// as the user postgres or nobody, since PostgreSQL refuses root.
func StartPostgres() (*Cluster, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	who, err := serverUser()
	if err != nil {
		return nil, err
	}
	dir, err := serverDir(who)
	if err != nil {
		return nil, err
	}
	initdb := exec.CommandContext(context.Background(), filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"), //nolint:gosec // the machine's own programs
		"-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.Dir, initdb.SysProcAttr = dir, who
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("initdb: %w\n%s", err, out), os.RemoveAll(dir))
	}
	return start(bin, dir, who)
}

// Stop ends the server and waits until its directory is gone.
func (c *Cluster) Stop() {
	_ = c.alive.Close() // already closed: the server is gone
	<-c.done
	c.release()
}

// programs finds the directory of initdb and postgres, the newest version last.
func programs() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	dirs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(dirs) == 0 {
		return "", errNoPostgres
	}
	return dirs[len(dirs)-1], nil
}

// serverUser is whom the server runs as. Its process group is its own: a Ctrl-C
// reaches the tests, and their end the server.
func serverUser() (*syscall.SysProcAttr, error) {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() != 0 {
		return attr, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return attr, nil
}

// serverDir makes the server's directory.
func serverDir(who *syscall.SysProcAttr) (string, error) {
	dir, err := os.MkdirTemp(place(), "typus-postgres-")
	if err != nil || who.Credential == nil {
		return dir, err
	}
	return dir, os.Chown(dir, int(who.Credential.Uid), int(who.Credential.Gid))
}

func start(bin, dir string, who *syscall.SysProcAttr) (*Cluster, error) {
	addr, release, err := porttest.Take()
	if err != nil {
		return nil, err
	}
	_, port, _ := strings.Cut(addr, ":")
	c := &Cluster{URL: "postgres://postgres@" + addr + "/postgres", dir: dir, done: make(chan struct{}), release: release}
	cmd := exec.CommandContext(context.Background(), "sh", "-c", watch, "sh", filepath.Join(bin, "postgres"), dir, port) //nolint:gosec // the machine's own programs
	cmd.Dir, cmd.SysProcAttr, cmd.Stderr = dir, who, &c.log
	if c.alive, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(c.done)
		_ = cmd.Wait() // c.log says more than the exit code
	}()
	return c, c.await()
}

// await connects until the server answers or is gone.
func (c *Cluster) await() error {
	db, err := sql.Open("pgx", c.URL)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for deadline := time.Now().Add(time.Minute); ; {
		err := db.PingContext(context.Background())
		if err == nil || time.Now().After(deadline) {
			return err
		}
		select {
		case <-c.done:
			return fmt.Errorf("postgres ended at once: %s", c.log.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
