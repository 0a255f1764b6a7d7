package rekey_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/auth"
	"typus/internal/backup"
	"typus/internal/mail"
	"typus/internal/rekey"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/waittest"
	"typus/internal/webhook"
	"typus/internal/worldtest"
)

var (
	formerSecret = []byte(strings.Repeat("k", 32)) // that of worldtest
	nextSecret   = []byte(strings.Repeat("n", 32))
)

func box(t *testing.T, secret []byte, others ...[]byte) *seal.Box {
	t.Helper()
	b, err := seal.New(secret, others...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// filled is a world that has something in every sealed column, by the steps that users and
// candidates take.
type filled struct {
	*worldtest.World
	candidate int64
	user      typus.User
	endpoint  int64
	secret    string
	profile   int64
	seed      string
}

func fill(t *testing.T, s *store.Store) *filled {
	t.Helper()
	f := &filled{World: worldtest.New(t, s, worldtest.Options{})}
	f.Must(s.InTx(f.Ctx, func(tx *store.Tx) error {
		_, err := tx.SetMark(f.Ctx, backup.SecretMark, f.Box.Seal([]byte(backup.SecretMark), backup.SecretMark))
		if err != nil {
			return err
		}
		return tx.ReplaceMark(f.Ctx, rekey.ReachMark, f.Box.Seal([]byte("reach"), rekey.ReachMark))
	}))
	invited, _, err := f.Assess.Invite(f.Ctx, f.Account, assess.Invitation{Name: "Aylin Öztürk", Email: "aylin@example.com", SendEmail: true}, nil)
	f.Must(err)
	f.candidate = invited.Candidate.ID
	f.Must(f.Assess.SendOwnCode(f.Ctx, f.token(), "", "192.0.2.1"))
	id, _, err := f.Access.CreateUser(f.Ctx, typus.User{AccountID: f.Account, Email: "ada@example.com", Role: typus.RoleOwner}, new("a long password of ada"), typus.ActorOperator)
	f.Must(err)
	f.user, err = s.User(f.Ctx, f.Account, id)
	f.Must(err)
	ada := typus.Actor{Name: f.user.Email, UserID: id}
	f.seed = auth.NewTOTPSeed()
	f.Must(s.InTx(f.Ctx, func(tx *store.Tx) error {
		if err := tx.SetTOTP(f.Ctx, f.Account, id, f.Box.Seal([]byte(f.seed), access.TOTPPlace(id))); err != nil {
			return err
		}
		return tx.ConfirmTOTP(f.Ctx, f.Account, id, f.Now())
	}))
	_, err = f.Access.InviteUser(f.Ctx, typus.User{AccountID: f.Account, Email: "bo@example.com", Role: typus.RoleMember}, ada)
	f.Must(err)
	f.endpoint, f.secret, err = f.Accounts.AddEndpoint(f.Ctx, f.Account, accounts.EndpointForm{URL: "https://hooks.example.com/a", Header: webhook.Header{Name: "X-Own", Value: "of the customer"}}, ada)
	f.Must(err)
	_, _, err = f.Accounts.RotateSecret(f.Ctx, f.Account, f.endpoint, ada)
	f.Must(err)
	f.profile, err = f.Accounts.BeginRole(f.Ctx, f.Account, "hunter", "Innendienst", []accounts.Expert{{Name: "A"}, {Name: "B"}, {Name: "C"}}, "de", ada)
	f.Must(err)
	f.Must(f.Accounts.KeepPublicLink(f.Ctx, store.WholeAccount(f.Account), 0, ada, func(l *typus.PublicLink) bool {
		l.Most = 5
		return true
	}))
	sender := typus.Sender{AccountID: f.Account, Address: "jobs@example.com", DKIMDomain: "example.com", DKIMSelector: "typus"}
	sender.SealedKey = f.Box.Seal([]byte("private"), sender.KeyAAD())
	f.Must(s.InTx(f.Ctx, func(tx *store.Tx) error { return tx.SetSender(f.Ctx, sender) }))
	f.keep()
	return f
}

// keep has a letter of a test world kept, as the courier does it.
func (f *filled) keep() {
	f.Helper()
	world := f.Sandbox(0)
	_, _, err := world.Assess.Invite(f.Ctx, world.Account, assess.Invitation{Name: "Wer", Email: "wer@example.com", SendEmail: true}, nil)
	f.Must(err)
	letters, err := f.Store.ClaimLetters(f.Ctx, store.Claim{Owner: "o", Lease: time.Hour, Limit: 1, Kept: true})
	f.Must(err)
	if len(letters) != 1 {
		f.Fatalf("letters of the test world: %+v", letters)
	}
	k := typus.KeptLetter{AccountID: world.Account, LetterID: letters[0].ID}
	_, err = f.Store.KeepLetter(f.Ctx, "o", letters[0], f.Box.Seal([]byte("kept"), k.AAD()), false)
	f.Must(err)
}

func (f *filled) token() string {
	f.Helper()
	c, err := f.Store.Candidate(f.Ctx, f.Account, f.candidate)
	f.Must(err)
	token, err := f.Box.Open(c.SealedToken, c.TokenAAD())
	f.Must(err)
	return string(token)
}

// letters adds some that bring a token.
func (f *filled) letters(n int) {
	f.Helper()
	f.Must(f.Store.InTx(f.Ctx, func(tx *store.Tx) error {
		for i := range n {
			l := typus.Letter{AccountID: f.Account, UserID: f.user.ID, Kind: typus.LetterPasswordReset, Language: "de", To: "ada@example.com", CreatedAt: f.Now()}
			l.Detail = f.Box.Seal(fmt.Appendf(nil, "token %d", i), l.DetailAAD())
			if _, err := tx.AddLetter(f.Ctx, l); err != nil {
				return err
			}
		}
		return nil
	}))
}

// with is the world with another key.
func (f *filled) with(b *seal.Box) *filled {
	other := *f
	world := *f.World
	world.Box = b
	world.On(f.Store)
	other.World = &world
	return &other
}

// works tries everything that needs a sealed value.
func (f *filled) works(token string) {
	f.Helper()
	if f.token() != token {
		f.Error("the candidate's link is another one")
	}
	shown, err := f.Accounts.ShowSecrets(f.Ctx, f.Account, f.endpoint, typus.Actor{Name: f.user.Email, UserID: f.user.ID})
	f.Must(err)
	if shown[typus.SecretCurrent] != f.secret || shown[typus.SecretNext] == "" {
		f.Errorf("the webhook's secrets are %v", shown)
	}
	e, err := f.Store.Endpoint(f.Ctx, f.Account, f.endpoint)
	f.Must(err)
	if h, err := f.Accounts.OwnHeader(e); err != nil || h.Value != "of the customer" {
		f.Errorf("the own header is %v, %v", h, err)
	}
	c, err := f.Store.Credentials(f.Ctx, f.Account, f.user.ID)
	f.Must(err)
	if seed, err := f.Box.Open(c.SealedTOTP, access.TOTPPlace(f.user.ID)); err != nil || string(seed) != f.seed {
		f.Errorf("the second factor: %v", err)
	}
}

func look(t *testing.T, s *store.Store) rekey.Count {
	t.Helper()
	c, err := rekey.Look(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func quiet(string, int) {}

// A column whose place rekey got wrong would be counted as damaged.
func TestEverythingIsSealedAnewAndOpens(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		f := fill(t, s)
		token := f.token()
		both, next := box(t, nextSecret, formerSecret), box(t, nextSecret)
		before := look(t, s)
		for _, column := range store.SealedColumns() {
			if before.Columns[string(column)][f.Box.KeyID()] == 0 {
				t.Errorf("nothing is sealed in %s", column)
			}
		}
		if n := before.Outside(f.Box.KeyID()); n != 0 {
			t.Errorf("%d values lie under other keys: %v", n, before)
		}
		f.with(both).works(token)
		turned, err := rekey.Rotate(t.Context(), s, both, quiet)
		f.Must(err)
		if !turned.Done || turned.Damaged != 0 || turned.Sealed != before.Keys[f.Box.KeyID()] {
			t.Errorf("turned %+v, of %v", turned, before)
		}
		f.with(next).works(token)
		if after := look(t, s); after.Outside(next.KeyID()) != 0 || after.Keys[next.KeyID()] != turned.Sealed {
			t.Errorf("after it %v", after)
		}
		keys, err := backup.KeysOf(t.Context(), s)
		f.Must(err)
		if len(keys) != 1 || keys[0] != next.KeyID() {
			t.Errorf("the database knows the keys %v", keys)
		}
		again, err := rekey.Rotate(t.Context(), s, both, quiet)
		f.Must(err)
		if !again.Done || again.Sealed != 0 {
			t.Errorf("once more: %+v", again)
		}
	})
}

func TestARotationThatIsCutOffGoesOnAfterWhatItHasStored(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		f := fill(t, s)
		f.letters(1100)
		token, all := f.token(), look(t, s).Keys[f.Box.KeyID()]
		both := box(t, nextSecret, formerSecret)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		said := 0
		_, err := rekey.Rotate(ctx, s, both, func(column string, sealed int) {
			if column == string(store.SealedDetails) {
				said = sealed
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || said == 0 || said > 500 {
			t.Fatalf("cut off after %d: %v", said, err)
		}
		middle := look(t, s)
		if n := middle.Columns[string(store.SealedDetails)][both.KeyID()]; n != said || middle.Keys[f.Box.KeyID()] == 0 || middle.Keys[f.Box.KeyID()]+middle.Keys[both.KeyID()] != all {
			t.Errorf("in the middle %v, of %d", middle, all)
		}
		f.with(both).works(token)
		turned, err := rekey.Rotate(t.Context(), s, both, quiet)
		f.Must(err)
		if !turned.Done || turned.Sealed != middle.Keys[f.Box.KeyID()] {
			t.Errorf("the rest: %+v", turned)
		}
		f.with(box(t, nextSecret)).works(token)
	})
}

// A server that was not given the new key goes on sealing with the former one.
func TestItIsNotDoneWhileAServerSealsWithTheFormerKey(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		f := fill(t, s)
		both := box(t, nextSecret, formerSecret)
		turned, err := rekey.Rotate(t.Context(), s, both, func(column string, _ int) {
			if column == string(store.SealedFactors) {
				sealed := f.Box.Seal([]byte("written meanwhile"), access.TOTPPlace(f.user.ID))
				f.Must(s.InTx(f.Ctx, func(tx *store.Tx) error { return tx.SetTOTP(f.Ctx, f.Account, f.user.ID, sealed) }))
			}
		})
		f.Must(err)
		if turned.Done {
			t.Error("said to be done while a server seals with the former key")
		}
		c, err := s.Credentials(t.Context(), f.Account, f.user.ID)
		f.Must(err)
		if plain, err := both.Open(c.SealedTOTP, access.TOTPPlace(f.user.ID)); err != nil || string(plain) != "written meanwhile" {
			t.Errorf("what the server has written is %q, %v", plain, err)
		}
	})
}

func TestWhatNoKeyOpensIsCountedAndLeft(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		f := fill(t, s)
		foreign := box(t, []byte(strings.Repeat("f", 32)))
		lost := foreign.Seal([]byte("x"), access.TOTPPlace(f.user.ID))
		f.Must(s.InTx(f.Ctx, func(tx *store.Tx) error { return tx.SetTOTP(f.Ctx, f.Account, f.user.ID, lost) }))
		f.Must(s.InTx(f.Ctx, func(tx *store.Tx) error {
			return tx.SetStaticHeader(f.Ctx, f.Account, f.endpoint, f.Box.Seal([]byte("x"), "elsewhere"))
		}))
		turned, err := rekey.Rotate(t.Context(), s, box(t, nextSecret, formerSecret), quiet)
		f.Must(err)
		if turned.Done || turned.Damaged != 1 || turned.Left.Keys[foreign.KeyID()] != 1 || turned.Left.Keys[f.Box.KeyID()] != 1 {
			t.Errorf("turned %+v", turned)
		}
		c, err := s.Credentials(t.Context(), f.Account, f.user.ID)
		f.Must(err)
		if !bytes.Equal(c.SealedTOTP, lost) {
			t.Error("what no key opens was changed")
		}
		keys, err := backup.KeysOf(t.Context(), s)
		f.Must(err)
		if keys[0] != f.Box.KeyID() {
			t.Errorf("the database forgot its former key: %v", keys)
		}
	})
}

// A key is lost while something lies in every column. What every column holds afterwards can
// be opened, but the keys of senders are gone: they are published elsewhere.
func TestWhatIsLostWithAKeyIsMadeAnew(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		f := fill(t, s)
		token, public := f.token(), f.address(f.Box)
		next := box(t, nextSecret)
		candidate, err := s.Candidate(t.Context(), f.Account, f.candidate)
		f.Must(err)
		credentials, err := s.Credentials(t.Context(), f.Account, f.user.ID)
		f.Must(err)
		r, err := rekey.Replace(t.Context(), s, next, f.Now())
		f.Must(err)
		if r.Left.Outside(next.KeyID()) != 0 || r.Open != 2 { // one in the test world
			t.Errorf("replaced %+v", r)
		}
		sender, found, err := s.Sender(t.Context(), f.Account)
		f.Must(err)
		if want := (typus.Sender{AccountID: f.Account, Address: "jobs@example.com"}); !found || !reflect.DeepEqual(sender, want) {
			t.Errorf("the sender: %+v, want %+v", sender, want)
		}
		now := f.with(next)
		if now.token() == token || now.address(next) == public {
			t.Error("a link is the former one")
		}
		if _, err := s.CandidateByToken(t.Context(), auth.Hash(token)); !typus.Is(err, typus.NotFound) {
			t.Errorf("the former link: %v", err)
		}
		e, err := s.Endpoint(t.Context(), f.Account, f.endpoint)
		f.Must(err)
		if h, err := now.Accounts.OwnHeader(e); err != nil || h.Name != "" || e.Status != typus.EndpointPaused || e.DisabledReason == "" {
			t.Errorf("the own header: %v, %v, %s %s", h, err, e.Status, e.DisabledReason)
		}
		c, err := s.Credentials(t.Context(), f.Account, f.user.ID)
		f.Must(err)
		if seed, err := next.Open(c.SealedTOTP, access.TOTPPlace(f.user.ID)); err != nil || string(seed) == f.seed || !c.HasTOTP {
			t.Errorf("the second factor: %v, asked for: %t", err, c.HasTOTP)
		}
		c.SealedTOTP = credentials.SealedTOTP
		if !reflect.DeepEqual(c, credentials) {
			t.Errorf("the user was %+v, and is %+v", credentials, c)
		}
		person, err := s.Candidate(t.Context(), f.Account, f.candidate)
		f.Must(err)
		person.TokenHash, person.SealedToken = candidate.TokenHash, candidate.SealedToken
		if !reflect.DeepEqual(person, candidate) {
			t.Errorf("the candidate was %+v, and is %+v", candidate, person)
		}
		rows, err := s.SealedPage(t.Context(), store.SealedLetters, 0, 10)
		f.Must(err)
		packed, err := next.Open(rows[0].Value, typus.KeptLetter{AccountID: rows[0].AccountID, LetterID: rows[0].Of}.AAD())
		f.Must(err)
		if m, err := mail.Unpack(packed); err != nil || m.To != "wer@example.com" || !strings.Contains(m.Text, "lost with the secret key") {
			t.Errorf("the kept letter: %+v, %v", m, err)
		}
		damaged := bytes.Clone(rows[0].Value)
		damaged[len(damaged)-1] ^= 1
		f.Must(s.InTx(t.Context(), func(tx *store.Tx) error {
			_, err := tx.SetSealed(t.Context(), store.SealedLetters, rows[0], damaged, next.KeyID())
			return err
		}))
		again, err := rekey.Replace(t.Context(), s, next, f.Now())
		f.Must(err)
		for column, n := range again.Columns {
			if n != 0 {
				t.Errorf("once more, %d of %s are replaced", n, column)
			}
		}
	})
}

// A server may have started since somebody looked. Then nothing is made anew, and the database
// names the next key only if an earlier call has left its mark.
func TestNothingIsMadeAnewBesideAServer(t *testing.T) {
	dsn := storetest.Postgres(t)
	s, server := storetest.Open(t, dsn), storetest.Open(t, dsn)
	f := fill(t, s)
	next := box(t, nextSecret)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	heard, ended := make(chan struct{}, 10), make(chan struct{})
	go func() {
		server.Listen(ctx, func() { heard <- struct{}{} })
		close(ended)
	}()
	<-heard
	name := backup.SecretMarkOf(next.KeyID())
	for _, left := range []bool{false, true} {
		if left {
			f.Must(s.InTx(t.Context(), func(tx *store.Tx) error {
				_, err := tx.SetMark(t.Context(), name, next.Seal([]byte(backup.SecretMark), backup.SecretMark))
				return err
			}))
		}
		if _, err := rekey.Replace(t.Context(), s, next, f.Now()); !typus.Is(err, typus.Conflict) {
			t.Fatalf("beside a server: %v", err)
		}
		mark, err := s.Mark(t.Context(), name)
		f.Must(err)
		if (mark != nil) != left {
			t.Errorf("the mark of the next key was there before: %t, and is now: %t", left, mark != nil)
		}
	}
	count, err := rekey.Look(t.Context(), s)
	f.Must(err)
	if n := count.Keys[next.KeyID()]; n != 0 {
		t.Errorf("%d values are new", n)
	}
	stop()
	<-ended
	waittest.Until(t, "the other server is gone", func() bool { return !typus.Is(s.Alone(t.Context()), typus.Conflict) })
	if _, err := rekey.Replace(t.Context(), s, next, f.Now()); err != nil {
		t.Errorf("after its end: %v", err)
	}
}

// What breaks off at any statement, and is run again, ends as if nothing had happened. Whenever
// something lies under the next key, the database says so: a server with the former key alone
// must not go on with half of it.
func TestALostKeyThatIsReplacedInPiecesEndsWhole(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		f := fill(t, s)
		next := box(t, nextSecret)
		for at := 1; ; at += 3 {
			n := 0
			_, err := rekey.Replace(t.Context(), s.Watched(func(string) error {
				if n++; n == at {
					return typus.Errorf(typus.Unavailable, "broken off")
				}
				return nil
			}), next, f.Now())
			keys, keysErr := backup.KeysOf(t.Context(), s)
			count, countErr := rekey.Look(t.Context(), s)
			f.Must(errors.Join(keysErr, countErr))
			if count.Keys[next.KeyID()] > 0 && !slices.Contains(keys, next.KeyID()) {
				t.Fatalf("broken off at %d: values lie under a key that the database does not name: %v", at, keys)
			}
			if err == nil {
				if at == 1 || count.Outside(next.KeyID()) > 0 || !slices.Equal(keys, []string{next.KeyID()}) {
					t.Errorf("done after %d statements: %+v, keys %v", at, count, keys)
				}
				break
			}
			if !typus.Is(err, typus.Unavailable) {
				t.Fatal(err)
			}
		}
		log, err := s.Audit(t.Context(), f.Account, 100)
		f.Must(err)
		said := map[string]int{}
		for _, e := range log {
			if e.Action == typus.AuditKeyLost {
				said[e.Detail]++
			}
		}
		for _, what := range []string{"links", "webhooks", "factors", "letters", "sender"} {
			if said[what] == 0 {
				t.Errorf("the log says %v, and nothing of %s", said, what)
			}
		}
	})
}

// address is that of the public link.
func (f *filled) address(b *seal.Box) string {
	f.Helper()
	rows, err := f.Store.SealedPage(f.Ctx, store.SealedPublicLinks, 0, 10)
	f.Must(err)
	token, err := b.Open(rows[0].Value, typus.PublicLink{TokenHash: rows[0].Hash}.TokenAAD())
	f.Must(err)
	return string(token)
}
