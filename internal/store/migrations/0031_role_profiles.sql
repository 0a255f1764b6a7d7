-- What an account itself asks for of a position, beside the role profiles of the test. A
-- profile is a name and its versions. A version is never changed, because results rest on
-- it; a profile without one is not chosen for anybody.
create table role_profiles (
	id         {id},
	account_id bigint not null references accounts (id),
	name       text   not null,
	base       text   not null,                -- key of the profile of the test that it began with
	created_at bigint not null
);
create index role_profiles_account on role_profiles (account_id, id);

-- Several experts say what a position asks for, each on their own.
create table role_rounds (
	id         {id},
	profile_id bigint not null references role_profiles (id),
	user_id    bigint not null,                -- who asked them, and may be gone
	asked_by   text   not null,                -- as they were called
	created_at bigint not null,
	expires_at bigint not null,                -- of the links
	closed_at  bigint,                         -- null while answers are taken
	named      bigint not null default 1       -- 0: the names of the experts were erased
);
create index role_rounds_profile on role_rounds (profile_id, id);
create index role_rounds_named on role_rounds (created_at) where named = 1;

create table role_experts (
	id           {id},
	round_id     bigint not null references role_rounds (id),
	name         text   not null,              -- '' once it was erased
	task         text   not null,              -- what they have to do with the position; '' once it was erased
	language     text   not null,
	token_hash   text   not null unique,
	token_sealed bytea  not null,
	answered_at  bigint,                       -- null until they have
	answers      text   not null default ''    -- JSON, '' until they have answered
);
create index role_experts_round on role_experts (round_id, id);

create table role_versions (
	profile_id bigint not null references role_profiles (id),
	version    bigint not null,                -- from 1 on
	profile    bytea  not null,                -- JSON: the snapshot that results keep
	grounds    text   not null default '',     -- JSON: why the dimensions are as they are
	basis      text   not null,                -- person, experts
	round_id   bigint references role_rounds (id), -- of the experts
	reason     text   not null,                -- why there is another version
	user_id    bigint not null,                -- who signed it, and may be gone
	signed_by  text   not null,                -- as they were called
	signed_at  bigint not null,
	primary key (profile_id, version)
);
