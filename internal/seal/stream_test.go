package seal_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"typus/internal/seal"
)

var streamSecret = bytes.Repeat([]byte("k"), 32)

func sealedStream(t *testing.T, plain []byte, label string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := seal.NewWriter(&out, streamSecret, []byte(label))
	if err != nil {
		t.Fatal(err)
	}
	for part := range bytes.Lines(plain) {
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func openedStream(sealed, secret []byte, label string) ([]byte, error) {
	r, err := seal.NewReader(bytes.NewReader(sealed), secret, []byte(label))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Whatever its length, a stream comes out as it went in, and with nothing changed only.
func TestAStreamOpensWholeOrNotAtAll(t *testing.T) {
	const chunk, overhead = 64 << 10, 16
	for _, n := range []int{0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 3*chunk + 7} {
		plain := bytes.Repeat([]byte("ein Satz\n"), n/9+1)[:n]
		sealed := sealedStream(t, plain, "salt")
		if bytes.Contains(sealed, []byte("Satz")) {
			t.Errorf("%d bytes can be read", n)
		}
		if got, err := openedStream(sealed, streamSecret, "salt"); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%d bytes: got %d, %v", n, len(got), err)
		}
		refused := func(what string, sealed, secret []byte, label string) {
			t.Helper()
			if _, err := openedStream(sealed, secret, label); !errors.Is(err, seal.ErrCut) {
				t.Errorf("%d bytes, %s: %v", n, what, err)
			}
		}
		refused("another key", sealed, bytes.Repeat([]byte("x"), 32), "salt")
		refused("another label", sealed, streamSecret, "other")
		refused("empty", nil, streamSecret, "salt")
		refused("cut off", sealed[:len(sealed)-1], streamSecret, "salt")
		refused("longer", append(bytes.Clone(sealed), 0), streamSecret, "salt")
		for at := 0; at < len(sealed); at += 4099 {
			changed := bytes.Clone(sealed)
			changed[at] ^= 1
			refused("a bit", changed, streamSecret, "salt")
		}
		if n > 2*chunk {
			const whole = chunk + overhead
			refused("cut off between chunks", sealed[:whole], streamSecret, "salt")
			swapped := append(append(bytes.Clone(sealed[whole:2*whole]), sealed[:whole]...), sealed[2*whole:]...)
			refused("two chunks swapped", swapped, streamSecret, "salt")
			refused("one left out", append(bytes.Clone(sealed[:whole]), sealed[2*whole:]...), streamSecret, "salt")
		}
	}
	if _, err := openedStream(nil, []byte("short"), ""); err == nil {
		t.Error("a short key is taken")
	}
}
