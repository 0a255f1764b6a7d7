package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"typus/internal/server"
)

// roleVariable names the role of a process of this program. It is no setting of
// Typus: only this program reads it.
const roleVariable = "TYPUS_BENCH_ROLE"

func play(role string, args []string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // a role ends with its parent
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	switch {
	case role == "hello":
		return hello(ctx)
	case role == "serve" && len(args) == 1:
		return serve(ctx, args[0])
	}
	return fmt.Errorf("there is no role %s with %d arguments", role, len(args))
}

// child is a process that listens.
type child struct {
	addr    string // host:port
	control string // host:port of the counters, "" for none
	cmd     *exec.Cmd
	stdin   io.Closer
}

// start starts this program in a role. What it logs goes to a file, as a
// service's log does.
func start(log, role string, args ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return startAs(self, log, role, args...)
}

// startAs starts a bench of this or an earlier commit in a role.
func startAs(program, log, role string, args ...string) (*child, error) {
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	c := &child{cmd: exec.Command(program, args...)} //nolint:gosec,noctx // a program of ours; it ends with its standard input
	c.cmd.Env = append(os.Environ(), roleVariable+"="+role)
	if role == "serve" { // as typus serve sets it, for a server of an earlier commit, too
		c.cmd.Env = append(c.cmd.Env, "GOGC="+strconv.Itoa(server.Garbage))
	}
	c.cmd.Stderr = out
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		text, _ := os.ReadFile(log)
		return nil, errors.Join(fmt.Errorf("%s did not start: %s", role, text), c.stop())
	}
	c.addr, c.control, _ = strings.Cut(strings.TrimSpace(line), " ")
	return c, nil
}

func (c *child) stop() error {
	return errors.Join(c.stdin.Close(), c.cmd.Wait())
}

// announce tells the parent where this process listens.
func announce(listeners ...net.Listener) {
	var addrs []string
	for _, ln := range listeners {
		addrs = append(addrs, ln.Addr().String())
	}
	fmt.Println(strings.Join(addrs, " "))
}

func listen() (net.Listener, error) {
	return net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // immediate
}

// memory reads a figure of a process in bytes: VmRSS is its resident memory,
// VmHWM the most it ever was.
func memory(pid int, figure string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, figure+":"); ok {
			kb, err := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("the system does not say %s of process %d", figure, pid)
}

// tick is the unit of processor times; it has been a hundredth of a second on
// every Linux of the last twenty years.
const tick = 10 * time.Millisecond

// processorTime is what a process has used, in the kernel and outside
// (fields 14 and 15 of proc_pid_stat(5)).
func processorTime(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // the third and following
	if len(fields) < 13 {
		return 0, fmt.Errorf("the times of process %d cannot be read", pid)
	}
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick, errors.Join(err1, err2)
}
