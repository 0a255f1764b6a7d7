package db

import (
	"context"
	"database/sql/driver"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// longestPause is the longest between two times that a silent server is left.
const longestPause = time.Minute

// leaves says when a silent server is left. One that takes connections and does not answer
// would have more of them each time, of those that it cannot end: each pause is twice the one
// before, until something was stored.
type leaves struct {
	mu    sync.Mutex
	last  time.Time
	pause time.Duration // after the last time
}

// due reports whether it is to be left now, after which there is a pause.
func (l *leaves) due(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.last) < l.pause {
		return false
	}
	l.last, l.pause = now, min(max(2*l.pause, patience), longestPause)
	return true
}

// answered begins with short pauses again.
func (l *leaves) answered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pause = min(l.pause, patience)
}

// pools lends the connections of one pool, until it is exchanged for another.
type pools struct {
	now    atomic.Pointer[lender]
	mu     sync.Mutex // exchanges and closes one after the other
	closed bool
}

// lender is a pool, and what takes connections from it for database/sql.
type lender struct {
	*pgxpool.Pool
	connector driver.Connector
	left      context.Context // ends when the pool is exchanged for another
	leave     context.CancelFunc
}

func lenderOf(pool *pgxpool.Pool) *lender {
	left, leave := context.WithCancel(context.Background())
	return &lender{pool, stdlib.GetPoolConnector(pool), left, leave}
}

// Connect implements driver.Connector. Who waits for a connection when the pool is exchanged
// gets one of the next pool: in a pool that is closed a place becomes free only once one of
// its connections has ended.
func (p *pools) Connect(ctx context.Context) (driver.Conn, error) {
	for {
		from := p.now.Load()
		conn, err := from.connect(ctx)
		if err == nil || ctx.Err() != nil || from == p.now.Load() {
			return conn, err
		}
	}
}

// connect waits for a connection until ctx ends or the pool is left. The connection does not
// depend on either afterwards.
func (l *lender) connect(ctx context.Context) (driver.Conn, error) {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.left, cancel)()
	return l.connector.Connect(within)
}

// Driver implements driver.Connector.
func (p *pools) Driver() driver.Driver { return stdlib.GetDefaultDriver() }

// exchange begins with an empty pool. To end a connection on which nobody answers takes the
// driver fifteen seconds, since it asks the server to cancel first; in the old pool all of
// them would keep their places until then. After close it does nothing.
func (p *pools) exchange() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	next, err := pgxpool.NewWithConfig(context.Background(), p.now.Load().Config())
	if err != nil {
		return err
	}
	former := p.now.Swap(lenderOf(next))
	former.leave()
	go former.Close() // waits for those who have a connection
	return nil
}

// close closes the pool in use, for good.
func (p *pools) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.now.Load().Close()
}
