// Package seal encrypts small secrets at rest.
package seal

// Box seals and opens with one key (AES-256-GCM, random 96-bit nonce, key id in front).
type Box struct{}

// New derives a Box from the server's secret (at least 32 bytes). Invalid when it is shorter.
func New(secret []byte) (*Box, error) { panic("unwritten") }

// KeyID names the key without revealing it.
func (b *Box) KeyID() string { panic("unwritten") }

// Seal encrypts plain; aad ties it to its place, e.g. "candidate_token|<hash>".
func (b *Box) Seal(plain []byte, aad string) []byte { panic("unwritten") }

// Open decrypts what Seal made with the same key and aad.
func (b *Box) Open(sealed []byte, aad string) ([]byte, error) { panic("unwritten") }
