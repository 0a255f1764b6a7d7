package page

import (
	"html/template"
	"runtime"
	"sync"
)

// movingPages are pages of one language that write times as each visitor's account has them.
// What a template may call is fixed when it is parsed, so each is parsed for itself and shows
// one visitor's page at a time. The zero time, which no page shows, is written like any other.
type movingPages struct {
	parse func(times *Times) map[string]func() (*template.Template, error)
	free  sync.Map // name → chan *movingPage, those that nobody shows
}

// movingPage is a parsed page, and how its functions write times.
type movingPage struct {
	name  string
	page  *template.Template
	times *Times
}

// take is a page of a name that nobody else has, until it is given back.
func (m *movingPages) take(name string) (*movingPage, error) {
	select {
	case p := <-m.idle(name):
		return p, nil
	default:
	}
	p := &movingPage{name: name, times: new(Times)}
	var err error
	p.page, err = parsed(m.parse(p.times), name)
	return p, err
}

// giveBack keeps a page for the next visitor, or drops it where enough are kept.
func (m *movingPages) giveBack(p *movingPage) {
	select {
	case m.idle(p.name) <- p:
	default:
	}
}

// keptPages is how many copies of a page are kept. A page takes some milliseconds to parse,
// and a pool that the garbage collector empties would have nearly every visitor pay them.
var keptPages = max(4, 2*runtime.GOMAXPROCS(0))

// idle are the copies of a page that nobody shows.
func (m *movingPages) idle(name string) chan *movingPage {
	idle, _ := m.free.LoadOrStore(name, make(chan *movingPage, keptPages))
	return idle.(chan *movingPage)
}
