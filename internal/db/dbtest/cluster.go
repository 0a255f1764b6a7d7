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
// not sync unless told to, and it ends, directory and all, with the process that started
// it, however that ends.
type Cluster struct {
	URL     string // of its superuser
	bin     string // where its programs are
	dir     string
	port    string
	who     *syscall.SysProcAttr
	alive   io.Closer
	done    chan struct{} // closed when the server is gone
	log     *bytes.Buffer // why it went, if not on demand; read after done
	release func()        // its port
}

// watch runs the server until standard input ends, which the kernel sees to
// when the starting process is gone, and removes the directory, unless the server ended
// alone and the directory is kept for its next start.
const watch = `
exec 3<&0
postgres=$1 dir=$2 port=$3
shift 3
"$postgres" -D "$dir/data" -F -p "$port" -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 -c max_wal_size=128MB "$@" \
	>"$dir/log" 2>&1 3<&- &
server=$!
(read -r _ <&3; rm -f "$dir/keep"; kill -INT $server) &
watcher=$!
wait $server || tail -n 5 "$dir/log" >&2
kill $watcher 2>/dev/null
[ -e "$dir/keep" ] || rm -rf "$dir"`

// StartPostgres starts a server from the installed programs, with settings such as
// "fsync=on" besides its own. As root it runs it as the user postgres or nobody, since
// PostgreSQL refuses root.
func StartPostgres(settings ...string) (*Cluster, error) {
	c, err := newCluster()
	if err != nil {
		return nil, err
	}
	err = c.program("initdb", "-D", filepath.Join(c.dir, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if err == nil {
		err = c.start(settings)
	}
	if err != nil {
		return nil, errors.Join(err, c.discard())
	}
	return c, nil
}

// newCluster is a server without data that does not run yet.
func newCluster() (*Cluster, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	who, err := serverUser()
	if err != nil {
		return nil, err
	}
	addr, release, err := porttest.Take()
	if err != nil {
		return nil, err
	}
	dir, err := serverDir(who)
	if err != nil {
		release()
		return nil, err
	}
	_, port, _ := strings.Cut(addr, ":")
	return &Cluster{URL: "postgres://postgres@" + addr + "/postgres", bin: bin, dir: dir, port: port, who: who, release: release}, nil
}

// program runs one of PostgreSQL's programs as the server's user.
func (c *Cluster) program(name string, args ...string) error {
	cmd := exec.CommandContext(context.Background(), filepath.Join(c.bin, name), args...) //nolint:gosec // the machine's own programs
	cmd.Dir, cmd.SysProcAttr = c.dir, c.who
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// discard gives back what a server has that does not run.
func (c *Cluster) discard() error {
	c.release()
	return os.RemoveAll(c.dir)
}

// Stop ends the server and waits until its directory is gone.
func (c *Cluster) Stop() {
	_ = c.alive.Close() // already closed: the server is gone
	<-c.done
	_ = c.discard() // the directory is there if it was kept
}

// programs finds the directory of PostgreSQL's programs, the newest version last. What
// stands on PATH may be a link to one of them, without the others beside it.
func programs() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		path, err = filepath.EvalSymlinks(path)
		return filepath.Dir(path), err
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

func (c *Cluster) start(settings []string) error {
	args := []string{"-c", watch, "sh", filepath.Join(c.bin, "postgres"), c.dir, c.port}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	c.done, c.log = make(chan struct{}), new(bytes.Buffer)
	cmd := exec.CommandContext(context.Background(), "sh", args...) //nolint:gosec // the machine's own programs
	cmd.Dir, cmd.SysProcAttr, cmd.Stderr = c.dir, c.who, c.log
	var err error
	if c.alive, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func(done chan struct{}) {
		defer close(done)
		_ = cmd.Wait() // c.log says more than the exit code
	}(c.done)
	return c.await()
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
