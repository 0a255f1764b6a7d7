package instrument

import (
	"math"
	"slices"

	"typus"
)

// The warnings, in the order in which a result lists them.
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

// warningKeys lists them all: each needs a message in every language.
func warningKeys() []string {
	return []string{WarnDoubtful, WarnInconsistent, WarnLongString, WarnLowVariation, WarnTooFast, WarnAttention,
		WarnDesirability, WarnElevated, WarnExtreme, WarnMiddle, WarnAcquiescence, WarnMissing, WarnPause, WarnAmbiguous}
}

// warnings collects remarks in order. add keeps the first severity whose condition holds.
type warnings struct {
	list  []Warning
	texts map[string]string
}

func (w *warnings) add(key string, severity typus.Severity, holds bool) {
	if holds && !slices.ContainsFunc(w.list, func(x Warning) bool { return x.Key == key }) {
		w.list = append(w.list, Warning{Key: key, Severity: severity, Message: w.texts[key]})
	}
}

// remarks derives the warnings of a result from its indices and its profile.
func (in *Instrument) remarks(r Result) []Warning {
	q := *in.def.Quality
	w := &warnings{list: []Warning{}, texts: in.report[in.def.SourceLanguage].Warnings}
	w.carelessness(r.Indices, q)
	in.presentation(w, r)
	w.style(r.Indices, q)
	in.circumstances(w, r)
	if w.doubtful(r.Indices, q) {
		w.list = slices.Insert(w.list, 0, Warning{Key: WarnDoubtful, Severity: typus.SeverityCaution, Message: w.texts[WarnDoubtful]})
	}
	return w.list
}

// carelessness: answers that do not fit together, do not differ, or came too fast to have been read.
func (w *warnings) carelessness(ix Indices, q quality) {
	w.add(WarnInconsistent, typus.SeverityCaution, ix.Inconsistency.atLeast(q.IncCaution) && ix.InconsistencyRatio.atLeast(q.IncRatioCaution))
	w.add(WarnInconsistent, typus.SeverityNotice, ix.Inconsistency.atLeast(q.IncNotice) && ix.InconsistencyRatio.atLeast(q.IncRatioNotice))
	w.add(WarnLongString, typus.SeverityCaution, ix.LongestRun >= q.RunCaution)
	w.add(WarnLongString, typus.SeverityNotice, ix.LongestRun >= q.RunNotice)
	w.add(WarnLowVariation, typus.SeverityCaution, ix.IRV.below(q.IRVCaution))
	w.add(WarnTooFast, typus.SeverityCaution, ix.FastShare.atLeast(q.FastShareCaution) || ix.VeryFastShare.atLeast(q.VeryFastShareCaution))
	w.add(WarnTooFast, typus.SeverityNotice, ix.FastShare.atLeast(q.FastShareNotice))
}

// presentation: the control line, and a picture that is better than most.
func (in *Instrument) presentation(w *warnings, r Result) {
	q, ix := in.def.Quality, r.Indices
	w.add(WarnAttention, typus.SeverityNotice, ix.Attention != 0 && ix.Attention != in.items[in.control].Expect)
	w.add(WarnDesirability, typus.SeverityNotice, ix.ImpressionManagement.atLeast(q.IMNotice))
	w.add(WarnElevated, typus.SeverityNotice, elevation(r.Dimensions).atLeast(q.ElevatedMeanZ))
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

// style: how the answer scale was used.
func (w *warnings) style(ix Indices, q quality) {
	w.add(WarnExtreme, typus.SeverityInfo, ix.ExtremeShare.atLeast(q.ExtremeShare))
	w.add(WarnMiddle, typus.SeverityInfo, ix.MidShare.atLeast(q.MidShare))
	w.add(WarnAcquiescence, typus.SeverityInfo, ix.Acquiescence.Defined && math.Abs(ix.Acquiescence.Value) >= q.Acq)
}

// circumstances: what else a reader should know.
func (in *Instrument) circumstances(w *warnings, r Result) {
	q, ix := in.def.Quality, r.Indices
	w.add(WarnMissing, typus.SeverityNotice, share(ix.Missing, len(in.scored)) > q.MissingShareNotice)
	w.add(WarnMissing, typus.SeverityInfo, ix.Missing > 0)
	w.add(WarnPause, typus.SeverityInfo, ix.MaxPauseMS >= q.PauseMS)
	w.add(WarnAmbiguous, typus.SeverityInfo, r.Persona != nil && r.Persona.Stability < q.StabilityAmbiguousPct)
}

// doubtful: one sign alone proves little, so it takes two, or one with second evidence, or haste that rules out reading.
func (w *warnings) doubtful(ix Indices, q quality) bool {
	cautions, notices, inconsistent := 0, 0, false
	for _, x := range w.list {
		switch x.Severity {
		case typus.SeverityCaution:
			cautions++
			inconsistent = inconsistent || x.Key == WarnInconsistent
		case typus.SeverityNotice:
			notices++
		}
	}
	unlike := !ix.EvenOdd.Defined || ix.EvenOdd.Value < q.EvenOddLow
	return cautions >= 2 || cautions == 1 && notices >= 1 || inconsistent && unlike ||
		ix.VeryFastShare.atLeast(q.VeryFastShareDoubtful)
}
