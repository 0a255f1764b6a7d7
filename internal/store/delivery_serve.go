package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/db"
)

// serving is an endpoint that a claim serves.
type serving struct {
	typus.Endpoint
	idle  bool // nothing is sent for its account
	room  int  // attempts more that may be under way
	most  int  // deliveries that are taken at most
	taken int
}

func scanServing(row db.Row) (serving, error) {
	var s serving
	err := row.Scan(append(endpointFields(&s.Endpoint), (*db.Truth)(&s.idle))...)
	return s, err
}

func endpointsOf(served []serving) []typus.Endpoint {
	var list []typus.Endpoint
	for _, s := range served {
		list = append(list, s.Endpoint)
	}
	return list
}

// serve claims what the due endpoints of a lane have room for.
func (c *claim) serve(ctx context.Context, lane typus.Lane) error {
	served, err := c.choose(ctx, lane)
	if err != nil {
		return err
	}
	for _, tests := range []bool{false, true} {
		if err := c.take(ctx, served, tests); err != nil {
			return err
		}
	}
	for i, s := range served {
		c.left += s.most - s.taken
		served[i].BucketFullAt = s.Rate.Take(s.BucketFullAt, c.now, s.taken)
	}
	c.served = append(c.served, served...)
	return nil
}

// choose shares what is left among the due endpoints of a lane, those that have waited
// longest first. Endpoints for which nothing is left stay as they are.
func (c *claim) choose(ctx context.Context, lane typus.Lane) ([]serving, error) {
	if c.left == 0 {
		return nil, nil
	}
	endpoints, err := c.dueEndpoints(ctx, lane)
	if err != nil || len(endpoints) == 0 {
		return nil, err
	}
	under, err := c.tx.underWay(ctx, endpointsOf(endpoints))
	if err != nil {
		return nil, err
	}
	var served []serving
	for _, e := range endpoints {
		if c.left == 0 {
			break
		}
		e = c.plan(e, under[e.ID])
		c.left -= e.most
		served = append(served, e)
	}
	return served, nil
}

// underWay counts the attempts at locked endpoints. It is a statement of its own after
// the locks, because only that sees what the owner who held the locks before has
// committed.
func (t *Tx) underWay(ctx context.Context, endpoints []typus.Endpoint) (map[int64]int, error) {
	under := map[int64]int{}
	_, err := db.All(ctx, t, func(row db.Row) (struct{}, error) {
		var id int64
		var n int
		err := row.Scan(&id, &n)
		under[id] = n
		return struct{}{}, err
	}, `
		select endpoint_id, count(*) from webhook_deliveries
		where endpoint_id in (`+endpointPlaces+`) and state = 'sending' group by endpoint_id`, endpointArgs(endpoints)...)
	return under, err
}

// plan says how much of an endpoint may be taken, given what is under way to it.
func (c *claim) plan(s serving, underWay int) serving {
	if s.goes() {
		s.room = max(0, s.AtOnce()-underWay)
	}
	s.most = max(0, min(s.room, s.Rate.Free(s.BucketFullAt, c.now), c.left))
	return s
}

// goes reports whether anything is sent to the endpoint.
func (s serving) goes() bool { return s.On() && !s.idle }

// take claims due deliveries. With tests it is for endpoints whose receivers have asked
// for rest, and takes test events only, because somebody who has mended something waits
// for them. Without tests it is for the other endpoints.
func (c *claim) take(ctx context.Context, served []serving, tests bool) error {
	args, at := []any{db.Millis(c.now)}, map[int64]*serving{}
	for i := range claimEndpoints {
		id, most := int64(0), 0
		if i < len(served) && served[i].most > 0 && resting(served[i].Endpoint, c.now) == tests {
			id, most = served[i].ID, served[i].most
			at[id] = &served[i]
		}
		args = append(args, id, most)
	}
	if len(at) == 0 {
		return nil
	}
	_, err := db.All(ctx, c.tx, func(row db.Row) (struct{}, error) {
		var id string
		var endpoint int64
		err := row.Scan(&id, &endpoint)
		c.taken[id] = true
		at[endpoint].taken++
		return struct{}{}, err
	}, strings.ReplaceAll(takeDue[tests], "{skip}", c.tx.db.SkipLocked()), append(args, c.owner, db.Millis(c.until))...)
	return err
}

// takeDue are the statements that claim due deliveries of claimEndpoints endpoints, up
// to a number for each; true is for test events only. The bound on the total tells
// PostgreSQL that these are few, so that it finds them by their ids.
var takeDue = map[bool]string{false: takeDueOf(``), true: takeDueOf(` and kind = 'test'`)}

func takeDueOf(kind string) string {
	var parts []string
	for i := range claimEndpoints {
		parts = append(parts, `select id from (
			select id from webhook_deliveries where next_attempt_at <= $1 and endpoint_id = `+db.Param(2*i+2)+` and state = 'pending'`+kind+`
			order by next_attempt_at, id limit `+db.Param(2*i+3)+`{skip}) due`)
	}
	owner := 2*claimEndpoints + 2
	return `
		with few as materialized (select id from (` + strings.Join(parts, ` union all `) + `) due limit ` + strconv.Itoa(claimMost) + `)
		update webhook_deliveries set state = 'sending', attempt = attempt + 1, lease_owner = ` + db.Param(owner) + `, lease_until = ` + db.Param(owner+1) + `
		where id in (select id from few) and state = 'pending' returning id, endpoint_id`
}

// leave writes when the endpoints are to be looked at again, by the rules of due_at.
func (c *claim) leave(ctx context.Context) error {
	for served := range slices.Chunk(c.served, claimEndpoints) {
		if err := c.leaveSome(ctx, served); err != nil {
			return err
		}
	}
	return nil
}

func (c *claim) leaveSome(ctx context.Context, served []serving) error {
	endpoints := endpointsOf(served)
	alone, err := c.tx.alone(ctx, endpoints...)
	if err != nil {
		return err
	}
	waiting, err := c.tx.nextDue(ctx, c.now, endpoints...)
	if err != nil {
		return err
	}
	var args []any
	for i := range claimEndpoints {
		if i >= len(served) {
			args = append(args, 0, nil, 0)
			continue
		}
		s := served[i]
		due := c.due(s, waiting[s.ID], alone[s.ID])
		args = append(args, s.ID, db.MillisOrNull(due), s.BucketFullAt.UnixMicro())
	}
	_, err = c.tx.db.Exec(ctx, leaveEndpoints, append(args, db.Millis(c.now))...)
	return err
}

// due is when an endpoint is to be looked at again; waits is when its next delivery is
// due, zero for none.
func (c *claim) due(s serving, waits time.Time, alone bool) time.Time {
	soon := c.now.Add(lookAgain)
	switch {
	case !s.On():
		return time.Time{} // whoever switches it on has it looked at
	case s.idle && !alone:
		return soon // whoever adds something may not have seen that
	case s.idle:
		return time.Time{} // whoever lets its account serve again has it looked at
	case !alone && (waits.IsZero() || waits.After(soon)):
		return soon
	case waits.IsZero():
		return waits
	case s.taken == s.room:
		return latest(waits, soon)
	default:
		return latest(waits, c.now)
	}
}

// leaveEndpoints writes what a claim changes of claimEndpoints endpoints.
var leaveEndpoints = func() string {
	var rows []string
	for i := range claimEndpoints {
		rows = append(rows, `(cast(`+db.Param(3*i+1)+` as bigint), cast(`+db.Param(3*i+2)+` as bigint), cast(`+db.Param(3*i+3)+` as bigint))`)
	}
	return `
		with few (id, due_at, bucket_full_at) as (values ` + strings.Join(rows, `, `) + `)
		update webhook_endpoints set due_at = few.due_at, bucket_full_at = few.bucket_full_at, last_claimed_at = ` + db.Param(3*claimEndpoints+1) + `
		from few where webhook_endpoints.id = few.id`
}()

// secrets are those of the endpoints that are served, as Secrets lists them.
func (c *claim) secrets(ctx context.Context) (map[int64][]typus.WebhookSecret, error) {
	secrets := map[int64][]typus.WebhookSecret{}
	for served := range slices.Chunk(c.served, claimEndpoints) {
		list, err := db.All(ctx, c.tx, scanSecret, `
			select `+secretColumns+` from webhook_secrets s where s.endpoint_id in (`+endpointPlaces+`)
			order by case s.role when 'current' then 0 else 1 end, s.id`, endpointArgs(endpointsOf(served))...)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			secrets[s.EndpointID] = append(secrets[s.EndpointID], s)
		}
	}
	return secrets, nil
}
