package store

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"

	"typus"
)

// packed is a column that is stored compressed: what is written once per test
// and read rarely. The evidence of a result takes less than half of its size, and
// two results share a page of the database instead of filling more than one each.
type packed []byte

// formDeflate is the first byte of such a column and names its form: the rest
// is a deflate stream (RFC 1951).
const formDeflate = 'z'

// deflaters is a pool of compressors, because making one takes longer than using it.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is one of flate's own
	}
	return w
}}

// pack is the form that is stored.
func (p packed) pack() ([]byte, error) {
	out := bytes.NewBuffer(make([]byte, 0, len(p)/2+64))
	out.WriteByte(formDeflate)
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(out)
	if _, err := w.Write(p); err != nil {
		return nil, err
	}
	err := w.Close()
	return out.Bytes(), err
}

// packedBefore keeps the forms of what is packed again and again.
type packedBefore struct {
	mu    sync.Mutex
	forms map[string][]byte
}

// snapshots are the snapshots of role profiles: a handful, and one with every result.
var snapshots = packedBefore{forms: map[string][]byte{}}

// mostSnapshots bounds what is kept should there ever be many.
const mostSnapshots = 100

func (b *packedBefore) pack(body []byte) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if form, known := b.forms[string(body)]; known {
		return form, nil
	}
	form, err := packed(body).pack()
	if err == nil && len(b.forms) < mostSnapshots {
		b.forms[string(body)] = form
	}
	return form, err
}

// Scan implements sql.Scanner. Internal: the column holds what pack did not make.
func (p *packed) Scan(src any) error {
	stored, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("store: packed bytes are stored as bytes, not as %T", src)
	}
	if len(stored) == 0 || stored[0] != formDeflate {
		return typus.Errorf(typus.Internal, "stored evidence is in a form that this version does not know")
	}
	out, err := io.ReadAll(flate.NewReader(bytes.NewReader(stored[1:])))
	if err != nil {
		return typus.Errorf(typus.Internal, "stored evidence is damaged").WithCause(err)
	}
	*p = out
	return nil
}

// packedOrNull is packed for a column that may be null, which scans into nil.
type packedOrNull []byte

// Scan implements sql.Scanner. Internal: the column holds what pack did not make.
func (p *packedOrNull) Scan(src any) error {
	if src == nil {
		*p = nil
		return nil
	}
	return (*packed)(p).Scan(src)
}
