-- What the dashboard keeps: people, their sessions, and what an account may set.

alter table accounts add column logo         bytea;                            -- PNG, JPEG or WebP, null for none
alter table accounts add column logo_type    text   not null default '';       -- its media type
alter table accounts add column logo_hash    text   not null default '';       -- hex SHA-256 of the picture
alter table accounts add column accent       text   not null default '';       -- '#rrggbb', '' for ours
alter table accounts add column reminders    bigint not null default 2;        -- letters to those who have not finished, 0 to 2
alter table accounts add column keep_finished_days   bigint not null default 0; -- retention after completion, 0: until erased by hand
alter table accounts add column keep_unfinished_days bigint not null default 0; -- retention of tests that were never finished
alter table accounts add column welcome_de   text   not null default '';       -- the account's own words on the start page
alter table accounts add column welcome_en   text   not null default '';
alter table accounts add column notify       text   not null default 'now';    -- "Test abgeschlossen": now, daily, off
alter table accounts add column notify_emails text  not null default '';       -- for tests invited by API, one address a line, '': the owners
alter table accounts add column score_sorting_at bigint;                       -- when the account accepted the notice about sorting by score
alter table accounts add column score_sorting_by text not null default '';

alter table users add column name          text   not null default '';
alter table users add column language      text   not null default '';         -- '' : the browser's
alter table users add column theme         text   not null default '';         -- '', light, dark
alter table users add column totp_sealed   bytea;                              -- the seed, null without a second factor
alter table users add column totp_at       bigint;                             -- when it was confirmed, null: not yet
alter table users add column totp_step     bigint not null default 0;          -- the last time step that was used (RFC 6238)
alter table users add column last_login_at bigint;

-- What a one-time link may do: 'password' (set one), 'email' (confirm the address in detail).
alter table user_links add column purpose text not null default 'password';
alter table user_links add column detail  text not null default '';
create index user_links_user    on user_links (user_id);
create index user_links_expires on user_links (expires_at);

create table recovery_codes (
	user_id bigint not null references users (id),
	hash    text   not null,                          -- hex SHA-256 of a code
	used_at bigint,
	primary key (user_id, hash)
);

create table sessions (
	token_hash text   primary key,                    -- hex SHA-256 of the cookie's token
	user_id    bigint not null references users (id),
	account_id bigint not null references accounts (id),
	verified   bigint not null default 0,             -- 0: the password was right, the second factor is still to come
	confirmed_at bigint not null,                     -- when the password was last given
	created_at bigint not null,
	seen_at    bigint not null,                       -- to the minute
	expires_at bigint not null,
	ip         text   not null default '',
	agent      text   not null default ''             -- browser and system in words, never the whole header
);
create index sessions_user    on sessions (user_id, created_at);
create index sessions_expires on sessions (expires_at);

create table login_failures (
	who      text   primary key,                      -- 'login <hash of address> <network>', 'network <network>', …
	failures bigint not null,
	until    bigint not null,                         -- no further try before
	seen_at  bigint not null
);
create index login_failures_seen on login_failures (seen_at);

create table signups (
	token_hash    text   primary key,
	email         text   not null,
	email_key     text   not null,
	name          text   not null default '',
	account_name  text   not null,
	language      text   not null,
	password_hash text   not null,
	created_at    bigint not null,
	expires_at    bigint not null
);
create index signups_expires on signups (expires_at);

alter table audit_log add column user_id bigint;      -- the user who did it, null for anybody else
create index audit_log_action on audit_log (account_id, action, id);
create index audit_log_user   on audit_log (account_id, user_id, id) where user_id is not null;
create index audit_log_actor  on audit_log (account_id, actor, id);

alter table candidates add column name_key     bytea;                          -- for sorting by name, null until the words are indexed
alter table candidates add column words        text   not null default '';     -- what candidate_words holds of it, a space before each
alter table candidates add column overall      bigint;                         -- of the scores, for sorting once an account allows it
alter table candidates add column invited_by   bigint;                         -- user, null for API and operator
alter table candidates add column reminded     bigint not null default 0;      -- reminders sent by themselves
alter table candidates add column remind_at    bigint;                         -- when the next reminder is considered, null: none
alter table candidates add column reminders_off_at bigint;                     -- the candidate wants none
alter table candidates add column erased_at    bigint;
-- An erased candidate is a row that no list and no search comes upon.
drop index candidates_created;
drop index candidates_status;
drop index candidates_completed;
create index candidates_created   on candidates (account_id, created_at, id) where erased_at is null;
create index candidates_status    on candidates (account_id, status, created_at, id) where erased_at is null;
create index candidates_completed on candidates (account_id, completed_at, id) where completed_at is not null and erased_at is null;
create index candidates_name      on candidates (account_id, name_key, id) where erased_at is null;
create index candidates_overall   on candidates (account_id, overall, id) where overall is not null and erased_at is null;
create index candidates_unindexed on candidates (id) where name_key is null;
create index candidates_remind   on candidates (remind_at, id) where remind_at is not null;
alter table candidates add column expired_at bigint;                           -- when it was noted that the invitation ran out, null: not yet
create index candidates_expiring on candidates (expires_at, id) where completed_at is null and cancelled_at is null and erased_at is null and expired_at is null;

-- Each word of name, e-mail and external_id in lower case, as bytes so that both
-- databases compare them alike: what search by the beginning of a word goes by.
-- There is no index by candidate: candidates.words names the rows of each.
create table candidate_words (
	account_id   bigint not null,
	word         bytea  not null,
	candidate_id bigint not null references candidates (id),
	primary key (account_id, word, candidate_id)
);

create table candidate_tags (
	account_id   bigint not null,
	tag          text   not null,
	candidate_id bigint not null references candidates (id),
	primary key (account_id, tag, candidate_id)
);
create index candidate_tags_candidate on candidate_tags (candidate_id);

create table notes (
	id           {id},
	account_id   bigint not null references accounts (id),
	candidate_id bigint not null references candidates (id),
	user_id      bigint not null,
	author       text   not null,
	body         text   not null,
	created_at   bigint not null
);
create index notes_candidate on notes (candidate_id, id);

create table imports (
	id          {id},
	account_id  bigint not null references accounts (id),
	user_id     bigint not null,
	actor       text   not null,
	file_name   text   not null,
	language    text   not null,                      -- '' : the account's
	role_profile text  not null,                      -- '' : the account's
	send_email  bigint not null,
	state       text   not null,                      -- mapping, preview, running, done, cancelled
	source      bytea,                                -- the file, null once the import is confirmed or over
	total       bigint not null default 0,            -- rows of the file
	blank       bigint not null default 0,            -- lines without text
	valid       bigint not null default 0,            -- rows to be invited
	done        bigint not null default 0,
	failed      bigint not null default 0,
	left_out    text   not null default '',           -- headings of the columns that are not read, one a line; with the file they go
	lease_owner text   not null default '',
	lease_until bigint not null default 0,
	created_at  bigint not null,
	started_at  bigint,
	finished_at bigint,
	drop_at     bigint                                -- when rows and file go, null once they are gone and while it runs
);
create index imports_account on imports (account_id, id);
create index imports_running on imports (lease_until, id) where state = 'running';
create index imports_drop    on imports (drop_at, id) where drop_at is not null;

create index imports_open    on imports (account_id) where finished_at is null;

create table import_rows (
	import_id    bigint not null references imports (id),
	n            bigint not null,                     -- line of the file where the row begins
	name         text   not null,
	email        text   not null,
	external_id  text   not null,
	language     text   not null,
	state        text   not null,                     -- ready, faulty, duplicate, invited, known, failed
	reason       text   not null default '',          -- codes, one a line
	candidate_id bigint,
	primary key (import_id, n)
);
create index import_rows_state on import_rows (import_id, state, n);
-- Rows of nobody yet, for erasing a person from the lists they stand in.
create index import_rows_email on import_rows (lower(email)) where candidate_id is null;

-- Forms that were sent: whoever sends the same one twice gets the first outcome.
create table sent_forms (
	account_id   bigint not null,
	form         text   not null,                     -- hex SHA-256 of its nonce and what was typed
	candidate_id bigint not null,
	created_at   bigint not null,
	primary key (account_id, form)
);
create index sent_forms_age on sent_forms (created_at);

-- Whose retention is over without a result.
create index candidates_expired on candidates (account_id, expires_at, id) where completed_at is null and erased_at is null;

-- Who still has an open invitation, by address.
create index candidates_open_email on candidates (account_id, lower(email)) where completed_at is null and cancelled_at is null;
create index import_rows_candidate on import_rows (candidate_id) where candidate_id is not null;

create table letter_templates (
	account_id bigint not null references accounts (id),
	kind       text   not null,
	language   text   not null,
	subject    text   not null,
	body       text   not null,
	changed_by text   not null,
	changed_at bigint not null,
	primary key (account_id, kind, language)
);
alter table letters add column user_id bigint;        -- the user a letter is about or to, null for none
alter table letters add column detail  bytea;         -- sealed: a one-time token that the letter brings
alter table letters add column held_until bigint;     -- of a held letter above the account's daily number, null otherwise
create index letters_aged on letters (created_at) where candidate_id is null and recipient <> '';
create index letters_open on letters (account_id, id) where state <> 'sent';
create index letters_over on letters (held_until) where held_until is not null;
create index letters_day  on letters (account_id, sent_at) where sent_at is not null;

-- Work that recurs: one instance at a time does it.
create table chores (
	name        text   primary key,
	lease_owner text   not null default '',
	lease_until bigint not null default 0,
	next_at     bigint not null default 0
);

-- The API log: refused calls one by one, the rest counted by day.
create table api_refusals (
	id         {id},
	account_id bigint not null,
	key_id     bigint not null,
	method     text   not null,
	route      text   not null,
	status     bigint not null,
	code       text   not null,
	request_id text   not null,
	created_at bigint not null
);
create index api_refusals_account on api_refusals (account_id, id);
create table api_calls (
	account_id bigint not null,
	key_id     bigint not null,
	day        text   not null,                       -- 2026-11-27, UTC
	calls      bigint not null,
	refused    bigint not null default 0,
	primary key (account_id, key_id, day)
);

-- Erasing a candidate drops the answers that name them.
create index idempotency_keys_candidate on idempotency_keys (candidate_id) where candidate_id > 0;

-- Success rates are counted from the first index alone.
create index webhook_deliveries_finished on webhook_deliveries (endpoint_id, finished_at, state, kind) where finished_at is not null;
create index webhook_deliveries_held     on webhook_deliveries (endpoint_id, id) where state = 'held';
create index webhook_events_tests        on webhook_events (account_id, occurred_at) where test = 1;
