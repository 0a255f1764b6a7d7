package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/auth"
	"typus/internal/webhook"
)

// keyVariable is where a test key may stand, so that it is in no list of processes.
const keyVariable = envPrefix + "KEY"

// listenCommand is typus listen. (The server's own address is opened in listen.go.)
func (a *app) listenCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "listen --key typ_test_… [--forward URL] [--server URL]",
		Short: "Print each event of a test world, and forward it to a receiver on this machine",
		Long: "Print each event of a test world from now on, and forward it to a receiver, signed as a webhook is, with a secret that is printed first. " +
			"It asks the server and needs no address that the server reaches. After a lost connection it goes on where it was. " +
			"Each event is forwarded once, whatever the receiver answers; a webhook of the test world is tried again. It needs no database and ends with Ctrl-C.",
		Args: cobra.NoArgs,
	}
	key := c.Flags().String("key", "", "a key of the test world, typ_test_…; "+keyVariable+" in the environment unless given")
	forward := c.Flags().String("forward", "", "where to send each event, such as http://localhost:9000/hook; it is only printed unless given")
	server := c.Flags().String("server", "http://localhost:8080", "where the server is reached")
	prefix := c.Flags().String("prefix", "X-Service", "first part of the service's header names")
	c.RunE = func(c *cobra.Command, _ []string) error {
		l, err := a.newListener(cmp.Or(*key, a.variable(keyVariable)), *server, *forward, *prefix)
		if err != nil {
			return err
		}
		defer l.close()
		return l.run(c.Context())
	}
	return c
}

// variable is the value of an environment variable, "" for none.
func (a *app) variable(name string) string {
	i := slices.IndexFunc(a.environ, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
	if i < 0 {
		return ""
	}
	return strings.TrimSpace(a.environ[i][len(name)+1:])
}

// listener prints and forwards the events of a test world.
type listener struct {
	app     *app
	events  *testEvents
	forward string // "": nowhere
	secret  string
	hook    *webhook.Client // nil: nothing is forwarded
	known   map[string]bool // events that were there at the beginning, or were brought
	sleep   func(ctx context.Context, d time.Duration)
}

// newListener checks what was given before anything is sent. Invalid names all that is wrong.
func (a *app) newListener(key, server, forward, prefix string) (*listener, error) {
	var faults []typus.Field
	wrong := func(flag, msg string) {
		faults = append(faults, typus.Field{Name: flag, Code: typus.CodeInvalid, Msg: msg})
	}
	if why := noTestKey(key); why != "" {
		wrong("--key", why)
	}
	guard := webhook.NewGuard(anywhere)
	if _, err := guard.CheckURL(server); err != nil {
		wrong("--server", "is no address of a server: "+message(err))
	}
	l := &listener{app: a, events: newTestEvents(server, key), forward: forward, secret: listenSecret(key), known: map[string]bool{}, sleep: sleepFor}
	if forward == "" {
		return l, typus.WrongFields(faults)
	}
	var err error
	if l.forward, err = guard.CheckURL(forward); err != nil {
		wrong("--forward", "is no address of a receiver: "+message(err))
	}
	if l.hook, err = webhook.NewClient(webhook.ClientOptions{Guard: guard, HeaderPrefix: prefix, BaseURL: l.events.server}); err != nil {
		wrong("--prefix", message(err))
	}
	return l, typus.WrongFields(faults)
}

// anywhere lets a developer forward to what runs on their own machine or in their own
// network: the command is theirs.
var anywhere = webhook.Policy{AllowHTTP: true, AllowNets: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}}

// noTestKey says why a key is not taken, "" if it is.
func noTestKey(key string) string {
	switch {
	case key == "":
		return "is missing; give a key of the test world here or in " + keyVariable + "; typus key create --test makes one"
	case strings.HasPrefix(key, "typ_live_"):
		return "opens a live account, whose results belong on nobody's screen; give a key of the test world, which begins with typ_test_. Nothing was sent"
	case !auth.WellFormedAPIKey(key):
		return "is no whole key; one of the test world begins with typ_test_ and has 45 characters"
	}
	return ""
}

func (l *listener) close() {
	if l.hook != nil {
		l.hook.Close()
	}
}

// run prints and forwards what happens from now on, until ctx ends. An error: the server
// refuses, so that asking again brings nothing else.
func (l *listener) run(ctx context.Context) error {
	if err := l.introduce(); err != nil {
		return err
	}
	last, begun := "", false
	for failures := 0; ctx.Err() == nil; {
		seen, err := l.step(ctx, last, begun)
		switch {
		case ctx.Err() != nil:
		case err == nil:
			last, begun, failures = seen, true, 0
		case finalError(err):
			return err
		default:
			last, failures = seen, failures+1
			l.lost(err, failures)
			l.sleep(ctx, backOff(err, failures))
		}
	}
	return nil
}

// step finds the newest event that there is, and from then on brings those after the last
// one. It returns the last one that was brought.
func (l *listener) step(ctx context.Context, last string, begun bool) (string, error) {
	if !begun {
		return l.begin(ctx)
	}
	found, err := l.events.after(ctx, last, eventsWait)
	for _, e := range found {
		if !l.known[e.ID] {
			err = l.bring(ctx, e)
		}
		if err != nil || ctx.Err() != nil {
			return last, err
		}
		last, l.known[e.ID] = e.ID, true
	}
	return last, err
}

// begin knows all events that there are, and returns the newest. If the last one is erased
// later, the server lists from the first on.
func (l *listener) begin(ctx context.Context) (string, error) {
	ids, err := l.events.ids(ctx)
	if err != nil {
		return "", err
	}
	last := ""
	for _, id := range ids {
		last, l.known[id] = id, true
	}
	fmt.Fprintln(l.app.errOut, "listening to "+l.events.server+"; Ctrl-C ends")
	return last, nil
}

func finalError(err error) bool {
	r, refused := errors.AsType[*badAnswer](err)
	return refused && r.final() || typus.KindOf(err) == typus.Invalid || errors.Is(err, errOutput)
}

func sleepFor(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// errOutput is the end of whoever reads what is printed.
var errOutput = errors.New("nobody reads what is printed")

func (l *listener) say(v any, text string) error {
	if err := l.app.print(v, text); err != nil {
		return fmt.Errorf("%w: %w", errOutput, err)
	}
	return nil
}
