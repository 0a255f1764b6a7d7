-- Days and hours are said in the zone of the account. What is stored by now was typed and
-- read in UTC.
alter table accounts add column zone text not null default 'UTC';          -- a name of the IANA's, such as Europe/Berlin
alter table signups  add column zone text not null default 'Europe/Berlin'; -- of the account that it makes
