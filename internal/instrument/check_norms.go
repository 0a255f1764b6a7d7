package instrument

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"typus"
)

func (c *checker) normValues() {
	if len(c.norms) > 1 {
		c.wrong("norms", "must hold one norm, the one in force")
	}
	major, _, _ := strings.Cut(c.def.Version, ".")
	for _, file := range sortedKeys(c.norms) {
		n := c.norms[file]
		if n.Norm.ID != stem(file) {
			c.wrong(file+":norm.id", "must be the name of the file")
		}
		if want := c.def.ID + "@" + major; n.Norm.Instrument != want {
			c.wrong(file+":norm.instrument", "must be %s", want)
		}
		if n.Norm.N < 0 {
			c.wrong(file+":norm.n", "must not be negative")
		}
		if len(c.def.Languages) > 0 {
			c.named(file+":norm.statement", n.Norm.Statement)
		}
		perDimension(c, file+":values", n.Values)
		for _, key := range sortedKeys(n.Values) {
			c.normValue(file+":values."+key, n.Values[key])
		}
	}
}

func (c *checker) normValue(path string, v normDef) {
	if v.Sigma <= 0 {
		c.wrong(path+".sigma", "must be above 0")
	}
	if v.Rel <= 0 || v.Rel >= 1 {
		c.wrong(path+".rel", "must lie between 0 and 1")
	}
}

// correlations: the simulation of a second test needs them of every two dimensions of the
// typology, and as many numbers in each draw; they must be those of some distribution.
func (c *checker) correlations() {
	t := c.def.Typology
	drawn := t != nil && t.StabilityDraws != nil
	for _, file := range sortedKeys(c.norms) {
		n := c.norms[file]
		path := file + ":correlations"
		switch {
		case drawn && n.Correlations == nil:
			c.missing(path)
		case !drawn && n.Correlations != nil:
			c.wrong(path, "have no effect without stability_draws")
		case drawn && c.correlationRows(path, n.Correlations, t.Dimensions):
			rel, matrix := truths(t.Dimensions, n)
			measured := slices.Min(rel) > 0 && slices.Max(rel) < 1 // else that is the fault, named already
			if _, _, ok := predictive(rel, matrix); !ok && measured {
				c.wrong(path, "are those of no distribution: the covariance of a second test is not positive definite")
			}
		}
	}
	for i, e := range c.draws {
		if drawn && len(e) != len(t.Dimensions) {
			c.wrong(t.StabilityDraws.File, "line %d has %d numbers; the typology has %d dimensions", i+2, len(e), len(t.Dimensions))
			return
		}
	}
}

// correlationRows reports whether every correlation is there, between -1 and 1,
// symmetric, and 1 with itself.
func (c *checker) correlationRows(path string, rows map[string]map[string]float64, keys []string) bool {
	before := len(c.list)
	correlationKeys(c, path, keys, rows)
	for _, key := range keys {
		row, there := rows[key]
		if !there {
			continue
		}
		correlationKeys(c, child(path, key), keys, row)
		for _, other := range keys {
			cell := child(child(path, key), other)
			switch v := row[other]; {
			case key == other && v != 1:
				c.wrong(cell, "must be 1")
			case v < -1 || v > 1 || v != rows[other][key]:
				c.wrong(cell, "must lie between -1 and 1, and be the same the other way round")
			}
		}
	}
	return len(c.list) == before
}

// correlationKeys asks for an entry of each dimension of the typology, and for no other.
func correlationKeys[V any](c *checker, path string, keys []string, entries map[string]V) {
	for _, key := range keys {
		if _, there := entries[key]; !there {
			c.missing(child(path, key))
		}
	}
	for _, key := range sortedKeys(entries) {
		if !slices.Contains(keys, key) {
			c.add(child(path, key), typus.CodeUnknownField, "is not a dimension of the typology")
		}
	}
}

// perDimension asks for an entry of every dimension; facets may have one too.
func perDimension[V any](c *checker, path string, values map[string]V) {
	for _, s := range c.def.Scales {
		if _, ok := values[s.Key]; !ok && s.Role == roleDimension && s.Parent == "" {
			c.missing(child(path, s.Key))
		}
	}
	for _, key := range sortedKeys(values) {
		if c.scales[key].Role != roleDimension {
			c.add(child(path, key), typus.CodeUnknownField, "is not a dimension")
		}
	}
}

func (c *checker) roleProfiles() {
	seen := make(map[string]bool)
	for _, file := range sortedKeys(c.roles) {
		r := c.roles[file].Role
		path := file + ":role"
		if fmt.Sprintf("%s@%d", r.Key, r.Version) != stem(file) || !keyPattern.MatchString(r.Key) || r.Version < 1 {
			c.wrong(path, "key@version must be the name of the file")
		}
		if seen[r.Key] {
			c.wrong(path+".key", "has two versions; keep the one in force")
		}
		seen[r.Key] = true
		if r.Below <= 0 {
			c.wrong(path+".below", "must be above 0")
		}
		if len(c.norms) == 0 {
			c.wrong(path, "needs a norm")
		}
		c.named(path+".name", r.Name)
		c.zones(path+".zones", r.Zones)
	}
}

func (c *checker) zones(path string, zones map[string]zoneDef) {
	perDimension(c, path, zones)
	var sum float64
	for _, key := range sortedKeys(zones) {
		z := zones[key]
		if c.scales[key].Parent != "" {
			c.wrong(child(path, key), "is a facet; zones are for dimensions")
		}
		if z.W < 0 || z.Above < 0 {
			c.wrong(child(path, key), "w and above must not be negative")
		}
		if z.Lo <= 0 || z.Lo > z.Hi || z.Hi > 100 {
			c.wrong(child(path, key), "must keep 0 < lo <= hi <= 100")
		}
		sum += z.W
	}
	if math.Abs(sum-1) > 1e-9 {
		c.wrong(path, "the weights sum to %.10g, not 1", sum)
	}
}
