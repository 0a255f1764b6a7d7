-- What the team has decided about a candidate. Nothing is changed: a correction is another
-- line, and the newest says where the candidate stands.
create table decisions (
	id           {id},
	candidate_id bigint not null references candidates (id),
	user_id      bigint not null,            -- who may be gone
	author       text   not null,            -- as they were called
	stage        text   not null,
	reasons      text   not null default '', -- keys, with spaces between
	sources      text   not null default '', -- keys, with spaces between
	body         text   not null default '',
	created_at   bigint not null
);
create index decisions_candidate on decisions (candidate_id, id);

alter table accounts add column decides_elsewhere bigint not null default 0; -- 1: decisions are kept in another system
