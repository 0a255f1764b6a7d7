-- Many deliveries are sent again by a run, a page at a time, so that fresh results do not wait
-- behind them. What it is to send is frozen when it begins.
create table webhook_replays (
	id           {id},
	account_id   bigint not null references accounts (id),
	endpoint_id  bigint not null references webhook_endpoints (id),
	state        text   not null,            -- running, done, cancelled
	of_state     text   not null,            -- the filter; '': all that have ended
	of_outcome   text   not null,            -- '': any
	of_candidate bigint,                     -- null: anybody's
	from_at      bigint,
	until_at     bigint,
	through_id   text   not null,            -- the newest delivery that there was when it began
	after_id     text   not null default '', -- the last one that was sent again
	total        bigint not null,            -- found when it began
	made         bigint not null default 0,
	created_at   bigint not null,
	finished_at  bigint
);
create unique index webhook_replays_running on webhook_replays (endpoint_id) where finished_at is null;
create index webhook_replays_account on webhook_replays (account_id, endpoint_id, id);

alter table webhook_deliveries add column replay_id bigint references webhook_replays (id); -- the run that made it
create index webhook_deliveries_replay on webhook_deliveries (replay_id, state, failures) where replay_id is not null;
