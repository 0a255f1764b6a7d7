package store

import (
	"bytes"
	_ "embed" // the dictionary
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"

	"typus"
)

// packed is a column that is stored compressed: what is written once per test and read
// rarely. The evidence of a result takes a quarter of its size, and four results share a
// page of the database (decision 0069).
type packed []byte

// The first byte of such a column names its form; the rest is a deflate stream (RFC 1951).
const (
	formDeflate    = 'z'
	formDictionary = 'd' // begun with dictionary, which the stream itself does not hold
)

// mostPacked is how much may come out of a column, far more than any result takes: a row that
// came with an account from elsewhere could be a bomb.
const mostPacked = 8 << 20

var errTooMuch = errors.New("store: more is packed than any result has")

// dictionary is what the JSON of a result and of a role profile looks like: all that is
// alike in each of them need not be stored with each. What it has packed cannot be read
// without it, so it never changes; a better one is another file and another form.
//
//go:embed packed_dictionary.txt
var dictionary []byte

// deflaters are pools of compressors by form, because making one takes longer than using it.
var deflaters = map[byte]*sync.Pool{
	formDeflate:    {New: func() any { return deflater(nil) }},
	formDictionary: {New: func() any { return deflater(dictionary) }},
}

func deflater(known []byte) *flate.Writer {
	w, err := flate.NewWriterDict(nil, flate.BestSpeed, known)
	if err != nil {
		panic(err) // the level is one of flate's own
	}
	return w
}

// pack is what is stored, in a form.
func (p packed) pack(form byte) ([]byte, error) {
	out := bytes.NewBuffer(make([]byte, 0, len(p)/2+64))
	out.WriteByte(form)
	w := deflaters[form].Get().(*flate.Writer)
	defer deflaters[form].Put(w)
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
	form, err := packed(body).pack(formDictionary)
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
	var known []byte
	switch {
	case len(stored) > 0 && stored[0] == formDeflate:
	case len(stored) > 0 && stored[0] == formDictionary:
		known = dictionary
	default:
		return typus.Errorf(typus.Internal, "stored evidence is in a form that this version does not know")
	}
	out, err := unpacked(stored[1:], known)
	if err == nil && len(out) > mostPacked {
		err = errTooMuch
	}
	if err != nil {
		return typus.Errorf(typus.Internal, "stored evidence is damaged").WithCause(err)
	}
	*p = out
	return nil
}

// inflaters is a pool of decompressors: the room of one, 40 KB, is more than what most columns
// hold.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(bytes.NewReader(nil)) }}

// unpacked is what a deflate stream holds, but no more than mostPacked and one.
func unpacked(stream, known []byte) ([]byte, error) {
	r := inflaters.Get().(io.ReadCloser)
	defer inflaters.Put(r)
	if err := r.(flate.Resetter).Reset(bytes.NewReader(stream), known); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, mostPacked+1))
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
