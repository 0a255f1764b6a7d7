package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// startsWithin is how long a server may take until it runs again: what is left of its
// former processes has to end first.
const startsWithin = time.Minute

// Quit ends the server at once and in no order, as "pg_ctl stop -m immediate" does. Its
// data stay for StartAgain.
func (c *Cluster) Quit() error { return c.end(syscall.SIGQUIT) }

// Kill ends the server's first process as kill -9 does; the others notice and follow. Its
// data stay for StartAgain.
func (c *Cluster) Kill() error { return c.end(syscall.SIGKILL) }

func (c *Cluster) end(s syscall.Signal) error {
	first, err := c.first()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(c.dir, "keep"), nil, 0o600); err != nil {
		return err
	}
	if err := syscall.Kill(first, s); err != nil {
		return err
	}
	<-c.done
	return nil
}

// StartAgain starts a server that has ended, with its data, at its address, and waits
// until it answers.
func (c *Cluster) StartAgain(settings ...string) error {
	for deadline := time.Now().Add(startsWithin); ; time.Sleep(50 * time.Millisecond) {
		err := c.start(settings)
		if err == nil || time.Now().After(deadline) {
			return err
		}
		_ = c.alive.Close() // it has ended
		<-c.done
	}
}

// StandbyOf starts a server that follows the one at an address, of its superuser, and takes
// its place when it is promoted.
func StandbyOf(address string, settings ...string) (*Cluster, error) {
	standby, err := newCluster()
	if err != nil {
		return nil, err
	}
	if err := standby.Follow(address, settings...); err != nil {
		return nil, errors.Join(err, standby.discard())
	}
	return standby, nil
}

// Follow starts a server that has ended as the standby of the one at an address, from a
// copy of it.
func (c *Cluster) Follow(address string, settings ...string) error {
	data := filepath.Join(c.dir, "data")
	if err := os.RemoveAll(data); err != nil {
		return err
	}
	if err := c.program("pg_basebackup", "-D", data, "-d", address, "-c", "fast", "-R", "--no-sync"); err != nil {
		return err
	}
	return c.StartAgain(settings...)
}

// Promote makes a standby a server that takes writes, and waits until it is.
func (c *Cluster) Promote() error { return c.Exec(`select pg_promote(true, 60)`) }

// Exec runs a statement as the server's superuser.
func (c *Cluster) Exec(statement string) error {
	db, err := sql.Open("pgx", c.URL)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(context.Background(), statement)
	return errors.Join(err, db.Close())
}
