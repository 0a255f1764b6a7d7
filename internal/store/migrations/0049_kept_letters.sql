-- A letter of a test world is written like any other and kept instead of sent. It has lines
-- of its own in the outbox, so that live letters and those of worlds never wait for each
-- other.
alter table letters  add column kept             bigint not null default 0; -- 1: of a test world, not to be sent
alter table accounts add column forwards_letters bigint not null default 0; -- 1: a test world's letters to people of its account are sent, too
drop index letters_due;
drop index letters_turn;
create index letters_due  on letters (kept, urgent, next_attempt_at, id) where state = 'queued' and turn is null;
create index letters_turn on letters (kept, urgent desc, turn, id)       where state = 'queued' and turn is not null;

create table kept_letters (
	id           {id},
	account_id   bigint not null references accounts (id),
	letter_id    bigint not null references letters (id),
	candidate_id bigint references candidates (id),   -- null: about nobody
	kind         text   not null,
	recipient    text   not null,
	sealed       bytea  not null,                     -- what it says
	created_at   bigint not null,
	drop_at      bigint not null,                     -- the machine's own time, however the world's clock is moved
	forward_at   bigint,                              -- when it is to be sent to its reader, who is one of the account's users; null: not, or no more
	forwards     bigint not null default 0            -- how often that was tried
);
create unique index kept_letters_letter    on kept_letters (letter_id);
create index        kept_letters_account   on kept_letters (account_id, id);
create index        kept_letters_candidate on kept_letters (candidate_id) where candidate_id is not null;
create index        kept_letters_over      on kept_letters (drop_at);
create index        kept_letters_forward   on kept_letters (forward_at) where forward_at is not null;
