-- How many letters an account may send to others in a day, 0 for the server's number. Its test
-- world has the same.
alter table accounts add column letters_a_day bigint not null default 0;
