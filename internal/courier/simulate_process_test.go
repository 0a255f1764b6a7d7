package courier

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/instrument"
	"typus/internal/store"
	"typus/internal/webhook"
)

// process is one server on the database of a trial.
type process struct {
	tr       *trial
	db       *store.Store
	store    *store.Store // as the courier sees it: by the clock of the house, until it dies
	steps    *store.Store // the same for what people do
	client   *webhook.Client
	courier  *Courier
	accounts *accounts.Steps
	stop     func()

	dead     atomic.Bool // no statement and no connection works any more
	stopping atomic.Bool
	step     sync.RWMutex // held while a step is to be cut off
	left     int          // statements of that step until the server dies; 0: it lives

	mu    sync.Mutex
	conns []net.Conn
}

// errDead is the end of each statement of a server that has died.
var errDead = typus.Errorf(typus.Internal, "the server is dead")

// start starts a server. Alone it takes back at once what another left behind;
// otherwise it has to wait for the leases to run out.
func (tr *trial) start(alone bool) {
	p := &process{tr: tr}
	var err error
	if p.db, err = store.Open(tr.t.Context(), tr.file); err != nil {
		tr.t.Fatal(err)
	}
	p.store = p.db.WithClock(tr.clock.Now).Watched(p.statement)
	p.steps = p.db.WithClock(tr.clock.Now).Watched(p.ownStatement)
	guard := webhook.NewGuard(webhook.Policy{AllowHTTP: true})
	if p.client, err = webhook.NewClient(webhook.ClientOptions{Guard: guard, BaseURL: "https://typus.example.com", Dial: p.dial}); err != nil {
		tr.t.Fatal(err)
	}
	p.accounts = accounts.New(accounts.Options{Store: p.steps, Box: tr.box, Instrument: instrument.Own(), Guard: guard, BaseURL: "https://typus.example.com", Clock: tr.clock.Now})
	p.courier = New(Options{
		Store: p.store, Client: p.client, Box: tr.box, BaseURL: "https://typus.example.com", Clock: tr.clock.Now,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Alone: alone, Owner: tr.newID("server "),
	})
	p.courier.pace.poll, p.courier.pace.sweep = time.Hour, time.Hour
	p.courier.random = func() float64 { return tr.by(tr.clock.Now().String()).Float64() }
	tr.process = p
	tr.mu.Lock()
	tr.calm = time.Now()
	tr.findFar()
	tr.mu.Unlock()
	p.stop = start(p.courier)
}

// statement hears of each statement of the courier and refuses it when the server is dead.
func (p *process) statement(string) error {
	p.step.RLock()
	defer p.step.RUnlock()
	if p.dead.Load() {
		return errDead
	}
	return nil
}

// ownStatement is the same for a step that somebody takes: it may be cut off.
func (p *process) ownStatement(string) error {
	if p.left > 0 {
		if p.left--; p.left == 0 {
			p.die()
		}
	}
	if p.dead.Load() {
		return errDead
	}
	return nil
}

// die is the moment of a crash, and false if it has passed already. The trial cleans up.
func (p *process) die() bool {
	if p.dead.Swap(true) {
		return false
	}
	p.tr.tripped <- struct{}{}
	return true
}

func (p *process) dial(_ context.Context, _, addr string) (net.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead.Load() {
		return nil, net.ErrClosed
	}
	near, far := net.Pipe()
	p.conns = append(p.conns, near)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.tr.serve(p, addr, w, r) })}
	go func() { _ = server.Serve(&oneConn{conn: far}) }()
	return near, nil
}

// crash ends the server as kill -9 does for everybody but the database: no statement comes
// after it, what it has begun is not committed, and no connection of it stays open. The
// file is closed in order. A commit that is cut, or whose outcome nobody knows, is not
// played.
func (tr *trial) crash(why string) {
	p := tr.process
	if p == nil {
		return
	}
	p.dead.Store(true)
	tr.note("crash by %s", why)
	tr.mu.Lock()
	tr.crashed()
	tr.mu.Unlock()
	p.mu.Lock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.mu.Unlock()
	tr.end(p)
	select { // a trap that went off beside
	case <-tr.tripped:
	default:
	}
	tr.restartLater()
}

// end cleans up after a server.
func (tr *trial) end(p *process) {
	p.stop()
	p.client.Close()
	if err := p.db.Close(); err != nil {
		tr.t.Error(err)
	}
	tr.process = nil
	tr.mu.Lock()
	tr.trap = trapNone
	tr.mu.Unlock()
}

// restartLater starts the next server after a while, and sweeps for it as it would every
// 15 seconds: for the leases that the last one left behind.
func (tr *trial) restartLater() {
	alone := tr.draw.IntN(2) > 0
	pause := pick(tr.draw, 0, time.Second, 5*time.Minute, 3*time.Hour)
	wrong := tr.draw.IntN(5) == 0
	tr.after(pause, func() {
		if tr.process != nil {
			return
		}
		if wrong { // a machine whose clock has no battery
			tr.setClock(0)
			tr.after(pick(tr.draw, 10*time.Second, 30*time.Minute), func() { tr.setClock(rightOff) })
		}
		tr.note("a server starts, alone %t", alone)
		tr.start(alone)
		tr.sweepSoon()
	})
}

// sweepSoon sweeps for a while as often as a server does, which for days on end would
// take most of the time of a trial.
func (tr *trial) sweepSoon() {
	for d := 15 * time.Second; d <= 90*time.Second; d += 15 * time.Second {
		tr.after(d, func() {
			if tr.process == nil {
				return
			}
			if err := tr.process.courier.sweep(tr.t.Context()); err != nil && !tr.process.dead.Load() {
				tr.t.Error(err)
			}
			tr.process.courier.Wake() // a server asks every second
		})
	}
}

// close ends the trial.
func (tr *trial) close() {
	if tr.process != nil {
		tr.process.stopping.Store(true)
		tr.end(tr.process)
	}
}
