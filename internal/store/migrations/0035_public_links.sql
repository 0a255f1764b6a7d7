-- By the public link of a position people ask for a test by themselves. Those that were
-- revoked stay, so that whoever has one is told.
create table public_links (
	id           {id},
	account_id   bigint not null references accounts (id),
	position_id  bigint not null references positions (id),
	token_hash   text   not null unique,
	token_sealed bytea  not null,
	most         bigint not null,              -- people who may confirm their address
	confirmed    bigint not null default 0,    -- people who have
	ends_at      bigint,                       -- null: no end
	created_at   bigint not null,
	revoked_at   bigint                        -- null: it works
);
create unique index public_links_position on public_links (position_id) where revoked_at is null;

-- What was typed there, until the address is confirmed or a week is over.
create table enrolments (
	token_hash   text   primary key,
	link_id      bigint not null references public_links (id),
	name         text   not null,              -- '' once it is confirmed
	email        text   not null,              -- '' once it is confirmed
	email_key    text   not null,              -- the address in lower case, by which it is found
	language     text   not null,
	letter_id    bigint not null,              -- the letter that brings the token
	candidate_id bigint references candidates (id), -- null until it is confirmed
	created_at   bigint not null,
	expires_at   bigint not null
);
create unique index enrolments_email on enrolments (link_id, email_key) where candidate_id is null;
create index enrolments_address on enrolments (email_key) where candidate_id is null;
create index enrolments_candidate on enrolments (candidate_id) where candidate_id is not null;
create index enrolments_expires on enrolments (expires_at);

-- Whether somebody has a test for a position already, however it stands, is asked by address.
create index candidates_email on candidates (email_key, account_id) where email_key <> '';
