package db

import (
	"context"
	"database/sql/driver"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// pools lends the connections of one pool, until it is exchanged for another.
type pools struct {
	now atomic.Pointer[lender]
}

// lender is a pool, and what takes connections from it for database/sql.
type lender struct {
	*pgxpool.Pool
	connector driver.Connector
}

func lenderOf(pool *pgxpool.Pool) *lender { return &lender{pool, stdlib.GetPoolConnector(pool)} }

// Connect implements driver.Connector. Who waits for a connection when the pool is exchanged
// gets one of the next pool.
func (p *pools) Connect(ctx context.Context) (driver.Conn, error) {
	for {
		from := p.now.Load()
		conn, err := from.connector.Connect(ctx)
		if err == nil || from == p.now.Load() {
			return conn, err
		}
	}
}

// Driver implements driver.Connector.
func (p *pools) Driver() driver.Driver { return stdlib.GetDefaultDriver() }

// exchange begins with an empty pool. To end a connection on which nobody answers takes the
// driver fifteen seconds, since it asks the server to cancel first; in the old pool all of
// them would keep their places until then.
func (p *pools) exchange() error {
	next, err := pgxpool.NewWithConfig(context.Background(), p.now.Load().Config())
	if err != nil {
		return err
	}
	go p.now.Swap(lenderOf(next)).Close() // waits for those who have a connection
	return nil
}
