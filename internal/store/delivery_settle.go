package store

import (
	"context"
	"strings"
	"time"

	"typus"
	"typus/internal/db"
)

const (
	// settlePage bounds what one step of a change of many deliveries moves.
	settlePage = 500
	// probeFirst is how long what was held waits for the probe of an endpoint that
	// is switched on again.
	probeFirst = time.Second
)

// settling is an endpoint whose deliveries do not all match its status yet, or are
// being drained.
type settling struct {
	typus.Endpoint
	drainBelow int
	drainFrom  string
	dropUntil  string
}

const settlingColumns = endpointColumns + `, e.drain_below, e.drain_from, e.drop_until`

func scanSettling(row db.Row) (settling, error) {
	var s settling
	err := row.Scan(append(endpointFields(&s.Endpoint), &s.drainBelow, &s.drainFrom, &s.dropUntil)...)
	return s, err
}

// SettleDeliveries moves one page of deliveries of one endpoint to the state that
// matches the endpoint's status: held while it is off, pending while it is on,
// cancelled once it is deleted, and due at once if it is drained. It reports whether
// there was such an endpoint.
func (s *Store) SettleDeliveries(ctx context.Context) (bool, error) {
	found := false
	err := s.InTx(ctx, func(tx *Tx) error {
		now, err := db.Now(ctx, tx)
		if err != nil {
			return err
		}
		var e settling
		e, found, err = db.Maybe(ctx, tx, scanSettling, `
			select `+settlingColumns+` from webhook_endpoints e
			where e.settle_at <= $1 order by e.settle_at, e.id limit 1`+tx.db.SkipLocked(), db.Millis(now))
		if err != nil || !found {
			return err
		}
		return tx.settle(ctx, e, now)
	})
	return found && err == nil, err
}

// DrainEndpoint makes due what waits for an endpoint that somebody has mended, however
// often it has failed. It moves the first page at once. The caller has locked the
// endpoint.
func (t *Tx) DrainEndpoint(ctx context.Context, accountID, id int64) error {
	return t.drain(ctx, accountID, id, typus.DeliveryAttempts)
}

// DrainUnanswered drains all endpoints that are on, whose last attempt failed, and for
// which something waits that got no answer, because what kept the server from reaching
// them may be mended. It returns how many those are. They are locked in the order of
// their ids, as a completion locks the endpoints of its account.
func (t *Tx) DrainUnanswered(ctx context.Context) (int, error) {
	now, err := db.Now(ctx, t)
	if err != nil {
		return 0, err
	}
	return t.dueNow(ctx, `
		with failing as (
			select e.id from webhook_endpoints e
			where e.status in ('active', 'failing') and e.consecutive_failures > 0 and exists (
				select 1 from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'pending' and d.failures > 0 and d.last_status = 0)
			order by e.id`+t.db.LockRows()+`)
		update webhook_endpoints set drain_below = $1, drain_from = '', settle_at = $2
		where id in (select id from failing) and status in ('active', 'failing')`, typus.DeliveryAttempts, db.Millis(now))
}

func (t *Tx) drain(ctx context.Context, accountID, id int64, below int) error {
	_, err := t.db.Exec(ctx, `
		update webhook_endpoints set drain_below = $1, drain_from = '' where account_id = $2 and id = $3 and status in ('active', 'failing')`,
		below, accountID, id)
	if err != nil {
		return err
	}
	return t.settleNow(ctx, accountID, id)
}

// settleNow moves the first page of a locked endpoint.
func (t *Tx) settleNow(ctx context.Context, accountID, id int64) error {
	t.makesDue()
	now, err := db.Now(ctx, t)
	if err != nil {
		return err
	}
	e, err := db.One(ctx, t, scanSettling, noEndpoint,
		`select `+settlingColumns+` from webhook_endpoints e where e.account_id = $1 and e.id = $2`, accountID, id)
	if err != nil {
		return err
	}
	return t.settle(ctx, e, now)
}

// settle moves one page of deliveries. When none is left, the endpoint is done with as
// soon as nobody is adding a delivery, because whoever has read the former status would
// leave a delivery behind that matches it.
func (t *Tx) settle(ctx context.Context, e settling, now time.Time) error {
	moved, err := t.movePage(ctx, &e, now)
	if err != nil {
		return err
	}
	again := any(db.Millis(now))
	if moved == 0 {
		again = db.Millis(now.Add(lookAgain))
		alone, err := t.alone(ctx, e.Endpoint)
		if err != nil {
			return err
		}
		if alone[e.ID] {
			if moved, err = t.movePage(ctx, &e, now); err != nil {
				return err
			}
			if moved == 0 {
				again, e.dropUntil = nil, ""
			}
		}
	}
	_, err = t.db.Exec(ctx, `
		update webhook_endpoints set settle_at = $1, drain_below = $2, drain_from = $3, drop_until = $4,
			due_at = case when status in ('active', 'failing') then due_at end
		where account_id = $5 and id = $6`,
		again, e.drainBelow, e.drainFrom, e.dropUntil, e.AccountID, e.ID)
	if err != nil {
		return err
	}
	return t.makeDue(ctx, e.Endpoint, now)
}

// movePage moves at most settlePage deliveries of a locked endpoint, in the order of
// their ids, and returns how many. It passes over those that another transaction has
// locked.
func (t *Tx) movePage(ctx context.Context, e *settling, now time.Time) (int, error) {
	switch {
	case e.Status == typus.EndpointDeleted:
		n, err := t.cancelPage(ctx, e, pendingPage, now)
		if err != nil || n > 0 {
			return n, err
		}
		return t.cancelPage(ctx, e, heldPage, now)
	case !e.On():
		return t.holdPage(ctx, e, now)
	case e.dropUntil != "":
		n, err := t.dropPage(ctx, e, now)
		if err != nil || n > 0 {
			return n, err
		}
	}
	n, err := t.resumePage(ctx, e, now)
	if err != nil || n > 0 || e.drainBelow == 0 {
		return n, err
	}
	return t.drainPage(ctx, e, now)
}

// The pages: the ids of the first deliveries of an endpoint in a state.
const (
	pendingPage = `select id from webhook_deliveries where endpoint_id = $1 and state = 'pending' order by id limit $2`
	heldPage    = `select id from webhook_deliveries where endpoint_id = $1 and state = 'held' order by id limit $2`
)

// change locks a page and changes the deliveries on it.
func (t *Tx) change(ctx context.Context, e *settling, page, text string, args ...any) (int, error) {
	ids, err := db.All(ctx, t, db.ScanText, page+t.db.SkipLocked(), e.ID, settlePage)
	if err != nil {
		return 0, err
	}
	return t.changeThese(ctx, ids, text, args...)
}

// stateNow is the state of a delivery that is found by its id, and by that alone.
const stateNow = `state` + db.OffTextIndex

// changeThese changes deliveries with a statement in which {page} is replaced by
// parameters for their ids, after those of args. The ids are read beforehand. If the
// page were a part of the statement, PostgreSQL, whose statistics do not know yet that
// thousands of rows have just changed their state, would read all of them for each row
// of the page; and if the statement named their state as it is, it would read all of that
// state for each page.
func (t *Tx) changeThese(ctx context.Context, ids []string, text string, args ...any) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	text = strings.Replace(text, "{page}", db.Params(len(args)+1, settlePage), 1)
	return t.db.Exec(ctx, text, append(args, db.Padded(ids, settlePage, "")...)...)
}

func (t *Tx) cancelPage(ctx context.Context, e *settling, page string, now time.Time) (int, error) {
	return t.change(ctx, e, page, `
		update webhook_deliveries set state = 'cancelled', finished_at = $1 where id in ({page}) and `+stateNow+` in ('pending', 'held')`, db.Millis(now))
}

// holdPage holds pending deliveries. A test event is never held; it is cancelled.
func (t *Tx) holdPage(ctx context.Context, e *settling, now time.Time) (int, error) {
	return t.change(ctx, e, pendingPage, `
		update webhook_deliveries set state = case kind when 'test' then 'cancelled' else 'held' end,
			finished_at = case kind when 'test' then $1 else finished_at end
		where id in ({page}) and `+stateNow+` = 'pending'`, db.Millis(now))
}

// dropPage cancels what was to be dropped when the endpoint was switched on.
func (t *Tx) dropPage(ctx context.Context, e *settling, now time.Time) (int, error) {
	return t.change(ctx, e, heldPage, `
		update webhook_deliveries set state = 'cancelled', finished_at = $1 where id <= $2 and id in ({page}) and `+stateNow+` = 'held'`, db.Millis(now), e.dropUntil)
}

// resumePage makes held deliveries pending again, with all their attempts.
func (t *Tx) resumePage(ctx context.Context, e *settling, now time.Time) (int, error) {
	t.makesDue()
	due := now
	if e.Probing() {
		due = now.Add(probeFirst)
	}
	return t.change(ctx, e, heldPage, `
		update webhook_deliveries set state = 'pending', failures = 0, interruptions = 0, next_attempt_at = $1
		where id in ({page}) and `+stateNow+` = 'held'`, db.Millis(due))
}

// drainPage makes deliveries due that wait for their next attempt, each once in a
// drain. One that fails again waits as the ladder says.
func (t *Tx) drainPage(ctx context.Context, e *settling, now time.Time) (int, error) {
	page, err := db.All(ctx, t, db.ScanText, `
		select id from webhook_deliveries where endpoint_id = $1 and state = 'pending' and id > $2 order by id limit $3`, e.ID, e.drainFrom, settlePage)
	if err != nil {
		return 0, err
	}
	if len(page) == 0 {
		e.drainBelow, e.drainFrom = 0, ""
		return 0, nil
	}
	from := e.drainFrom
	e.drainFrom = page[len(page)-1]
	waiting, err := db.All(ctx, t, db.ScanText, `
		select id from webhook_deliveries where endpoint_id = $1 and state = 'pending' and id > $2 and id <= $3
			and next_attempt_at > $4 and failures < $5 order by id`+t.db.SkipLocked(),
		e.ID, from, e.drainFrom, db.Millis(now), e.drainBelow)
	if err != nil {
		return 0, err
	}
	t.makesDue()
	_, err = t.changeThese(ctx, waiting, `update webhook_deliveries set next_attempt_at = $1 where id in ({page}) and `+stateNow+` = 'pending'`, db.Millis(now))
	return len(page), err
}
