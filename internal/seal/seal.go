// Package seal encrypts small secrets at rest, with a place that each is bound to (AEAD
// with associated data).
package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"typus"
)

// MinSecret is the least length of a server's secret in bytes.
const MinSecret = 32

// ErrOtherKey is the cause of Open's error when the value was sealed under
// another server secret: only that secret, or a new value, helps.
var ErrOtherKey = errors.New("seal: sealed under another key")

// ErrDamaged is the cause of Open's error when the key is right but the value
// was changed, cut short, or belongs to another place.
var ErrDamaged = errors.New("seal: damaged, or moved from another place")

const idLen = 4

// Box seals with one key, AES-256-GCM with a random 96-bit nonce, and opens with that and
// with others that it knows. A sealed value is the key id (4 bytes), the nonce, the ciphertext
// and the tag. Random nonces are safe for 2^32 values under one key (NIST SP 800-38D, 8.3),
// far beyond what a server seals in its life. A Box may be used concurrently.
type Box struct {
	present key
	keys    []key // all that open, the present one first
}

// key is what is derived from one secret.
type key struct {
	aead cipher.AEAD
	id   []byte
	mark []byte
}

// New derives a Box from the server's secret with HKDF-SHA-256 (RFC 5869), so that the secret
// itself may be text of any form and can serve other purposes under other labels. With others
// it opens too, and seals nothing. Invalid when a secret is shorter than MinSecret.
func New(secret []byte, others ...[]byte) (*Box, error) {
	present, err := newKey(secret)
	if err != nil {
		return nil, err
	}
	b := &Box{present: present, keys: []key{present}}
	for _, other := range others {
		k, err := newKey(other)
		if err != nil {
			return nil, err
		}
		if !b.Knows(k.name()) {
			b.keys = append(b.keys, k)
		}
	}
	return b, nil
}

func newKey(secret []byte) (key, error) {
	if len(secret) < MinSecret {
		return key{}, typus.Errorf(typus.Invalid, "the secret key has %d bytes; it needs at least %d random ones", len(secret), MinSecret)
	}
	raw, err := hkdf.Key(sha256.New, secret, nil, "typus seal: key", 32)
	if err != nil {
		return key{}, unusable(err)
	}
	// A derivation of its own: publishing a part of the key as its name would weaken
	// it.
	id, err := hkdf.Key(sha256.New, secret, nil, "typus seal: key id", idLen)
	if err != nil {
		return key{}, unusable(err)
	}
	mark, err := hkdf.Key(sha256.New, secret, nil, "typus seal: mark", 32)
	if err != nil {
		return key{}, unusable(err)
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return key{}, unusable(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return key{}, unusable(err)
	}
	return key{aead: aead, id: id, mark: mark}, nil
}

func (k key) name() string { return hex.EncodeToString(k.id) }

func (k key) markOf(plain, place string) string {
	h := hmac.New(sha256.New, k.mark)
	_, _ = fmt.Fprintf(h, "%d|%s|%s", len(place), place, plain) // a hash takes everything
	return hex.EncodeToString(h.Sum(nil))
}

func unusable(cause error) error {
	return typus.Errorf(typus.Internal, "the secret key cannot be used").WithCause(cause)
}

// KeyID names the key that seals without revealing it: 8 hex digits.
func (b *Box) KeyID() string { return b.present.name() }

// KeyIDs names all keys that open, as KeyID does and that one first.
func (b *Box) KeyIDs() []string {
	var ids []string
	for _, k := range b.keys {
		ids = append(ids, k.name())
	}
	return ids
}

// Knows reports whether a key of this name opens.
func (b *Box) Knows(id string) bool { return slices.Contains(b.KeyIDs(), id) }

// KeyIDOf names the key under which a value was sealed, as KeyID does; "" for what is no
// sealed value.
func KeyIDOf(sealed []byte) string {
	if len(sealed) < idLen {
		return ""
	}
	return hex.EncodeToString(sealed[:idLen])
}

// Mark is a keyed hash (HMAC-SHA-256, hex) of a short secret in its place: without the
// server's key nobody finds the secret by trying all there are.
func (b *Box) Mark(plain, place string) string { return b.present.markOf(plain, place) }

// Marks are what Mark gives under each key that opens, the present one first.
func (b *Box) Marks(plain, place string) []string {
	var marks []string
	for _, k := range b.keys {
		marks = append(marks, k.markOf(plain, place))
	}
	return marks
}

// IsMark reports whether a mark is one that Mark has given for plain in its place, under
// whichever key that opens. The time it takes says nothing of the mark.
func (b *Box) IsMark(mark, plain, place string) bool {
	is := 0
	for _, m := range b.Marks(plain, place) {
		is |= subtle.ConstantTimeCompare([]byte(m), []byte(mark))
	}
	return is == 1
}

// Seal encrypts plain; aad ties it to its place, e.g. typus.Candidate.TokenAAD,
// so that a sealed value copied into another row does not open there. Sealing
// the same value twice gives different bytes.
func (b *Box) Seal(plain []byte, aad string) []byte {
	return b.present.aead.Seal(bytes.Clone(b.present.id), nil, plain, []byte(aad))
}

// Open decrypts what Seal made with one of the keys and the same aad. Any failure is an
// error of kind Internal whose cause is ErrOtherKey or ErrDamaged.
func (b *Box) Open(sealed []byte, aad string) ([]byte, error) {
	if len(sealed) < idLen+b.present.aead.Overhead() {
		return nil, typus.Errorf(typus.Internal, "a stored secret is cut short").WithCause(ErrDamaged)
	}
	id, rest := sealed[:idLen], sealed[idLen:]
	for _, k := range b.keys {
		if !bytes.Equal(id, k.id) {
			continue
		}
		plain, err := k.aead.Open(nil, nil, rest, []byte(aad))
		if err != nil {
			return nil, typus.Errorf(typus.Internal, "a stored secret is damaged or was moved from another place").WithCause(ErrDamaged)
		}
		return plain, nil
	}
	return nil, typus.Errorf(typus.Internal, "a stored secret was encrypted with the secret key %x, but this server runs with %s; set the former key again", id, strings.Join(b.KeyIDs(), " and ")).WithCause(ErrOtherKey)
}
