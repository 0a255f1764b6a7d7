package assess

import (
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
	role   string
	scores typus.Scores
	result store.Result // packed; whose it is and since when is not known yet
}

// evidenceOf scores a sheet. Conflict while items are open.
func evidenceOf(in *instrument.Instrument, sheet instrument.Sheet, roleProfile string) (evidence, error) {
	if open := in.Open(sheet); len(open) > 0 {
		return evidence{}, typus.Errorf(typus.Conflict, "%d items still need an answer", len(open))
	}
	result, err := in.Score(sheet, roleProfile)
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
	snapshot, err := in.RoleSnapshot(roleProfile)
	if err != nil {
		return evidence{}, err
	}
	role, _ := in.Role(roleProfile)
	packed, err := store.Result{
		Scores: stored, Answers: answers, Instrument: in.Ref(), InstrumentHash: in.Hash(), Norm: in.NormID(),
		RoleProfile: role.Ref(), RoleSnapshot: snapshot, ScoringVersion: in.ScoringVersion(),
	}.Packed()
	return evidence{in: in, sheet: sheet, role: roleProfile, scores: result.Scores(), result: packed}, err
}

// evidence is what the answers of a test amount to as it was seen; nothing where that is
// not known.
func (t Test) evidence() evidence {
	if t.Instrument == nil || Working(t.Stand) != nil {
		return evidence{}
	}
	e, err := evidenceOf(t.Instrument, t.Sheet, t.Candidate.RoleProfile)
	if err != nil {
		return evidence{} // the transaction looks itself, and says so
	}
	return e
}

// or is the evidence if it is that of a sheet, and else that of the sheet.
func (e evidence) or(in *instrument.Instrument, sheet instrument.Sheet, roleProfile string) (evidence, error) {
	if e.in == in && e.role == roleProfile && e.sheet.MaxPauseMS == sheet.MaxPauseMS && slices.Equal(e.sheet.Answers, sheet.Answers) {
		return e, nil
	}
	return evidenceOf(in, sheet, roleProfile)
}
