-- What a claim of deliveries goes by stands in the row of the endpoint: no claim
-- looks at endpoints for which nothing can be done.
alter table webhook_endpoints add column due_at           bigint; -- when the next attempt can be made; null while none can: it is off, or nothing waits
alter table webhook_endpoints add column bucket_full_at   bigint not null default 0; -- when its bucket is full again: unix MICROseconds, since a rate of 1,000 a second has no whole milliseconds for others than 1, 2, 4 …
alter table webhook_endpoints add column last_duration_ms bigint; -- how long the last attempt took to its answer, 20,000 without one; null: none was made at this address
alter table webhook_endpoints add column settle_at        bigint; -- when its deliveries are next brought into the state that fits its own, page by page; null: they all are
alter table webhook_endpoints add column drain_below      bigint not null default 0;  -- what waits with fewer failures is made due, page by page; 0: nothing is
alter table webhook_endpoints add column drain_from       text   not null default ''; -- the last delivery that was looked at for that
alter table webhook_endpoints add column drop_until       text   not null default ''; -- what is held up to this delivery is dropped, not sent

-- One index for each lane: quick, unknown, slow.
create index webhook_endpoints_quick   on webhook_endpoints (due_at, id) where due_at is not null and last_duration_ms <= 1000;
create index webhook_endpoints_unknown on webhook_endpoints (due_at, id) where due_at is not null and last_duration_ms is null;
create index webhook_endpoints_slow    on webhook_endpoints (due_at, id) where due_at is not null and last_duration_ms > 1000;
create index webhook_endpoints_settle  on webhook_endpoints (settle_at, id) where settle_at is not null;
create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, id) where state = 'pending';
create index webhook_deliveries_tests   on webhook_deliveries (endpoint_id, next_attempt_at, id) where state = 'pending' and kind = 'test';

update webhook_endpoints set settle_at = 0, due_at = (
	select min(d.next_attempt_at) from webhook_deliveries d
	where d.endpoint_id = webhook_endpoints.id and d.state = 'pending' and webhook_endpoints.status in ('active', 'failing'));
