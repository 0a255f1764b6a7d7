package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"typus"
	"typus/internal/bounce"
	"typus/internal/instrument"
	"typus/internal/mail"
	"typus/internal/rekey"
	"typus/internal/server"
	"typus/internal/store"
	"typus/internal/webhook"
)

func (a *app) serveCommand() *cobra.Command {
	c := &cobra.Command{Use: "serve", Short: "Run the server: API, test pages, webhooks, letters", Args: cobra.NoArgs}
	addSettings(c)
	asIs := c.Flags().Bool("no-migrate", false, "do not bring the schema up; an older one is refused")
	c.RunE = func(c *cobra.Command, _ []string) error {
		settings, err := loadSettings(c.Flags(), a.environ)
		if err != nil {
			return err
		}
		how := openToServe
		if *asIs {
			how = openAsIs
		}
		ln, err := listen(settings.Addr) // before anything is written
		if err != nil {
			return err
		}
		defer ln.Close()
		var metrics net.Listener
		if settings.MetricsAddr != "" {
			if metrics, err = listenAs("METRICS_ADDR", settings.MetricsAddr); err != nil {
				return err
			}
			defer metrics.Close()
		}
		s, err := openSite(c.Context(), settings, how)
		if err != nil {
			return err
		}
		s.metrics = metrics
		if err := s.sayHowToBegin(c.Context(), a.out); err != nil {
			return errors.Join(err, s.store.Close())
		}
		return errors.Join(s.serve(c.Context(), ln, logger(a.errOut)), s.store.Close())
	}
	return c
}

// sayHowToBegin prints the link that makes the first account, if there is none yet. It
// goes to standard output and not to the log, because a log is kept and read by others.
func (s *site) sayHowToBegin(ctx context.Context, out io.Writer) error {
	link, err := s.access.NewSetUpLink(ctx)
	if err != nil || link == "" {
		return err
	}
	_, err = fmt.Fprintf(out, "There is no account yet. Open this link within an hour to make the first one:\n%s\n", link)
	return err
}

// logger writes for people on a terminal and JSON everywhere else.
func logger(out io.Writer) *slog.Logger {
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return slog.New(tint.NewTextHandler(out, &tint.Options{TimeFormat: time.TimeOnly}))
	}
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{ReplaceAttr: readableDuration}))
}

// readableDuration writes "1.2ms" where the handler would write nanoseconds.
func readableDuration(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

// serve runs until ctx ends, and a little longer: what is under way is finished.
func (s *site) serve(ctx context.Context, ln net.Listener, log *slog.Logger) error {
	if os.Getenv("GOGC") == "" { // who sets it knows better
		debug.SetGCPercent(server.Garbage)
	}
	options, err := s.serverOptions(log)
	if err != nil {
		return err
	}
	srv, err := server.New(options)
	if err != nil {
		return err
	}
	if err := s.tryAgain(ctx, log); err != nil {
		return err
	}
	log.Info("typus serves", "address", ln.Addr().String(), "base_url", s.settings.BaseURL, "database", s.store.Dialect(), "version", version())
	s.sayWhatIsOpen(ctx, log)
	go s.lookForDamage(ctx, log)
	go s.lookForLost(ctx, log)
	if s.metrics != nil {
		until, end := context.WithCancel(context.WithoutCancel(ctx)) // they are told of a stop, too
		defer end()
		go func() {
			if err := srv.ServeMetrics(until, s.metrics); err != nil {
				log.Error("there are no metrics any more", "error", err)
			}
		}()
		log.Info("metrics are at", "address", s.metrics.Addr().String()+"/metrics")
	}
	err = srv.Serve(ctx, ln)
	log.Info("typus stopped")
	return err
}

func (s *site) serverOptions(log *slog.Logger) (server.Options, error) {
	client, err := webhook.NewClient(webhook.ClientOptions{
		Guard: s.guard, HeaderPrefix: s.settings.WebhookHeaderPrefix, BaseURL: s.settings.BaseURL,
		CAFile: s.settings.CAFile, Proxy: s.settings.WebhookProxy,
	})
	if err != nil {
		return server.Options{}, err
	}
	o := server.Options{
		Store: s.store, Box: s.box, Instrument: instrument.Own(), Guard: s.guard, Client: client, PerDay: s.settings.LettersPerDay, Erasures: s.settings.erasures(),
		BaseURL: s.settings.BaseURL, Version: version(), Log: log,
		TrustedProxies: s.settings.proxies, Metrics: s.metrics != nil, SignUp: s.settings.SignUp == "open", StarterCredits: s.settings.StarterCredits,
	}
	if s.settings.SMTPURL != "" {
		smtp, err := mail.NewSMTP(mail.SMTPOptions{
			URL: s.settings.SMTPURL, From: s.settings.MailFrom, CAFile: s.settings.CAFile, DKIM: s.settings.dkim(),
		})
		if err != nil {
			return server.Options{}, err
		}
		o.Mailer = smtp
	}
	o.ReturnPath, err = bounce.Senders(s.box, s.settings.BounceAddress)
	return o, err
}

// reachMark holds, sealed, a fingerprint of what webhooks could reach at the last start.
const reachMark = rekey.ReachMark

// tryAgain makes due what waits for webhooks that could not be reached, if the settings
// that decide about it have changed since the last start: somebody has opened a
// network, for example, or trusts another authority.
func (s *site) tryAgain(ctx context.Context, log *slog.Logger) error {
	reach, err := s.settings.reach()
	if err != nil {
		return err
	}
	webhooks := 0
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		mark, err := tx.Mark(ctx, reachMark)
		if err != nil {
			return err
		}
		if mark != nil { // else nobody knows what is new
			was, err := s.box.Open(mark, reachMark)
			if err != nil || bytes.Equal(was, reach) {
				return err
			}
			if webhooks, err = tx.DrainUnanswered(ctx); err != nil {
				return err
			}
		}
		return tx.ReplaceMark(ctx, reachMark, s.box.Seal(reach, reachMark))
	})
	if err == nil && webhooks > 0 {
		log.Info("other webhooks can be reached than before: what could not be delivered is tried again", "webhooks", webhooks)
	}
	return err
}

// reach is a fingerprint of the settings that decide which webhooks can be reached. It
// is kept sealed: an address of a proxy may hold a password.
func (s *settings) reach() ([]byte, error) {
	p, authorities := s.policy(), []byte(nil)
	if s.CAFile != "" {
		var err error
		if authorities, err = os.ReadFile(s.CAFile); err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%t %v %v %q %q", p.AllowHTTP, p.AllowNets, p.AllowPorts, s.WebhookProxy, authorities))
	return sum[:], nil
}

// sayWhatIsOpen tells the operator what a reader of the settings might miss.
func (s *site) sayWhatIsOpen(ctx context.Context, log *slog.Logger) {
	if s.settings.SMTPURL == "" {
		waiting, err := s.store.QueuedLetters(ctx)
		if err != nil {
			log.Error("the outbox cannot be counted", "error", err)
		}
		log.Log(ctx, s.unlessTried(), "no SMTP server is set (TYPUS_SMTP_URL): letters wait in the outbox", "waiting", waiting)
		if s.settings.SignUp == "open" {
			log.Warn("TYPUS_SIGNUP is open, but nobody can sign up without an SMTP server: the link that makes an account comes by letter")
		}
	}
	warnings, err := s.store.Warnings(ctx)
	if err != nil {
		log.Error("the database does not show its settings", "error", err)
	}
	for _, warning := range warnings {
		log.Warn(warning)
	}
	s.sayWhatWebhooksReach(log)
	if host, _, _ := net.SplitHostPort(s.settings.MetricsAddr); s.settings.MetricsAddr != "" && !typus.Loopback(host) {
		log.Warn("whoever reaches TYPUS_METRICS_ADDR reads how much goes on here; let a firewall allow your Prometheus alone")
	}
	if s.settings.WebhookProxy != "" {
		log.Warn("webhooks go through a proxy: it makes the connections, and only what a name resolves to beforehand is checked here")
	}
	if !s.settings.postgres() && s.settings.SecretKey == "" {
		log.Info("the secret key lies beside the database; a backup needs both", "file", s.settings.secretFile())
	}
	if s.settings.baseURL.Scheme == "http" && !typus.Loopback(s.settings.baseURL.Hostname()) {
		log.Warn(fmt.Sprintf("links are plain http: %s", s.settings.BaseURL))
	}
	if s.settings.SignUp == "open" && s.settings.LettersPerDay == 0 {
		log.Warn("anybody may make an account (TYPUS_SIGNUP=open) and send any number of letters in words of their own; TYPUS_LETTERS_PER_DAY bounds them")
	}
}

// unlessTried is the level of what is worth a warning on a server for others, and as it
// should be where somebody tries Typus on their own machine.
func (s *site) unlessTried() slog.Level {
	if s.settings.local() {
		return slog.LevelInfo
	}
	return slog.LevelWarn
}

// sayWhatWebhooksReach warns of what a setting has opened. What a server that only this
// machine reaches opens by itself is no reason for a warning.
func (s *site) sayWhatWebhooksReach(log *slog.Logger) {
	given := s.settings
	if given.WebhookAllowHTTP || len(given.nets)+len(given.WebhookAllowPorts) > 0 {
		policy := given.policy()
		var nets []string
		for _, n := range policy.AllowNets {
			nets = append(nets, n.String())
		}
		log.Warn("webhooks may reach more than public https addresses", "http", policy.AllowHTTP, "networks", strings.Join(nets, ", "), "ports", policy.AllowPorts)
		return
	}
	if given.local() {
		log.Info("webhooks may also go to receivers on this machine, over http, to try them out: nobody else reaches this server")
	}
}

// lookForLost says once, page by page beside the work, what lies under keys that this server
// has not, or only has to open.
func (s *site) lookForLost(ctx context.Context, log *slog.Logger) {
	count, err := rekey.Look(ctx, s.store)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		log.Error("what lies under which secret key cannot be counted", "error", err)
	case count.Outside(s.box.KeyIDs()...) > 0:
		log.Error("the secret key does not open everything: "+message(s.cannotOpen(count)), "values", count.Outside(s.box.KeyIDs()...))
	case s.otherKey() != "":
		log.Info("a second secret key is set: typus secret rotate seals everything under the first and says when the second may go", "under_the_second", count.Keys[s.otherKey()])
	}
}

// lookForDamage reads the database file once, beside the work.
func (s *site) lookForDamage(ctx context.Context, log *slog.Logger) {
	if err := s.store.QuickCheck(ctx); err != nil && ctx.Err() == nil {
		log.Error("the database file should be restored from a backup", "error", err)
	}
}
