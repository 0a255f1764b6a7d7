package instrument

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"

	"typus"
)

// build prepares a checked directory for use.
func build(read files, warnings []typus.Field) *Instrument {
	in := &Instrument{def: read.def, hash: read.hash, warnings: warnings, texts: read.texts, report: read.report, control: -1}
	if in.def.Scoring == nil {
		in.def.Scoring = &scoringDef{Version: 1}
	}
	in.placeItems()
	var norm normFile
	for _, file := range read.norms { // one at most
		norm = file
	}
	in.norm = norm.Norm
	in.placeScales(norm.Values)
	if t := in.def.Typology; t != nil {
		in.types = newTypology(*t, in.indicesOf(t.Dimensions), in.dimensions)
		if read.draws != nil {
			rel, correlations := truths(t.Dimensions, norm)
			in.types.repeat, _ = newRepetition(rel, correlations, in.types.prototypes, read.draws) // check has seen that it can be
		}
	}
	in.placeRoles(read.roles)
	in.given = slices.DeleteFunc(slices.Clone(in.def.warningKeys()), func(key string) bool { return key == WarnDoubtful })
	in.givesDoubt = len(in.given) < len(in.def.warningKeys())
	in.span = sync.OnceValue(in.highestLowest)
	return in
}

// truths are the reliabilities and the correlations of the true scores that a norm gives
// for some dimensions.
func truths(keys []string, norm normFile) ([]float64, [][]float64) {
	rel, correlations := make([]float64, len(keys)), square(len(keys))
	for i, key := range keys {
		rel[i] = norm.Values[key].Rel
		for j, other := range keys {
			correlations[i][j] = norm.Correlations[key][other]
		}
	}
	return rel, correlations
}

// placeItems brings the items into presentation order and cuts them into blocks.
func (in *Instrument) placeItems() {
	byID := make(map[string]itemDef)
	for _, it := range in.def.Items {
		byID[it.ID] = it
	}
	order, size := orderOf(in.def), 0
	if in.def.Order != nil {
		size = in.def.Order.BlockSize
	}
	in.blocks = 1
	inBlock := 0
	for p, id := range order {
		it := byID[id]
		if it.Type == Scored {
			if size > 0 && inBlock == size {
				in.blocks++
				inBlock = 0
			}
			inBlock++
			in.scored = append(in.scored, p)
		}
		if it.Type == Instructed {
			in.control = p
		}
		in.items = append(in.items, Item{ID: id, Type: it.Type, Scale: it.Scale, Minus: it.Keyed == keyedMinus, Expect: it.Expect, Block: in.blocks})
	}
}

// orderOf is the presentation order, by default the order of the file.
func orderOf(def definition) []string {
	if def.Order != nil {
		return def.Order.List
	}
	ids := make([]string, len(def.Items))
	for i, it := range def.Items {
		ids[i] = it.ID
	}
	return ids
}

// placeScales finds the positions of each scale's items and of the pairs.
func (in *Instrument) placeScales(norms map[string]normDef) {
	in.position = make(map[string]int)
	for p, it := range in.items {
		in.position[it.ID] = p
	}
	for _, s := range in.def.Scales {
		sc := scale{key: s.Key, name: cmp.Or(s.Name[in.def.SourceLanguage], s.Key), needed: s.MinAnswered}
		for _, it := range members(in.def, s.Key) {
			sc.positions = append(sc.positions, in.position[it.ID])
		}
		if n, ok := norms[s.Key]; ok {
			sc.norm = &reference{mu: n.Mu, sigma: n.Sigma, rel: n.Rel, sem: in.def.Scoring.Score.SD * math.Sqrt(1-n.Rel)}
		}
		switch {
		case s.Role == roleHint:
			in.hint = &sc
		case s.Parent != "":
			in.facets = append(in.facets, sc)
		default:
			in.dimensions = append(in.dimensions, sc)
		}
	}
	for _, p := range in.def.Pairs {
		in.pairs = append(in.pairs, pair{a: in.position[p.A], b: in.position[p.B], antonym: p.Kind == kindAntonym})
	}
}

// members are the items of a scale and of its facets, in the order of the file.
func members(def definition, key string) []itemDef {
	facets := map[string]bool{key: true}
	for _, s := range def.Scales {
		if s.Parent == key {
			facets[s.Key] = true
		}
	}
	var items []itemDef
	for _, it := range def.Items {
		if it.Scale != "" && facets[it.Scale] {
			items = append(items, it)
		}
	}
	return items
}

func (in *Instrument) indicesOf(keys []string) []int {
	all := in.Dimensions()
	indices := make([]int, len(keys))
	for i, key := range keys {
		indices[i] = slices.Index(all, key)
	}
	return indices
}

// defaultRole stands first in every list of roles.
const defaultRole = "general_sales"

func (in *Instrument) placeRoles(roles map[string]roleFile) {
	for _, file := range slices.Sorted(maps.Keys(roles)) {
		def := roles[file].Role
		r := Role{Key: def.Key, Version: def.Version, Below: def.Below, names: def.Name}
		for _, d := range in.dimensions {
			z := def.Zones[d.key]
			r.Zones = append(r.Zones, Zone{Dimension: d.key, Weight: z.W, Low: z.Lo, High: z.Hi, Above: z.Above})
		}
		r.sem = overallSEM(in.dimensions, r.Zones, r.Below)
		in.roles = append(in.roles, r)
	}
	if i := slices.IndexFunc(in.roles, func(r Role) bool { return r.Key == defaultRole }); i > 0 {
		general := in.roles[i]
		in.roles = slices.Insert(slices.Delete(in.roles, i, i+1), 0, general)
	}
}
