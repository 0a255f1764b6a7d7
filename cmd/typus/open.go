package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/backup"
	"typus/internal/db"
	"typus/internal/instrument"
	"typus/internal/sandbox"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/webhook"
)

// site is an open installation: its settings, its database, and the steps on
// them. It works beside a running server.
type site struct {
	settings settings
	store    *store.Store
	box      *seal.Box
	guard    *webhook.Guard
	steps    *assess.Steps
	sandbox  *sandbox.Steps
	access   *access.Steps
	accounts *accounts.Steps
	applied  []string     // migrations that opening ran
	metrics  net.Listener // nil: nobody asks for metrics
}

// work makes a command's RunE: it opens the installation, does the work and
// closes it again.
func (a *app) work(do func(c *cobra.Command, s *site) error) func(*cobra.Command, []string) error {
	return a.workOn(openBeside, do)
}

func (a *app) workOn(how opening, do func(c *cobra.Command, s *site) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, _ []string) error {
		settings, err := loadSettings(c.Flags(), a.environ)
		if err != nil {
			return err
		}
		s, err := openSite(c.Context(), settings, how)
		if err != nil {
			return err
		}
		return errors.Join(do(c, s), s.store.Close())
	}
}

// opening says how openSite treats the schema.
type opening int

const (
	openBeside    opening = iota // a server may run: the database must be there, an older schema is refused
	openToBegin                  // the same, but a new installation may begin with it
	openToMigrate                // bring the schema up, as the one user of an SQLite file; beside a server, if there is nothing to bring up
	openToServe                  // bring the schema up, as the one server of an SQLite file
	openAsIs                     // as the one server, and leave the schema alone
	openLost                     // as the one server, and ask of no key whether it opens anything
	openToLook                   // beside a server, and leave nothing in the database
)

func openSite(ctx context.Context, settings settings, how opening) (*site, error) {
	if how == openBeside || how == openLost || how == openToLook {
		if err := settings.there(); err != nil {
			return nil, err
		}
	}
	st, err := store.Open(ctx, settings.Database)
	if err != nil {
		return nil, orHandOver(err, settings, how)
	}
	s := &site{settings: settings, store: st}
	if err := s.prepare(ctx, how); err != nil {
		return nil, errors.Join(orHandOver(err, settings, how), st.Close())
	}
	return s, nil
}

// there refuses an SQLite file that is not there. What else is wrong, the store says.
func (s *settings) there() error {
	if s.postgres() {
		return nil
	}
	if _, err := os.Stat(s.Database); errors.Is(err, fs.ErrNotExist) {
		return typus.Errorf(typus.Conflict, "there is no database at %s; set TYPUS_DATABASE, or begin with typus serve or typus account create", s.Database)
	}
	return nil
}

// orHandOver adds a second remedy to the error that files belong to another user, for
// servers only. A command that is run as the wrong user must not take the files from
// the server's user.
func orHandOver(err error, settings settings, how opening) error {
	if how != openToServe && how != openAsIs || settings.postgres() || !typus.Is(err, typus.Forbidden) {
		return err
	}
	if more := db.HandOver(settings.Database); more != "" {
		return typus.Errorf(typus.Forbidden, "%s; %s", message(err), more).WithCause(err)
	}
	return err
}

func (s *site) prepare(ctx context.Context, how opening) error {
	if err := s.prepareSchema(ctx, how); err != nil {
		return err
	}
	if how == openLost {
		if err := s.alone(ctx); err != nil {
			return err
		}
		if _, err := s.readKeys(ctx); err != nil {
			return err
		}
	} else if err := s.unseal(ctx, how == openToLook); err != nil {
		return err
	}
	if err := s.standWhereTheServerStands(ctx, how); err != nil {
		return err
	}
	s.guard = webhook.NewGuard(s.settings.policy())
	s.steps = assess.New(assess.Options{
		Store: s.store, Box: s.box, Instrument: instrument.Own(), BaseURL: s.settings.BaseURL,
	})
	s.sandbox = sandbox.New(sandbox.Options{Store: s.store, Assess: s.steps, Box: s.box})
	s.accounts = accounts.New(accounts.Options{Store: s.store, Box: s.box, Instrument: instrument.Own(), Guard: s.guard, BaseURL: s.settings.BaseURL, HeaderPrefix: s.settings.WebhookHeaderPrefix})
	s.access = access.New(access.Options{Store: s.store, Box: s.box, Instrument: instrument.Own(), BaseURL: s.settings.BaseURL})
	return nil
}

func (s *site) prepareSchema(ctx context.Context, how opening) error {
	if how != openBeside && how != openToBegin && how != openToLook {
		if err := s.store.Lock(); how == openToMigrate && typus.Is(err, typus.Conflict) && s.store.CheckSchema(ctx) == nil {
			return nil
		} else if err != nil {
			return err
		}
	}
	fresh, err := s.store.Fresh(ctx)
	if err != nil {
		return err
	}
	if how == openToServe || how == openToMigrate || how == openToBegin && fresh {
		s.applied, err = s.store.Migrate(ctx)
		return err
	}
	return s.store.CheckSchema(ctx)
}

// What serve leaves in the database: where it stands, and whether strangers may make
// accounts.
const (
	servingMark = "serving"
	signUpMark  = "sign-up"
)

// standWhereTheServerStands gives a command the same links, webhook guard and plan of
// new accounts as the server. serve leaves its address, its base URL and whether
// sign-up is open in the database. A command takes from there what it is not told.
func (s *site) standWhereTheServerStands(ctx context.Context, how opening) error {
	if how == openToServe || how == openAsIs {
		return s.store.InTx(ctx, func(tx *store.Tx) error {
			if err := tx.ReplaceMark(ctx, signUpMark, []byte(s.settings.SignUp)); err != nil {
				return err
			}
			return tx.ReplaceMark(ctx, servingMark, []byte(s.settings.Addr+" "+s.settings.BaseURL))
		})
	}
	if err := s.signUpAsTheServer(ctx); err != nil {
		return err
	}
	mark, err := s.store.Mark(ctx, servingMark)
	if err != nil || mark == nil {
		return err
	}
	addr, base, _ := strings.Cut(string(mark), " ")
	return s.settings.place(addr, base)
}

func (s *site) signUpAsTheServer(ctx context.Context) error {
	mark, err := s.store.Mark(ctx, signUpMark)
	if err == nil && mark != nil && !s.settings.signUpGiven {
		s.settings.SignUp = string(mark)
	}
	return err
}

const secretMark = backup.SecretMark

// unseal reads the server's keys, and refuses those that do not open what this database
// holds: each key that was ever sealed with has left a mark to check against. Unless the
// database is only to be looked at, the key that seals from now on leaves its own.
func (s *site) unseal(ctx context.Context, look bool) error {
	marks, err := s.readKeys(ctx)
	if err != nil {
		return err
	}
	if marks[secretMark] == nil && !look {
		err = s.store.InTx(ctx, func(tx *store.Tx) error {
			var err error
			marks[secretMark], err = tx.SetMark(ctx, secretMark, s.box.Seal([]byte(secretMark), secretMark))
			return err
		})
		if err != nil {
			return err
		}
	}
	ours := false
	for name, mark := range marks {
		if _, err := s.box.Open(mark, secretMark); err != nil {
			return s.refuseKey(marks, name, err)
		}
		ours = ours || seal.KeyIDOf(mark) == s.box.KeyID()
	}
	if ours || look {
		return nil
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		_, err := tx.SetMark(ctx, backup.SecretMarkOf(s.box.KeyID()), s.box.Seal([]byte(secretMark), secretMark))
		return err
	})
}

// alone refuses to make anything anew beside servers: they go on sealing with the key that
// they have, which may be the one that is missed.
func (s *site) alone(ctx context.Context) error {
	err := s.store.Alone(ctx)
	if typus.Is(err, typus.Conflict) {
		return typus.Errorf(typus.Conflict, "%s; before that, look among its settings (on Linux /proc/PID/environ) for the key that is missing, with which it may be running", message(err)).WithCause(err)
	}
	return err
}

// readKeys reads the server's keys, and the marks of those that this database was sealed with.
func (s *site) readKeys(ctx context.Context) (map[string][]byte, error) {
	marks, err := s.store.Marks(ctx, secretMark)
	if err != nil {
		return nil, err
	}
	secret, err := s.settings.secret(len(marks) > 0, ofFingerprint(marks))
	if err != nil {
		return nil, err
	}
	s.box, err = s.settings.boxOf(secret)
	return marks, err
}

// refuseKey says that the keys do not open the mark of this name.
func (s *site) refuseKey(marks map[string][]byte, name string, cause error) error {
	opens := slices.ContainsFunc(slices.Collect(maps.Values(marks)), func(mark []byte) bool { return s.box.Knows(seal.KeyIDOf(mark)) })
	if !opens {
		return typus.Errorf(typus.Invalid, "%s is not the key this database was made with%s; %s", s.settings.keySource(), ofFingerprint(marks), s.settings.keyRemedy()).WithCause(cause)
	}
	return typus.Errorf(typus.Invalid, "this database also holds values under the secret key of the fingerprint %s, which is not given; set it as TYPUS_OTHER_SECRET_KEY until typus secret rotate says that it is no longer needed, or, if nobody has it any more, run typus secret lost", seal.KeyIDOf(marks[name])).WithCause(cause)
}

// ofFingerprint says which keys left the marks, so that somebody who has several finds the
// right one; nothing if there are none.
func ofFingerprint(marks map[string][]byte) string {
	ids := map[string]bool{}
	for _, mark := range marks {
		ids[seal.KeyIDOf(mark)] = true
	}
	if len(ids) == 0 {
		return ""
	}
	return " (fingerprint " + strings.Join(slices.Sorted(maps.Keys(ids)), ", ") + ")"
}

// boxOf is what seals with a secret and opens with the other key too.
func (s *settings) boxOf(secret []byte) (*seal.Box, error) {
	if _, err := seal.New(secret); err != nil {
		return nil, typus.Errorf(typus.Invalid, "%s is no key: %s; put the one in it that was backed up with the database", s.keySource(), message(err)).WithCause(err)
	}
	if s.OtherSecretKey == "" {
		return seal.New(secret)
	}
	box, err := seal.New(secret, []byte(s.OtherSecretKey))
	if err != nil {
		return nil, typus.Errorf(typus.Invalid, "TYPUS_OTHER_SECRET_KEY is no key: %s", message(err)).WithCause(err)
	}
	return box, nil
}

// secret is the server's key. With SQLite it is made once, beside the new database,
// readable by its owner only. It is never made beside a database that was sealed with
// another key. Invalid: it is missing; which says which one that is, if that is known.
func (s *settings) secret(sealed bool, which string) ([]byte, error) {
	if s.SecretKey != "" {
		return []byte(s.SecretKey), nil
	}
	path := s.secretFile()
	if !sealed {
		if err := makeSecret(path); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, db.Refused(path, err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, db.Refused(path, err)
	}
	if err != nil {
		return nil, typus.Errorf(typus.Invalid, "the secret key this database was made with%s is missing at %s; put it back or set TYPUS_SECRET_KEY", which, path).WithCause(err)
	}
	return []byte(strings.TrimSpace(string(text))), nil
}

// keySource is where the secret key was read.
func (s *settings) keySource() string {
	if s.SecretKey == "" {
		return "the secret key in " + s.secretFile()
	}
	return "the secret key in " + s.keyFrom
}

// keyRemedy says where the right key may be: a key beside the database is not used
// while another one is given.
func (s *settings) keyRemedy() string {
	if _, err := os.Stat(s.secretFile()); err == nil && s.SecretKey != "" && !s.postgres() {
		return "leave it out, and the one in " + s.secretFile() + " is used; or give the one that was backed up with the database"
	}
	return "give the one that was backed up with the database"
}

func (s *settings) secretFile() string { return filepath.Join(filepath.Dir(s.Database), "secret.key") }

// makeSecret writes a new key to a temporary file and links it into place, so that a
// crash leaves no half key and one of two processes wins. The file and its directory
// are synced first, because nothing may be sealed with a key that could be lost.
func makeSecret(path string) error {
	if _, err := os.Stat(path); err == nil {
		return fs.ErrExist
	}
	f, err := os.CreateTemp(filepath.Dir(path), "secret-*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // linked or not, its own name is not needed any more
	raw := make([]byte, 32)
	rand.Read(raw)
	_, err = f.WriteString(base64.RawURLEncoding.EncodeToString(raw) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil {
		return err
	}
	return backup.SyncDir(filepath.Dir(path))
}
