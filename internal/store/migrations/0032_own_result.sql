-- When candidates see their own result: of accounts as it was until now (who asks gets it
-- from the team, which releases it), of positions as the account says.
alter table accounts  add column own_result        text not null default 'released'; -- at_once, released, none
alter table accounts  add column own_result_reason text not null default '';         -- why not
alter table positions add column own_result        text not null default '';         -- '' as the account
alter table positions add column own_result_reason text not null default '';

-- What became of a candidate's own result. A row is made when something did.
create table own_results (
	candidate_id bigint primary key references candidates (id),
	released_at  bigint,                   -- null: not released
	released_by  text   not null default '',
	opened_at    bigint,                   -- null: the candidate has not seen it
	code_hash    text   not null default '', -- of the newest code, '' for none that is good
	code_at      bigint,
	code_tries   bigint not null default 0
);

-- What candidates ask the team for. Nothing happens by itself; each is answered once.
create table requests (
	id           {id},
	account_id   bigint not null references accounts (id), -- the candidate's
	candidate_id bigint not null references candidates (id),
	kind         text   not null,
	body         text   not null,
	created_at   bigint not null,
	answer       text   not null default '',
	answered_at  bigint,                   -- null: open
	answered_by  text   not null default ''
);
create index requests_candidate on requests (candidate_id, id);
create index requests_open on requests (account_id, created_at, id) where answered_at is null;
