package page

import (
	"html/template"
	"sync"
	"time"
)

// movingPages are pages of one language whose times can be shifted. What a template may call
// is fixed when it is parsed, so each is parsed for itself and shows one visitor's page at a
// time. The zero time, which no page shows, is shifted too.
type movingPages struct {
	parse func(ahead *time.Duration) map[string]func() (*template.Template, error)
	free  sync.Map // name → *sync.Pool of *movingPage
}

// movingPage is a parsed page, and what its functions add to times.
type movingPage struct {
	name  string
	page  *template.Template
	ahead *time.Duration
}

// take is a page of a name that nobody else has, until it is given back.
func (m *movingPages) take(name string) (*movingPage, error) {
	if p, _ := m.pool(name).Get().(*movingPage); p != nil {
		return p, nil
	}
	p := &movingPage{name: name, ahead: new(time.Duration)}
	var err error
	p.page, err = parsed(m.parse(p.ahead), name)
	return p, err
}

func (m *movingPages) giveBack(p *movingPage) { m.pool(p.name).Put(p) }

func (m *movingPages) pool(name string) *sync.Pool {
	pool, _ := m.free.LoadOrStore(name, new(sync.Pool))
	return pool.(*sync.Pool)
}
