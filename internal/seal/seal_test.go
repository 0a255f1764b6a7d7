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
