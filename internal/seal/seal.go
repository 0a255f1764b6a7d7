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
	"encoding/hex"
	"errors"
	"fmt"

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

// Box seals and opens with one key: AES-256-GCM with a random 96-bit nonce. A
// sealed value is the key id (4 bytes), the nonce, the ciphertext and the tag.
// Random nonces are safe for 2^32 values under one key (NIST SP 800-38D, 8.3),
// far beyond what a server seals in its life. A Box may be used concurrently.
type Box struct {
	aead cipher.AEAD
	id   []byte
	mark []byte
}

// New derives a Box from the server's secret with HKDF-SHA-256 (RFC 5869), so
// that the secret itself may be text of any form and can serve other purposes
// under other labels. Invalid when the secret is shorter than MinSecret.
func New(secret []byte) (*Box, error) {
	if len(secret) < MinSecret {
		return nil, typus.Errorf(typus.Invalid, "the secret key has %d bytes; it needs at least %d random ones", len(secret), MinSecret)
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "typus seal: key", 32)
	if err != nil {
		return nil, unusable(err)
	}
	// A derivation of its own: publishing a part of the key as its name would weaken
	// it.
	id, err := hkdf.Key(sha256.New, secret, nil, "typus seal: key id", idLen)
	if err != nil {
		return nil, unusable(err)
	}
	mark, err := hkdf.Key(sha256.New, secret, nil, "typus seal: mark", 32)
	if err != nil {
		return nil, unusable(err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, unusable(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, unusable(err)
	}
	return &Box{aead: aead, id: id, mark: mark}, nil
}

func unusable(cause error) error {
	return typus.Errorf(typus.Internal, "the secret key cannot be used").WithCause(cause)
}

// KeyID names the key without revealing it: 8 hex digits.
func (b *Box) KeyID() string { return hex.EncodeToString(b.id) }

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
func (b *Box) Mark(plain, place string) string {
	h := hmac.New(sha256.New, b.mark)
	_, _ = fmt.Fprintf(h, "%d|%s|%s", len(place), place, plain) // a hash takes everything
	return hex.EncodeToString(h.Sum(nil))
}

// Seal encrypts plain; aad ties it to its place, e.g. typus.Candidate.TokenAAD,
// so that a sealed value copied into another row does not open there. Sealing
// the same value twice gives different bytes.
func (b *Box) Seal(plain []byte, aad string) []byte {
	return b.aead.Seal(bytes.Clone(b.id), nil, plain, []byte(aad))
}

// Open decrypts what Seal made with the same key and aad. Any failure is an
// error of kind Internal whose cause is ErrOtherKey or ErrDamaged.
func (b *Box) Open(sealed []byte, aad string) ([]byte, error) {
	if len(sealed) < idLen+b.aead.Overhead() {
		return nil, typus.Errorf(typus.Internal, "a stored secret is cut short").WithCause(ErrDamaged)
	}
	id, rest := sealed[:idLen], sealed[idLen:]
	if !bytes.Equal(id, b.id) {
		return nil, typus.Errorf(typus.Internal, "a stored secret was encrypted with the secret key %x, but this server runs with %x; set the former key again", id, b.id).WithCause(ErrOtherKey)
	}
	plain, err := b.aead.Open(nil, nil, rest, []byte(aad))
	if err != nil {
		return nil, typus.Errorf(typus.Internal, "a stored secret is damaged or was moved from another place").WithCause(ErrDamaged)
	}
	return plain, nil
}
