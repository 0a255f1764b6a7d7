-- What was said already about a webhook that receives nothing.
alter table webhook_endpoints add column failing_told_at  bigint; -- that it has been failing for long, null: not since it last received something
alter table webhook_endpoints add column given_up_told_at bigint; -- that a delivery has ended without arriving, null: never
create index webhook_endpoints_failing on webhook_endpoints (first_failure_at) where status = 'failing' and failing_told_at is null;
