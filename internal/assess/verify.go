package assess

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/instrument"
	"typus/internal/store"
)

// Difference is a place where a stored result says something else than its answers give
// when they are scored again.
type Difference struct {
	AccountID   int64
	CandidateID int64
	Instrument  string // id@version that the result was made with
	Place       string // such as "dimensionScores[3].score"
	Stored      string // in JSON, "" for nothing
	Computed    string // in JSON, "" for nothing
}

// verifiedAtOnce is how many results are read at a time.
const verifiedAtOnce = 100

// Verify computes every stored result of an account again from its answers, with the
// version of the instrument and the role profile that it was made with, and gives how
// many there are and every difference. It changes nothing, and passes over whoever is
// erased meanwhile.
func (s *Steps) Verify(ctx context.Context, accountID int64) (int, []Difference, error) {
	count, after, found := 0, int64(0), []Difference{}
	for {
		results, err := s.store.Results(ctx, accountID, after, verifiedAtOnce)
		if err != nil {
			return count, found, err
		}
		for _, kept := range results {
			after = kept.ID
			c, err := s.store.Candidate(ctx, accountID, kept.CandidateID)
			if typus.Is(err, typus.NotFound) {
				continue
			}
			if err != nil {
				return count, found, err
			}
			count++
			found = append(found, s.verify(c, kept)...)
		}
		if len(results) < verifiedAtOnce {
			return count, found, nil
		}
	}
}

// verify compares one result, and the copy of its scores that lists and the API show.
func (s *Steps) verify(c typus.Candidate, kept store.Result) []Difference {
	d := differences{of: Difference{AccountID: c.AccountID, CandidateID: c.ID, Instrument: kept.Instrument}}
	again, err := s.again(kept)
	if err != nil {
		d.add("result", "", err.Error())
		return d.list
	}
	d.compare("", plain(kept.Scores), plain(encoded(again)))
	if again.Complete() {
		d.compare("scores", plain(encoded(c.Scores)), plain(encoded(again.Scores())))
	}
	d.compare("instrument_hash", kept.InstrumentHash, again.Meta.InstrumentHash)
	d.compare("norm", kept.Norm, again.Meta.Norm)
	d.compare("scoring_version", kept.ScoringVersion, again.Meta.ScoringVersion)
	d.compare("role_profile", kept.RoleProfile, again.Meta.RoleProfile)
	return d.list
}

// again scores the answers of a result a second time.
func (s *Steps) again(kept store.Result) (instrument.Result, error) {
	in, known := s.instrument.Version(kept.Instrument)
	if !known {
		return instrument.Result{}, fmt.Errorf("this program does not have %s", kept.Instrument)
	}
	var sheet instrument.Sheet
	if err := sheet.UnmarshalBinary(kept.Answers); err != nil {
		return instrument.Result{}, err
	}
	return in.ScoreAgain(sheet, kept.RoleSnapshot)
}

// differences collects where two values that came from JSON differ.
type differences struct {
	of   Difference
	list []Difference
}

func (d *differences) add(place, stored, computed string) {
	x := d.of
	x.Place, x.Stored, x.Computed = place, stored, computed
	d.list = append(d.list, x)
}

// compare goes down as far as both are of one kind, so that a difference is named where
// it is.
func (d *differences) compare(place string, stored, computed any) {
	switch a := stored.(type) {
	case map[string]any:
		if b, both := computed.(map[string]any); both {
			keys := maps.Clone(a)
			maps.Copy(keys, b)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				d.compare(below(place, key), a[key], b[key])
			}
			return
		}
	case []any:
		if b, both := computed.([]any); both && len(a) == len(b) {
			for i := range a {
				d.compare(fmt.Sprintf("%s[%d]", place, i), a[i], b[i])
			}
			return
		}
	}
	if !reflect.DeepEqual(stored, computed) {
		d.add(place, string(encoded(stored)), string(encoded(computed)))
	}
}

func below(place, key string) string {
	if place == "" {
		return key
	}
	return place + "." + key
}

func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return []byte(err.Error()) // it differs from everything, and says why
	}
	return data
}

// plain decodes JSON, or gives its text where it is none.
func plain(data []byte) any {
	var v any
	if err := json.Unmarshal(bytes.TrimSpace(data), &v); err != nil {
		return string(data)
	}
	return v
}
