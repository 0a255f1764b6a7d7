package page

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"typus"
)

// Set holds the pages of one face in every language. A page is parsed when it is first
// shown: otherwise most of a server's start and memory would go into pages that nobody
// asks for. It is safe for concurrent use.
type Set struct {
	texts  *texts
	pages  map[string]map[string]func() (*template.Template, error) // language → name → page
	moving map[string]*movingPages                                  // language → pages that write times in their own way
}

// View is the data of one page: a struct of its own for each page, with Frame
// embedded.
type View interface {
	Template() string // the file in templates/, without .html
}

// Frame is what the layout shows around a page.
type Frame struct {
	Brand    string // who speaks: an account's name; empty for Typus itself
	Logo     string // address of a picture in place of our mark; empty for ours
	LogoDark string // address of the same picture for a dark page; empty for no other
	Accent   string // address of a style sheet with colours of their own; empty for ours
	Fault    bool   // the page reports a mistake; its title says so first
	Switch   Switch
	World    bool  // it is of a test world: about nobody who is real, and says so
	Times    Times // how its templates write times
}

// Times is how templates write the times that they are given.
type Times struct {
	Ahead time.Duration  // is added: the clock of a test world is ahead
	Zone  *time.Location // nil: UTC
}

// TimesOf is how the pages of an account write times.
func TimesOf(a typus.Account) Times { return Times{a.Ahead, a.Zone.Location()} }

// plain reports whether times are written as they are stored.
func (t Times) plain() bool { return t.Ahead == 0 && (t.Zone == nil || t.Zone == time.UTC) }

// shown is a stored time as it is written.
func (t Times) shown(at time.Time) time.Time {
	at = at.Add(t.Ahead)
	if t.Zone == nil {
		return at.UTC()
	}
	return at.In(t.Zone)
}

// HowTimes is Times, for whoever renders the page.
func (f Frame) HowTimes() Times { return f.Times }

// OnlyLanguage is the field by which a form says that it is sent for another language, and
// nothing is to be stored.
const OnlyLanguage = "nur"

// Switch leads to the same page in the other language.
type Switch struct {
	Action string // where a POST stores the choice; empty: a link with ?lang= is all
	Keep   string // what else the link's query says, encoded, such as a token
	Page   string // what the POST needs to find back to this page
	Form   string // id of a form that is sent along, so that nothing typed is lost; its POST says OnlyLanguage
	None   bool   // this page cannot be asked for again, so there is no switch
}

func newSet(assets *static, sources []fs.FS) (*Set, error) {
	texts, err := loadTexts(sources)
	if err != nil {
		return nil, err
	}
	s := &Set{texts: texts, pages: map[string]map[string]func() (*template.Template, error){}, moving: map[string]*movingPages{}}
	for _, lang := range Languages() {
		say := func(key string) (string, error) { return texts.say(lang, key) }
		parse := func(times *Times) map[string]func() (*template.Template, error) {
			return pages(sources, funcs(texts, assets, lang, times), say)
		}
		s.pages[lang], s.moving[lang] = parse(new(Times)), &movingPages{parse: parse}
	}
	return s, nil
}

// funcs are what a template of one language may call. It writes times as times says; nothing
// is added to what is said to be the machine's: {{template "moment" (machine .At)}}.
func funcs(t *texts, assets *static, lang string, times *Times) template.FuncMap {
	return template.FuncMap{
		"lang":    func() string { return lang },
		"other":   func() string { return other(lang) },
		"turn":    func(keep string) string { return turn(keep, other(lang)) },
		"static":  assets.url,
		"ahead":   Ahead,
		"t":       func(key string, pairs ...any) (string, error) { return t.say(lang, key, pairs...) },
		"n":       func(key string, n int, pairs ...any) (string, error) { return t.count(lang, key, n, pairs...) },
		"date":    func(at time.Time) (string, error) { return t.date(lang, times.shown(at)) },
		"short":   func(at time.Time) (string, error) { return t.day(lang, times.shown(at)) },
		"moment":  func(at time.Time) (string, error) { return t.moment(lang, times.shown(at)) },
		"machine": func(at time.Time) time.Time { return at.Add(-times.Ahead) },
		"stamp":   func(at time.Time) string { return times.shown(at).UTC().Format(time.RFC3339) },
	}
}

// turn is the query that asks for the same page in another language.
func turn(keep, lang string) string {
	query, err := url.ParseQuery(keep)
	if err != nil {
		query = url.Values{}
	}
	query.Set(languageParam, lang)
	return "?" + query.Encode()
}

// other is the language that the switch offers.
func other(lang string) string {
	for _, l := range Languages() {
		if l != lang {
			return l
		}
	}
	return lang
}

// pages lists the pages of all sources; each is parsed on top of all the parts
// when it is first asked for.
func pages(sources []fs.FS, funcs template.FuncMap, say func(key string) (string, error)) map[string]func() (*template.Template, error) {
	parts := sync.OnceValues(func() (*template.Template, error) { return parseParts(sources, funcs) })
	all := map[string]func() (*template.Template, error){}
	for _, source := range sources {
		files, _ := fs.Glob(source, "templates/*.html") // the pattern is valid
		for _, file := range files {
			all[strings.TrimSuffix(path.Base(file), ".html")] = sync.OnceValues(func() (*template.Template, error) {
				p, err := parts()
				if err == nil {
					p, err = p.Clone()
				}
				if err == nil {
					p, err = p.ParseFS(source, file)
				}
				if err == nil {
					err = sayConstants(p, say)
				}
				return p, err
			})
		}
	}
	return all
}

func parseParts(sources []fs.FS, funcs template.FuncMap) (*template.Template, error) {
	parts := template.New("").Funcs(funcs)
	for _, source := range sources {
		if names, _ := fs.Glob(source, "templates/parts/*.html"); len(names) > 0 {
			if _, err := parts.ParseFS(source, names...); err != nil {
				return nil, err
			}
		}
	}
	return parts, nil
}

// Render writes a page with a status. If it returns an error, it has written nothing.
func (s *Set) Render(w http.ResponseWriter, status int, lang string, v View) error {
	buf, _ := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf)
	buf.Reset()
	if err := s.write(buf, lang, v); err != nil {
		return err
	}
	Send(w, status, lang, buf.Bytes())
	return nil
}

// Send writes a page that is whole, with a status.
func Send(w http.ResponseWriter, status int, lang string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", lang)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a reader who has gone is no fault
}

// buffers hold pages until they are whole.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Page is a page as it is sent.
func (s *Set) Page(lang string, v View) ([]byte, error) {
	var buf bytes.Buffer
	if err := s.write(&buf, lang, v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func (s *Set) write(buf *bytes.Buffer, lang string, v View) error {
	if f, framed := v.(interface{ HowTimes() Times }); framed && !f.HowTimes().plain() {
		p, err := s.moving[lang].take(v.Template())
		if err != nil {
			return err
		}
		defer s.moving[lang].giveBack(p)
		*p.times = f.HowTimes()
		return execute(buf, p.page, lang, v)
	}
	page, err := parsed(s.pages[lang], v.Template())
	if err != nil {
		return err
	}
	return execute(buf, page, lang, v)
}

// parsed is a page of those of one language.
func parsed(pages map[string]func() (*template.Template, error), name string) (*template.Template, error) {
	ready := pages[name]
	if ready == nil {
		return nil, fmt.Errorf("page: there is no page %q", name)
	}
	page, err := ready()
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return page, nil
}

func execute(buf *bytes.Buffer, page *template.Template, lang string, v View) error {
	if err := page.ExecuteTemplate(buf, "document", v); err != nil {
		return fmt.Errorf("page: %s in %s: %w", v.Template(), lang, err)
	}
	return nil
}

// Count is Text for a text that depends on a number, its placeholder {{.Count}}.
func (s *Set) Count(lang, key string, n int, pairs ...any) (string, error) {
	return s.texts.count(lang, key, n, pairs...)
}

// Text is a text of the set outside a template, its placeholders filled from
// pairs of name and value.
func (s *Set) Text(lang, key string, pairs ...any) (string, error) {
	return s.texts.say(lang, key, pairs...)
}

// Day is the day of a time, in its zone, in figures, as the pages of the set write it.
func (s *Set) Day(lang string, at time.Time) (string, error) {
	return s.texts.day(lang, at)
}

// Moment is a time to the minute, in its zone, with that, as the pages of the set write it.
func (s *Set) Moment(lang string, at time.Time) (string, error) {
	return s.texts.moment(lang, at)
}
