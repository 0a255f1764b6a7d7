package instrument

import "slices"

// plainOutputs need no norm, the others do.
func plainOutputs() []string  { return []string{"sum", "count", "pomp"} }
func normedOutputs() []string { return []string{"z", "score", "t", "pr", "band90"} }

func (c *checker) scoring() {
	s := c.def.Scoring
	if s == nil {
		if len(c.norms) > 0 {
			c.missing(at("scoring"))
		}
		return
	}
	if s.Version < 1 {
		c.wrong(at("scoring.version"), "must be 1 or more")
	}
	if s.Score.SD <= 0 {
		c.wrong(at("scoring.score.sd"), "must be above 0")
	}
	if s.Score.Clip[0] >= s.Score.Clip[1] {
		c.wrong(at("scoring.score.clip"), "must be the lower limit and the upper one")
	}
	for i, name := range s.Outputs {
		switch {
		case slices.Contains(normedOutputs(), name):
			if len(c.norms) == 0 {
				c.wrong(at("scoring.outputs[%d]", i), "%s needs a norm", name)
			}
		case !slices.Contains(plainOutputs(), name):
			c.wrong(at("scoring.outputs[%d]", i), "must be one of %v", append(plainOutputs(), normedOutputs()...))
		}
	}
}

// minPrototypeDistance keeps types apart by more than three standard errors of measurement.
const minPrototypeDistance = 1.4

func (c *checker) typology() {
	t := c.def.Typology
	if t == nil {
		return
	}
	if len(c.norms) == 0 {
		c.wrong(at("typology"), "needs a norm")
	}
	seen := make(map[string]bool)
	for i, key := range t.Dimensions {
		if s, ok := c.scales[key]; !ok || s.Role != roleDimension || s.Parent != "" || seen[key] {
			c.wrong(at("typology.dimensions[%d]", i), "must be a dimension, once: %q", key)
		}
		seen[key] = true
	}
	if t.Centre != centreMean {
		c.wrong(at("typology.center"), "must be %s", centreMean)
	}
	if t.Radius <= 0 {
		c.wrong(at("typology.radius"), "must be above 0")
	}
	c.types(*t)
	if (t.StabilityTable == nil) == (t.StabilityDraws == nil) {
		c.wrong(at("typology"), "must have either a stability_table or stability_draws")
	}
	if t.StabilityTable != nil {
		c.stabilityTable(t.StabilityTable)
	}
	if l := t.Levels; l.Predominant < 0 || l.Clear < l.Predominant || l.Clear > 100 {
		c.wrong(at("typology.levels"), "must be percent, clear not below predominant")
	}
}

func (c *checker) types(t typologyDef) {
	if len(t.Types) < 2 {
		c.wrong(at("typology.types"), "must hold at least two types")
	}
	keys := make(map[string]bool)
	var prototypes [][]float64
	for i, ty := range t.Types {
		path := at("typology.types[%d]", i)
		if keys[ty.Key] || !keyPattern.MatchString(ty.Key) {
			c.wrong(path+".key", "must be letters, digits and _, and unique: %q", ty.Key)
		}
		keys[ty.Key] = true
		if len(ty.Shape) == 0 || len(ty.Shape) != len(t.Dimensions) {
			c.wrong(path+".shape", "must have %d numbers, one per dimension", len(t.Dimensions))
			continue
		}
		if t.Radius <= 0 {
			continue // all would fall together
		}
		p := prototype(ty.Shape, t.Radius)
		for _, other := range prototypes {
			c.apart(path, p, other)
		}
		prototypes = append(prototypes, p)
	}
}

func (c *checker) apart(path string, p, other []float64) {
	switch d := distance(p, other); {
	case d < 1e-9:
		c.wrong(path+".shape", "is the shape of an earlier type after centring")
	case d < minPrototypeDistance:
		c.remarks.wrong(path+".shape", "is only %.3f away from an earlier type; %.1f are advised", d, minPrototypeDistance)
	}
}

func (c *checker) stabilityTable(table [][2]float64) {
	if len(table) < 2 {
		c.wrong(at("typology.stability_table"), "must hold at least two points")
	}
	for i, point := range table {
		path := at("typology.stability_table[%d]", i)
		if slices.Min(point[:]) < 0 || slices.Max(point[:]) > 1 {
			c.wrong(path, "must be two parts of 1")
		}
		if i > 0 && (point[0] <= table[i-1][0] || point[1] <= table[i-1][1]) {
			c.wrong(path, "must be above the point before it in both numbers")
		}
	}
}

func (c *checker) fitClasses() {
	f := c.def.Fit
	if f == nil {
		if len(c.roles) > 0 {
			c.missing(at("fit"))
		}
		return
	}
	if f.BorderlineSEM < 0 {
		c.wrong(at("fit.borderline_sem"), "must not be negative")
	}
	keys := make(map[string]bool)
	for i, class := range f.Classes {
		path := at("fit.classes[%d]", i)
		if keys[class.Key] || !keyPattern.MatchString(class.Key) {
			c.wrong(path+".key", "must be letters, digits and _, and unique: %q", class.Key)
		}
		keys[class.Key] = true
		if i > 0 && class.From >= f.Classes[i-1].From {
			c.wrong(path+".from", "must be below the class before it")
		}
	}
	if n := len(f.Classes); n == 0 || f.Classes[n-1].From != 0 {
		c.wrong(at("fit.classes"), "must end with a class from 0")
	}
}
