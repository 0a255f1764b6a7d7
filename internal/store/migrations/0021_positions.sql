-- What an account hires for. Candidates without a position are those of the account's
-- default one, which is a row only once something is said about it.
create table positions (
	id           {id},
	account_id   bigint not null references accounts (id),
	name         text   not null,                     -- '' for the default one
	standard     bigint not null default 0,           -- 1: the account's default one
	state        text   not null default 'open',      -- open, closed, archived
	confidential bigint not null default 0,           -- 1: for owners and for those it names
	blind        bigint not null default 0,           -- 1: members and interviewers rate before they see a result
	blind_all    bigint not null default 0,           -- 1: so does everybody else
	created_at   bigint not null
);
create index positions_account on positions (account_id, id);
create unique index positions_standard on positions (account_id) where standard = 1;
-- Every request asks for these two.
create index positions_confidential on positions (account_id, id) where confidential = 1;
create index positions_blind        on positions (account_id, id) where blind = 1;

create table position_members (
	position_id bigint not null references positions (id),
	user_id     bigint not null references users (id),
	primary key (position_id, user_id)
);
create index position_members_user on position_members (user_id);

alter table users add column only_named bigint not null default 0; -- 1: reads candidates of the positions that name the user

alter table candidates add column position_id bigint references positions (id);
create index candidates_position on candidates (account_id, position_id, created_at, id);

-- What a user of the team did with a candidate's result.
create table interviews (
	candidate_id          bigint not null references candidates (id),
	user_id               bigint not null,            -- who may be gone
	rated_at              bigint,                     -- null until the ratings are saved
	opened_at             bigint,                     -- null while the result was not opened without them
	opened_without_reason text   not null default '', -- why it was opened without ratings
	primary key (candidate_id, user_id)
);
