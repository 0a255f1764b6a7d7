package testpage

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/clocktest"
	"typus/internal/instrument"
	"typus/internal/page"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/web"
	"typus/internal/web/logtest"
	"typus/internal/webhook"
)

// newTestFace is a face that can show every page but knows no candidate.
func newTestFace(t testing.TB) *face {
	t.Helper()
	site, err := page.New()
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFace(Options{Instrument: instrument.Own(), Site: site, BaseURL: "http://127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// world is the test pages on a real server over an empty database, with one
// account and a clock that the test moves.
type world struct {
	*testing.T
	*clocktest.Clock
	ctx      context.Context
	store    *store.Store
	steps    *assess.Steps
	access   *access.Steps
	accounts *accounts.Steps
	face     *face
	server   *httptest.Server
	account  int64
	log      *logtest.Log
	close    func() // the store, before its time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, ctx: t.Context(), log: new(logtest.Log), Clock: clocktest.At(time.Date(2026, time.November, 27, 10, 0, 0, 0, time.UTC))}
	var err error
	w.store, err = store.Open(w.ctx, storetest.SQLite(t))
	w.must(err)
	w.close = sync.OnceFunc(func() { w.must(w.store.Close()) })
	t.Cleanup(w.close)
	box, err := seal.New([]byte(strings.Repeat("k", 32)))
	w.must(err)
	log := slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	own := instrument.Own()
	w.accounts = accounts.New(accounts.Options{Store: w.store, Box: box, Instrument: own, Guard: webhook.NewGuard(webhook.Policy{}), BaseURL: "http://127.0.0.1", Clock: w.Now})
	w.access = access.New(access.Options{Store: w.store, Box: box, Instrument: own, BaseURL: "http://127.0.0.1", Clock: w.Now})
	w.steps = assess.New(assess.Options{
		Store: w.store, Box: box, Instrument: own,
		BaseURL: "http://127.0.0.1", Clock: w.Now, Log: log,
	})
	site, err := page.New()
	w.must(err)
	w.face, err = newFace(Options{Steps: w.steps, Instrument: own, Site: site, BaseURL: "http://127.0.0.1", Clock: w.Now})
	w.must(err)
	mux := http.NewServeMux()
	mux.Handle("/static/", site.Static())
	mux.Handle("/t/", w.face.handler())
	w.server = httptest.NewServer(web.WithRequestID(log, web.SecurityHeaders(false, mux)))
	t.Cleanup(w.server.Close)
	w.account, err = w.access.CreateAccount(w.ctx, typus.Account{Name: "Muster Software GmbH", ContactEmail: "personal@example.com"}, 10)
	w.must(err)
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// invite invites Kim Beispiel in a language.
func (w *world) invite(lang string) assess.Invited {
	w.Helper()
	out, _, err := w.steps.Invite(w.ctx, w.account, assess.Invitation{
		Name: "Kim Beispiel", Email: "kim@example.com", Language: lang,
	}, nil)
	w.must(err)
	return out
}

// begun is an invitation whose test has begun.
func (w *world) begun(lang string) assess.Invited {
	w.Helper()
	out := w.invite(lang)
	w.must(w.steps.Begin(w.ctx, out.Token, typus.Notice{Version: "v", Language: lang, At: w.Now()}, "text"))
	return out
}

// answer answers the items from one position up to another with 4, but skips
// those at the given positions.
func (w *world) answer(token string, from, to int, skip ...int) {
	w.Helper()
	var given []assess.Given
	for i := from; i < to; i++ {
		g := assess.Given{ItemID: w.face.items[i].ID, Value: 4}
		for _, s := range skip {
			if s == i {
				g = assess.Given{ItemID: g.ItemID, Skip: true}
			}
		}
		given = append(given, g)
	}
	_, err := w.steps.Answer(w.ctx, token, given)
	w.must(err)
}

func (w *world) test(token string) assess.Test {
	w.Helper()
	test, err := w.steps.Test(w.ctx, token)
	w.must(err)
	return test
}

// ofDimension are the positions of a dimension's items, in order.
func (w *world) ofDimension(key string) []int {
	var positions []int
	for i, it := range w.face.items {
		if it.Scale == key {
			positions = append(positions, i)
		}
	}
	return positions
}
