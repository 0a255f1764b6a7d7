-- An account that is being deleted lets nobody in any more, however long it takes.
alter table accounts add column deleting_at bigint;

-- That an account was deleted, and nothing about who it was: as proof for its people, and so
-- that no backup brings it back.
create table account_deletions (
	account_id bigint primary key,
	created_at bigint not null, -- when the account was
	begun_at   bigint not null,
	ended_at   bigint           -- null: rows are left
);
create index account_deletions_begun on account_deletions (begun_at, account_id);

-- How many rows of each table an account had when its deletion began, and are deleted.
create table deletion_counts (
	account_id bigint not null references account_deletions (account_id),
	name       text   not null, -- the table
	present    bigint not null,
	deleted    bigint not null default 0,
	primary key (account_id, name)
);

-- Whom a backup must not bring back, of accounts that are deleted. Of the others their own rows
-- say so.
create table tombstones (
	id         bigint primary key, -- the candidate's
	created_at bigint not null,    -- when the candidate was
	erased_at  bigint not null
);
create index tombstones_erased on tombstones (erased_at, id);
