-- What an account says about a position besides who reads its candidates. '', 0 and -1 leave
-- to the account's settings what invitations take.
alter table positions add column ref          text   not null default '';  -- the account's own id of the job, '' for none
alter table positions add column client_kind  text   not null default '';  -- '': the account itself, named, described
alter table positions add column client_name  text   not null default '';  -- name or description of the client
alter table positions add column role_profile text   not null default '';
alter table positions add column language     text   not null default '';
alter table positions add column invite_days  bigint not null default 0;
alter table positions add column reminders    bigint not null default -1;
alter table positions add column closed_at    bigint;                      -- null while open
create unique index positions_ref on positions (account_id, ref) where ref <> '';

alter table imports add column position_id bigint references positions (id); -- null: the default one

-- The counts of many positions are read from an index alone. It has a condition that is
-- always true, so that nothing else goes along it: only a statement that says it, too, can.
create index candidates_counted on candidates (account_id, position_id, status, erased_at) where status <> '';

-- How long results are kept.
alter table accounts   add column keep_from_decision  bigint not null default 0;  -- 1: counted from the decision, else from the closing of the position
alter table accounts   add column keep_undecided_days bigint not null default 0;  -- bound for those nothing was decided about, 0: none
alter table candidates add column keep_until          bigint;                     -- not erased by retention before
alter table candidates add column keep_reason         text   not null default '';

-- What each turn of the retention did.
create table retention_turns (
	id         {id},
	account_id bigint not null references accounts (id),
	at         bigint not null,
	finished   bigint not null, -- results erased
	unfinished bigint not null, -- invitations erased
	kept       bigint not null, -- due, and kept for a reason
	waiting    bigint not null, -- due, and waiting for an owner's word
	failed     bigint not null
);
create index retention_turns_account on retention_turns (account_id, id);
