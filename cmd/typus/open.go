package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
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
	applied  []string // migrations that opening ran
}

// work makes a command's RunE: it opens the installation, does the work and
// closes it again.
func (a *app) work(do func(c *cobra.Command, s *site) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, _ []string) error {
		settings, err := loadSettings(c.Flags(), a.environ)
		if err != nil {
			return err
		}
		s, err := openSite(c.Context(), settings, openBeside)
		if err != nil {
			return err
		}
		return errors.Join(do(c, s), s.store.Close())
	}
}

// opening says what openSite does with an empty or older database.
type opening int

const (
	openBeside  opening = iota // bring the schema up if need be; a server may run beside
	openToServe                // bring it up, as the one server or migrator of an SQLite file
	openAsIs                   // as the one server, and leave the schema alone
)

func openSite(ctx context.Context, settings settings, how opening) (*site, error) {
	s := &site{settings: settings}
	if !settings.postgres() {
		if err := os.MkdirAll(filepath.Dir(settings.Database), 0o700); err != nil {
			return nil, typus.Errorf(typus.Invalid, "the directory of the database cannot be made").WithCause(err)
		}
	}
	var err error
	if s.store, err = store.Open(ctx, settings.Database); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, how); err != nil {
		return nil, errors.Join(err, s.store.Close())
	}
	return s, nil
}

func (s *site) prepare(ctx context.Context, how opening) error {
	if err := s.prepareSchema(ctx, how); err != nil {
		return err
	}
	secret, err := s.settings.secret()
	if err != nil {
		return err
	}
	if s.box, err = seal.New(secret); err != nil {
		return err
	}
	if err := checkSecret(ctx, s.store, s.box); err != nil {
		return err
	}
	s.guard = webhook.NewGuard(s.settings.policy())
	s.steps = assess.New(assess.Options{
		Store: s.store, Box: s.box, Instrument: instrument.Own(), Guard: s.guard, BaseURL: s.settings.BaseURL,
	})
	return nil
}

// prepareSchema migrates where that is asked for, and beside a running server
// only if there is something to migrate and the server lets go of the file.
func (s *site) prepareSchema(ctx context.Context, how opening) error {
	outdated := s.store.CheckSchema(ctx)
	if how == openBeside && outdated == nil {
		return nil
	}
	if err := s.store.Lock(); err != nil {
		return err
	}
	if how == openAsIs {
		return outdated
	}
	var err error
	s.applied, err = s.store.Migrate(ctx)
	return err
}

// secret is the server's key. With SQLite it is made once, beside the database,
// readable by its owner only.
func (s *settings) secret() ([]byte, error) {
	if s.SecretKey != "" {
		return []byte(s.SecretKey), nil
	}
	path := filepath.Join(filepath.Dir(s.Database), "secret.key")
	if err := makeSecret(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, typus.Errorf(typus.Internal, "the secret key cannot be made at %s", path).WithCause(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, typus.Errorf(typus.Internal, "the secret key at %s cannot be read", path).WithCause(err)
	}
	return []byte(strings.TrimSpace(string(text))), nil
}

// makeSecret writes a new key under a name of its own and links it into place,
// so that a crash leaves no half key and of two processes one wins.
func makeSecret(path string) error {
	if _, err := os.Stat(path); err == nil {
		return fs.ErrExist
	}
	f, err := os.CreateTemp(filepath.Dir(path), "secret-*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	raw := make([]byte, 32)
	rand.Read(raw)
	_, err = f.WriteString(base64.RawURLEncoding.EncodeToString(raw) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path)
}

const secretMark = "secret_key_check"

// checkSecret refuses a key that does not open what this database holds. The
// first key ever used leaves the mark.
func checkSecret(ctx context.Context, st *store.Store, box *seal.Box) error {
	mark, err := st.Mark(ctx, secretMark)
	if err != nil {
		return err
	}
	if mark == nil {
		err = st.InTx(ctx, func(tx *store.Tx) error {
			var err error
			mark, err = tx.SetMark(ctx, secretMark, box.Seal([]byte(secretMark), secretMark))
			return err
		})
		if err != nil {
			return err
		}
	}
	if _, err := box.Open(mark, secretMark); err != nil {
		return typus.Errorf(typus.Invalid, "TYPUS_SECRET_KEY is not the key this database was made with").WithCause(err)
	}
	return nil
}
