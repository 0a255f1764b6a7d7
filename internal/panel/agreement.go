package panel

import "slices"

// Mean is the arithmetic mean of at least one value.
func Mean(values []float64) float64 {
	var sum float64
	for _, x := range values {
		sum += x
	}
	return sum / float64(len(values))
}

// Median is the middle one of at least one value, or the mean of the two in the middle.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// Quartiles are the medians of the lower half, of all, and of the upper half of at least two
// values; of an odd number the one in the middle is in neither half.
//
// Moore, D. S., & McCabe, G. P. (1989). Introduction to the practice of statistics.
// Freeman.
func Quartiles(values []float64) (float64, float64, float64) {
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	return Median(sorted[:half]), Median(sorted), Median(sorted[len(sorted)-half:])
}

// variance is that of a sample (n − 1), of at least two values.
func variance(values []float64) float64 {
	mean, sum := Mean(values), 0.0
	for _, x := range values {
		sum += (x - mean) * (x - mean)
	}
	return sum / float64(len(values)-1)
}

// uniform is the variance of ratings that are given by chance, each of the points equally
// often.
func uniform(points int) float64 { return float64(points*points-1) / 12 }

// RWG is the within-group agreement of raters about one thing, on a scale of so many
// points: r_wg = 1 − s²/σ², where s² is the variance of the ratings and σ² that of
// chance, (points² − 1)/12. It is 1 where all say the same. Ratings that vary more than
// chance would make it negative, which means no more than "no agreement", so it is 0
// then. False: fewer than two rated.
//
// James, L. R., Demaree, R. G., & Wolf, G. (1984). Estimating within-group interrater
// reliability with and without response bias. Journal of Applied Psychology, 69, 85–98.
func RWG(ratings []float64, points int) (float64, bool) {
	if len(ratings) < 2 {
		return 0, false
	}
	return max(0, 1-variance(ratings)/uniform(points)), true
}

// RWGJ is r_wg(J), the agreement about something that J statements ask for together: J(1
// − q)/(J(1 − q) + q), where q is the mean variance of the statements by that of chance;
// 0 where q is 1 or more (source: as RWG). A statement that fewer than two have rated
// does not count. False: no statement counts.
func RWGJ(statements [][]float64, points int) (float64, bool) {
	var sum, j float64
	for _, ratings := range statements {
		if len(ratings) >= 2 {
			sum += variance(ratings) / uniform(points)
			j++
		}
	}
	if j == 0 {
		return 0, false
	}
	q := sum / j
	if q >= 1 {
		return 0, true
	}
	return j * (1 - q) / (j*(1-q) + q), true
}

// ICC2K is how reliable the mean of the raters is, where they are a sample of all who
// might have rated and all rated everything: ICC(2,k) = (BMS − EMS)/(BMS + (JMS − EMS)/n)
// of n targets, with the mean squares between targets (BMS), between raters (JMS) and of
// the residual (EMS) of the analysis of variance with two ways. table holds one row for
// each target, with the ratings in the order of the raters. It is at most 1, and may be
// below 0, which says that the raters order the targets no more alike than by chance.
// False: fewer than two targets or raters, or no ratings that differ.
//
// Shrout, P. E., & Fleiss, J. L. (1979). Intraclass correlations: Uses in assessing rater
// reliability. Psychological Bulletin, 86, 420–428.
func ICC2K(table [][]float64) (float64, bool) {
	n := len(table)
	if n < 2 || len(table[0]) < 2 {
		return 0, false
	}
	between, judges, residual := meanSquares(table)
	below := between + (judges-residual)/float64(n)
	if below <= 1e-12 {
		return 0, false
	}
	return (between - residual) / below, true
}

// meanSquares are those between targets, between raters, and of what neither explains.
func meanSquares(table [][]float64) (float64, float64, float64) {
	n, k := len(table), len(table[0])
	rows, columns := make([]float64, n), make([]float64, k)
	for i, row := range table {
		rows[i] = Mean(row)
		for j, x := range row {
			columns[j] += x / float64(n)
		}
	}
	grand := Mean(rows)
	var between, judges, residual float64
	for i, row := range table {
		between += float64(k) * (rows[i] - grand) * (rows[i] - grand)
		for j, x := range row {
			e := x - rows[i] - columns[j] + grand
			residual += e * e
		}
	}
	for _, mean := range columns {
		judges += float64(n) * (mean - grand) * (mean - grand)
	}
	return between / float64(n-1), judges / float64(k-1), residual / float64((n-1)*(k-1))
}

// Agreement is r_wg in words.
type Agreement string

// The words for r_wg: LeBreton, J. M., & Senter, J. L. (2008). Answers to 20 questions
// about interrater reliability and interrater agreement. Org. Research Methods, 11,
// 815–852.
const (
	AgreementUnknown  Agreement = "unknown"
	AgreementNone     Agreement = "none"     // to .30
	AgreementWeak     Agreement = "weak"     // to .50
	AgreementModerate Agreement = "moderate" // to .70
	AgreementStrong   Agreement = "strong"   // to .90
	AgreementVery     Agreement = "very_strong"
)

// AgreementOf is the word for an r_wg, which is rounded half up to two places first, as
// the words' bounds are.
func AgreementOf(r float64) Agreement {
	switch hundredths := int(100*r + 0.5 + 1e-9); {
	case hundredths <= 30:
		return AgreementNone
	case hundredths <= 50:
		return AgreementWeak
	case hundredths <= 70:
		return AgreementModerate
	case hundredths <= 90:
		return AgreementStrong
	}
	return AgreementVery
}
