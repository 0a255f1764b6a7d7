package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/caarlos0/env/v11"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"typus"
	"typus/internal/auth"
	"typus/internal/bounce"
	"typus/internal/mail"
	"typus/internal/seal"
	"typus/internal/webhook"
)

const envPrefix = "TYPUS_"

// settings is everything an operator can set. Each setting has a flag (--base-url) and
// a variable in the environment (TYPUS_BASE_URL). Secret settings can be read from a
// file instead (TYPUS_SECRET_KEY_FILE), so that they need not stand in either place.
type settings struct {
	Database  string `env:"DATABASE" envDefault:"typus-data/typus.db" secret:"true" usage:"SQLite file, or postgres://…"`
	SecretKey string `env:"SECRET_KEY" secret:"true" usage:"at least 32 characters; seals links and webhook secrets (SQLite: made beside the database)"`

	OtherSecretKey string `env:"OTHER_SECRET_KEY" secret:"true" usage:"while the secret key is changed: the next or the former one, which opens too and seals nothing"`

	Erasures string `env:"ERASURES" usage:"file that lists whom a backup must not bring back (SQLite: kept beside the database)"`
	Addr     string `env:"ADDR" envDefault:"127.0.0.1:8080" usage:"address to listen on"`
	BaseURL  string `env:"BASE_URL" usage:"origin of every link, such as https://typus.example.com (default while the address is loopback: http://localhost:PORT)"`

	MetricsAddr string `env:"METRICS_ADDR" usage:"address of a listener for Prometheus, such as 127.0.0.1:9464; without it there is none"`

	SMTPURL  string `env:"SMTP_URL" secret:"true" usage:"smtp://user:password@host:587 or smtps://…; without it letters wait in the outbox"`
	MailFrom string `env:"MAIL_FROM" usage:"address that letters come from"`

	BounceAddress string `env:"BOUNCE_ADDRESS" usage:"mailbox whose messages are piped to typus bounce, such as bounces@example.com; every letter has a tag behind a plus sign in it as envelope sender"`

	LettersPerDay int `env:"LETTERS_PER_DAY" envDefault:"0" usage:"letters that one account may send to others in a day; what is above it waits for the next; 0 is any number"`

	DKIMDomain   string `env:"DKIM_DOMAIN" usage:"domain that signs letters (DKIM); without it they go out unsigned"`
	DKIMSelector string `env:"DKIM_SELECTOR" usage:"name of the DKIM key, published as SELECTOR._domainkey.DOMAIN"`
	DKIMKey      string `env:"DKIM_KEY" secret:"true" usage:"private DKIM key in PEM, RSA or Ed25519"`

	TrustedProxies []string `env:"TRUSTED_PROXIES" usage:"networks of the proxies in front, such as 10.0.0.0/8, whose X-Forwarded-For is believed"`
	SignUp         string   `env:"SIGNUP" envDefault:"closed" usage:"open lets anybody make an account on the starter plan"`

	StarterCredits int64 `env:"STARTER_CREDITS" envDefault:"10" usage:"credits of a new account on the starter plan"`

	WebhookHeaderPrefix string   `env:"WEBHOOK_HEADER_PREFIX" envDefault:"X-Service" usage:"first part of the webhook header names"`
	WebhookAllowHTTP    bool     `env:"WEBHOOK_ALLOW_HTTP" usage:"let webhooks go to http addresses"`
	WebhookAllowNets    []string `env:"WEBHOOK_ALLOW_NETS" usage:"private networks that webhooks may reach, such as 10.20.0.0/16"`
	WebhookAllowPorts   []uint16 `env:"WEBHOOK_ALLOW_PORTS" usage:"ports that webhooks may reach although they are closed by default"`
	WebhookProxy        string   `env:"WEBHOOK_PROXY" secret:"true" usage:"proxy for webhooks, http://…"`
	CAFile              string   `env:"CA_FILE" usage:"further certificate authorities (PEM) for webhooks and the mail server"`

	baseURL *url.URL
	nets    []netip.Prefix
	proxies []netip.Prefix
	placed  bool   // the base URL was given, not a default
	bound   bool   // likewise the address
	keyFrom string // where the secret key was given

	signUpGiven bool // likewise
}

// ofSetting marks the flags of settings: a command may have one of its own of the same name.
const ofSetting = "setting"

// given is the flag of a setting, if it was given.
func given(flags *pflag.FlagSet, name string) (*pflag.Flag, bool) {
	f := flags.Lookup(flagName(name))
	return f, f != nil && f.Changed && f.Annotations[ofSetting] != nil
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
		c.Flags().Lookup(flagName(name)).Annotations = map[string][]string{ofSetting: {name}}
		if f.Type.Kind() == reflect.Bool {
			c.Flags().Lookup(flagName(name)).NoOptDefVal = "true"
		}
	}
}

// addSite gives c the flags that say which installation it works on. The rest
// of the settings is read from the environment.
func addSite(c *cobra.Command) {
	addSettings(c, "DATABASE", "SECRET_KEY", "OTHER_SECRET_KEY", "BASE_URL")
}

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
	s.placed, s.bound = values[envPrefix+"BASE_URL"] != "", values[envPrefix+"ADDR"] != ""
	s.keyFrom = givenIn("SECRET_KEY", flags, environ)
	s.signUpGiven = values[envPrefix+"SIGNUP"] != ""
	s.check(&faults)
	return s, typus.WrongFields(faults)
}

// givenIn names where the value of a setting that may be read from a file comes from.
func givenIn(name string, flags *pflag.FlagSet, environ []string) string {
	if _, is := given(flags, name); is {
		return "--" + flagName(name)
	}
	for _, pair := range environ {
		if file, found := strings.CutPrefix(pair, envPrefix+name+"_FILE="); found {
			return file + " (" + envPrefix + name + "_FILE)"
		}
	}
	return envPrefix + name
}

func fault(faults *[]typus.Field, name, format string, args ...any) {
	*faults = append(*faults, typus.Field{Name: envPrefix + name, Code: typus.CodeInvalid, Msg: fmt.Sprintf(format, args...)})
}

// collect makes one map of the TYPUS_ names. Files are read, and flags win over the
// environment. An unknown name is a fault, because a typing slip must not go unnoticed;
// names that Kubernetes adds by itself are passed over.
func collect(flags *pflag.FlagSet, environ []string, faults *[]typus.Field) map[string]string {
	known, secret := settingNames()
	values, files := map[string]string{}, map[string]string{}
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
			files[plain] = value
		case byKubernetes(name, value):
		case envPrefix+name == keyVariable && auth.WellFormedAPIKey(value): // of typus listen
		case isFile && slices.Contains(known, plain):
			fault(faults, name, "is not a setting: only secrets are read from files; set %s%s", envPrefix, plain)
		default:
			fault(faults, name, "is not a setting; did you mean %s%s?", envPrefix, nearest(name, append(known, fileNames(secret)...)))
		}
	}
	for name, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			fault(faults, name+"_FILE", "names a file that cannot be read: %s", unreadable(file, err))
		}
		if _, both := values[envPrefix+name]; both {
			fault(faults, name+"_FILE", "is set beside %s%s; set one of them", envPrefix, name)
		}
		values[envPrefix+name] = strings.TrimSpace(string(text))
	}
	for _, name := range known {
		if f, is := given(flags, name); is {
			values[envPrefix+name] = f.Value.String()
		}
	}
	return values
}

// fileNames are the twins that name a file with a secret.
func fileNames(secret []string) []string {
	var names []string
	for _, name := range secret {
		names = append(names, name+"_FILE")
	}
	return names
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
	wrong, ok := errors.AsType[env.AggregateError](err)
	if !ok {
		return []typus.Field{{Name: "settings", Code: typus.CodeInvalid, Msg: err.Error()}}
	}
	var faults []typus.Field
	for _, e := range wrong.Errors {
		parse, ok := errors.AsType[env.ParseError](e)
		if !ok {
			faults = append(faults, typus.Field{Name: "settings", Code: typus.CodeInvalid, Msg: e.Error()})
			continue
		}
		f, _ := reflect.TypeFor[settings]().FieldByName(parse.Name)
		fault(&faults, f.Tag.Get("env"), "must be %s", wanted(f.Type))
	}
	return faults
}

// wanted says in words what a setting holds.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list of ports such as 9200,9300"
	}
	return "a whole number"
}

func (s *settings) check(faults *[]typus.Field) {
	s.checkPlace(faults)
	if form, ok := keywordForm(s.Database); ok {
		fault(faults, "DATABASE", "must be the path of an SQLite file or begin with postgres://; write %s", form)
	} else if scheme, _, named := strings.Cut(s.Database, ":"); named && !s.postgres() && len(scheme) > 1 {
		fault(faults, "DATABASE", "must be the path of an SQLite file or begin with postgres://")
	} else if !s.postgres() && strings.Contains(s.Database, "?") {
		fault(faults, "DATABASE", "must be a plain path: options such as ?mode=ro are not taken here")
	}
	if s.postgres() && s.SecretKey == "" {
		fault(faults, "SECRET_KEY", "is required with PostgreSQL; make one with: openssl rand -base64 32; every server and command needs the same one")
	}
	if s.SecretKey != "" && len(s.SecretKey) < seal.MinSecret {
		fault(faults, "SECRET_KEY", "must have at least %d characters", seal.MinSecret)
	}
	if s.OtherSecretKey != "" && len(s.OtherSecretKey) < seal.MinSecret {
		fault(faults, "OTHER_SECRET_KEY", "must have at least %d characters", seal.MinSecret)
	} else if s.OtherSecretKey != "" && s.OtherSecretKey == s.SecretKey {
		fault(faults, "OTHER_SECRET_KEY", "is the same as %sSECRET_KEY; leave it out unless the key is being changed", envPrefix)
	}
	if info, err := os.Stat(s.Erasures); s.Erasures != "" && err == nil && info.IsDir() {
		fault(faults, "ERASURES", "is a directory; name a file in it, such as %s", filepath.Join(s.Erasures, "typus.erasures"))
	} else if _, err := os.Stat(filepath.Dir(s.Erasures)); s.Erasures != "" && err != nil {
		fault(faults, "ERASURES", "names a file in %s, which is no directory that can be read; make it first", filepath.Dir(s.Erasures))
	}
	if s.StarterCredits < 0 || s.StarterCredits > typus.MaxGrant {
		fault(faults, "STARTER_CREDITS", "must be 0 to 1000000000")
	}
	if s.SignUp != "open" && s.SignUp != "closed" {
		fault(faults, "SIGNUP", "must be open or closed")
	}
	if s.LettersPerDay < 0 || s.LettersPerDay > typus.MaxLettersADay {
		fault(faults, "LETTERS_PER_DAY", "must be 0 to 1000000")
	}
	s.nets = networks(faults, "WEBHOOK_ALLOW_NETS", s.WebhookAllowNets)
	s.proxies = networks(faults, "TRUSTED_PROXIES", s.TrustedProxies)
	s.checkMetrics(faults)
	s.checkMail(faults)
	s.checkWebhooks(faults)
}

func networks(faults *[]typus.Field, name string, texts []string) []netip.Prefix {
	var list []netip.Prefix
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			fault(faults, name, "holds %q, which is not a network such as 10.20.0.0/16", text)
			continue
		}
		list = append(list, prefix)
	}
	return list
}

// checkMetrics wants a listener apart from the one that everybody reaches.
func (s *settings) checkMetrics(faults *[]typus.Field) {
	if s.MetricsAddr == "" {
		return
	}
	host, port, err := net.SplitHostPort(s.MetricsAddr)
	if n, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil || n == 0 {
		fault(faults, "METRICS_ADDR", "must be host:port, such as 127.0.0.1:9464")
		return
	}
	own, ownPort, _ := net.SplitHostPort(s.Addr)
	if port == ownPort && (everywhere(host) || everywhere(own) || host == own || typus.Loopback(host) && typus.Loopback(own)) {
		fault(faults, "METRICS_ADDR", "must be another address than TYPUS_ADDR, which everybody reaches")
	}
}

// everywhere reports whether who listens on a host listens on all addresses.
func everywhere(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "" || err == nil && ip.IsUnspecified()
}

// checkMail checks each mail setting together with others that are known to be right.
func (s *settings) checkMail(faults *[]typus.Field) {
	for _, f := range s.dkim().Check() {
		fault(faults, "DKIM_"+strings.ToUpper(f.Name), "%s", f.Msg)
	}
	if s.BounceAddress != "" {
		if _, err := bounce.NewMailbox(nil, s.BounceAddress); err != nil {
			fault(faults, "BOUNCE_ADDRESS", "is refused: %s", message(err))
		}
	}
	if s.SMTPURL == "" {
		return
	}
	if _, err := mail.NewSMTP(mail.SMTPOptions{URL: s.SMTPURL, From: "typus@example.com"}); err != nil {
		fault(faults, "SMTP_URL", "is refused: %s", message(err))
	}
	if s.MailFrom == "" {
		fault(faults, "MAIL_FROM", "is required with TYPUS_SMTP_URL")
	} else if _, err := mail.NewSMTP(mail.SMTPOptions{URL: "smtp://localhost", From: s.MailFrom}); err != nil {
		fault(faults, "MAIL_FROM", "is refused: %s", message(err))
	}
}

func (s *settings) dkim() mail.DKIM {
	return mail.DKIM{Domain: s.DKIMDomain, Selector: s.DKIMSelector, Key: s.DKIMKey}
}

func (s *settings) checkWebhooks(faults *[]typus.Field) {
	for name, o := range map[string]webhook.ClientOptions{
		"WEBHOOK_HEADER_PREFIX": {HeaderPrefix: s.WebhookHeaderPrefix},
		"WEBHOOK_PROXY":         {Proxy: s.WebhookProxy},
		"CA_FILE":               {CAFile: s.CAFile},
	} {
		c, err := webhook.NewClient(o)
		if err != nil {
			fault(faults, name, "is refused: %s", message(err))
			continue
		}
		c.Close()
	}
}

// checkPlace checks where the server listens and what its links begin with.
func (s *settings) checkPlace(faults *[]typus.Field) {
	host, port, err := net.SplitHostPort(s.Addr)
	if n, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil || n == 0 {
		fault(faults, "ADDR", "must be host:port, such as 127.0.0.1:8080")
		host, port = "localhost", "1" // the base URL is judged by itself
	}
	if s.BaseURL == "" {
		if !typus.Loopback(host) {
			fault(faults, "BASE_URL", "is required unless the address is loopback; links are made from it")
			return
		}
		s.BaseURL = "http://" + net.JoinHostPort("localhost", port)
	}
	u, err := url.Parse(strings.TrimSuffix(s.BaseURL, "/"))
	if err != nil || !isOrigin(u) {
		fault(faults, "BASE_URL", "must be an origin only: scheme, host and port, such as https://typus.example.com")
		return
	}
	s.baseURL, s.BaseURL = u, u.String()
}

// place takes the address and the base URL that a server has left, unless they were
// given. A base URL that was only derived from a given address gives way to the
// server's.
func (s *settings) place(addr, base string) error {
	var faults []typus.Field
	if !s.bound {
		s.Addr = addr
	}
	if !s.placed {
		s.BaseURL = base
	}
	if s.checkPlace(&faults); len(faults) > 0 {
		return &typus.Error{Kind: typus.Internal, Msg: "the database does not say where its server runs", Fields: faults}
	}
	return nil
}

func isOrigin(u *url.URL) bool {
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.HasSuffix(u.Host, ":") {
		return false
	}
	return *u == url.URL{Scheme: u.Scheme, Host: u.Host}
}

func (s *settings) postgres() bool {
	return strings.HasPrefix(s.Database, "postgres://") || strings.HasPrefix(s.Database, "postgresql://")
}

// local reports whether the server can be reached from this machine only.
func (s *settings) local() bool {
	host, _, _ := net.SplitHostPort(s.Addr)
	return typus.Loopback(host) && typus.Loopback(s.baseURL.Hostname())
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
	if s.MetricsAddr != "" {
		p.OwnListeners = append(p.OwnListeners, s.MetricsAddr)
	}
	if bound, err := net.ResolveTCPAddr("tcp", s.Addr); err == nil && bound.String() != s.Addr {
		p.OwnListeners = append(p.OwnListeners, bound.String()) // the address may be a host name
	}
	return p
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
