package page

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"github.com/nicksnyder/go-i18n/v2/i18n/template"
	"golang.org/x/text/language"

	"typus"
)

// texts are the catalogues of a set: the shared ones and the face's.
type texts struct {
	localizers map[string]*i18n.Localizer
	plain      map[string]map[string]string // language → key → text, of those that isPlain
}

// strict makes a placeholder without a value an error, so that the tests find it and
// not the reader.
var strict = &template.TextParser{Option: "missingkey=error"}

func loadTexts(sources []fs.FS) (*texts, error) {
	bundle := i18n.NewBundle(language.German)
	t := &texts{localizers: map[string]*i18n.Localizer{}, plain: map[string]map[string]string{}}
	for _, lang := range Languages() {
		plain, seen := map[string]string{}, map[string]bool{}
		for _, source := range sources {
			names, err := catalogues(source, lang)
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				messages, err := catalogue(source, name)
				if err != nil {
					return nil, fmt.Errorf("page: %s: %w", name, err)
				}
				for _, m := range messages {
					if seen[m.ID] {
						return nil, fmt.Errorf("page: %s: %q is there already", name, m.ID)
					}
					seen[m.ID] = true
					if isPlain(m) {
						plain[m.ID] = m.Other
					} else if err := bundle.AddMessages(language.Make(lang), m); err != nil {
						return nil, fmt.Errorf("page: %s: %w", name, err)
					}
				}
			}
		}
		t.localizers[lang], t.plain[lang] = i18n.NewLocalizer(bundle, lang), plain
	}
	return t, nil
}

// catalogue reads a file of texts.
func catalogue(source fs.FS, name string) ([]*i18n.Message, error) {
	body, err := fs.ReadFile(source, name)
	if err != nil {
		return nil, err
	}
	file, err := i18n.ParseMessageFileBytes(body, name, nil)
	if err != nil {
		return nil, err
	}
	return file.Messages, nil
}

// catalogues are the files of a source in a language: de.json, or several named
// by what they are about, such as login.de.json. A file such as decision.draft.de.json
// holds texts about results that no psychologist has read yet, but for whoever wrote them
// and one more.
func catalogues(source fs.FS, lang string) ([]string, error) {
	names, _ := fs.Glob(source, "locales/*.json") // the pattern is valid
	names = slices.DeleteFunc(names, func(name string) bool {
		return name != "locales/"+lang+".json" && !strings.HasSuffix(name, "."+lang+".json")
	})
	if len(names) == 0 {
		return nil, fmt.Errorf("page: there is no catalogue in %q", lang)
	}
	return names, nil
}

// say returns a text with its placeholders filled from pairs of name and value.
func (t *texts) say(lang, key string, pairs ...any) (string, error) {
	if text, found := t.plain[lang][key]; found {
		said, err := filled(text, pairs)
		if err != nil {
			return "", fmt.Errorf("page: text %s in %s: %w", key, lang, err)
		}
		return said, nil
	}
	data, err := placeholders(pairs)
	if err != nil {
		return "", fmt.Errorf("page: text %s: %w", key, err)
	}
	return t.fill(lang, &i18n.LocalizeConfig{MessageID: key, TemplateData: data})
}

// count is say for a text that depends on a number, its placeholder {{.Count}}.
func (t *texts) count(lang, key string, n int, pairs ...any) (string, error) {
	if _, found := t.plain[lang][key]; found {
		return t.say(lang, key, append([]any{"Count", n}, pairs...)...)
	}
	data, err := placeholders(pairs)
	if err != nil {
		return "", fmt.Errorf("page: text %s: %w", key, err)
	}
	data["Count"] = n
	return t.fill(lang, &i18n.LocalizeConfig{MessageID: key, TemplateData: data, PluralCount: n})
}

func (t *texts) fill(lang string, c *i18n.LocalizeConfig) (string, error) {
	c.TemplateParser = strict
	said, err := t.localizers[lang].Localize(c) //nolint:misspell // the name is the library's
	if err != nil {
		return "", fmt.Errorf("page: text %s in %s: %w", c.MessageID, lang, err)
	}
	return said, nil
}

// date writes the day of a time, in its zone, in words.
func (t *texts) date(lang string, at time.Time) (string, error) {
	months, err := t.say(lang, "date.months")
	if err != nil {
		return "", err
	}
	month := strings.Fields(months)[at.Month()-1]
	return t.say(lang, "date.day", "Day", at.Day(), "Month", month, "Year", at.Year())
}

// day writes the day of a time, in its zone, in figures.
func (t *texts) day(lang string, at time.Time) (string, error) {
	layout, err := t.say(lang, "date.short")
	return at.Format(layout), err
}

// moment writes a time to the minute, in its zone, and which zone that is.
func (t *texts) moment(lang string, at time.Time) (string, error) {
	layout, err := t.say(lang, "date.moment")
	return at.Format(layout) + "\u00a0" + typus.ZoneName(at, lang), err
}

func placeholders(pairs []any) (map[string]any, error) {
	if err := inPairs(pairs); err != nil {
		return nil, err
	}
	data := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		name, _ := pairs[i].(string) // inPairs says so
		data[name] = pairs[i+1]
	}
	return data, nil
}
