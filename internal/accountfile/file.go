// Package accountfile writes one account with its test world into a sealed file (tenant export)
// and puts it from there into another database (tenant import), with new ids where others have
// them (tenant migration).
package accountfile

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/db"
	"typus/internal/seal"
	"typus/internal/store"
)

// accountFormat is the form of the file of an account. Another form has another number.
const accountFormat = 1

// accountHeader is the first line of the file, which anybody can read. All else is sealed
// under the key of the file, and the line with it.
type accountHeader struct {
	Typus   string    `json:"typus"` // "account"
	Format  int       `json:"format"`
	Version string    `json:"version"` // of the program that wrote it
	Schema  string    `json:"schema"`  // the newest migration of the database
	MadeAt  time.Time `json:"made_at"`
	Account int64     `json:"account"` // its id there
	Key     string    `json:"key"`     // the fingerprint of the key of the file
	Salt    string    `json:"salt"`    // makes the seal another one for each file
}

// The first byte of each record of a file.
const (
	recordTable = 't' // the place of a table among store.MovedTables; its rows follow
	recordRow   = 'r'
	recordEnd   = 'e' // how many rows there were in all
)

// The first byte of each value of a row.
const (
	valueNull   = 'n'
	valueNumber = 'i'
	valueText   = 's'
	valueBytes  = 'b'
)

// mostValue is how long a value may be: a list of people that is being read is the longest, and
// has at most roster.MaxBytes.
const mostValue = 8 << 20

// MakeFileKey reads the key of a file, and makes one where none is: 32 random bytes as
// text, readable by its owner only. Invalid: what is there is no key.
func MakeFileKey(path string) ([]byte, error) {
	random := make([]byte, 32)
	_, _ = rand.Read(random)                                              // it never fails
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator names the file
	if errors.Is(err, fs.ErrExist) {
		return ReadFileKey(path)
	}
	if err != nil {
		return nil, db.Refused(path, err)
	}
	_, err = f.WriteString(hex.EncodeToString(random) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, db.Refused(path, err)
	}
	return ReadFileKey(path)
}

// ReadFileKey reads the key of a file. Invalid: there is none, or it is too short.
func ReadFileKey(path string) ([]byte, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if errors.Is(err, fs.ErrNotExist) {
		return nil, typus.Errorf(typus.Invalid, "there is no key at %s; name the file that typus account export has made or was given", path)
	}
	if err != nil {
		return nil, db.Refused(path, err)
	}
	key := bytes.TrimSpace(text)
	if len(key) < seal.MinSecret {
		return nil, typus.Errorf(typus.Invalid, "%s is no key: it has %d bytes, and at least %d random ones are needed (openssl rand -hex 32)", path, len(key), seal.MinSecret)
	}
	return key, nil
}

// accountWriter writes the file of an account.
type accountWriter struct {
	sealed io.WriteCloser
	out    *bufio.Writer
	buf    []byte
	table  int // the last one, -1 before the first
	rows   int
}

// newAccountWriter begins a file on w.
func newAccountWriter(w io.Writer, h accountHeader, key []byte) (*accountWriter, error) {
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	line = append(line, '\n')
	if _, err := w.Write(line); err != nil {
		return nil, err
	}
	sealed, err := seal.NewWriter(w, key, line)
	if err != nil {
		return nil, err
	}
	return &accountWriter{sealed: sealed, out: bufio.NewWriter(sealed), table: -1}, nil
}

func (a *accountWriter) row(table int, row []any) error {
	b := a.buf[:0]
	if table != a.table {
		b = binary.AppendUvarint(append(b, recordTable), uint64(table)) //nolint:gosec // a place in a list
		a.table = table
	}
	b = append(b, recordRow)
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			b = append(b, valueNull)
		case int64:
			b = binary.AppendVarint(append(b, valueNumber), v)
		case string:
			b = append(binary.AppendUvarint(append(b, valueText), uint64(len(v))), v...)
		case []byte:
			b = append(binary.AppendUvarint(append(b, valueBytes), uint64(len(v))), v...)
		default:
			return typus.Errorf(typus.Internal, "a %T in the table %s cannot be written", v, store.MovedTables()[table].Name)
		}
	}
	a.buf = b
	a.rows++
	_, err := a.out.Write(b)
	return err
}

// close writes the end.
func (a *accountWriter) close() error {
	_, err := a.out.Write(binary.AppendUvarint([]byte{recordEnd}, uint64(a.rows))) //nolint:gosec // a count
	return errors.Join(err, a.out.Flush(), a.sealed.Close())
}

// accountFile is the file of an account that is to be read.
type accountFile struct {
	accountHeader
	path string
	line []byte // as it stands in the file
	key  []byte
}

// openAccountFile reads the first line of a file. Invalid: it is no such file, was written
// with another key, or is of another version.
func openAccountFile(path string, key []byte, schema string) (*accountFile, error) {
	a := &accountFile{path: path, key: key}
	name, err := seal.NameOf(key)
	if err != nil {
		return nil, err
	}
	err = a.reading(func(line []byte, h accountHeader, _ io.Reader) error {
		a.accountHeader, a.line = h, bytes.Clone(line)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case a.Format != accountFormat:
		return nil, typus.Errorf(typus.Invalid, "%s has the form %d, and this version reads %d; run the same version of Typus on both servers, and export again", path, a.Format, accountFormat)
	case a.Schema != schema:
		return nil, typus.Errorf(typus.Invalid, "%s was written by Typus %s with the schema %s, and this database has %s; run the same version of Typus on both servers, and export again", path, a.Version, a.Schema, schema)
	case a.Key != name:
		return nil, typus.Errorf(typus.Invalid, "%s was sealed with the key of the fingerprint %s, and the one that is given has %s; take the key file that was used for the export", path, a.Key, name)
	}
	return a, nil
}

// reading opens the file, reads its first line and hands the rest on.
func (a *accountFile) reading(do func(line []byte, h accountHeader, rest io.Reader) error) error {
	f, err := os.Open(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return typus.Errorf(typus.Invalid, "there is no file at %s", a.path)
	}
	if err != nil {
		return db.Refused(a.path, err)
	}
	defer func() { _ = f.Close() }() // it is only read
	in := bufio.NewReader(f)
	line, err := in.ReadSlice('\n')
	var h accountHeader
	if err != nil || json.Unmarshal(line, &h) != nil || h.Typus != "account" {
		return typus.Errorf(typus.Invalid, "%s is no file that typus account export has written", a.path)
	}
	return do(line, h, in)
}

// rows reads the file from its beginning to its end, hands on each row and counts them.
// Invalid: it is damaged, cut off or another one by now. Errors of each end it.
func (a *accountFile) rows(each func(table int, row []any) error) (int, error) {
	n := 0
	err := a.reading(func(line []byte, _ accountHeader, rest io.Reader) error {
		if !bytes.Equal(line, a.line) {
			return errRecord
		}
		in, err := seal.NewReader(rest, a.key, line)
		if err != nil {
			return err
		}
		n, err = readRecords(bufio.NewReader(in), each)
		return err
	})
	if errors.Is(err, seal.ErrCut) || errors.Is(err, errRecord) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = typus.Errorf(typus.Invalid, "%s was changed, or cut off; take it again from where it was written", a.path).WithCause(err)
	}
	return n, err
}

// errRecord is the cause of a file whose seal is whole, and whose records are not.
var errRecord = errors.New("accountfile: no record of an account")

func readRecords(in *bufio.Reader, each func(table int, row []any) error) (int, error) {
	tables, table, rows := store.MovedTables(), -1, 0
	for {
		kind, err := in.ReadByte()
		if err != nil {
			return rows, err
		}
		switch {
		case kind == recordTable:
			next, err := binary.ReadUvarint(in)
			if err != nil {
				return rows, err
			}
			if next >= uint64(len(tables)) || int(next) <= table { //nolint:gosec // it is below the number of tables
				return rows, errRecord
			}
			table = int(next) //nolint:gosec // likewise
		case kind == recordRow && table >= 0:
			row := make([]any, len(tables[table].Columns))
			for i := range row {
				if row[i], err = readValue(in); err != nil {
					return rows, err
				}
			}
			rows++
			if err := each(table, row); err != nil {
				return rows, err
			}
		case kind == recordEnd:
			n, err := binary.ReadUvarint(in)
			if err != nil {
				return rows, err
			}
			if _, err := in.ReadByte(); n != uint64(rows) || !errors.Is(err, io.EOF) { //nolint:gosec // a count
				return rows, errors.Join(errRecord, err)
			}
			return rows, nil
		default:
			return rows, errRecord
		}
	}
}

func readValue(in *bufio.Reader) (any, error) {
	kind, err := in.ReadByte()
	if err != nil {
		return nil, err
	}
	switch kind {
	case valueNull:
		return nil, nil
	case valueNumber:
		return binary.ReadVarint(in)
	case valueText, valueBytes:
		n, err := binary.ReadUvarint(in)
		if err != nil {
			return nil, err
		}
		if n > mostValue {
			return nil, errRecord
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			return nil, err
		}
		if kind == valueText {
			return string(body), nil
		}
		return body, nil
	}
	return nil, errRecord
}

// sumOf is the SHA-256 of a file, as sha256sum prints it.
func sumOf(path string) (string, int64, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return "", 0, db.Refused(path, err)
	}
	defer func() { _ = f.Close() }() // it is only read
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return "", 0, db.Refused(path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), n, nil
}
