package instrument

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The files of our own directory that the broken copies change.
const (
	normPath   = "norms/theoretical-2026-11-28.yaml"
	rolePath   = "roles/hunter@1.yaml"
	germanFile = "texts/de.yaml"
	reportPath = "report/de.yaml"

	ad01 = "- {id: ad01, type: scored, scale: achievement_drive, keyed: plus}"
)

func brokenForm() []brokenFile {
	return []brokenFile{
		{"not YAML", definitionFile, "schema: instrument/1", "schema: [", []string{"instrument.yaml: is not valid YAML: [11:9] sequence end token ']' not found"}},
		{"a key twice", definitionFile, "schema: instrument/1", "schema: instrument/1\nschema: instrument/1", []string{"instrument.yaml: is not valid YAML: [12:1] mapping key \"schema\" already defined at [11:1]"}},
		{"two documents", normPath, "norm:", "a: 1\n---\nnorm:", []string{"norms/theoretical-2026-11-28.yaml: must hold exactly one document"}},
		{"an anchor", definitionFile, "schema: instrument/1", "schema: &a instrument/1", []string{"instrument.yaml: anchors, aliases, merge keys and tags are not part of the format"}},
		{"a tag", definitionFile, "schema: instrument/1", "schema: !!str instrument/1", []string{"instrument.yaml: anchors, aliases, merge keys and tags are not part of the format"}},
		{"a merge key", definitionFile, "scale: {min: 1, max: 6, labels_key: scale6}", "scale: {<<: {min: 1}, max: 6, labels_key: scale6}", []string{"instrument.yaml: anchors, aliases, merge keys and tags are not part of the format"}},
		{"unknown fields", definitionFile, "schema: instrument/1", "schema: instrument/1\nauthor: me\nstatus: draft", []string{
			"instrument.yaml:author: is not a field of the format",
			"instrument.yaml:status: is not a field of the format",
		}},
		{"an unknown field of an item", definitionFile, ad01, "- {id: ad01, type: scored, scale: achievement_drive, keyed: plus, weight: 2}", []string{"instrument.yaml:items[0].weight: is not a field of the format"}},
		{"a missing field", definitionFile, "schema: instrument/1\n", "", []string{"instrument.yaml:schema: is missing"}},
		{"a missing threshold", definitionFile, "  irv_caution: 0.60 ", "  #irv_caution: 0.60 ", []string{"instrument.yaml:quality.irv_caution: is missing"}},
		{"text for a number", definitionFile, "{min: 1, max: 6,", "{min: one, max: 6,", []string{
			"instrument.yaml:scale.min: must be a whole number",
			"instrument.yaml:scale: must lie between 1 and 99",
			"texts/de.yaml:scales.scale6: must hold 7 labels, one per point of the scale",
			"texts/en.yaml:scales.scale6: must hold 7 labels, one per point of the scale",
		}},
		{"a fraction for a whole number", definitionFile, "run_notice: 10", "run_notice: 10.5", []string{"instrument.yaml:quality.run_notice: must be a whole number"}},
		{"infinity", definitionFile, "radius: 1.6", "radius: .inf", []string{
			"instrument.yaml:typology.radius: must be a number",
			"instrument.yaml: has no canonical form: numbers must be finite, texts valid UTF-8",
		}},
		{"a number for a text", definitionFile, "source_language: de", "source_language: 5", []string{"instrument.yaml:source_language: must be a text"}},
		{"a mapping for a list", definitionFile, "languages: [de, en]", "languages: {de: en}", []string{
			"instrument.yaml:languages: must be a list",
			"instrument.yaml:scales[0].name.de: is not one of the languages",
			"instrument.yaml:scales[0].name.en: is not one of the languages",
			"…",
		}},
		{"a list for a mapping", definitionFile, "scale: {min: 1, max: 6, labels_key: scale6}", "scale: [1, 6]", []string{
			"instrument.yaml:scale: must be a mapping",
			"instrument.yaml:scale.labels_key: is missing",
			"instrument.yaml:items[96].expect: must be on the scale",
			"texts/de.yaml:scales.: must hold 1 labels, one per point of the scale",
			"texts/en.yaml:scales.: must hold 1 labels, one per point of the scale",
		}},
		{"three limits", definitionFile, "clip: [0, 100]", "clip: [0, 50, 100]", []string{"instrument.yaml:scoring.score.clip: must have 2 entries, not 3"}},
	}
}

func brokenHead() []brokenFile {
	return []brokenFile{
		{"another schema", definitionFile, "schema: instrument/1", "schema: instrument/2", []string{"instrument.yaml:schema: must be instrument/1"}},
		{"a bad id", definitionFile, "id: salespersona", "id: Sales Persona", []string{
			"instrument.yaml:id: must be lower-case letters, digits, _ and -, a letter first",
			"norms/theoretical-2026-11-28.yaml:norm.instrument: must be Sales Persona@2",
		}},
		{"a bad version", definitionFile, "version: 2.0.0", "version: 1.0", []string{
			"instrument.yaml:version: must be a text",
			"norms/theoretical-2026-11-28.yaml:norm.instrument: must be salespersona@",
		}},
		{"a scale from zero", definitionFile, "{min: 1, max: 6,", "{min: 0, max: 6,", []string{
			"instrument.yaml:scale: must lie between 1 and 99",
			"texts/de.yaml:scales.scale6: must hold 7 labels, one per point of the scale",
			"texts/en.yaml:scales.scale6: must hold 7 labels, one per point of the scale",
		}},
		{"a scale of twelve points", definitionFile, "{min: 1, max: 6,", "{min: 1, max: 12,", []string{
			"instrument.yaml:scale: must have 2 to 11 points, not 12",
			"texts/de.yaml:scales.scale6: must hold 12 labels, one per point of the scale",
			"texts/en.yaml:scales.scale6: must hold 12 labels, one per point of the scale",
		}},
		{"an unknown item type in the list", definitionFile, "instructed: {}}", "instructed: {}, essay: {}}", []string{"instrument.yaml:item_types.essay: is not an item type"}},
		{"a language twice", definitionFile, "languages: [de, en]", "languages: [de, en, en]", []string{"instrument.yaml:languages[2]: must be a code of two letters, once"}},
		{"a source language that is not listed", definitionFile, "source_language: de", "source_language: fr", []string{"instrument.yaml:source_language: must be one of the languages"}},
		{"a title in another language", definitionFile, `en: "Personality test for sales roles"`, `fr: "Test"`, []string{
			"instrument.yaml:title.en: needs a text",
			"instrument.yaml:title.fr: is not one of the languages",
		}},
	}
}

func brokenItems() []brokenFile {
	return []brokenFile{
		{"a scale twice", definitionFile, "{key: integrity,", "{key: resilience,", []string{
			"instrument.yaml:scales[8].key: must be letters, digits and _, and unique: \"resilience\"",
			"instrument.yaml:items[80].scale: must be a dimension of scales: \"integrity\"",
			"instrument.yaml:items[81].scale: must be a dimension of scales: \"integrity\"",
			"…",
		}},
		{"an unknown role of a scale", definitionFile, "Candour and dependability}, role: dimension", "Candour and dependability}, role: trait", []string{
			"instrument.yaml:scales[8].role: must be dimension or hint",
			"instrument.yaml:items[80].scale: must be a dimension of scales: \"integrity\"",
			"instrument.yaml:items[81].scale: must be a dimension of scales: \"integrity\"",
			"…",
		}},
		{"a scale without a name", definitionFile, "name: {de: Transparenz und Verbindlichkeit, en: Candour and dependability}", "name: {de: Integrität}", []string{"instrument.yaml:scales[8].name.en: needs a text"}},
		{"another way with missing answers", definitionFile, "min_answered: 5, missing: mean", "min_answered: 5, missing: zero", []string{"instrument.yaml:scales[9].missing: must be mean"}},
		{"more answers needed than items", definitionFile, "min_answered: 5, missing: mean", "min_answered: 7, missing: mean", []string{"instrument.yaml:scales[9].min_answered: must be 1 to 6, the items of impression_management"}},
		{"two hint scales", definitionFile, "Candour and dependability}, role: dimension", "Candour and dependability}, role: hint", []string{
			"instrument.yaml:scales: must hold at least one dimension and at most one hint scale",
			"instrument.yaml:items[80].scale: must be a dimension of scales: \"integrity\"",
			"instrument.yaml:items[81].scale: must be a dimension of scales: \"integrity\"",
			"…",
		}},
		{"a parent that is not there", definitionFile, "role: hint, min", "role: hint, parent: mood, min", []string{"instrument.yaml:scales[9].parent: must be a dimension without a parent, of a dimension"}},
		{"an item id of another form", definitionFile, ad01, "- {id: drive1, type: scored, scale: achievement_drive, keyed: plus}", []string{
			"instrument.yaml:items[0].id: must be two letters and two or three digits, or a UUID: \"drive1\"",
			"instrument.yaml:order.list[0]: must name every item once: \"ad01\"",
			"instrument.yaml:order.list: lacks drive1",
			"…",
		}},
		{"an item twice", definitionFile, "{id: ad02, type", "{id: ad01, type", []string{
			"instrument.yaml:items[1].id: is there twice: ad01",
			"instrument.yaml:order.list[16]: must name every item once: \"ad02\"",
			"instrument.yaml:pairs[1]: must name two scored items",
			"texts/de.yaml:items.ad01: is the text of ad01",
			"texts/de.yaml:items.ad02: is not an item",
			"texts/en.yaml:items.ad01: is the text of ad01",
			"texts/en.yaml:items.ad02: is not an item",
		}},
		{"an item of an unknown scale", definitionFile, ad01, "- {id: ad01, type: scored, scale: ambition, keyed: plus}", []string{
			"instrument.yaml:items[0].scale: must be a dimension of scales: \"ambition\"",
			"instrument.yaml:scales[0]: achievement_drive must have 10 items, 4 of them minus; it has 9 and 4",
			"instrument.yaml:pairs[0]: must be two items of one scale",
		}},
		{"a scored item on the hint scale", definitionFile, ad01, "- {id: ad01, type: scored, scale: impression_management, keyed: plus}", []string{
			"instrument.yaml:items[0].scale: must be a dimension of scales: \"impression_management\"",
			"instrument.yaml:scales[0]: achievement_drive must have 10 items, 4 of them minus; it has 9 and 4",
			"instrument.yaml:pairs[0]: must be two items of one scale",
		}},
		{"an item keyed neither way", definitionFile, ad01, "- {id: ad01, type: scored, scale: achievement_drive, keyed: up}", []string{
			"instrument.yaml:items[0].keyed: must be plus or minus",
			"instrument.yaml:pairs[0]: synonyms must be keyed alike",
		}},
		{"an item of an unknown type", definitionFile, ad01, "- {id: ad01, type: essay, scale: achievement_drive, keyed: plus}", []string{
			"instrument.yaml:items[0].type: must be one of item_types",
			"instrument.yaml:items[0].type: must be scored, hint or instructed",
			"instrument.yaml:pairs[0]: must name two scored items",
		}},
		{"an expected answer of a scored item", definitionFile, ad01, "- {id: ad01, type: scored, scale: achievement_drive, keyed: plus, expect: 2}", []string{"instrument.yaml:items[0].expect: belongs to instructed items only"}},
		{"another number of minus items", definitionFile, ad01, "- {id: ad01, type: scored, scale: achievement_drive, keyed: minus}", []string{
			"instrument.yaml:scales[0]: achievement_drive must have 10 items, 4 of them minus; it has 10 and 5",
			"instrument.yaml:pairs[0]: synonyms must be keyed alike",
		}},
		{"an expected answer beyond the scale", definitionFile, "expect: 2}", "expect: 7}", []string{"instrument.yaml:items[96].expect: must be on the scale"}},
		{"a keyed control line", definitionFile, "expect: 2}", "expect: 2, keyed: plus}", []string{"instrument.yaml:items[96]: an instructed item has neither scale nor keyed"}},
		{"two control lines", definitionFile, "{id: im01, type: hint, scale: impression_management, keyed: plus}", "{id: im01, type: instructed, expect: 3}", []string{"instrument.yaml:items: must hold at most one instructed item"}},
	}
}

func brokenOrder() []brokenFile {
	return []brokenFile{
		{"an order by chance", definitionFile, "mode: fixed", "mode: random", []string{"instrument.yaml:order.mode: must be fixed"}},
		{"a negative block", definitionFile, "block_size: 9", "block_size: -1", []string{"instrument.yaml:order.block_size: must not be negative"}},
		{"an unknown item in the order", definitionFile, "[\n      ad01,", "[\n      ad99,", []string{
			"instrument.yaml:order.list[0]: must name every item once: \"ad99\"",
			"instrument.yaml:order.list: lacks ad01",
		}},
		{"an item twice in the order", definitionFile, "[\n      ad01, as07", "[\n      as07, as07", []string{
			"instrument.yaml:order.list[1]: must name every item once: \"as07\"",
			"instrument.yaml:order.list: lacks ad01",
		}},
		{"five items in a row keyed alike", definitionFile, "in04, ci03, re09, co05, lo01,", "in04, re09, co05, lo01, ci03,", []string{"instrument.yaml:order.list[94]: more than 4 items in a row are keyed plus"}},
		{"items of a scale too near", definitionFile, "ad10, as06, ap02, so08, in04, ci03, re09,", "re09, as06, ap02, so08, in04, ci03, ad10,", []string{"instrument.yaml:order.list[88]: re09 comes 2 positions after the last item of resilience; 7 are needed"}},
		{"a pair too near", definitionFile, "{a: ap02, b: ap07, kind: antonym}", "{a: ap03, b: ap04, kind: antonym}", []string{"instrument.yaml:pairs[13]: ap03 and ap04 are 7 positions apart; 15 are needed"}},
	}
}

func brokenPairs() []brokenFile {
	return []brokenFile{
		{"a pair with an unknown item", definitionFile, "{a: ad01, b: ad08", "{a: ad01, b: ad99", []string{"instrument.yaml:pairs[0]: must name two scored items"}},
		{"a pair with a hint item", definitionFile, "{a: ad01, b: ad08", "{a: ad01, b: im01", []string{"instrument.yaml:pairs[0]: must name two scored items"}},
		{"a pair of one item", definitionFile, "{a: ad01, b: ad08", "{a: ad01, b: ad01", []string{"instrument.yaml:pairs[0]: must name two scored items"}},
		{"a pair twice", definitionFile, "{a: ad05, b: ad10, kind: antonym}", "{a: ad07, b: ad02, kind: antonym}", []string{"instrument.yaml:pairs[2]: is there twice"}},
		{"a pair across scales", definitionFile, "{a: ad01, b: ad08", "{a: ad01, b: ci08", []string{"instrument.yaml:pairs[0]: must be two items of one scale"}},
		{"an unknown kind of pair", definitionFile, "kind: synonym", "kind: twin", []string{"instrument.yaml:pairs[0].kind: must be synonym or antonym"}},
		{"antonyms keyed alike", definitionFile, "{a: ad02, b: ad07, kind: antonym}", "{a: ad02, b: ad04, kind: antonym}", []string{"instrument.yaml:pairs[1]: antonyms must be keyed oppositely"}},
		{"synonyms keyed oppositely", definitionFile, "{a: ad01, b: ad08, kind: synonym}", "{a: ad01, b: ad03, kind: synonym}", []string{"instrument.yaml:pairs[0]: synonyms must be keyed alike"}},
	}
}

func brokenScoring() []brokenFile {
	return []brokenFile{
		{"scoring version 0", definitionFile, "scoring: {version: 2", "scoring: {version: 0", []string{"instrument.yaml:scoring.version: must be 1 or more"}},
		{"no spread of the score", definitionFile, "sd: 20", "sd: 0", []string{"instrument.yaml:scoring.score.sd: must be above 0"}},
		{"limits upside down", definitionFile, "clip: [0, 100]", "clip: [100, 0]", []string{"instrument.yaml:scoring.score.clip: must be the lower limit and the upper one"}},
		{"an unknown output", definitionFile, "outputs: [sum,", "outputs: [iq,", []string{"instrument.yaml:scoring.outputs[0]: must be one of [sum count pomp z score t pr band90]"}},
		{"a type on an unknown dimension", definitionFile, "dimensions: [achievement_drive,", "dimensions: [ambition,", []string{"instrument.yaml:typology.dimensions[0]: must be a dimension, once: \"ambition\"", "…"}},
		{"another centre", definitionFile, "center: person_mean", "center: none", []string{"instrument.yaml:typology.center: must be person_mean"}},
		{"no radius", definitionFile, "radius: 1.6", "radius: 0", []string{"instrument.yaml:typology.radius: must be above 0"}},
		{"a type twice", definitionFile, "key: closer, shape", "key: driver, shape", []string{
			"instrument.yaml:typology.types[2].key: must be letters, digits and _, and unique: \"driver\"",
			"report/de.yaml:personas.closer: names nothing of this instrument",
			"report/en.yaml:personas.closer: names nothing of this instrument",
		}},
		{"a shape too short", definitionFile, "shape: [2, 0, 0, 0, -1, -1, 1, -1]", "shape: [2, 0, 0]", []string{"instrument.yaml:typology.types[2].shape: must have 8 numbers, one per dimension"}},
		{"a shape twice after centring", definitionFile, "shape: [0, 0, 0, 0, 0, 0, 0, 0]", "shape: [2, 3, 1, 2, 0, 0, 0, 0]", []string{"instrument.yaml:typology.types[11].shape: is the shape of an earlier type after centring"}},
		{"levels upside down", definitionFile, "{clear: 50, predominant: 33}", "{clear: 33, predominant: 50}", []string{"instrument.yaml:typology.levels: must be percent, clear not below predominant"}},
		{"a class twice", definitionFile, "{key: B, from: 78}", "{key: A, from: 78}", []string{
			"instrument.yaml:fit.classes[1].key: must be letters, digits and _, and unique: \"A\"",
			"report/de.yaml:fit.B: names nothing of this instrument",
			"report/en.yaml:fit.B: names nothing of this instrument",
		}},
		{"classes out of order", definitionFile, "{key: B, from: 78}", "{key: B, from: 95}", []string{"instrument.yaml:fit.classes[1].from: must be below the class before it"}},
		{"no class from zero", definitionFile, "{key: E, from: 0}", "{key: E, from: 1}", []string{"instrument.yaml:fit.classes: must end with a class from 0"}},
	}
}

func brokenNorms() []brokenFile {
	return []brokenFile{
		{"a norm of another name", normPath, "id: theoretical-2026-11", "id: empirical", []string{"norms/theoretical-2026-11-28.yaml:norm.id: must be the name of the file"}},
		{"a norm of another instrument", normPath, "salespersona@2", "salespersona@1", []string{"norms/theoretical-2026-11-28.yaml:norm.instrument: must be salespersona@2"}},
		{"a negative sample", normPath, "n: 0", "n: -1", []string{"norms/theoretical-2026-11-28.yaml:norm.n: must not be negative"}},
		{"a norm without a dimension", normPath, "  integrity: {mu: 72, sigma: 16, rel: 0.80}\n", "", []string{"norms/theoretical-2026-11-28.yaml:values.integrity: is missing"}},
		{"a norm of no dimension", normPath, "values:", "values:\n  charm: {mu: 60, sigma: 16, rel: 0.80}", []string{"norms/theoretical-2026-11-28.yaml:values.charm: is not a dimension"}},
		{"a norm without spread", normPath, "{mu: 62, sigma: 16,", "{mu: 62, sigma: 0,", []string{"norms/theoretical-2026-11-28.yaml:values.contact_initiative.sigma: must be above 0"}},
		{"a perfect reliability", normPath, "{mu: 62, sigma: 16, rel: 0.80}", "{mu: 62, sigma: 16, rel: 1}", []string{"norms/theoretical-2026-11-28.yaml:values.contact_initiative.rel: must lie between 0 and 1"}},
	}
}

func brokenRoles() []brokenFile {
	return []brokenFile{
		{"a role of another name", rolePath, "key: hunter", "key: farmer", []string{
			"roles/hunter@1.yaml:role: key@version must be the name of the file",
			"roles/hunter@1.yaml:role.key: has two versions; keep the one in force",
		}},
		{"a role that nothing is lost below", rolePath, "below: 2", "below: 0", []string{"roles/hunter@1.yaml:role.below: must be above 0"}},
		{"a role without an English name", rolePath, `, en: "New business"`, "", []string{"roles/hunter@1.yaml:role.name.en: needs a text"}},
		{"weights that miss one", rolePath, "w: 0.17, lo: 70", "w: 0.18, lo: 70", []string{"roles/hunter@1.yaml:role.zones: the weights sum to 1.01, not 1"}},
		{"a negative weight", rolePath, "achievement_drive: {w: 0.17", "achievement_drive: {w: -0.17", []string{
			"roles/hunter@1.yaml:role.zones.achievement_drive: w and above must not be negative",
			"roles/hunter@1.yaml:role.zones: the weights sum to 0.66, not 1",
		}},
		{"a zone upside down", rolePath, "lo: 65, hi: 95", "lo: 95, hi: 65", []string{"roles/hunter@1.yaml:role.zones.assertiveness: must keep 0 < lo <= hi <= 100"}},
		{"a zone from zero", rolePath, "lo: 65, hi: 95", "lo: 0, hi: 95", []string{"roles/hunter@1.yaml:role.zones.assertiveness: must keep 0 < lo <= hi <= 100"}},
		{"a zone above the score", rolePath, "lo: 65, hi: 95", "lo: 65, hi: 101", []string{"roles/hunter@1.yaml:role.zones.assertiveness: must keep 0 < lo <= hi <= 100"}},
		{"a role without a dimension", rolePath, "    integrity: {w: 0.06, lo: 50, hi: 100, above: 0}\n", "", []string{
			"roles/hunter@1.yaml:role.zones.integrity: is missing",
			"roles/hunter@1.yaml:role.zones: the weights sum to 0.94, not 1",
		}},
		{"a role with another dimension", rolePath, "  zones:", "  zones:\n    charm: {w: 0, lo: 50, hi: 100, above: 0}", []string{"roles/hunter@1.yaml:role.zones.charm: is not a dimension"}},
	}
}

func brokenTexts() []brokenFile {
	return []brokenFile{
		{"a text of another language", germanFile, "language: de", "language: en", []string{"texts/de.yaml:language: must be de, as the file is named"}},
		{"a text that is missing", germanFile, "  ad01: ", "  #ad01: ", []string{"texts/de.yaml:items.ad01: is missing"}},
		{"an empty text", germanFile, "  ad01: ", `  ad01: "" #`, []string{"texts/de.yaml:items.ad01: needs a text"}},
		{"a text with a space at its end", germanFile, "  ad01: ", `  ad01: "Ich " #`, []string{"texts/de.yaml:items.ad01: must not begin or end with a space"}},
		{"a text that is not composed", germanFile, "  ad01: ", "  ad01: \"Schu\u0308ler\" #", []string{"texts/de.yaml:items.ad01: must be in Unicode normal form C"}},
		{"a text too long", germanFile, "  ad01: ", "  ad01: " + strings.Repeat("lang", 41) + " #", []string{"texts/de.yaml:items.ad01: has 164 characters; 160 are allowed"}},
		{"a text twice", germanFile, "  ad01: ", "  ad01: " + Own().Text("de", "ad02") + " #", []string{"texts/de.yaml:items.ad02: is the text of ad01"}},
		{"a text of no item", germanFile, "items:", "items:\n  zz01: Etwas", []string{"texts/de.yaml:items.zz01: is not an item"}},
		{"a label too few", germanFile, "    - trifft gar nicht zu\n", "", []string{"texts/de.yaml:scales.scale6: must hold 6 labels, one per point of the scale"}},
		{"a label twice", germanFile, "    - trifft gar nicht zu\n", "    - trifft völlig zu\n", []string{"texts/de.yaml:scales.scale6[5]: is there twice"}},
		{"a persona without a name", reportPath, `name: "Türöffner", `, `name: "", `, []string{"report/de.yaml:personas.door_opener: needs a text"}},
		{"a persona that is missing", reportPath, "  rock: {", "  stone: {", []string{
			"report/de.yaml:personas.rock: is missing",
			"report/de.yaml:personas.stone: names nothing of this instrument",
		}},
		{"a class without a label", reportPath, "  A: \"Sehr hohe Übereinstimmung mit dem Rollenprofil\"\n", "", []string{"report/de.yaml:fit.A: is missing"}},
		{"a warning without a message", reportPath, "  missing_answers: \"Einzelne Aussagen wurden nicht beantwortet.\"\n", "", []string{"report/de.yaml:warnings.missing_answers: is missing"}},
	}
}

// brokenTable is about version 1.0.0, which reads the stability from a table.
func brokenTable() []brokenFile {
	return []brokenFile{
		{"a stability table that falls", definitionFile, "[0.55, 0.32]", "[0.55, 0.27]", []string{"instrument.yaml:typology.stability_table[1]: must be above the point before it in both numbers"}},
		{"a stability above one", definitionFile, "[1.00, 0.92]", "[1.00, 1.92]", []string{"instrument.yaml:typology.stability_table[10]: must be two parts of 1"}},
		{"neither a table nor draws", definitionFile, "  stability_table: ", "  #stability_table: ", []string{"instrument.yaml:typology: must have either a stability_table or stability_draws"}},
		{"a threshold left out", definitionFile, "  pause_ms: 600000 ", "  #pause_ms: 600000 ", []string{"instrument.yaml:quality.pause_ms: is missing"}},
		{"a threshold of the other way", definitionFile, "  stability_ambiguous_pct: 33 ", "  neither_ambiguous_pct: 50 ", []string{
			"instrument.yaml:quality.stability_ambiguous_pct: is missing",
			"instrument.yaml:quality.neither_ambiguous_pct: has no effect: this version does not give archetype_ambiguous so",
		}},
		{"correlations that nothing uses", "norms/theoretical-2026-11.yaml", "values:", "correlations: {}\nvalues:", []string{"norms/theoretical-2026-11.yaml:correlations: have no effect without stability_draws"}},
	}
}

func brokenRules() []brokenFile {
	const doubtful, ambiguous = "warnings: [response_quality_doubtful, ", "missing_answers, archetype_ambiguous]"
	return []brokenFile{
		{"an unknown warning", definitionFile, ambiguous, "missing_answers, left_handed]", []string{
			"instrument.yaml:warnings[8]: must be a warning, once: \"left_handed\"",
			"instrument.yaml:quality.neither_ambiguous_pct: has no effect: this version does not give archetype_ambiguous so",
			"report/de.yaml:warnings.left_handed: is missing",
			"…",
		}},
		{"a warning twice", definitionFile, ambiguous, "too_fast, archetype_ambiguous]", []string{
			"instrument.yaml:warnings[7]: must be a warning, once: \"too_fast\"",
			"report/de.yaml:warnings.missing_answers: names nothing of this instrument",
			"report/en.yaml:warnings.missing_answers: names nothing of this instrument",
		}},
		{"doubt that does not come first", definitionFile, doubtful + "inconsistent_answers, ", "warnings: [inconsistent_answers, response_quality_doubtful, ", []string{
			"instrument.yaml:warnings[1]: response_quality_doubtful must stand first",
		}},
		{"a sign of carelessness that is no warning", definitionFile, "  caution: [inconsistent_answers,", "  caution: [long_pause,", []string{"instrument.yaml:careless.caution[0]: must be a warning, once: \"long_pause\""}},
		{"a threshold without its warning", definitionFile, "  neither_ambiguous_pct: 50 ", "  pause_ms: 600000\n  neither_ambiguous_pct: 50 ", []string{"instrument.yaml:quality.pause_ms: has no effect: this version does not give long_pause so"}},
		{"a warning without its threshold", definitionFile, ambiguous, "missing_answers, long_pause, archetype_ambiguous]", []string{
			"instrument.yaml:quality.pause_ms: is missing",
			"report/de.yaml:warnings.long_pause: is missing",
			"report/en.yaml:warnings.long_pause: is missing",
		}},
	}
}

func brokenDraws() []brokenFile {
	const diagonal, cell = "achievement_drive: {achievement_drive: 1, contact_initiative: 0.30,", "contact_initiative: {achievement_drive: 0.30,"
	return []brokenFile{
		{"draws of another digest", definitionFile, "sha256: 5ae0", "sha256: 5ae1", []string{
			"instrument.yaml:typology.stability_draws.sha256: is not the digest of stability_draws.csv, 5ae0fc3a620b9f9b5d371181b21f3e85c0552aa97d71913ec0f5954460a6942e",
		}},
		{"draws outside the directory", definitionFile, "file: stability_draws.csv", "file: ../1.0.0/RELEASE", []string{"instrument.yaml:typology.stability_draws.file: must be a file beside instrument.yaml"}},
		{"draws that are not there", definitionFile, "file: stability_draws.csv", "file: draws.csv", []string{"draws.csv: cannot be read: open draws.csv: file does not exist"}},
		{"a table and draws", definitionFile, "  stability_draws: ", "  stability_table: [[0.5, 0.3], [1, 0.9]]\n  stability_draws: ", []string{"instrument.yaml:typology: must have either a stability_table or stability_draws"}},
		{"no correlations", normPath, "correlations:", "_:", []string{
			"norms/theoretical-2026-11-28.yaml:_: is not a field of the format",
			"norms/theoretical-2026-11-28.yaml:correlations: is missing",
		}},
		{"a dimension that correlates with nothing", normPath, "  contact_initiative: {achievement_drive: 0.30", "  charm: {achievement_drive: 0.30", []string{
			"norms/theoretical-2026-11-28.yaml:correlations.contact_initiative: is missing",
			"norms/theoretical-2026-11-28.yaml:correlations.charm: is not a dimension of the typology",
			"…",
		}},
		{"a diagonal that is not 1", normPath, diagonal, "achievement_drive: {achievement_drive: 0.9, contact_initiative: 0.30,", []string{"norms/theoretical-2026-11-28.yaml:correlations.achievement_drive.achievement_drive: must be 1"}},
		{"a correlation of one way", normPath, cell, "contact_initiative: {achievement_drive: 0.31,", []string{
			"norms/theoretical-2026-11-28.yaml:correlations.achievement_drive.contact_initiative: must lie between -1 and 1, and be the same the other way round",
			"norms/theoretical-2026-11-28.yaml:correlations.contact_initiative.achievement_drive: must lie between -1 and 1, and be the same the other way round",
		}},
	}
}

func TestCorrelationsThatNoScoresCanHaveAreRefused(t *testing.T) {
	m := ownCopy(t)
	norm := string(m[normPath].Data)
	for _, change := range [][2]string{
		{"achievement_drive: {achievement_drive: 1, contact_initiative: 0.30, assertiveness: 0.40", "achievement_drive: {achievement_drive: 1, contact_initiative: 0.99, assertiveness: -0.99"},
		{"contact_initiative: {achievement_drive: 0.30, contact_initiative: 1, assertiveness: 0.50", "contact_initiative: {achievement_drive: 0.99, contact_initiative: 1, assertiveness: 0.99"},
		{"assertiveness: {achievement_drive: 0.40, contact_initiative: 0.50", "assertiveness: {achievement_drive: -0.99, contact_initiative: 0.99"},
	} {
		if !strings.Contains(norm, change[0]) {
			t.Fatalf("%q is not in the norm", change[0])
		}
		norm = strings.Replace(norm, change[0], change[1], 1)
	}
	m[normPath].Data = []byte(norm)
	want := []string{normPath + ":correlations: are those of no distribution: the covariance of a second test is not positive definite"}
	if diff := cmp.Diff(want, faultsOf(t, m)); diff != "" {
		t.Errorf("faults (-want +got)\n%s", diff)
	}
}

func TestATableOfDrawsHoldsNumbersAndAsManyAsThereAreDimensions(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "stability_draws.csv: must hold a line of names and 1 to 10000 lines of as many numbers",
		"a,b\n":                "stability_draws.csv: must hold a line of names and 1 to 10000 lines of as many numbers",
		"a,b\n1,2,3\n":         "stability_draws.csv: must hold a line of names and 1 to 10000 lines of as many numbers",
		"a,b\n1,two\n":         "stability_draws.csv: line 2: \"two\" is not a number",
		"a,b\n1,NaN\n":         "stability_draws.csv: line 2: \"NaN\" is not a number",
		"a,b\n1,2\n0.5,0.25\n": "stability_draws.csv: line 2 has 2 numbers; the typology has 8 dimensions",
	} {
		m := ownCopy(t)
		m["stability_draws.csv"].Data = []byte(text)
		sum := fmt.Sprintf("sha256: %x", sha256.Sum256([]byte(text)))
		m[definitionFile].Data = regexp.MustCompile("sha256: [0-9a-f]{64}").ReplaceAll(m[definitionFile].Data, []byte(sum))
		delete(m, releaseFile)
		if diff := cmp.Diff([]string{want}, faultsOf(t, m)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
}
