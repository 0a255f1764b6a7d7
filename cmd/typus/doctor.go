package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/backup"
	"typus/internal/db"
	"typus/internal/mail"
	"typus/internal/rekey"
	"typus/internal/seal"
	"typus/internal/store"
)

// How a thing stands that was looked at.
const (
	fine    = "ok"
	warning = "warning"
	faulty  = "fault"
)

// finding is what the doctor says of one thing.
type finding struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

func (f finding) line() string {
	line := fmt.Sprintf("%-7s  %s: %s", f.State, f.Name, f.Text)
	if f.Remedy != "" {
		line += "; " + f.Remedy
	}
	return line
}

// doctor looks at an installation from outside.
type doctor struct {
	settings settings
	now      time.Time
	free     func(path string) (int64, bool)
	txt      func(ctx context.Context, name string) ([]string, error) // records of the DNS
	accounts []typus.Account                                          // with a host of their own
	senders  []ownSender                                              // of accounts
	found    []finding
}

// ownSender is in whose name the letters of an account go out, with its key.
type ownSender struct {
	typus.Sender
	key mail.DKIM
}

func (d *doctor) say(name, state, remedy, format string, args ...any) {
	d.found = append(d.found, finding{name, state, fmt.Sprintf(format, args...), remedy})
}

// errUnwell ends a command whose findings have been printed.
type errUnwell struct{ faults int }

func (e errUnwell) Error() string { return counted(e.faults, "fault") + " found" }

func (a *app) doctorCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look at database, files, clock, addresses and mail; exit code 0 means no fault",
		Long: "Look at the installation of these settings, beside a server or without one, and say a line for each thing: ok, warning or fault, with what is to be done. " +
			"Nothing is changed and no letter is sent. Run it with the server's settings, as the server's user.",
		Args: cobra.NoArgs,
	}
	addSettings(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		settings, err := loadSettings(c.Flags(), a.environ)
		if err != nil {
			return err
		}
		d := &doctor{settings: settings, now: typus.Clock(nil).Now(), free: db.FreeSpace, txt: net.DefaultResolver.LookupTXT}
		d.look(c.Context())
		return a.report(d.found)
	}
	return c
}

func (a *app) report(found []finding) error {
	var lines []string
	faults := 0
	for _, f := range found {
		lines = append(lines, f.line())
		if f.State == faulty {
			faults++
		}
	}
	err := a.print(struct {
		OK       bool      `json:"ok"`
		Findings []finding `json:"findings"`
	}{faults == 0, found}, strings.Join(lines, "\n"))
	if err == nil && faults > 0 {
		err = errUnwell{faults}
	}
	return err
}

// look goes from the inside to the outside.
func (d *doctor) look(ctx context.Context) {
	if st := d.open(ctx); st != nil {
		d.database(ctx, st)
		if err := st.Close(); err != nil {
			d.say("database", faulty, "see to the disk", "%s", message(err))
		}
	}
	if !d.settings.postgres() {
		d.disk()
		d.files()
		d.putAside()
	}
	d.baseURL(ctx)
	d.mailServer(ctx)
	d.records(ctx)
}

// open says whether the database can be used at all.
func (d *doctor) open(ctx context.Context) *store.Store {
	err := d.settings.there()
	if err == nil {
		var st *store.Store
		if st, err = store.Open(ctx, d.settings.Database); err == nil {
			return st
		}
	}
	d.say("database", faulty, "", "%s", message(err))
	return nil
}

func (d *doctor) database(ctx context.Context, st *store.Store) {
	if err := st.CheckSchema(ctx); err != nil {
		d.say("schema", faulty, "", "%s", message(err))
		return // what follows reads tables
	}
	s := &site{settings: d.settings, store: st}
	err := s.standWhereTheServerStands(ctx, openBeside)
	d.settings = s.settings
	newest, lost := st.Newest(ctx)
	if err = errors.Join(err, lost); err != nil {
		d.say("database", faulty, "", "%s", message(err))
		return
	}
	d.say("database", fine, "", "%s, schema %s", st.Dialect(), strings.TrimSuffix(newest, ".sql"))
	warnings, err := st.Warnings(ctx)
	for _, w := range warnings {
		d.say("settings", warning, "", "%s", w)
	}
	d.outcome("settings", err, len(warnings) == 0, "as Typus needs them")
	d.outcome("integrity", st.QuickCheck(ctx), true, "no damage found")
	d.clock(ctx, st)
	d.readHosts(ctx, st)
	if box := d.key(ctx, st); box != nil {
		d.readSenders(ctx, st, box)
	}
	d.list(ctx, st)
	d.waiting(ctx, st)
}

// outcome says that something failed, or else, if it is to be said, how it stands.
func (d *doctor) outcome(name string, err error, say bool, text string) {
	switch {
	case err != nil && name == "integrity":
		d.say(name, faulty, "restore the newest backup (typus restore)", "%s", message(err))
	case err != nil:
		d.say(name, faulty, "", "%s", message(err))
	case say:
		d.say(name, fine, "", "%s", text)
	}
}

// clock compares this machine's with that of the database, and on SQLite with what it
// showed when a server last noted it.
func (d *doctor) clock(ctx context.Context, st *store.Store) {
	at, err := st.ClockShown(ctx)
	if err != nil {
		d.outcome("clock", err, false, "")
		return
	}
	off := at.Sub(d.now)
	if st.Dialect() != "sqlite" && off < 0 {
		off = -off // an earlier reading is no fault where the clock is this machine's
	}
	if off > typus.Skew {
		d.say("clock", faulty, "let a time service set both (NTP)", "the database has seen a time that differs by %s from this machine's", off.Round(time.Second))
		return
	}
	d.say("clock", fine, "", "agrees with the database")
}

// key returns what the server's key opens, nil if it does not.
func (d *doctor) key(ctx context.Context, st *store.Store) *seal.Box {
	s := &site{settings: d.settings, store: st}
	mark, err := st.Mark(ctx, secretMark)
	if err == nil && mark == nil {
		d.say("key", warning, "start the server once", "none was used on this database yet")
		return nil
	}
	if err == nil {
		err = s.unseal(ctx, true)
	}
	if err != nil {
		d.outcome("key", err, false, "")
		return nil
	}
	count, err := rekey.Look(ctx, st)
	switch lost := count.Outside(s.box.KeyIDs()...); {
	case err != nil:
		d.outcome("key", err, false, "")
	case lost > 0:
		d.say("key", faulty, "", "%s", message(s.cannotOpen(count)))
	case count.Keys[s.otherKey()] > 0:
		d.say("key", warning, "type typus secret rotate once every server has both keys", "%s under the second key, %s; the first is %s", lie(count.Keys[s.otherKey()]), s.otherKey(), s.box.KeyID())
	case s.otherKey() != "":
		d.say("key", warning, "remove TYPUS_OTHER_SECRET_KEY from every server, unless the key is being changed", "nothing lies under the second key, %s; the first is %s", s.otherKey(), s.box.KeyID())
	default:
		d.say("key", fine, "", "opens the database; its fingerprint is %s", s.box.KeyID())
	}
	return s.box
}

// readHosts keeps the accounts with a host of their own, which is asked later.
func (d *doctor) readHosts(ctx context.Context, st *store.Store) {
	all, err := st.Accounts(ctx)
	d.outcome("accounts", err, false, "")
	for _, a := range all {
		if a.Host != "" {
			d.accounts = append(d.accounts, a)
		}
	}
}

// readSenders keeps the senders of accounts, whose records are looked up later.
func (d *doctor) readSenders(ctx context.Context, st *store.Store, box *seal.Box) {
	all, err := st.Senders(ctx)
	d.outcome("senders", err, false, "")
	for _, s := range all {
		own := ownSender{Sender: s}
		_, err := mail.OpenSender(box, s)
		if err == nil {
			own.key, err = mail.OpenDKIM(box, s)
		}
		if err != nil {
			d.say(ofAccount("sender", s.AccountID), faulty, fmt.Sprintf("set it anew (typus account sender --account %d)", s.AccountID), "no letter of the account goes out: %s", message(err))
			continue
		}
		d.senders = append(d.senders, own)
	}
}

// ofAccount names a finding about an account.
func ofAccount(what string, accountID int64) string {
	return fmt.Sprintf("%s of account %d", what, accountID)
}

// unlisted is how long a server may take to list an erasure, and more.
const unlisted = time.Minute

// list looks whether all erasures are on the list.
func (d *doctor) list(ctx context.Context, st *store.Store) {
	path := d.settings.erasures()
	if path == "" {
		d.say("erasures", warning, "set TYPUS_ERASURES to a file on another disk than the database's", "no list is kept, so a restore would bring back whoever was erased since")
		return
	}
	missing, err := backup.Unlisted(ctx, st, path, d.now.Add(-unlisted))
	switch {
	case err != nil:
		d.say("erasures", faulty, "mend the file, or remove it, and a server writes it anew", "%s", message(err))
	case missing > 0:
		d.say("erasures", faulty, "start the server; if one runs, its log says why it cannot write the list", "%s not in %s", counted(missing, "erasure"), path)
	default:
		d.say("erasures", fine, "", "all are in %s", path)
	}
}

// overdue is for how long something may be due before somebody should look.
const overdue = 15 * time.Minute

func (d *doctor) waiting(ctx context.Context, st *store.Store) {
	due, err := st.OverdueAt(ctx, d.now)
	if err != nil {
		d.outcome("outbox", err, false, "")
		return
	}
	for _, c := range []struct {
		name, remedy string
		since        time.Time
	}{
		{"letters", "start the server, or set TYPUS_SMTP_URL; the log of letters says what the mail server answers", due.Letter},
		{"deliveries", "start the server; if one runs, its log says what holds it up", due.Delivery},
	} {
		if !c.since.IsZero() && d.now.Sub(c.since) > overdue {
			d.say(c.name, faulty, c.remedy, "the oldest has been due for %s", d.now.Sub(c.since).Round(time.Minute))
			continue
		}
		d.say(c.name, fine, "", "none is long overdue")
	}
}

// leastFree is how much of a disk has to be free, in bytes.
const leastFree = 500 << 20

func (d *doctor) disk() {
	dir := filepath.Dir(d.settings.Database)
	free, known := d.free(dir)
	switch {
	case !known:
		d.say("disk", warning, "look at it yourself", "this system does not say how much of %s is free", dir)
	case free < leastFree:
		d.say("disk", faulty, "make room before it is full: nothing is stored then", "%d MB are free in %s", free>>20, dir)
	case free < backup.RoomFor(d.settings.Database):
		d.say("disk", warning, "make room, or back up to another disk", "%d MB are free in %s, too little for a backup there", free>>20, dir)
	default:
		d.say("disk", fine, "", "%d MB are free in %s", free>>20, dir)
	}
}

// files looks whether others on this machine can read what they must not.
func (d *doctor) files() {
	open := 0
	for _, path := range []string{d.settings.Database, d.settings.Database + "-wal", d.settings.secretFile()} {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			d.say("files", faulty, "", "%s", db.Refused(path, err).Msg)
			open++
		} else if info.Mode().Perm()&0o077 != 0 {
			d.say("files", faulty, "chmod 600 "+path, "others on this machine can read %s (%s)", path, info.Mode())
			open++
		}
	}
	if open == 0 {
		d.say("files", fine, "", "only their owner can read the database and the key")
	}
}

// putAside names databases that a restore has left: nobody is erased from them.
func (d *doctor) putAside() {
	left, err := filepath.Glob(d.settings.Database + ".before-*")
	if err == nil && len(left) > 0 {
		d.say("put aside", warning, "remove it once it is no longer needed", "%s: nobody is erased from it any more", strings.Join(left, ", "))
	}
}

// baseURL asks the addresses that links begin with.
func (d *doctor) baseURL(ctx context.Context) {
	base := d.settings.BaseURL
	if d.settings.baseURL.Scheme == "http" && !typus.Loopback(d.settings.baseURL.Hostname()) {
		d.say("base URL", warning, "put a proxy with TLS in front, and set TYPUS_BASE_URL to https://…", "links are plain http: %s", base)
	}
	d.answers(ctx, "base URL", base)
	for _, a := range d.accounts {
		d.answers(ctx, ofAccount("host", a.ID), typus.Links{BaseURL: base}.Of(a).Origin())
	}
}

// answers looks whether Typus answers at an address that links begin with.
func (d *doctor) answers(ctx context.Context, what, base string) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	resp, err := askHealth(ctx, base)
	if err != nil {
		d.say(what, faulty, "start the server, and look at name, proxy and certificate", "%s does not answer (%s)", base, short(err.Error(), 200))
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.Header.Get("X-Request-Id") == "" {
		d.say(what, faulty, "let the proxy pass everything under it to TYPUS_ADDR", "what answers at %s is not a working Typus: %s", base, resp.Status)
		return
	}
	d.say(what, fine, "", "Typus answers at %s", base)
}

func (d *doctor) mailServer(ctx context.Context) {
	if d.settings.SMTPURL == "" {
		d.say("mail server", warning, "set TYPUS_SMTP_URL and TYPUS_MAIL_FROM", "none is set: letters wait in the outbox")
		return
	}
	smtp, err := mail.NewSMTP(mail.SMTPOptions{URL: d.settings.SMTPURL, From: d.settings.MailFrom, CAFile: d.settings.CAFile, DKIM: d.settings.dkim()})
	if err == nil {
		err = smtp.Greet(ctx)
	}
	if err != nil {
		d.say("mail server", faulty, "look at TYPUS_SMTP_URL, and whether this machine may reach it", "%s", short(message(err), 300))
		return
	}
	d.say("mail server", fine, "", "it lets us in")
}

// records looks up what receivers of letters look up. Where the DNS does not answer,
// nothing is known.
func (d *doctor) records(ctx context.Context) {
	if d.settings.SMTPURL == "" {
		return
	}
	d.spf(ctx, "SPF", cmp.Or(d.settings.BounceAddress, d.settings.MailFrom))
	if name, key, err := d.settings.dkim().Record(); err == nil && name != "" { // the settings are checked; unsigned letters are the mail server's to sign
		d.record(ctx, "DKIM", name, "p=", key, "publish it as the README says, or set the key that belongs to it")
	}
	for _, s := range d.senders {
		d.recordsOf(ctx, s)
	}
}

// recordsOf looks up the records of the sender of an account.
func (d *doctor) recordsOf(ctx context.Context, s ownSender) {
	d.spf(ctx, ofAccount("SPF", s.AccountID), cmp.Or(s.BounceAddress, d.settings.BounceAddress, s.Address))
	what := ofAccount("DKIM", s.AccountID)
	name, key, err := s.key.Record()
	if err == nil && name != "" {
		d.record(ctx, what, name, "p=", key, fmt.Sprintf("publish what typus account sender --account %d says", s.AccountID))
		return
	}
	_, domain, _ := strings.Cut(s.Address, "@")
	if server := d.settings.dkim(); server == (mail.DKIM{}) || !server.Aligned(s.Address) {
		d.say(what, warning, fmt.Sprintf("give the account a key: typus account sender --account %d --selector typus", s.AccountID),
			"no key of %s signs its letters here, so that receivers may refuse them", domain)
		return
	}
	d.say(what, fine, "", "the server's key signs for %s", domain)
}

// spf looks up whether the domain of an envelope sender says who may send for it.
func (d *doctor) spf(ctx context.Context, what, sender string) {
	domain := strings.Trim(sender[strings.LastIndexByte(sender, '@')+1:], "> ")
	d.record(ctx, what, domain, "v=spf1", "", fmt.Sprintf("publish a TXT record for %s that lists your mail server, such as v=spf1 mx -all", domain))
}

// record wants a TXT record that has a mark, and with it what follows there.
func (d *doctor) record(ctx context.Context, what, name, mark, follows, remedy string) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	texts, err := d.txt(ctx, name)
	lost, isDNS := errors.AsType[*net.DNSError](err)
	if err != nil && (!isDNS || !lost.IsNotFound) {
		d.say(what, warning, "look it up where the DNS answers", "the DNS does not answer for %s", name)
		return
	}
	for _, text := range texts {
		flat := strings.Join(strings.Fields(text), "")
		if _, rest, found := strings.Cut(strings.ToLower(flat), mark); found && follows == "" && rest != "" {
			d.say(what, fine, "", "%s has a record", name)
			return
		}
		if follows != "" && strings.Contains(flat+";", mark+follows+";") {
			d.say(what, fine, "", "%s has the key", name)
			return
		}
	}
	if follows != "" && len(texts) > 0 {
		d.say(what, faulty, remedy, "%s has another key than the one that signs, so every signature is wrong", name)
		return
	}
	d.say(what, faulty, remedy, "%s has no record", name)
}
