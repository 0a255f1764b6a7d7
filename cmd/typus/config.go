package main

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/caarlos0/env/v11"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"typus"
	"typus/internal/webhook"
)

const envPrefix = "TYPUS_"

// settings is everything an operator can set. Each has a flag (--base-url) and
// a twin in the environment (TYPUS_BASE_URL); the secret ones can also be read
// from a file (TYPUS_SECRET_KEY_FILE), so that they need not stand in either.
type settings struct {
	Database  string `env:"DATABASE" envDefault:"typus-data/typus.db" secret:"true" usage:"SQLite file, or postgres://…"`
	SecretKey string `env:"SECRET_KEY" secret:"true" usage:"at least 32 characters; seals links and webhook secrets (SQLite: made beside the database)"`
	Addr      string `env:"ADDR" envDefault:"127.0.0.1:8080" usage:"address to listen on"`
	BaseURL   string `env:"BASE_URL" usage:"origin of every link, such as https://typus.example.com (default while the address is loopback: http://localhost:PORT)"`

	SMTPURL  string `env:"SMTP_URL" secret:"true" usage:"smtp://user:password@host:587 or smtps://…; without it letters wait in the outbox"`
	MailFrom string `env:"MAIL_FROM" usage:"address that letters come from"`

	StarterCredits int64 `env:"STARTER_CREDITS" envDefault:"10" usage:"credits of a new account on the starter plan"`

	WebhookHeaderPrefix string   `env:"WEBHOOK_HEADER_PREFIX" envDefault:"X-Service" usage:"first part of the webhook header names"`
	WebhookAllowHTTP    bool     `env:"WEBHOOK_ALLOW_HTTP" usage:"let webhooks go to http addresses"`
	WebhookAllowNets    []string `env:"WEBHOOK_ALLOW_NETS" usage:"private networks that webhooks may reach, such as 10.20.0.0/16"`
	WebhookAllowPorts   []uint16 `env:"WEBHOOK_ALLOW_PORTS" usage:"ports that webhooks may reach although they are closed by default"`
	WebhookProxy        string   `env:"WEBHOOK_PROXY" usage:"proxy for webhooks, http://…"`
	CAFile              string   `env:"CA_FILE" usage:"further certificate authorities (PEM) for webhooks and the mail server"`

	baseURL *url.URL
	nets    []netip.Prefix
}

// addSettings gives c a flag for every setting, or for those named.
func addSettings(c *cobra.Command, only ...string) {
	for f := range reflect.TypeFor[settings]().Fields() {
		name := f.Tag.Get("env")
		if name == "" || len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		usage := f.Tag.Get("usage") + " [" + envPrefix + name + "]"
		if standard := f.Tag.Get("envDefault"); standard != "" {
			usage = f.Tag.Get("usage") + " (default " + standard + ") [" + envPrefix + name + "]"
		}
		c.Flags().String(flagName(name), "", usage)
		if f.Type.Kind() == reflect.Bool {
			c.Flags().Lookup(flagName(name)).NoOptDefVal = "true"
		}
	}
}

// addSite gives c the flags that say which installation it works on. The rest
// of the settings is read from the environment.
func addSite(c *cobra.Command) { addSettings(c, "DATABASE", "SECRET_KEY", "BASE_URL") }

func flagName(envName string) string {
	return strings.ToLower(strings.ReplaceAll(envName, "_", "-"))
}

// loadSettings reads the flags that were given, then the environment, then the
// defaults. The error names every wrong setting.
func loadSettings(flags *pflag.FlagSet, environ []string) (settings, error) {
	var faults []typus.Field
	values := collect(flags, environ, &faults)
	var s settings
	if err := env.ParseWithOptions(&s, env.Options{Environment: values, Prefix: envPrefix}); err != nil {
		faults = append(faults, parseFaults(err)...)
	}
	s.check(&faults)
	if len(faults) > 0 {
		return s, &typus.Error{Kind: typus.Invalid, Msg: faults[0].Name + ": " + faults[0].Msg, Fields: faults}
	}
	return s, nil
}

func fault(faults *[]typus.Field, name, format string, args ...any) {
	*faults = append(*faults, typus.Field{Name: envPrefix + name, Code: typus.CodeInvalid, Msg: fmt.Sprintf(format, args...)})
}

// collect makes one map of the TYPUS_ names: files are read, flags win, and
// unknown names are faults, since a typing slip must not pass silently.
func collect(flags *pflag.FlagSet, environ []string, faults *[]typus.Field) map[string]string {
	known, secret := settingNames()
	values := map[string]string{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		name, ours := strings.CutPrefix(name, envPrefix)
		if !ours {
			continue
		}
		plain, isFile := strings.CutSuffix(name, "_FILE")
		switch {
		case slices.Contains(known, name):
			values[envPrefix+name] = value
		case isFile && slices.Contains(secret, plain):
			text, err := os.ReadFile(value)
			if err != nil {
				fault(faults, name, "the file cannot be read")
			}
			values[envPrefix+plain] = strings.TrimSpace(string(text))
		default:
			fault(faults, name, "there is no such setting")
		}
	}
	for _, name := range known {
		if f := flags.Lookup(flagName(name)); f != nil && f.Changed {
			values[envPrefix+name] = f.Value.String()
		}
	}
	return values
}

func settingNames() ([]string, []string) {
	var all, secret []string
	for f := range reflect.TypeFor[settings]().Fields() {
		name := f.Tag.Get("env")
		if name == "" {
			continue
		}
		all = append(all, name)
		if f.Tag.Get("secret") == "true" {
			secret = append(secret, name)
		}
	}
	return all, secret
}

func parseFaults(err error) []typus.Field {
	wrong, ok := err.(env.AggregateError)
	if !ok {
		return []typus.Field{{Name: "settings", Code: typus.CodeInvalid, Msg: err.Error()}}
	}
	var faults []typus.Field
	for _, e := range wrong.Errors {
		parse, ok := e.(env.ParseError)
		if !ok {
			faults = append(faults, typus.Field{Name: "settings", Code: typus.CodeInvalid, Msg: e.Error()})
			continue
		}
		f, _ := reflect.TypeFor[settings]().FieldByName(parse.Name)
		fault(&faults, f.Tag.Get("env"), "%q cannot be read as %s", "the value", parse.Type)
	}
	return faults
}

func (s *settings) check(faults *[]typus.Field) {
	host, port, err := net.SplitHostPort(s.Addr)
	if _, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil {
		fault(faults, "ADDR", "give host:port, such as 127.0.0.1:8080")
	}
	s.checkBaseURL(faults, host, port)
	if s.postgres() && s.SecretKey == "" {
		fault(faults, "SECRET_KEY", "is required with PostgreSQL; every instance needs the same one")
	}
	if s.SecretKey != "" && len(s.SecretKey) < 32 {
		fault(faults, "SECRET_KEY", "must have at least 32 characters")
	}
	if s.StarterCredits < 0 || s.StarterCredits > 1_000_000_000 {
		fault(faults, "STARTER_CREDITS", "0 to 1000000000")
	}
	if s.SMTPURL != "" && s.MailFrom == "" {
		fault(faults, "MAIL_FROM", "is required with TYPUS_SMTP_URL")
	}
	for _, text := range s.WebhookAllowNets {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			fault(faults, "WEBHOOK_ALLOW_NETS", "%q is not a network such as 10.20.0.0/16", text)
			continue
		}
		s.nets = append(s.nets, prefix)
	}
}

func (s *settings) checkBaseURL(faults *[]typus.Field, host, port string) {
	if s.BaseURL == "" {
		if !loopback(host) {
			fault(faults, "BASE_URL", "is required unless the address is loopback; links are made from it")
			return
		}
		s.BaseURL = "http://" + net.JoinHostPort("localhost", port)
	}
	u, err := url.Parse(strings.TrimSuffix(s.BaseURL, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		fault(faults, "BASE_URL", "give an origin only: scheme, host and port, such as https://typus.example.com")
		return
	}
	s.baseURL, s.BaseURL = u, u.String()
}

func (s *settings) postgres() bool {
	return strings.HasPrefix(s.Database, "postgres://") || strings.HasPrefix(s.Database, "postgresql://")
}

// local reports whether the server can be reached from this machine only.
func (s *settings) local() bool {
	host, _, _ := net.SplitHostPort(s.Addr)
	return loopback(host) && loopback(s.baseURL.Hostname())
}

// policy is what webhooks may reach. A server that can be reached from this
// machine only may also call receivers on it, so that a first try needs no
// settings; its own listeners stay closed.
func (s *settings) policy() webhook.Policy {
	p := webhook.Policy{AllowHTTP: s.WebhookAllowHTTP, AllowNets: s.nets, AllowPorts: s.WebhookAllowPorts}
	if s.local() {
		p.AllowHTTP = true
		p.AllowNets = append(slices.Clone(p.AllowNets), netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	}
	p.OwnListeners = []string{s.Addr, net.JoinHostPort(s.baseURL.Hostname(), portOf(s.baseURL))}
	return p
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
