-- The outbox: how often a letter was given to a mail server that did not say what
-- became of it, whether a person waits for it, and in which round over the accounts
-- it goes out. No round: it is not due, or not lined up yet.
alter table letters add column unclear bigint not null default 0;
alter table letters add column urgent  bigint not null default 0;
alter table letters add column turn    bigint;
update letters set urgent = 1 where state in ('queued', 'held') and kind in ('password_reset', 'email_change', 'signup');

drop index letters_due;
create index letters_due    on letters (urgent, next_attempt_at, id)   where state = 'queued' and turn is null;
create index letters_again  on letters (next_attempt_at)               where state = 'queued' and turn is null and attempts > 0;
create index letters_turn   on letters (urgent desc, turn, id)         where state = 'queued' and turn is not null;
create index letters_line   on letters (account_id, urgent, turn)      where state = 'queued' and turn is not null;
