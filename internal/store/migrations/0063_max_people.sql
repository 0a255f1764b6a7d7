-- How many candidates an account may store at once, 0 for any number. A test world has a bound of
-- its own.
alter table accounts add column max_people bigint not null default 0;
