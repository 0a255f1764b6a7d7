-- The class of the last attempt's end, by which the delivery log is filtered (webhook.OutcomeOf).
alter table webhook_deliveries add column outcome text not null default '';
update webhook_deliveries set outcome = case
	when state = 'delivered' then 'arrived'
	when last_error = '' then ''
	when last_error = 'http_429' or last_error = 'http_5xx' and last_status = 503 then 'busy'
	when last_error in ('dns', 'proxy', 'connect', 'refused') then 'unreachable'
	when last_error = 'blocked_address' then 'blocked'
	when last_error like 'tls%' then 'tls'
	when last_error like 'timeout%' then 'timeout'
	when last_error = 'http_3xx' then 'redirected'
	when last_error = 'http_4xx' then 'rejected'
	when last_error = 'http_5xx' then 'server_error'
	when last_error = 'gone' then 'gone'
	when last_error = 'interrupted' then 'interrupted'
	when last_error = 'needs_new_secret' then 'no_secret'
	else 'broken' end
where state = 'delivered' or last_error <> '';

-- State and outcome stand together, so that one index serves every filter by either: a page is put
-- together from a page of each pair. As an expression no planner takes it for the state alone, whose
-- deliveries are found in other orders by other indexes.
create index webhook_deliveries_log    on webhook_deliveries (account_id, (state || ' ' || outcome), id);
create index webhook_deliveries_log_to on webhook_deliveries (account_id, endpoint_id, (state || ' ' || outcome), id);
create index webhook_deliveries_to     on webhook_deliveries (account_id, endpoint_id, id);

-- How long answers of receivers and bodies of test events are kept is up to the account. The update
-- writes each attempt once more, with its answer: a million with 4 KiB each are 4 GB of log, and as
-- much room again until a vacuum, and on PostgreSQL nobody reads the table meanwhile. The old index
-- goes first, so that it is not written, too.
drop index webhook_attempts_answered;
alter table accounts add column keep_answers_days bigint not null default 90;
alter table webhook_attempts add column account_id bigint not null default 0;
update webhook_attempts set account_id = coalesce((select d.account_id from webhook_deliveries d where d.id = delivery_id), 0);
create index webhook_attempts_answered on webhook_attempts (account_id, started_at) where (response_head <> '' or response_body is not null);
drop index webhook_events_old_tests;
create index webhook_events_old_tests on webhook_events (account_id, occurred_at) where test = 1 and payload is not null;
