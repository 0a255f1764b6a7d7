-- After how many months a report begins by saying that it is too old.
alter table accounts add column shelf_months bigint not null default 12;
