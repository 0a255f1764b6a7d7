package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/clerk"
	"typus/internal/instrument"
	"typus/internal/server"
	"typus/internal/webhook"
)

func (a *app) demoCommand() *cobra.Command {
	d := &demo{out: a.out}
	c := &cobra.Command{
		Use: "demo", Short: "Show the product: a throw-away account, the main job once, then serve", Args: cobra.NoArgs,
		Long: "Makes a throw-away account with fictitious candidates in a temporary directory, does the main job once over HTTP " +
			"(invite, 97 answers, webhook, read back), and serves until Ctrl-C. No setting is read; nothing is left behind.",
		RunE: func(c *cobra.Command, _ []string) error { return d.run(c.Context()) },
	}
	c.Flags().StringVar(&d.addr, "addr", "127.0.0.1:8080", "address to listen on; a free port is taken when this one is in use")
	c.Flags().BoolVar(&d.fast, "fast", false, "do not wait between the steps")
	c.Flags().BoolVar(&d.once, "once", false, "end after the main job")
	return c
}

// demo is a whole installation that lives as long as the command.
type demo struct {
	addr string
	fast bool
	once bool
	out  io.Writer

	site     *site
	clock    hurriedClock
	receiver *receiver
	letters  *mailbox
	account  int64
	key      string
	secret   string
	password string // of the owner

	interviewerPassword string
	decided             int64 // the candidate who was interviewed and decided about
	field               int64 // the position in field sales
}

func (d *demo) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "typus-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ln, err := d.listen()
	if err != nil {
		return err
	}
	defer ln.Close()
	settings, err := demoSettings(dir, ln.Addr())
	if err != nil {
		return err
	}
	if d.site, err = openSite(ctx, settings, openToServe); err != nil {
		return err
	}
	d.clock.fallBehind(readingTime(instrument.Own()))
	return errors.Join(d.show(ctx, ln), d.site.store.Close())
}

// listen takes the wanted address, or a free port beside it.
func (d *demo) listen() (net.Listener, error) {
	host, port, err := net.SplitHostPort(d.addr)
	if _, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil || !typus.Loopback(host) {
		return nil, usageError("--addr: give a loopback address such as 127.0.0.1:8080")
	}
	ln, err := listen(d.addr)
	if err == nil {
		return ln, nil
	}
	if ln, err = listen(net.JoinHostPort(host, "0")); err != nil {
		return nil, err
	}
	_, free, _ := net.SplitHostPort(ln.Addr().String())
	fmt.Fprintf(d.out, "Port %s is taken; the demo uses %s.\n\n", port, free)
	return ln, nil
}

func demoSettings(dir string, addr net.Addr) (settings, error) {
	return loadSettings(pflag.NewFlagSet("demo", pflag.ContinueOnError), []string{
		envPrefix + "DATABASE=" + filepath.Join(dir, "typus.db"),
		envPrefix + "ADDR=" + addr.String(),
	})
}

func (d *demo) show(ctx context.Context, ln net.Listener) error {
	began := time.Now()
	err := d.prepare(ctx)
	if d.receiver != nil {
		defer d.receiver.close()
	}
	if err != nil {
		return err
	}
	if d.letters, err = openMailbox(); err != nil {
		return err
	}
	defer d.letters.close()
	options, err := d.site.serverOptions(slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	options.Mailer, options.Clock, options.Store = d.letters, d.clock.now, d.site.store.WithClock(d.clock.now)
	srv, err := server.New(options)
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	served := make(chan error, 1)
	go func() { served <- srv.Serve(serving, ln) }()

	w := d.walk()
	err = w.run(ctx)
	if err == nil {
		err = d.sum(ctx, w, began)
	}
	if err == nil && !d.once {
		go d.follow(serving)
		select {
		case <-ctx.Done():
		case err := <-served:
			return err
		}
	}
	stop()
	err = errors.Join(err, <-served)
	if errors.Is(err, context.Canceled) && !d.once {
		fmt.Fprintln(d.out, "\nStopped; nothing is left behind.")
		return nil // Ctrl-C is how the demo ends
	}
	return err
}

// prepare makes the account and its past, with a key and a webhook to the demo's
// own receiver.
func (d *demo) prepare(ctx context.Context) error {
	fmt.Fprintln(d.out, "Typus demo: fictitious people in a temporary database; nothing is left behind.")
	var err error
	if d.receiver, err = startReceiver(); err != nil {
		return err
	}
	m := &month{test: instrument.Own(), hook: d.receiver.url, now: d.clock.now(), passwords: map[string]string{}}
	clock := func() time.Time { return m.at }
	m.store = d.site.store.WithClock(clock)
	m.letters = postman{unknown: map[string]bool{}, slow: map[string]bool{}}
	m.steps = assess.New(assess.Options{
		Store: m.store, Box: d.site.box, Instrument: m.test,
		BaseURL: d.site.settings.BaseURL, Clock: clock,
	})
	m.accounts = accounts.New(accounts.Options{Store: m.store, Box: d.site.box, Instrument: m.test, Guard: d.site.guard, BaseURL: d.site.settings.BaseURL, Clock: clock})
	m.access = access.New(access.Options{Store: m.store, Box: d.site.box, Instrument: m.test, BaseURL: d.site.settings.BaseURL, Clock: clock})
	m.clerk = clerk.New(m.store, clock)
	m.tell()
	if err := m.live(ctx); err != nil {
		return err
	}
	d.account, d.key, d.secret, d.password = m.account, m.key, m.secret, m.password
	d.interviewerPassword, d.decided = m.passwords[demoInterviewer], m.decided
	d.field = m.field
	account, err := d.site.store.Account(ctx, d.account)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "Account %q after a month of use: %d people, %d credits left, a team of five, an API key, and a webhook to %s\n",
		account.Name, len(guests), account.Credits, d.receiver.url)
	return nil
}

func (d *demo) walk() *walk {
	w := &walk{
		base: d.site.settings.BaseURL, key: d.key, secret: d.secret, receiver: d.receiver,
		test: instrument.Own(), out: d.out, client: &http.Client{Timeout: 30 * time.Second}, externalID: "crm-42", clock: &d.clock,
	}
	if !d.fast {
		w.pause = 2 * time.Second
	}
	return w
}

// sum says what happened, how to do each step by hand, and invites the reader
// to take the test.
func (d *demo) sum(ctx context.Context, w *walk, began time.Time) error {
	account, err := d.site.store.Account(ctx, d.account)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, `
── Done in %.1f s: invited, 97 answers, scored, webhook received and verified, read back. One credit booked, %d left.
`, time.Since(began).Seconds(), account.Credits)
	if d.once {
		return nil
	}
	own, _, err := d.site.steps.Invite(ctx, d.account, assess.Invitation{Name: "Alex Beispiel", Email: "alex@example.com"}, nil)
	if err != nil {
		return err
	}
	decided, err := d.site.store.Candidate(ctx, d.account, d.decided)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, `
Each step by hand:

  # invite
  curl -X POST %[1]s/api/v1/invites -H 'Authorization: Bearer %[2]s' \
    -H 'Content-Type: application/json' -d '{"name":"Jonas Weiß","email":"jonas.weiss@example.com","external_id":"crm-43","send_email":false}'
  # read one, list all that are finished
  curl %[1]s/api/v1/candidates/%[3]s -H 'Authorization: Bearer %[2]s'
  curl '%[1]s/api/v1/candidates?status=abgeschlossen&limit=5' -H 'Authorization: Bearer %[2]s'
  # the description of the API
  curl %[1]s/api/openapi.yaml

Take the test yourself: %[4]s

The dashboard: %[1]s/dashboard
  e-mail    %[6]s
  password  %[7]s
Its interviewer, who sees candidates and reports and nothing else of the account:
  e-mail    %[9]s
  password  %[10]s
Two people rated %[11]s in an interview before they saw the result; then the team decided on an offer:
  %[1]s/dashboard/kandidat/%[12]d
To try such an interview, switch it on as the owner and rate somebody as the interviewer:
  %[1]s/dashboard/stellen/allgemein/interview

E-mails go to nobody. Read them here, with their links and codes, as they come: %[13]s
Commands work on it with --database %[8]s

Serving on %[5]s until Ctrl-C.
`, w.base, w.key, w.externalID, own.Link, strings.TrimPrefix(w.base, "http://"), demoOwner, d.password, d.site.settings.Database,
		demoInterviewer, d.interviewerPassword, decided.Name, decided.ID, d.letters.url)
	return nil
}

// follow tells of every webhook and every letter that comes in while the demo serves.
func (d *demo) follow(ctx context.Context) {
	for {
		select {
		case a := <-d.receiver.arrivals:
			ok := webhook.Verify(d.secret, a.header.Get("X-Service-Signature"), a.body)
			fmt.Fprintf(d.out, "\nWebhook received, signature fits: %v\n%s\n", ok, shortJSON(a.body))
		case letter := <-d.letters.came:
			fmt.Fprintf(d.out, "\n%s\n", letter)
		case <-ctx.Done():
			return
		}
	}
}
