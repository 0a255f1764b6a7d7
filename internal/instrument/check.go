package instrument

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"typus"
)

// checker holds the rules of the format over one directory.
type checker struct {
	*faults
	files
	remarks faults // what only our own instrument must keep
	items   map[string]itemDef
	scales  map[string]scaleDef
}

// check notes every broken rule and returns those that are only a warning.
func (f *faults) check(read files) []typus.Field {
	c := &checker{faults: f, files: read, items: make(map[string]itemDef), scales: make(map[string]scaleDef)}
	c.head()
	c.scaleList()
	c.itemList()
	c.scaleSizes()
	c.order()
	c.pairList()
	c.scoring()
	c.warningRules()
	c.typology()
	c.fitClasses()
	c.normValues()
	c.correlations()
	c.roleProfiles()
	c.itemTexts()
	c.reportTexts()
	c.frozen()
	return c.remarks.list
}

// strictly notes a fault if the instrument is our own, and a warning if it is another.
func (c *checker) strictly(path, format string, args ...any) {
	if c.def.ID == ownID {
		c.wrong(path, format, args...)
	} else {
		c.remarks.wrong(path, format, args...)
	}
}

// at is a path in instrument.yaml.
func at(format string, args ...any) string {
	return definitionFile + ":" + fmt.Sprintf(format, args...)
}

var (
	idPattern      = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
	versionPattern = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$`)
	keyPattern     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	itemPattern    = regexp.MustCompile(`^([a-z]{2}[0-9]{2,3}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$`)
	langPattern    = regexp.MustCompile(`^[a-z]{2}$`)
)

func (c *checker) head() {
	d := c.def
	if d.Schema != formatSchema {
		c.wrong(at("schema"), "must be %s", formatSchema)
	}
	if !idPattern.MatchString(d.ID) {
		c.wrong(at("id"), "must be lower-case letters, digits, _ and -, a letter first")
	}
	if !versionPattern.MatchString(d.Version) {
		c.wrong(at("version"), "must be three numbers, such as 1.0.0")
	}
	if d.Scale.Min < 1 || d.Scale.Max > 99 {
		c.wrong(at("scale"), "must lie between 1 and 99")
	}
	if points := d.Scale.Max - d.Scale.Min + 1; points < 2 || points > maxPoints {
		c.wrong(at("scale"), "must have 2 to %d points, not %d", maxPoints, points)
	}
	for _, name := range sortedKeys(d.ItemTypes) {
		if !slices.Contains([]ItemType{Scored, Hint, Instructed}, ItemType(name)) {
			c.wrong(at("item_types.%s", name), "is not an item type")
		}
	}
	c.languages()
}

func (c *checker) languages() {
	seen := make(map[string]bool)
	for i, lang := range c.def.Languages {
		if !langPattern.MatchString(lang) || seen[lang] {
			c.wrong(at("languages[%d]", i), "must be a code of two letters, once")
		}
		seen[lang] = true
	}
	if len(seen) > 0 && !seen[c.def.SourceLanguage] {
		c.wrong(at("source_language"), "must be one of the languages")
	}
	if len(seen) > 0 {
		c.named(at("title"), c.def.Title)
		if c.def.Scale.LabelsKey == "" {
			c.missing(at("scale.labels_key"))
		}
	}
}

// named asks for a name in every language, and in no other.
func (c *checker) named(path string, names map[string]string) {
	for _, lang := range c.def.Languages {
		c.text(child(path, lang), names[lang])
	}
	for _, lang := range sortedKeys(names) {
		if !slices.Contains(c.def.Languages, lang) {
			c.wrong(child(path, lang), "is not one of the languages")
		}
	}
}

// text asks for words, in composed form so that equal texts are equal bytes.
func (c *checker) text(path, s string) {
	switch {
	case strings.TrimSpace(s) == "":
		c.add(path, typus.CodeRequired, "needs a text")
	case s != strings.TrimSpace(s):
		c.wrong(path, "must not begin or end with a space")
	case !norm.NFC.IsNormalString(s):
		c.wrong(path, "must be in Unicode normal form C")
	}
}

// frozen compares the hash with the one that was released. A draft has no RELEASE yet;
// the tests do not let our own instrument go out like that.
func (c *checker) frozen() {
	switch {
	case c.release == "":
		c.remarks.wrong(releaseFile, "is missing: the version is not frozen")
	case c.hash != "" && c.release != c.hash:
		c.wrong(releaseFile, "holds another hash than %s: a released version must not change; make a new version", c.hash)
	}
}
