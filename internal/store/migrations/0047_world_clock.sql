-- What people in test worlds will do by themselves. A live account has no rows here.
create table world_acts (
	candidate_id bigint primary key references candidates (id),
	account_id   bigint not null references accounts (id), -- the world
	act          text   not null,            -- typus.Act
	vector       text   not null default '', -- the answers
	step         bigint not null default 0,  -- how many of its steps are done
	due_at       bigint not null
);
create index world_acts_due on world_acts (due_at, candidate_id);
create index world_acts_of  on world_acts (account_id, due_at);

-- How the clocks of test worlds were moved on.
create table world_moves (
	id          {id},
	account_id  bigint not null references accounts (id), -- the world
	target_at   bigint not null, -- as the world's clock shows it
	begun_at    bigint not null,
	done_at     bigint,          -- null: it is under way
	lease_owner text   not null default '',
	lease_until bigint not null default 0
);
create index world_moves_of on world_moves (account_id, id);
create unique index world_moves_running on world_moves (account_id) where done_at is null;

-- Moving a clock and resetting a world find what belongs to it along these.
create index public_links_account on public_links (account_id, id);
create index enrolments_link      on enrolments (link_id);
