package courier

import (
	"io"
	"net/netip"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"typus"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
)

// The environment variables by which the test binary, run again, is a server on a database
// and under a name, which its User-Agent carries.
const (
	instanceOf   = "TYPUS_TEST_INSTANCE_OF"
	instanceName = "TYPUS_TEST_INSTANCE_NAME"
)

// The lease of these servers, and the step of their ladder. Their receivers answer within
// a fraction of both.
const (
	shortLease = 4 * time.Second
	shortStep  = 100 * time.Millisecond
)

// TestAnInstance is no test: it is a server when another test runs the binary again. It
// stops in order when its input ends, so that it does not outlive that test.
func TestAnInstance(t *testing.T) {
	dsn := os.Getenv(instanceOf)
	if dsn == "" {
		t.Skip("only for TestThreeInstances…")
	}
	w := newWorld(t, storetest.Open(t, dsn), nil)
	w.client = namedClient(t, os.Getenv(instanceName))
	stop := start(w.courier(nil, func(c *Courier) {
		c.pace = usualPace()
		c.pace.sweep, c.pace.lease = 500*time.Millisecond, shortLease
		c.pace.ladder = func(int, time.Duration, func() float64) time.Duration { return shortStep }
	}))
	_, _ = io.Copy(io.Discard, os.Stdin)
	stop()
}

// namedClient tells receivers the name of its server.
func namedClient(t *testing.T, name string) *webhook.Client {
	t.Helper()
	c, err := webhook.NewClient(webhook.ClientOptions{
		Guard:   webhook.NewGuard(webhook.Policy{AllowHTTP: true, AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
		BaseURL: "https://" + name + ".example.com",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// instance is a server that a test has started.
type instance struct {
	*exec.Cmd
	name  string
	input io.Closer
}

func startInstance(t *testing.T, dsn, name string) instance {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestAnInstance$", "-test.v")
	cmd.Env = append(os.Environ(), instanceOf+"="+dsn, instanceName+"="+name)
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // says how
	})
	return instance{cmd, name, input}
}

func (i instance) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := i.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// freeze stops the server until it is told to go on; when it returns, it stands.
func (i instance) freeze(t *testing.T) {
	t.Helper()
	i.signal(t, syscall.SIGSTOP)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(i.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("the server does not stand still: %v, %v", status, err)
	}
}

// kill ends the server at once; when it returns, it is gone.
func (i instance) kill(t *testing.T) {
	t.Helper()
	i.signal(t, syscall.SIGKILL)
	_ = i.Wait() // it was killed
}

// end stops the server in order.
func (i instance) end(t *testing.T) {
	t.Helper()
	_ = i.input.Close() // its end is what tells
	if err := i.Wait(); err != nil {
		t.Errorf("the server %s ended with %v", i.name, err)
	}
}

// Three servers on one database, each a process of its own. One freezes for longer than
// its lease and one is killed, each while receivers have requests of it in their hands: the
// third brings those and everything else. The frozen one goes on, and what it had begun is
// nobody's any more. What must hold meanwhile is with crowd.
func TestThreeInstancesOfWhichOneFreezesAndOneDies(t *testing.T) {
	dsn := storetest.Postgres(t)
	w := newWorld(t, storetest.Open(t, dsn), nil)
	w.rate = typus.Rate{PerSecond: 50, Burst: 20}
	c := newCrowd(w, 5)
	frozen, killed, whole := startInstance(t, dsn, "frozen"), startInstance(t, dsn, "killed"), startInstance(t, dsn, "whole")
	c.untilSeen("each server has called", func() bool {
		return c.calls(frozen) > 0 && c.calls(killed) > 0 && c.calls(whole) > 0
	})
	c.happen(60)
	c.hold(frozen, killed)
	c.untilSeen("both servers wait for an answer", func() bool { return c.heldOf(frozen) > 0 && c.heldOf(killed) > 0 })
	frozen.freeze(t)
	killed.kill(t)
	c.release()
	w.eventually("everything has arrived", c.allDelivered)
	frozen.signal(t, syscall.SIGCONT)
	before := c.calls(frozen)
	c.happen(60)
	c.untilSeen("the frozen server goes on", func() bool { return c.calls(frozen) > before })
	w.eventually("what came then has arrived", c.allDelivered)
	frozen.end(t)
	whole.end(t)
	c.check(frozen, killed)
}
