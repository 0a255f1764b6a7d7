package dbtest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Freeze stops all processes of the server, as a virtual machine that is halted:
// its connections stay and nobody answers. Thaw lets them go on; so does the end of
// the test.
func (c *Cluster) Freeze(t testing.TB) {
	t.Helper()
	t.Cleanup(func() { c.signal(t, syscall.SIGCONT) })
	c.signal(t, syscall.SIGSTOP)
}

// Thaw lets a frozen server go on.
func (c *Cluster) Thaw(t testing.TB) {
	t.Helper()
	c.signal(t, syscall.SIGCONT)
}

// signal reaches the first process first: stopped, it starts no others.
func (c *Cluster) signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	first, err := c.first()
	if errors.Is(err, fs.ErrNotExist) {
		return // it has ended
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(first, s); err != nil {
		t.Fatal(err)
	}
	line := strconv.Itoa(first)
	children, err := os.ReadFile("/proc/" + line + "/task/" + line + "/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, child := range strings.Fields(string(children)) {
		pid, err := strconv.Atoi(child)
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(pid, s) // it may have ended meanwhile
	}
}

// first is the number of the server's first process. fs.ErrNotExist: it does not run.
func (c *Cluster) first() (int, error) {
	file, err := os.ReadFile(filepath.Join(c.dir, "data", "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(file), "\n")
	return strconv.Atoi(line)
}
