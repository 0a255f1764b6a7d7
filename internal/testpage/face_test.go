package testpage

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/page"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/web"
	"typus/internal/web/logtest"
	"typus/internal/worldtest"
)

// parsed are the site and the test's pages, made once for all tests.
var parsed = sync.OnceValues(func() (*page.Site, *page.Set) {
	site, err := page.New()
	if err != nil {
		panic(err)
	}
	pages, err := site.Set(files)
	if err != nil {
		panic(err)
	}
	return site, pages
})

// newTestFace is a face that can show every page but knows no candidate.
func newTestFace(t testing.TB) *face {
	t.Helper()
	site, pages := parsed()
	return newFace(Options{Site: site, BaseURL: "http://127.0.0.1"}, pages)
}

// world is the test pages on a real server over an empty database, with one
// account and a clock that the test moves.
type world struct {
	*worldtest.World
	face   *face
	server *httptest.Server
	log    *logtest.Log
	close  func()        // the store, before its time
	ran    *atomic.Int64 // statements
}

func newWorld(t *testing.T) *world {
	t.Helper()
	s, err := store.Open(t.Context(), storetest.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	return newWorldOn(t, s)
}

// newWorldOn is a world on a store, which it closes.
func newWorldOn(t *testing.T, s *store.Store) *world {
	t.Helper()
	w := &world{log: new(logtest.Log)}
	s, w.ran = storetest.Counted(s)
	log := slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.World = worldtest.New(t, s, worldtest.Options{BaseURL: "http://127.0.0.1", Log: log})
	w.close = sync.OnceFunc(func() { w.Must(s.Close()) })
	t.Cleanup(w.close)
	site, pages := parsed()
	w.face = newFace(Options{Steps: w.Assess, Site: site, Mail: true, BaseURL: "http://127.0.0.1", Clock: w.Now}, pages)
	mux := http.NewServeMux()
	mux.Handle("/static/", site.Static())
	mux.Handle("/t/", w.face.handler())
	mux.Handle("/p/", w.face.handler())
	w.server = httptest.NewServer(web.WithRequestID(log, web.SecurityHeaders(false, mux)))
	t.Cleanup(w.server.Close)
	return w
}

// invite invites Kim Beispiel in a language.
func (w *world) invite(lang string) assess.Invited {
	w.Helper()
	out, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{
		Name: "Kim Beispiel", Email: "kim@example.com", Language: lang,
	}, nil)
	w.Must(err)
	return out
}

// begun is an invitation whose test has begun.
func (w *world) begun(lang string) assess.Invited {
	w.Helper()
	out := w.invite(lang)
	w.Must(w.Assess.Begin(w.Ctx, out.Token, typus.Notice{Version: "v", Language: lang, At: w.Now()}, "text"))
	return out
}

// answer answers the items from one position up to another with 4, but skips
// those at the given positions.
func (w *world) answer(token string, from, to int, skip ...int) {
	w.Helper()
	var given []assess.Given
	for i := from; i < to; i++ {
		g := assess.Given{ItemID: w.Instrument.Items()[i].ID, Value: 4}
		for _, s := range skip {
			if s == i {
				g = assess.Given{ItemID: g.ItemID, Skip: true}
			}
		}
		given = append(given, g)
	}
	_, err := w.Assess.Answer(w.Ctx, token, given)
	w.Must(err)
}

func (w *world) test(token string) assess.Test {
	w.Helper()
	test, err := w.Assess.Test(w.Ctx, token)
	w.Must(err)
	return test
}

// ofDimension are the positions of a dimension's items, in order.
func (w *world) ofDimension(key string) []int {
	var positions []int
	for i, it := range w.Instrument.Items() {
		if it.Scale == key {
			positions = append(positions, i)
		}
	}
	return positions
}

// worldOn is the steps on a store, for what needs no pages.
func worldOn(t *testing.T, s *store.Store) *worldtest.World {
	t.Helper()
	return worldtest.New(t, s, worldtest.Options{})
}
