package seal_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"typus"
	"typus/internal/seal"
)

const secret = "a fictitious secret of 32+ bytes!!"

func box(t *testing.T, secret string) *seal.Box {
	t.Helper()
	b, err := seal.New([]byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestWhatIsSealedOpensAgain(t *testing.T) {
	for _, plain := range []string{"", "x", "Grüße 😀", strings.Repeat("long", 4096)} {
		sealed := box(t, secret).Seal([]byte(plain), "place")
		got, err := box(t, secret).Open(sealed, "place")
		if err != nil || string(got) != plain {
			t.Errorf("Open(Seal(%.10q)) = %.10q, %v", plain, got, err)
		}
	}
}

func TestSealedBytesHideThePlainTextAndNeverRepeat(t *testing.T) {
	b := box(t, secret)
	plain := []byte("whsec_visible-visible")
	first, second := b.Seal(plain, "p"), b.Seal(plain, "p")
	if bytes.Contains(first, plain[:8]) {
		t.Error("the plain text is readable in the sealed bytes")
	}
	if bytes.Equal(first, second) {
		t.Error("sealing twice gave the same bytes: the nonce is not random")
	}
}

func TestAnotherKeyIsNamedInTheError(t *testing.T) {
	mine, other := box(t, secret), box(t, secret+"2")
	_, err := other.Open(mine.Seal([]byte("x"), "p"), "p")
	if !errors.Is(err, seal.ErrOtherKey) {
		t.Fatalf("error = %v, want ErrOtherKey", err)
	}
	for _, id := range []string{mine.KeyID(), other.KeyID()} {
		if !strings.Contains(err.Error(), id) {
			t.Errorf("%q does not name the key %s", err, id)
		}
	}
	if mine.KeyID() == other.KeyID() || len(mine.KeyID()) != 8 {
		t.Errorf("key ids %s and %s: want two different ones of 8 digits", mine.KeyID(), other.KeyID())
	}
}

func TestASealedValueOpensOnlyInItsPlace(t *testing.T) {
	b := box(t, secret)
	_, err := b.Open(b.Seal([]byte("x"), "webhook_secret|1|1"), "webhook_secret|1|2")
	if !errors.Is(err, seal.ErrDamaged) {
		t.Fatalf("error = %v, want ErrDamaged", err)
	}
}

func TestEveryChangedOrMissingByteIsNoticed(t *testing.T) {
	b := box(t, secret)
	sealed := b.Seal([]byte("some secret"), "p")
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if _, err := b.Open(changed, "p"); err == nil {
			t.Errorf("byte %d changed and nobody noticed", i)
		}
		if _, err := b.Open(sealed[:i], "p"); err == nil {
			t.Errorf("cut to %d bytes and nobody noticed", i)
		}
	}
}

func TestAShortSecretIsRefused(t *testing.T) {
	_, err := seal.New([]byte(strings.Repeat("k", seal.MinSecret-1)))
	if err == nil || typus.KindOf(err) != typus.Invalid || !strings.Contains(err.Error(), "at least 32") {
		t.Fatalf("error = %v, want Invalid that says how long", err)
	}
}

func TestABoxOpensWithOtherKeysAndSealsWithItsOwn(t *testing.T) {
	former, next := box(t, secret), box(t, secret+"2")
	both, err := seal.New([]byte(secret+"2"), []byte(secret), []byte(secret+"2"))
	if err != nil {
		t.Fatal(err)
	}
	if got := both.KeyIDs(); len(got) != 2 || got[0] != next.KeyID() || got[1] != former.KeyID() || both.KeyID() != next.KeyID() {
		t.Errorf("keys %v, want %s and %s", got, next.KeyID(), former.KeyID())
	}
	for _, b := range []*seal.Box{former, next} {
		if plain, err := both.Open(b.Seal([]byte("x"), "p"), "p"); err != nil || string(plain) != "x" {
			t.Errorf("of %s: %q, %v", b.KeyID(), plain, err)
		}
		if !both.IsMark(b.Mark("123456", "p"), "123456", "p") || both.IsMark(b.Mark("123456", "p"), "123457", "p") {
			t.Errorf("a mark of %s is not told from others", b.KeyID())
		}
	}
	if _, err := both.Open(former.Seal([]byte("x"), "p"), "elsewhere"); !errors.Is(err, seal.ErrDamaged) {
		t.Errorf("of the former key in another place: %v", err)
	}
	sealed := both.Seal([]byte("x"), "p")
	if seal.KeyIDOf(sealed) != next.KeyID() || both.Mark("1", "p") != next.Mark("1", "p") {
		t.Error("it does not seal with its own key")
	}
	if _, err := former.Open(sealed, "p"); !errors.Is(err, seal.ErrOtherKey) {
		t.Errorf("the former key alone: %v", err)
	}
	if _, err := seal.New([]byte(secret), []byte("short")); err == nil || !typus.Is(err, typus.Invalid) {
		t.Errorf("a short other key: %v", err)
	}
}
