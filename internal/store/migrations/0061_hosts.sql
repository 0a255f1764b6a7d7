-- An account's own host, by which its candidates reach the server. Its test world has the same.
alter table accounts add column host text not null default '';
create unique index accounts_host on accounts (host) where host <> '' and parent_id is null;
