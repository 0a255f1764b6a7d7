package dashboard

import (
	"typus/internal/accounts"
	"typus/internal/instrument"
	"typus/internal/panel"
	"typus/internal/report"
)

const (
	// fewestPreviewed is from how many stored results on it is shown how they would be
	// spread: of fewer, one could be made out by whoever knows them.
	fewestPreviewed = 10
	// mostPreviewed bounds how many are worked out for a page.
	mostPreviewed = 500
)

// rolePreview is how stored results would be spread with another role profile. It names nobody.
type rolePreview struct {
	Shown            bool // somebody has asked for it
	People           int
	Few              bool // too few are stored
	Classes          []previewClass
	Low, Middle, Top int // quartiles of the overall score
}

// previewClass is how many results are of a class.
type previewClass struct {
	Key   string
	Count int
	X     int // percent of the width
}

// previewOf works out a preview for a draft of an own role profile.
func (f *face) previewOf(v *visit, base instrument.Role, d accounts.RoleDraft) (rolePreview, error) {
	p := rolePreview{Shown: true}
	role := f.Accounts.RoleOf(base, d)
	if len(f.Instrument.RoleFaults(role)) > 0 {
		p.Shown = false // what is wrong is said elsewhere
		return p, nil
	}
	kept, err := f.Store.ResultsToPreview(v.Context(), v.Reader, mostPreviewed)
	if err != nil {
		return p, err
	}
	var scores []float64
	counts := map[string]int{}
	for _, k := range kept {
		read, err := report.Read(k.Scores, k.RoleSnapshot)
		if err != nil {
			return p, err
		}
		if overall, class, known := f.test(k.Instrument).Matched(read.Result, role); known {
			scores = append(scores, float64(overall))
			counts[class]++
		}
	}
	p.People = len(scores)
	if p.Few = p.People < fewestPreviewed; p.Few {
		return p, nil
	}
	low, middle, top := panel.Quartiles(scores)
	p.Low, p.Middle, p.Top = int(low+0.5), int(middle+0.5), int(top+0.5)
	for _, key := range []string{"A", "B", "C", "D", "E"} {
		p.Classes = append(p.Classes, previewClass{key, counts[key], 100 * counts[key] / p.People})
	}
	return p, nil
}
