package assess

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/instrument"
	"typus/internal/store"
)

// evidence is what the answers of a test amount to. Nothing else goes into it, neither the
// time nor the database, so it can be worked out before the transaction, for which all
// who write wait.
type evidence struct {
	in     *instrument.Instrument
	sheet  instrument.Sheet
	role   asked
	scores typus.Scores
	result store.Result // packed; whose it is and since when is not known yet
}

// asked is what a result is compared with: a role profile of the test, or the version of
// an own one that it keeps.
type asked struct {
	key      string
	snapshot string // JSON, "" for one of the test
}

// asked is what a result of the candidate is compared with now. An own role profile is
// taken in its newest version (decision 0060). Conflict: nobody has signed one.
func (s *Steps) asked(ctx context.Context, tx *store.Tx, c typus.Candidate) (asked, error) {
	id, own := typus.OwnRoleID(c.RoleProfile)
	if !own {
		return asked{key: c.RoleProfile}, nil
	}
	p, err := tx.RoleProfile(ctx, c.AccountID, id)
	if err == nil && p.Version.Version == 0 {
		err = typus.Errorf(typus.Conflict, "the role profile %s has no version", c.RoleProfile)
	}
	return asked{c.RoleProfile, string(p.Version.Profile)}, err
}

// score scores a sheet, and gives the snapshot of the role profile.
func (a asked) score(in *instrument.Instrument, sheet instrument.Sheet) (instrument.Result, []byte, error) {
	if a.snapshot != "" {
		result, err := in.ScoreAgain(sheet, []byte(a.snapshot))
		return result, []byte(a.snapshot), err
	}
	result, err := in.Score(sheet, a.key)
	if err != nil {
		return result, nil, err
	}
	snapshot, err := in.RoleSnapshot(a.key)
	return result, snapshot, err
}

// evidenceOf scores a sheet. Conflict while items are open.
func evidenceOf(in *instrument.Instrument, sheet instrument.Sheet, role asked) (evidence, error) {
	if open := in.Open(sheet); len(open) > 0 {
		return evidence{}, typus.Errorf(typus.Conflict, "%d items still need an answer", len(open))
	}
	result, snapshot, err := role.score(in, sheet)
	if err != nil {
		return evidence{}, fmt.Errorf("assess: score a test: %w", err)
	}
	stored, err := json.Marshal(result)
	if err != nil {
		return evidence{}, fmt.Errorf("assess: encode a result: %w", err)
	}
	answers, err := sheet.MarshalBinary()
	if err != nil {
		return evidence{}, err
	}
	packed, err := store.Result{
		Scores: stored, Answers: answers, Instrument: in.Ref(), InstrumentHash: in.Hash(), Norm: in.NormID(),
		RoleProfile: result.Meta.RoleProfile, RoleSnapshot: snapshot, ScoringVersion: in.ScoringVersion(),
	}.Packed()
	return evidence{in: in, sheet: sheet, role: role, scores: result.Scores(), result: packed}, err
}

// evidence is what the answers of a test amount to as it was seen; nothing where that is
// not known.
func (t Test) evidence() evidence {
	if t.Instrument == nil || Working(t.Stand) != nil {
		return evidence{}
	}
	e, err := evidenceOf(t.Instrument, t.Sheet, asked{key: t.Candidate.RoleProfile})
	if err != nil {
		return evidence{} // the transaction looks itself, and says so; an own role profile is known to it only
	}
	return e
}

// or is the evidence if it is that of a sheet, and else that of the sheet.
func (e evidence) or(in *instrument.Instrument, sheet instrument.Sheet, role asked) (evidence, error) {
	if e.in == in && e.role == role && e.sheet.MaxPauseMS == sheet.MaxPauseMS && slices.Equal(e.sheet.Answers, sheet.Answers) {
		return e, nil
	}
	return evidenceOf(in, sheet, role)
}
