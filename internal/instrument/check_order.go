package instrument

// The rules for the order of our own instrument: items that belong together stand far
// apart, and somebody who gives the same answer over many screens is noticed.
const (
	maxKeyRun        = 4
	minScaleDistance = 7
	minPairDistance  = 15
)

func (c *checker) order() {
	if o := c.def.Order; o != nil {
		if o.Mode != orderFixed {
			c.wrong(at("order.mode"), "must be %s", orderFixed)
		}
		if o.BlockSize < 0 {
			c.wrong(at("order.block_size"), "must not be negative")
		}
		if !c.permutation(o.List) {
			return // distances in a list with holes would be noise
		}
	}
	order := orderOf(c.def)
	c.keyRuns(order)
	c.distances(order)
}

// permutation reports whether the list names every item once.
func (c *checker) permutation(list []string) bool {
	ok := true
	seen := make(map[string]bool)
	for i, id := range list {
		if _, known := c.items[id]; !known || seen[id] {
			c.wrong(at("order.list[%d]", i), "must name every item once: %q", id)
			ok = false
		}
		seen[id] = true
	}
	for _, it := range c.def.Items {
		if !seen[it.ID] {
			c.wrong(at("order.list"), "lacks %s", it.ID)
			ok = false
		}
	}
	return ok
}

func (c *checker) keyRuns(order []string) {
	run, last := 0, ""
	for i, id := range order {
		it := c.items[id]
		if it.Type == Instructed {
			continue
		}
		if it.Keyed != last {
			run, last = 0, it.Keyed
		}
		if run++; run == maxKeyRun+1 {
			c.strictly(at("order.list[%d]", i), "more than %d items in a row are keyed %s", maxKeyRun, it.Keyed)
		}
	}
}

func (c *checker) distances(order []string) {
	position := make(map[string]int)
	last := make(map[string]int)
	for i, id := range order {
		position[id] = i
		it := c.items[id]
		if it.Type != Scored {
			continue
		}
		if before, ok := last[it.Scale]; ok && i-before < minScaleDistance {
			c.strictly(at("order.list[%d]", i), "%s comes %d positions after the last item of %s; %d are needed", id, i-before, it.Scale, minScaleDistance)
		}
		last[it.Scale] = i
	}
	for i, p := range c.def.Pairs {
		d := position[p.A] - position[p.B]
		if d = max(d, -d); d > 0 && d < minPairDistance {
			c.strictly(at("pairs[%d]", i), "%s and %s are %d positions apart; %d are needed", p.A, p.B, d, minPairDistance)
		}
	}
}
