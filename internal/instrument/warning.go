package instrument

import (
	"cmp"
	"math"
	"slices"

	"typus"
)

// The warnings that there are. Which of them a version gives, and in which order, its
// files say.
const (
	WarnDoubtful     = typus.DoubtfulAnswers
	WarnInconsistent = "inconsistent_answers"
	WarnLongString   = "long_string"
	WarnLowVariation = "low_variability"
	WarnTooFast      = "too_fast"
	WarnAttention    = "attention_check_failed"
	WarnDesirability = "social_desirability_high"
	WarnElevated     = "elevated_profile"
	WarnExtreme      = "extreme_style"
	WarnMiddle       = "middle_style"
	WarnAcquiescence = "acquiescence"
	WarnMissing      = "missing_answers"
	WarnPause        = "long_pause"
	WarnAmbiguous    = "archetype_ambiguous"
)

// everyWarning lists them all, in the order in which a version gives them that does not say.
func everyWarning() []string {
	return []string{WarnDoubtful, WarnInconsistent, WarnLongString, WarnLowVariation, WarnTooFast, WarnAttention,
		WarnDesirability, WarnElevated, WarnExtreme, WarnMiddle, WarnAcquiescence, WarnMissing, WarnPause, WarnAmbiguous}
}

// warningKeys are the warnings of a version: each needs a message in every language.
func (d definition) warningKeys() []string {
	switch {
	case d.Quality == nil:
		return nil
	case d.Warnings == nil:
		return everyWarning()
	}
	return d.Warnings
}

// remarks derives the warnings of a result from its indices and its profile.
func (in *Instrument) remarks(r Result) []Warning {
	texts := in.report[in.def.SourceLanguage].Warnings
	list := []Warning{}
	for _, key := range in.given {
		if severity := in.severity(key, &r); severity != "" {
			list = append(list, Warning{Key: key, Severity: severity, Message: texts[key]})
		}
	}
	if in.givesDoubt && in.doubtful(list, r.Indices) {
		list = slices.Insert(list, 0, Warning{Key: WarnDoubtful, Severity: typus.SeverityCaution, Message: texts[WarnDoubtful]})
	}
	return list
}

// severity is how grave a warning is for a result, "" where its condition does not hold.
// What is about the answers comes first, then the picture that they give, then how the
// scale was used, then what else a reader should know.
func (in *Instrument) severity(key string, r *Result) typus.Severity {
	q, ix := in.def.Quality, r.Indices
	switch key {
	case WarnInconsistent:
		return graver(ix.Inconsistency.atLeast(q.IncCaution) && ix.InconsistencyRatio.atLeast(q.IncRatioCaution),
			ix.Inconsistency.atLeast(q.IncNotice) && ix.InconsistencyRatio.atLeast(q.IncRatioNotice))
	case WarnLongString:
		return graver(ix.LongestRun >= q.RunCaution, ix.LongestRun >= q.RunNotice)
	case WarnLowVariation:
		return graver(ix.IRV.below(q.IRVCaution), false)
	case WarnTooFast:
		return graver(ix.FastShare.atLeast(q.FastShareCaution) || ix.VeryFastShare.atLeast(q.VeryFastShareCaution), ix.FastShare.atLeast(q.FastShareNotice))
	case WarnAttention:
		return graver(false, ix.Attention != 0 && ix.Attention != in.items[in.control].Expect)
	case WarnDesirability:
		return graver(false, ix.ImpressionManagement.atLeast(q.IMNotice))
	case WarnElevated:
		return graver(false, elevation(r.Dimensions).atLeast(q.ElevatedMeanZ))
	case WarnExtreme:
		return remark(ix.ExtremeShare.atLeast(q.ExtremeShare))
	case WarnMiddle:
		return remark(ix.MidShare.atLeast(q.MidShare))
	case WarnAcquiescence:
		return remark(ix.Acquiescence.Defined && math.Abs(ix.Acquiescence.Value) >= q.Acq)
	case WarnMissing:
		return cmp.Or(graver(false, share(ix.Missing, len(in.scored)) > q.MissingShareNotice), remark(ix.Missing > 0))
	case WarnPause:
		return remark(ix.MaxPauseMS >= q.PauseMS)
	case WarnAmbiguous:
		return remark(r.Persona != nil && in.ambiguous(*r.Persona))
	}
	return ""
}

func graver(caution, notice bool) typus.Severity {
	switch {
	case caution:
		return typus.SeverityCaution
	case notice:
		return typus.SeverityNotice
	}
	return ""
}

func remark(holds bool) typus.Severity {
	if holds {
		return typus.SeverityInfo
	}
	return ""
}

// ambiguous: where a simulated repetition says how often neither persona comes out, that
// decides, else the stability.
func (in *Instrument) ambiguous(p Persona) bool {
	if in.types.repeat != nil {
		return p.NeitherShare >= in.def.Quality.NeitherAmbiguousPct
	}
	return p.Stability < in.def.Quality.StabilityAmbiguousPct
}

// elevation is the mean z of a profile, undefined unless every dimension has one.
func elevation(dims []Dimension) Index {
	if !located(dims) {
		return Index{}
	}
	var sum float64
	for _, d := range dims {
		sum += d.Z
	}
	return defined(sum / float64(len(dims)))
}

// signsOfDoubt is how many signs of carelessness make a result doubtful by themselves, in
// every version so far.
const signsOfDoubt = 2

// doubtful: one sign of carelessness alone proves little, so it takes two, or one with
// second evidence, or haste that rules out reading.
func (in *Instrument) doubtful(list []Warning, ix Indices) bool {
	cautions, notices, inconsistent := 0, 0, false
	for _, x := range list {
		switch {
		case x.Severity == typus.SeverityCaution && in.careless(x):
			cautions++
			inconsistent = inconsistent || x.Key == WarnInconsistent
		case x.Severity == typus.SeverityNotice && in.careless(x):
			notices++
		}
	}
	q := in.def.Quality
	unlike := !ix.EvenOdd.Defined || ix.EvenOdd.Value < q.EvenOddLow
	return cautions >= signsOfDoubt || cautions == 1 && notices >= 1 || inconsistent && unlike ||
		ix.VeryFastShare.atLeast(q.VeryFastShareDoubtful)
}

// careless reports whether the version takes a warning of this severity for a sign of
// carelessness.
func (in *Instrument) careless(x Warning) bool {
	switch c := in.def.Careless; {
	case c == nil:
		return true
	case x.Severity == typus.SeverityCaution:
		return slices.Contains(c.Caution, x.Key)
	default:
		return slices.Contains(c.Notice, x.Key)
	}
}
