-- The tables of the main job. {id} and {id:N} become the dialect's counting key
-- (starting at 1 or N). Times are unix milliseconds UTC; bodies are bytea, never
-- json types: a re-ordered body would break its signature.

create table accounts (
	id            {id},
	name          text   not null,
	plan          text   not null,
	credits       bigint not null default 0,          -- the sum of credit_ledger, kept in the same transaction
	language      text   not null default 'de',
	role_profile  text   not null default 'general_sales',
	invite_days   bigint not null default 30,
	contact_email text   not null default '',
	created_at    bigint not null
);

create table users (
	id            {id},
	account_id    bigint not null references accounts (id),
	email         text   not null,
	email_key     text   not null unique,             -- lower case: one login per address
	role          text   not null,
	password_hash text   not null default '',         -- argon2id in PHC form, '' until set
	created_at    bigint not null
);
create index users_account on users (account_id, id);

create table user_links (
	token_hash text   primary key,                    -- hex SHA-256 of a one-time token
	user_id    bigint not null references users (id),
	created_at bigint not null,
	expires_at bigint not null,
	used_at    bigint
);

create table api_keys (
	id           {id},
	account_id   bigint not null references accounts (id),
	name         text   not null,
	hash         text   not null unique,              -- lower-case hex SHA-256 of the whole key (API description 5.2)
	created_by   text   not null,
	created_at   bigint not null,
	last_used_at bigint,
	expires_at   bigint,
	revoked_at   bigint
);
create index api_keys_account on api_keys (account_id, id);

create table notices (
	version    text   not null,                       -- names the text shown before the test
	language   text   not null,
	body       text   not null,
	created_at bigint not null,
	primary key (version, language)
);

create table candidates (
	id              {id:100000000000001},
	account_id      bigint not null references accounts (id),
	external_id     text,                             -- null for none
	name            text   not null,
	email           text   not null,
	token_hash      text   not null unique,           -- hex SHA-256 of the link's token
	token_sealed    bytea  not null,
	status          text   not null default 'offen',
	language        text   not null,
	chose_language  bigint not null default 0,        -- 1: named by the invitation or the candidate, not the account's default
	role_profile    text   not null,
	instrument      text   not null default '',       -- id@version, fixed when the test begins
	created_at      bigint not null,
	started_at      bigint,
	completed_at    bigint,
	expires_at      bigint not null,
	cancelled_at    bigint,
	declined_at     bigint,
	notice_version  text,
	notice_language text,
	notice_at       bigint,
	open_ref        text,                             -- external_id and e-mail while the invitation can be repeated
	scores          bytea                             -- what the wire shows, null until finished
);
create unique index candidates_open on candidates (account_id, open_ref) where open_ref is not null;
create index candidates_created   on candidates (account_id, created_at, id);
create index candidates_status    on candidates (account_id, status, created_at, id);
create index candidates_external  on candidates (account_id, external_id, created_at, id) where external_id is not null;
create index candidates_completed on candidates (account_id, completed_at, id) where completed_at is not null;

create table sheets (
	candidate_id bigint primary key references candidates (id),
	body         bytea  not null,                     -- the packed answers of a running test
	saved_at     bigint not null
);

create table results (
	id              {id},
	candidate_id    bigint not null references candidates (id),
	scores          bytea  not null,                  -- the whole result (bands, second persona, warnings, meta)
	answers         bytea  not null,                  -- the packed answers and times, frozen
	instrument      text   not null,                  -- id@version
	instrument_hash text   not null,
	norm            text   not null,
	role_profile    text   not null,                  -- key@version
	role_snapshot   bytea  not null,
	scoring_version text   not null,
	supersedes      bigint,
	created_at      bigint not null
);
create index results_candidate on results (candidate_id, id);

create table credit_ledger (
	id            {id},
	account_id    bigint not null references accounts (id),
	delta         bigint not null,
	reason        text   not null,
	candidate_id  bigint references candidates (id),
	note          text   not null default '',
	actor         text   not null,
	balance_after bigint not null,
	created_at    bigint not null
);
create unique index credit_ledger_once on credit_ledger (candidate_id, reason) where candidate_id is not null;
create index credit_ledger_account on credit_ledger (account_id, id);

create table idempotency_keys (
	api_key_id     bigint not null references api_keys (id),
	key            text   not null,
	request_sha256 text   not null,
	status         bigint not null,
	body           bytea  not null,
	candidate_id   bigint not null,
	created_at     bigint not null,
	primary key (api_key_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

create table webhook_endpoints (
	id                   {id},
	account_id           bigint not null references accounts (id),
	url                  text   not null,
	description          text   not null default '',
	status               text   not null default 'active',
	max_in_flight        bigint not null default 4,
	rate_per_s           bigint not null default 10,
	burst                bigint not null default 20,
	consecutive_failures bigint not null default 0,
	first_failure_at     bigint,
	last_failure_at      bigint,
	last_success_at      bigint,
	last_claimed_at      bigint,
	status_changed_at    bigint not null,
	probe_after          bigint,
	disabled_reason      text   not null default '',
	static_header        bytea,
	version              bigint not null default 1,
	created_at           bigint not null
);
create index webhook_endpoints_account on webhook_endpoints (account_id, id);

create table webhook_secrets (
	id          {id},
	endpoint_id bigint not null references webhook_endpoints (id),
	role        text   not null,
	key_id      text   not null,
	ciphertext  bytea  not null,
	created_at  bigint not null,
	valid_until bigint
);
create index webhook_secrets_endpoint on webhook_secrets (endpoint_id, role);

create table webhook_events (
	id             text   primary key,
	account_id     bigint not null references accounts (id),
	type           text   not null,
	candidate_id   bigint not null,
	test           bigint not null default 0,
	occurred_at    bigint not null,
	payload        bytea,                             -- null once its retention is over
	payload_sha256 text   not null
);
create unique index webhook_events_once on webhook_events (account_id, type, candidate_id) where test = 0;

create table webhook_deliveries (
	id              text   primary key,
	account_id      bigint not null references accounts (id),
	event_id        text   not null references webhook_events (id),
	endpoint_id     bigint not null references webhook_endpoints (id),
	kind            text   not null,
	state           text   not null,
	attempt         bigint not null default 0,
	failures        bigint not null default 0,
	interruptions   bigint not null default 0,
	next_attempt_at bigint not null,
	lease_owner     text   not null default '',
	lease_until     bigint not null default 0,
	last_status     bigint not null default 0,
	last_error      text   not null default '',
	finished_at     bigint
);
create unique index webhook_deliveries_once on webhook_deliveries (event_id, endpoint_id) where kind = 'auto';
create index webhook_deliveries_due     on webhook_deliveries (endpoint_id, next_attempt_at, id) where state = 'pending';
create index webhook_deliveries_sending on webhook_deliveries (endpoint_id) where state = 'sending';
create index webhook_deliveries_lease   on webhook_deliveries (lease_until) where state = 'sending';
create index webhook_deliveries_event   on webhook_deliveries (event_id, endpoint_id);
create index webhook_deliveries_account on webhook_deliveries (account_id, id);

create table webhook_attempts (
	id              {id},
	delivery_id     text   not null references webhook_deliveries (id),
	n               bigint not null,
	started_at      bigint not null,
	duration_ms     bigint,
	url             text   not null,
	remote_ip       text   not null default '',
	request_headers text   not null default '',
	http_status     bigint not null default 0,
	error_code      text   not null default '',
	response_head   text   not null default '',
	response_body   bytea,
	outcome         text   not null
);
create unique index webhook_attempts_n on webhook_attempts (delivery_id, n);

create table letters (
	id              {id},
	account_id      bigint not null references accounts (id),
	candidate_id    bigint references candidates (id),
	kind            text   not null,
	language        text   not null,
	recipient       text   not null,
	state           text   not null,
	attempts        bigint not null default 0,
	next_attempt_at bigint not null,
	lease_owner     text   not null default '',
	lease_until     bigint not null default 0,
	last_code       bigint not null default 0,
	last_error      text   not null default '',
	created_at      bigint not null,
	sent_at         bigint
);
create index letters_due       on letters (next_attempt_at, id) where state = 'queued';
create index letters_lease     on letters (lease_until) where state = 'sending';
create index letters_candidate on letters (candidate_id, id) where candidate_id is not null;
create index letters_account   on letters (account_id, id);
create index letters_owners    on letters (account_id, kind, created_at) where candidate_id is null;

create table audit_log (
	id           {id},
	account_id   bigint not null references accounts (id),
	candidate_id bigint,
	actor        text   not null,
	action       text   not null,
	detail       text   not null default '',
	ip           text   not null default '',
	request_id   text   not null default '',
	created_at   bigint not null
);
create index audit_log_account   on audit_log (account_id, id);
create index audit_log_candidate on audit_log (candidate_id, id) where candidate_id is not null;

create table server_marks (
	name  text  primary key,                          -- 'secret_key_check', …
	value bytea not null
);
