// Package rekey seals everything that is stored anew under another secret key, counts what
// lies under which (key rotation), and makes anew what was lost with a key.
package rekey

import (
	"context"
	"errors"
	"maps"
	"slices"

	"typus"
	"typus/internal/access"
	"typus/internal/backup"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/webhook"
)

// page is how many rows are looked at, and at most changed, in one transaction.
const page = 500

// sealedMarks are the marks of the server that are sealed, besides those by which a database
// knows its keys. A mark's place is its name.
var sealedMarks = []string{ReachMark}

// ReachMark holds a fingerprint of what webhooks could reach at the last start of a server.
const ReachMark = "webhook_reach"

// marks is how those are called among the columns.
const marks = "server_marks.value"

// place is what a value of a column is bound to, as those who seal and open it say.
func place(column store.SealedColumn, s store.Sealed) string {
	switch column {
	case store.SealedCandidateLinks:
		return typus.Candidate{TokenHash: s.Hash}.TokenAAD()
	case store.SealedPublicLinks:
		return typus.PublicLink{TokenHash: s.Hash}.TokenAAD()
	case store.SealedExpertLinks:
		return typus.RoleExpert{TokenHash: s.Hash}.TokenAAD()
	case store.SealedSecrets:
		return webhook.SecretAAD(s.ID, s.Of)
	case store.SealedHeaders:
		return webhook.HeaderAAD(s.ID)
	case store.SealedFactors:
		return access.TOTPPlace(s.ID)
	case store.SealedDetails:
		return s.Reader.DetailAAD()
	case store.SealedLetters:
		return typus.KeptLetter{AccountID: s.AccountID, LetterID: s.Of}.AAD()
	case store.SealedSenderKeys:
		return typus.Sender{AccountID: s.AccountID}.KeyAAD()
	}
	return ""
}

// Count says how many values lie under which key. A value that is damaged counts with the key
// that it names.
type Count struct {
	Columns map[string]map[string]int `json:"columns"` // column, fingerprint of the key, number
	Keys    map[string]int            `json:"keys"`    // fingerprint of the key, number in all
}

// Outside is how many values lie under keys that are not among those named.
func (c Count) Outside(keys ...string) int {
	n := 0
	for key, values := range c.Keys {
		if !slices.Contains(keys, key) {
			n += values
		}
	}
	return n
}

// Under are the fingerprints of all keys under which there are values, in their order.
func (c Count) Under() []string { return slices.Sorted(maps.Keys(c.Keys)) }

func (c Count) add(column string, value []byte) {
	if len(value) == 0 {
		return
	}
	key := seal.KeyIDOf(value)
	if c.Columns[column] == nil {
		c.Columns[column] = map[string]int{}
	}
	c.Columns[column][key]++
	c.Keys[key]++
}

// Look counts. It reads page by page, beside servers that write.
func Look(ctx context.Context, s *store.Store) (Count, error) {
	c := Count{Columns: map[string]map[string]int{}, Keys: map[string]int{}}
	for _, column := range store.SealedColumns() {
		err := pages(ctx, s, column, func(rows []store.Sealed) error {
			for _, row := range rows {
				c.add(string(column), row.Value)
			}
			return nil
		})
		if err != nil {
			return c, err
		}
	}
	for _, name := range sealedMarks {
		value, err := s.Mark(ctx, name)
		if err != nil {
			return c, err
		}
		c.add(marks, value)
	}
	return c, nil
}

func pages(ctx context.Context, s *store.Store, column store.SealedColumn, do func([]store.Sealed) error) error {
	for after := int64(0); ; {
		rows, err := s.SealedPage(ctx, column, after, page)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := do(rows); err != nil {
			return err
		}
		after = rows[len(rows)-1].ID
	}
}

// Turned is what Rotate has done.
type Turned struct {
	Columns map[string]int `json:"columns"` // how many values were sealed anew, by column
	Sealed  int            `json:"sealed"`  // in all
	Damaged int            `json:"damaged"` // values that their key does not open
	Left    Count          `json:"left"`    // what lies where at the end
	Done    bool           `json:"done"`    // everything lies under the present key
}

// mostRounds is how often everything is gone through because a server with the other key has
// written meanwhile.
const mostRounds = 3

// Rotate seals everything anew that the box opens and that lies under another key than the one
// that it seals with. It works beside servers that open with both keys: a value is replaced
// only while it is the one that was read. Each page is one transaction, and said once it is
// stored. Cut off anywhere, another call goes on. Values that no key of the box opens stay as
// they are. Done is only said after everything was counted once more; then the database knows
// the present key alone.
func Rotate(ctx context.Context, s *store.Store, box *seal.Box, said func(column string, sealed int)) (Turned, error) {
	t := Turned{Columns: map[string]int{}}
	for round := 1; ; round++ {
		before := t.Sealed
		if err := t.round(ctx, s, box, said); err != nil {
			return t, err
		}
		var err error
		if t.Left, err = Look(ctx, s); err != nil {
			return t, err
		}
		if t.Left.Outside(box.KeyID()) == 0 {
			break
		}
		if round == mostRounds || t.Sealed == before {
			return t, nil
		}
	}
	mark := box.Seal([]byte(backup.SecretMark), backup.SecretMark)
	err := s.InTx(ctx, func(tx *store.Tx) error { return backup.SetKeys(ctx, tx, mark) })
	t.Done = err == nil
	return t, err
}

func (t *Turned) round(ctx context.Context, s *store.Store, box *seal.Box, said func(string, int)) error {
	t.Damaged = 0
	for _, column := range store.SealedColumns() {
		err := pages(ctx, s, column, func(rows []store.Sealed) error {
			anew, err := t.reseal(box, column, rows)
			if err != nil || len(anew) == 0 {
				return err
			}
			n := 0
			err = s.InTx(ctx, func(tx *store.Tx) error {
				n = 0
				for _, v := range anew {
					changed, err := tx.SetSealed(ctx, column, v.was, v.is, box.KeyID())
					if err != nil {
						return err
					}
					if changed {
						n++
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			t.Columns[string(column)] += n
			t.Sealed += n
			said(string(column), t.Columns[string(column)])
			return nil
		})
		if err != nil {
			return err
		}
	}
	return t.marks(ctx, s, box)
}

// resealed is a value that is to be replaced.
type resealed struct {
	was store.Sealed
	is  []byte
}

func (t *Turned) reseal(box *seal.Box, column store.SealedColumn, rows []store.Sealed) ([]resealed, error) {
	var list []resealed
	for _, row := range rows {
		if len(row.Value) == 0 || seal.KeyIDOf(row.Value) == box.KeyID() {
			continue
		}
		plain, err := box.Open(row.Value, place(column, row))
		switch {
		case errors.Is(err, seal.ErrOtherKey):
			continue
		case errors.Is(err, seal.ErrDamaged):
			t.Damaged++
			continue
		case err != nil:
			return nil, err
		}
		list = append(list, resealed{row, box.Seal(plain, place(column, row))})
	}
	return list, nil
}

func (t *Turned) marks(ctx context.Context, s *store.Store, box *seal.Box) error {
	for _, name := range sealedMarks {
		changed, damaged := 0, 0
		err := s.InTx(ctx, func(tx *store.Tx) error {
			changed, damaged = 0, 0
			value, err := tx.Mark(ctx, name)
			if err != nil || value == nil || seal.KeyIDOf(value) == box.KeyID() {
				return err
			}
			plain, err := box.Open(value, name)
			switch {
			case errors.Is(err, seal.ErrOtherKey):
				return nil
			case errors.Is(err, seal.ErrDamaged):
				damaged = 1
				return nil
			case err != nil:
				return err
			}
			changed = 1
			return tx.ReplaceMark(ctx, name, box.Seal(plain, name))
		})
		if err != nil {
			return err
		}
		t.Damaged += damaged
		if changed > 0 {
			t.Columns[marks]++
			t.Sealed++
		}
	}
	return nil
}
