package instrument

import "math"

// repetition simulates a second test (multivariate Kelley): given the z scores of the
// first, those of the second are normal with the mean A·z and a covariance P, of which
// the noise B·e of a draw e is a sample. What depends on the draws alone is prepared
// once, projected on the prototypes.
type repetition struct {
	shrink     [][]float64 // A
	prototypes [][]float64
	half       []float64 // half the squared length of each prototype
	noise      []float64 // per draw, one value for each prototype
	draws      int
}

// tied is how near two projections lie that count as equal; the type that stands first in
// the file then wins.
const tied = 1e-9

// newRepetition takes the reliabilities of the typology's dimensions, the correlations of
// their true scores and the frozen draws. False: the correlations are those of no
// distribution.
func newRepetition(rel []float64, correlations, prototypes, draws [][]float64) (*repetition, bool) {
	a, b, ok := predictive(rel, correlations)
	if !ok {
		return nil, false
	}
	r := &repetition{shrink: a, prototypes: prototypes, draws: len(draws)}
	for _, p := range prototypes {
		r.half = append(r.half, dot(p, p)/2)
	}
	r.noise = make([]float64, 0, len(draws)*len(prototypes))
	noise := make([]float64, len(rel))
	for _, e := range draws {
		for i := range noise {
			noise[i] = dot(b[i][:i+1], e[:i+1])
		}
		for _, p := range prototypes {
			r.noise = append(r.noise, dot(noise, p))
		}
	}
	return r, true
}

// counts says how many of the draws fall to each type. The nearest prototype P is the one
// with the largest z·P − |P|²/2, so the profile need not be centred.
func (r *repetition) counts(z []float64) []int {
	types := len(r.prototypes)
	expected := make([]float64, len(z))
	for i, row := range r.shrink {
		expected[i] = dot(row, z)
	}
	base := make([]float64, types)
	for k, p := range r.prototypes {
		base[k] = dot(expected, p) - r.half[k]
	}
	counts := make([]int, types)
	for from := 0; from < len(r.noise); from += types {
		counts[nearest(base, r.noise[from:from+types])]++
	}
	return counts
}

// nearest is the place of the largest sum, or of the first one that is tied with it.
func nearest(base, noise []float64) int {
	noise = noise[:len(base)] // spares the loop its checks
	best, top, before := 0, math.Inf(-1), math.Inf(-1)
	for k, b := range base {
		if x := b + noise[k]; x > top {
			before, top, best = top, x, k
		}
	}
	if top-before > tied {
		return best // nothing before it comes near
	}
	for k := range best {
		if base[k]+noise[k] >= top-tied {
			return k
		}
	}
	return best
}

// percent rounds half up in whole numbers.
func (r *repetition) percent(count int) int { return (200*count + r.draws) / (2 * r.draws) }

// predictive gives A = C·S⁻¹ and the lower Cholesky factor B of P = S − C·S⁻¹·C, with C
// the covariance of two tests and S that of one. False: S or P is not positive definite.
func predictive(rel []float64, correlations [][]float64) ([][]float64, [][]float64, bool) {
	n := len(rel)
	c, s := square(n), square(n)
	for i := range n {
		for j := range n {
			c[i][j] = math.Sqrt(rel[i]*rel[j]) * correlations[i][j]
			s[i][j] = c[i][j]
		}
		s[i][i] += 1 - rel[i]
	}
	l, ok := cholesky(s)
	if !ok {
		return nil, nil, false
	}
	a, p := square(n), square(n)
	for i := range n {
		a[i] = solve(l, c[i]) // both are symmetric
	}
	for i := range n {
		for j := range n {
			p[i][j] = s[i][j] - (dot(a[i], c[j])+dot(a[j], c[i]))/2
		}
	}
	b, ok := cholesky(p)
	return a, b, ok
}

// cholesky gives the lower factor of a symmetric matrix. False: it is not positive definite.
func cholesky(m [][]float64) ([][]float64, bool) {
	l := square(len(m))
	for i := range m {
		for j := range i {
			l[i][j] = (m[i][j] - dot(l[i][:j], l[j][:j])) / l[j][j]
		}
		rest := m[i][i] - dot(l[i][:i], l[i][:i])
		if !(rest > 0) {
			return nil, false
		}
		l[i][i] = math.Sqrt(rest)
	}
	return l, true
}

// solve gives x with L·Lᵀ·x = v.
func solve(l [][]float64, v []float64) []float64 {
	n := len(v)
	x := make([]float64, n)
	for i := range n {
		x[i] = (v[i] - dot(l[i][:i], x[:i])) / l[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= float64(l[k][i] * x[k])
		}
		x[i] /= l[i][i]
	}
	return x
}

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

func dot(a, b []float64) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}
