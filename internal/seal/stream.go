package seal

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"

	"typus"
)

// streamChunk is how many bytes are sealed at once: what is read is trusted chunk by chunk.
const streamChunk = 64 << 10

// ErrCut is the cause of a reader's error at a stream that was changed or cut off.
var ErrCut = errors.New("seal: changed, or cut off")

// NewWriter seals a stream of any length for w, under a secret and a label that goes with
// it: the label must begin with, or hold, something that was never used before. It is
// AES-256-GCM by chunks, each bound to its place and the last one to being the last (the
// STREAM construction), so that nothing can be changed, left out, put elsewhere or cut off.
// Nothing is complete before Close. Invalid: the secret is shorter than MinSecret.
func NewWriter(w io.Writer, secret, label []byte) (io.WriteCloser, error) {
	aead, err := streamKey(secret, label)
	if err != nil {
		return nil, err
	}
	return &streamWriter{w: w, aead: aead, buf: make([]byte, 0, streamChunk)}, nil
}

// NewReader opens what NewWriter has sealed, for the same secret and label. Whatever a read
// returns is as it was written; it fails with the cause ErrCut where anything was changed, cut
// off or added. Invalid: the secret is shorter than MinSecret.
func NewReader(r io.Reader, secret, label []byte) (io.Reader, error) {
	aead, err := streamKey(secret, label)
	if err != nil {
		return nil, err
	}
	return &streamReader{r: bufio.NewReaderSize(r, streamChunk+aead.Overhead()+1), aead: aead}, nil
}

// NameOf names a secret without revealing it, as KeyID does. Invalid: it is too short.
func NameOf(secret []byte) (string, error) {
	b, err := New(secret)
	if err != nil {
		return "", err
	}
	return b.KeyID(), nil
}

func streamKey(secret, label []byte) (cipher.AEAD, error) {
	if len(secret) < MinSecret {
		return nil, typus.Errorf(typus.Invalid, "the key has %d bytes; it needs at least %d random ones", len(secret), MinSecret)
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "typus seal: stream|"+string(label), 32)
	if err != nil {
		return nil, unusable(err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, unusable(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, unusable(err)
	}
	return aead, nil
}

// streamNonce says which chunk it is, and whether it is the last one. The key is of one
// stream alone, so that counting is safe.
func streamNonce(n uint64, last bool) []byte {
	nonce := binary.BigEndian.AppendUint64(make([]byte, 3, 12), n)
	if last {
		return append(nonce, 1)
	}
	return append(nonce, 0)
}

type streamWriter struct {
	w    io.Writer
	aead cipher.AEAD
	buf  []byte
	n    uint64
}

// Write implements io.Writer.
func (s *streamWriter) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 {
		if len(s.buf) == streamChunk { // more follows, so that it is not the last one
			if err := s.flush(false); err != nil {
				return written, err
			}
		}
		part := min(len(p), streamChunk-len(s.buf))
		s.buf = append(s.buf, p[:part]...)
		p, written = p[part:], written+part
	}
	return written, nil
}

// Close writes the end; it leaves the writer below open.
func (s *streamWriter) Close() error { return s.flush(true) }

func (s *streamWriter) flush(last bool) error {
	_, err := s.w.Write(s.aead.Seal(nil, streamNonce(s.n, last), s.buf, nil))
	s.buf = s.buf[:0]
	s.n++
	return err
}

type streamReader struct {
	r     *bufio.Reader
	aead  cipher.AEAD
	plain bytes.Reader
	n     uint64
	last  bool
	err   error
}

// Read implements io.Reader.
func (s *streamReader) Read(p []byte) (int, error) {
	for s.plain.Len() == 0 {
		if s.err != nil {
			return 0, s.err
		}
		if s.last {
			return 0, io.EOF
		}
		if s.err = s.next(); s.err != nil {
			return 0, s.err
		}
	}
	return s.plain.Read(p)
}

func (s *streamReader) next() error {
	sealed := make([]byte, streamChunk+s.aead.Overhead())
	got, err := io.ReadFull(s.r, sealed)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		s.last = true
	case err != nil:
		return err
	default:
		_, err := s.r.Peek(1)
		s.last = errors.Is(err, io.EOF)
	}
	plain, err := s.aead.Open(nil, streamNonce(s.n, s.last), sealed[:got], nil)
	if err != nil {
		return typus.Errorf(typus.Invalid, "it was changed or cut off").WithCause(ErrCut)
	}
	s.n++
	s.plain.Reset(plain)
	return nil
}
