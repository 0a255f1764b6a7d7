package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

const (
	endpointColumns = `e.id, e.account_id, e.url, e.description, e.status, e.max_in_flight, e.rate_per_s, e.burst, e.consecutive_failures,
		e.first_failure_at, e.last_failure_at, e.last_success_at, e.status_changed_at, e.disabled_reason,
		e.failing_told_at, e.given_up_told_at, e.probe_after, coalesce(e.last_duration_ms, 0), e.bucket_full_at, e.due_at, e.static_header, e.created_at`
	noEndpoint = "there is no such webhook"
)

func endpointFields(e *typus.Endpoint) []any {
	return []any{&e.ID, &e.AccountID, &e.URL, &e.Description, &e.Status, &e.MaxInFlight, &e.Rate.PerSecond, &e.Rate.Burst, &e.ConsecutiveFailures,
		(*db.Instant)(&e.FirstFailureAt), (*db.Instant)(&e.LastFailureAt), (*db.Instant)(&e.LastSuccessAt), (*db.Instant)(&e.StatusChangedAt), &e.DisabledReason,
		(*db.Instant)(&e.FailingToldAt), (*db.Instant)(&e.GivenUpToldAt), (*db.Instant)(&e.ProbeAfter), (*db.Milliseconds)(&e.LastDuration), (*db.FineInstant)(&e.BucketFullAt),
		(*db.Instant)(&e.DueAt), (*db.Bytes)(&e.StaticHeader), (*db.Instant)(&e.CreatedAt)}
}

func scanEndpoint(row db.Row) (typus.Endpoint, error) {
	var e typus.Endpoint
	err := row.Scan(endpointFields(&e)...)
	return e, err
}

// AddEndpoint adds an active endpoint, whatever e.Status says; a MaxInFlight of
// 0 becomes 4, no rate the usual one.
func (t *Tx) AddEndpoint(ctx context.Context, e typus.Endpoint) (int64, error) {
	if e.MaxInFlight == 0 {
		e.MaxInFlight = 4
	}
	if e.Rate == (typus.Rate{}) {
		e.Rate = typus.Rate{PerSecond: typus.DefaultPerSecond, Burst: typus.DefaultBurst}
	}
	return db.One(ctx, t, db.ScanInt, "", `
		insert into webhook_endpoints (account_id, url, description, max_in_flight, rate_per_s, burst, status_changed_at, created_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
		e.AccountID, e.URL, e.Description, e.MaxInFlight, e.Rate.PerSecond, e.Rate.Burst, db.Millis(e.CreatedAt), db.Millis(e.CreatedAt))
}

// Endpoint reads an endpoint, deleted ones too: old deliveries point to them. NotFound.
func (r *reads) Endpoint(ctx context.Context, accountID, id int64) (typus.Endpoint, error) {
	return db.One(ctx, r, scanEndpoint, noEndpoint,
		`select `+endpointColumns+` from webhook_endpoints e where e.account_id = $1 and e.id = $2`, accountID, id)
}

// LockEndpoint reads an endpoint and locks it until the transaction ends, so that
// writers of it wait for each other. NotFound: also for a deleted endpoint.
func (t *Tx) LockEndpoint(ctx context.Context, accountID, id int64) (typus.Endpoint, error) {
	return db.One(ctx, t, scanEndpoint, noEndpoint, `
		select `+endpointColumns+` from webhook_endpoints e
		where e.account_id = $1 and e.id = $2 and e.status <> 'deleted'`+t.db.LockRows(), accountID, id)
}

// lockEndpoint is LockEndpoint that also finds a deleted endpoint, for attempts that
// end after the deletion.
func (t *Tx) lockEndpoint(ctx context.Context, accountID, id int64) (typus.Endpoint, error) {
	return db.One(ctx, t, scanEndpoint, noEndpoint,
		`select `+endpointColumns+` from webhook_endpoints e where e.account_id = $1 and e.id = $2`+t.db.LockRows(), accountID, id)
}

// noFailures sets the columns of an endpoint's failures in a row to none.
const noFailures = `consecutive_failures = 0, first_failure_at = null, failing_told_at = null`

// SetEndpointAddress changes the address and the description of an endpoint. With
// another address its failures are forgotten, and so are the rest that the receiver
// asked for and how fast it was; what waits is due at once. NotFound: also for a
// deleted endpoint.
func (t *Tx) SetEndpointAddress(ctx context.Context, accountID, id int64, url, description string) error {
	moved, err := t.db.Exec(ctx, `
		update webhook_endpoints set `+noFailures+`, probe_after = null, last_duration_ms = null, bucket_full_at = 0,
			status = case status when 'failing' then 'active' else status end
		where account_id = $1 and id = $2 and url <> $3`, accountID, id, url)
	if err != nil {
		return err
	}
	err = t.db.Must(ctx, noEndpoint, `
		update webhook_endpoints set url = $1, description = $2, version = version + 1
		where account_id = $3 and id = $4 and status <> 'deleted'`, url, description, accountID, id)
	if err != nil || moved == 0 {
		return err
	}
	return t.DrainEndpoint(ctx, accountID, id)
}

// SetStaticHeader stores the sealed header that each request to an endpoint carries, nil
// for none. NotFound: also for a deleted endpoint.
func (t *Tx) SetStaticHeader(ctx context.Context, accountID, id int64, sealed []byte) error {
	return t.db.Must(ctx, noEndpoint, `
		update webhook_endpoints set static_header = $1, version = version + 1
		where account_id = $2 and id = $3 and status <> 'deleted'`, sealed, accountID, id)
}

// Endpoints lists the endpoints of an account by id, without deleted ones.
func (r *reads) Endpoints(ctx context.Context, accountID int64) ([]typus.Endpoint, error) {
	return db.All(ctx, r, scanEndpoint,
		`select `+endpointColumns+` from webhook_endpoints e where e.account_id = $1 and e.status <> 'deleted' order by e.id`, accountID)
}

// EndpointRates returns, by id, for each endpoint of an account that is not deleted,
// how it has done since day and since week, and what waits for it.
func (r *reads) EndpointRates(ctx context.Context, accountID int64, day, week time.Time) ([]typus.EndpointRates, error) {
	return db.All(ctx, r, scanRates, `
		select e.id,
			count(*) filter (where d.state = 'delivered' and d.finished_at >= $1),
			count(*) filter (where d.finished_at >= $2),
			count(*) filter (where d.state = 'delivered'),
			count(d.state),
			(select count(*) from webhook_deliveries w where w.endpoint_id = e.id and w.state = 'pending' and w.failures > 0 and w.kind <> 'test'),
			(select count(*) from webhook_deliveries w where w.endpoint_id = e.id and w.state = 'pending' and w.kind <> 'test')
				+ (select count(*) from webhook_deliveries w where w.endpoint_id = e.id and w.state = 'sending' and w.kind <> 'test'),
			(select count(*) from webhook_deliveries w where w.endpoint_id = e.id and w.state = 'held')
		from webhook_endpoints e left join webhook_deliveries d
			on d.endpoint_id = e.id and d.finished_at >= $3 and d.state in ('delivered', 'exhausted') and d.kind <> 'test'
		where e.account_id = $4 and e.status <> 'deleted'
		group by e.id order by e.id`, db.Millis(day), db.Millis(day), db.Millis(week), accountID)
}

func scanRates(row db.Row) (typus.EndpointRates, error) {
	var r typus.EndpointRates
	var failing int
	err := row.Scan(&r.EndpointID, &r.DayArrived, &r.DayAll, &r.WeekArrived, &r.WeekAll, &failing, &r.Waiting, &r.Held)
	r.DayAll += failing
	r.WeekAll += failing
	return r, err
}

// SetEndpointStatus changes the status, which takes effect at once. Leaving active and
// failing holds the pending deliveries. Deleting cancels what is pending or held.
// Returning to active makes the held deliveries pending and due, and forgets all
// failures. A test event is never held; it is cancelled. The deliveries are moved page
// by page, the first page here and the others by SettleDeliveries. Attempts under way
// are not stopped. NotFound: also for a deleted endpoint.
func (t *Tx) SetEndpointStatus(ctx context.Context, accountID, id int64, st typus.EndpointStatus, reason string, at time.Time) error {
	if _, err := t.LockEndpoint(ctx, accountID, id); err != nil {
		return err
	}
	err := t.db.Must(ctx, noEndpoint, `
		update webhook_endpoints set status = $1, disabled_reason = $2, status_changed_at = $3, version = version + 1
		where account_id = $4 and id = $5 and status <> 'deleted'`,
		string(st), reason, db.Millis(at), accountID, id)
	if err == nil && st == typus.EndpointActive {
		err = t.forgetFailures(ctx, accountID, id)
	}
	if err != nil {
		return err
	}
	return t.settleNow(ctx, accountID, id)
}

// ReopenEndpoint switches an endpoint that is off on again. It counts as failing until
// a delivery arrives, so that one at a time goes out. What was held is due a moment
// later, or is dropped if drop is set. NotFound: also for a deleted endpoint.
func (t *Tx) ReopenEndpoint(ctx context.Context, accountID, id int64, at time.Time, drop bool) error {
	if drop {
		if err := t.dropHeld(ctx, accountID, id); err != nil {
			return err
		}
	}
	if err := t.forgetFailures(ctx, accountID, id); err != nil {
		return err
	}
	return t.SetEndpointStatus(ctx, accountID, id, typus.EndpointFailing, "", at)
}

func (t *Tx) forgetFailures(ctx context.Context, accountID, id int64) error {
	_, err := t.db.Exec(ctx, `update webhook_endpoints set `+noFailures+` where account_id = $1 and id = $2`, accountID, id)
	return err
}

// dropHeld marks what is held now, so that it is cancelled page by page once the
// endpoint is on. It notes the last id, because ids are in the order of time.
func (t *Tx) dropHeld(ctx context.Context, accountID, id int64) error {
	_, err := t.db.Exec(ctx, `
		update webhook_endpoints set drop_until = coalesce((
			select max(d.id) from webhook_deliveries d where d.endpoint_id = webhook_endpoints.id and d.state = 'held'), '')
		where account_id = $1 and id = $2`, accountID, id)
	return err
}

// AddSecret stores a secret that seal has sealed. seal gets the id of the new secret,
// because the sealed value is bound to it. NotFound: the account has no such endpoint.
// An error of seal is returned as it is.
func (t *Tx) AddSecret(ctx context.Context, accountID, endpointID int64, role typus.SecretRole, keyID string, at time.Time, seal func(secretID int64) ([]byte, error)) (int64, error) {
	id, err := db.One(ctx, t, db.ScanInt, noEndpoint, `
		insert into webhook_secrets (endpoint_id, role, key_id, ciphertext, created_at)
		select id, $1, $2, $3, $4 from webhook_endpoints where account_id = $5 and id = $6 returning id`,
		string(role), keyID, []byte{}, db.Millis(at), accountID, endpointID)
	if err != nil {
		return 0, err
	}
	sealed, err := seal(id)
	if err != nil {
		return 0, err
	}
	_, err = t.db.Exec(ctx, `update webhook_secrets set ciphertext = $1 where endpoint_id = $2 and id = $3`, sealed, endpointID, id)
	return id, err
}

const secretColumns = `s.id, s.endpoint_id, s.role, s.ciphertext, s.valid_until, s.created_at`

// Secrets lists the secrets of an endpoint: the current one first, then by age.
func (r *reads) Secrets(ctx context.Context, accountID, endpointID int64) ([]typus.WebhookSecret, error) {
	return db.All(ctx, r, scanSecret, `
		select `+secretColumns+` from webhook_secrets s join webhook_endpoints e on e.id = s.endpoint_id
		where e.account_id = $1 and e.id = $2
		order by case s.role when 'current' then 0 else 1 end, s.id`, accountID, endpointID)
}

func scanSecret(row db.Row) (typus.WebhookSecret, error) {
	var s typus.WebhookSecret
	err := row.Scan(&s.ID, &s.EndpointID, &s.Role, &s.Sealed, (*db.Instant)(&s.ValidUntil), (*db.Instant)(&s.CreatedAt))
	return s, err
}

// SetSecret changes the role of a secret and when that role ends; the zero time is no
// end. NotFound: the account has no such secret.
func (t *Tx) SetSecret(ctx context.Context, accountID int64, s typus.WebhookSecret) error {
	return t.db.Must(ctx, "there is no such secret", `
		update webhook_secrets set role = $1, valid_until = $2
		where id = $3 and endpoint_id = (select id from webhook_endpoints where account_id = $4 and id = $5)`,
		string(s.Role), db.MillisOrNull(s.ValidUntil), s.ID, accountID, s.EndpointID)
}

// DropSecret forgets a secret. One that is not there is no error.
func (t *Tx) DropSecret(ctx context.Context, accountID, endpointID, id int64) error {
	_, err := t.db.Exec(ctx, `
		delete from webhook_secrets
		where id = $1 and endpoint_id = (select id from webhook_endpoints where account_id = $2 and id = $3)`, id, accountID, endpointID)
	return err
}
