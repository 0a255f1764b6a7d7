package instrument

// What the rules ask of an instrument; the last two only of our own.
const (
	minItems      = 4
	ownItems      = 10
	ownMinusItems = 4
)

func (c *checker) scaleList() {
	dimensions, hints := 0, 0
	for i, s := range c.def.Scales {
		path := at("scales[%d]", i)
		if _, twice := c.scales[s.Key]; twice || !keyPattern.MatchString(s.Key) {
			c.wrong(path+".key", "must be letters, digits and _, and unique: %q", s.Key)
		}
		c.scales[s.Key] = s
		switch s.Role {
		case roleDimension:
			c.named(path+".name", s.Name)
			if s.Parent == "" {
				dimensions++
			}
		case roleHint:
			hints++
		default:
			c.wrong(path+".role", "must be %s or %s", roleDimension, roleHint)
		}
		if s.Missing != missingMean {
			c.wrong(path+".missing", "must be %s", missingMean)
		}
	}
	if dimensions == 0 || hints > 1 {
		c.wrong(at("scales"), "must hold at least one dimension and at most one hint scale")
	}
	c.parents()
}

func (c *checker) parents() {
	for i, s := range c.def.Scales {
		if s.Parent == "" {
			continue
		}
		if p, ok := c.scales[s.Parent]; !ok || p.Role != roleDimension || p.Parent != "" || s.Role != roleDimension {
			c.wrong(at("scales[%d].parent", i), "must be a dimension without a parent, of a dimension")
		}
	}
}

func (c *checker) itemList() {
	instructed := 0
	for i, it := range c.def.Items {
		path := at("items[%d]", i)
		if !itemPattern.MatchString(it.ID) {
			c.wrong(path+".id", "must be two letters and two or three digits, or a UUID: %q", it.ID)
		}
		if _, twice := c.items[it.ID]; twice {
			c.wrong(path+".id", "is there twice: %s", it.ID)
		}
		c.items[it.ID] = it
		if _, listed := c.def.ItemTypes[string(it.Type)]; !listed && c.def.ItemTypes != nil {
			c.wrong(path+".type", "must be one of item_types")
		}
		switch it.Type {
		case Scored:
			c.keyedItem(path, it, roleDimension)
		case Hint:
			c.keyedItem(path, it, roleHint)
		case Instructed:
			instructed++
			c.instructedItem(path, it)
		default:
			c.wrong(path+".type", "must be %s, %s or %s", Scored, Hint, Instructed)
		}
	}
	if instructed > 1 {
		c.wrong(at("items"), "must hold at most one instructed item")
	}
}

func (c *checker) keyedItem(path string, it itemDef, role string) {
	if s, ok := c.scales[it.Scale]; !ok || s.Role != role {
		c.wrong(path+".scale", "must be a %s of scales: %q", role, it.Scale)
	}
	if it.Keyed != keyedPlus && it.Keyed != keyedMinus {
		c.wrong(path+".keyed", "must be %s or %s", keyedPlus, keyedMinus)
	}
	if it.Expect != 0 {
		c.wrong(path+".expect", "belongs to instructed items only")
	}
}

func (c *checker) instructedItem(path string, it itemDef) {
	if it.Expect < c.def.Scale.Min || it.Expect > c.def.Scale.Max {
		c.wrong(path+".expect", "must be on the scale")
	}
	if it.Scale != "" || it.Keyed != "" {
		c.wrong(path, "an instructed item has neither scale nor keyed")
	}
}

// scaleSizes counts the items of each scale.
func (c *checker) scaleSizes() {
	for i, s := range c.def.Scales {
		path := at("scales[%d]", i)
		items := members(c.def, s.Key)
		minus := 0
		for _, it := range items {
			if it.Keyed == keyedMinus {
				minus++
			}
		}
		if s.MinAnswered < 1 || s.MinAnswered > len(items) {
			c.wrong(path+".min_answered", "must be 1 to %d, the items of %s", len(items), s.Key)
		}
		if s.Role != roleDimension {
			continue
		}
		if len(items) < minItems {
			c.wrong(path, "%s has %d items; a dimension needs %d", s.Key, len(items), minItems)
		}
		if c.def.ID == ownID && (len(items) != ownItems || minus != ownMinusItems) {
			c.wrong(path, "%s must have %d items, %d of them minus; it has %d and %d", s.Key, ownItems, ownMinusItems, len(items), minus)
		}
	}
}

func (c *checker) pairList() {
	seen := make(map[[2]string]bool)
	for i, p := range c.def.Pairs {
		path := at("pairs[%d]", i)
		a, okA := c.items[p.A]
		b, okB := c.items[p.B]
		if !okA || !okB || a.Type != Scored || b.Type != Scored || p.A == p.B {
			c.wrong(path, "must name two scored items")
			continue
		}
		if seen[[2]string{p.A, p.B}] || seen[[2]string{p.B, p.A}] {
			c.wrong(path, "is there twice")
		}
		seen[[2]string{p.A, p.B}] = true
		if a.Scale != b.Scale {
			c.wrong(path, "must be two items of one scale")
		}
		c.pairKeys(path, p, a, b)
	}
}

func (c *checker) pairKeys(path string, p pairDef, a, b itemDef) {
	switch {
	case p.Kind != kindSynonym && p.Kind != kindAntonym:
		c.wrong(path+".kind", "must be %s or %s", kindSynonym, kindAntonym)
	case p.Kind == kindSynonym && a.Keyed != b.Keyed:
		c.wrong(path, "synonyms must be keyed alike")
	case p.Kind == kindAntonym && a.Keyed == b.Keyed:
		c.wrong(path, "antonyms must be keyed oppositely")
	}
}
