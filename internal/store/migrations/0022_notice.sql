-- What an account adds to the notice that candidates acknowledge before the test: a JSON
-- object, because it is read and written as one, and '' while nothing is told.
alter table accounts add column notice text not null default '';
