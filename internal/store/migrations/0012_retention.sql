-- How long servers have run on this database, counted by clocks that nobody can
-- set, and what the database's clock showed meanwhile. What cannot be undone and
-- hangs on time goes by it: a clock that is ahead for a while deletes nothing.
create table clock_readings (
	machine bigint primary key,                       -- milliseconds that servers had run
	wall    bigint not null                           -- unix milliseconds, the earliest that was read then
);

alter table accounts add column keep_set_at     bigint;                     -- when the retention was last changed, null: not since this is noted
alter table accounts add column erasure_waits   bigint not null default 0; -- people whose retention is over and who wait for an owner's word
alter table accounts add column erasure_word_at bigint;                     -- the word given: it covers whoever was due by then; null: none
