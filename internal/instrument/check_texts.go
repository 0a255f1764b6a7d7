package instrument

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"typus"
)

// itemTexts asks for the labels and every statement in every language.
func (c *checker) itemTexts() {
	for _, lang := range sortedKeys(c.texts) {
		if !slices.Contains(c.def.Languages, lang) {
			c.wrong("texts/"+lang+".yaml", "is not one of the languages")
		}
	}
	for _, lang := range c.def.Languages {
		file := "texts/" + lang + ".yaml"
		t, ok := c.texts[lang]
		if !ok {
			c.missing(file)
			continue
		}
		if t.Language != lang {
			c.wrong(file+":language", "must be %s, as the file is named", lang)
		}
		c.labels(file, t)
		c.statements(file, t)
	}
}

func (c *checker) labels(file string, t itemTexts) {
	path := file + ":scales." + c.def.Scale.LabelsKey
	labels := t.Scales[c.def.Scale.LabelsKey]
	if points := c.def.Scale.Max - c.def.Scale.Min + 1; len(labels) != points {
		c.wrong(path, "must hold %d labels, one per point of the scale", points)
	}
	c.distinct(path, labels)
}

// distinct asks for texts of which no two are equal.
func (c *checker) distinct(path string, list []string) {
	seen := make(map[string]bool)
	for i, s := range list {
		entry := fmt.Sprintf("%s[%d]", path, i)
		c.text(entry, s)
		if seen[s] {
			c.wrong(entry, "is there twice")
		}
		seen[s] = true
	}
}

func (c *checker) statements(file string, t itemTexts) {
	first := make(map[string]string)
	for _, it := range c.def.Items {
		path := file + ":items." + it.ID
		s, ok := t.Items[it.ID]
		if !ok {
			c.missing(path)
			continue
		}
		c.text(path, s)
		if n := utf8.RuneCountInString(s); n > maxText {
			c.add(path, typus.CodeTooLong, "has %d characters; %d are allowed", n, maxText)
		}
		if other, twice := first[s]; twice {
			c.wrong(path, "is the text of %s", other)
		}
		first[s] = it.ID
	}
	for _, id := range sortedKeys(t.Items) {
		if _, known := c.items[id]; !known {
			c.add(file+":items."+id, typus.CodeUnknownField, "is not an item")
		}
	}
}

// reportTexts asks for the name of everything that a result of this instrument can hold.
func (c *checker) reportTexts() {
	for _, lang := range sortedKeys(c.report) {
		if !slices.Contains(c.def.Languages, lang) {
			c.wrong("report/"+lang+".yaml", "is not one of the languages")
		}
	}
	if c.def.Typology == nil && c.def.Fit == nil && c.def.Quality == nil {
		return
	}
	for _, lang := range c.def.Languages {
		file := "report/" + lang + ".yaml"
		t, ok := c.report[lang]
		if !ok {
			c.missing(file)
			continue
		}
		if t.Language != lang {
			c.wrong(file+":language", "must be %s, as the file is named", lang)
		}
		c.personaTexts(file, t)
		c.keyedTexts(file+":fit", t.Fit, c.fitKeys())
		c.keyedTexts(file+":warnings", t.Warnings, c.def.warningKeys())
	}
}

func (c *checker) personaTexts(file string, t reportTexts) {
	names, subtitles := make(map[string]string), make(map[string]string)
	for key, p := range t.Personas {
		names[key], subtitles[key] = p.Name, p.Subtitle
	}
	var keys []string
	if c.def.Typology != nil {
		for _, ty := range c.def.Typology.Types {
			keys = append(keys, ty.Key)
		}
	}
	c.keyedTexts(file+":personas", names, keys)
	for _, key := range keys {
		if _, ok := subtitles[key]; ok {
			c.text(file+":personas."+key+".subtitle", subtitles[key])
		}
	}
}

func (c *checker) fitKeys() []string {
	var keys []string
	if c.def.Fit != nil {
		for _, class := range c.def.Fit.Classes {
			keys = append(keys, class.Key)
		}
	}
	return keys
}

// keyedTexts asks for a text under each key, and for no other key.
func (c *checker) keyedTexts(path string, texts map[string]string, keys []string) {
	wanted := make(map[string]bool)
	for _, key := range keys {
		wanted[key] = true
		if s, ok := texts[key]; ok {
			c.text(child(path, key), s)
		} else {
			c.missing(child(path, key))
		}
	}
	for _, key := range sortedKeys(texts) {
		if !wanted[key] {
			c.add(child(path, key), typus.CodeUnknownField, "names nothing of this instrument")
		}
	}
}
