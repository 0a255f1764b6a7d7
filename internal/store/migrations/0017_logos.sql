-- Pictures in a table of their own: an account is read with every page and written
-- with every credit, and SQLite writes a row as a whole.
create table account_logos (
	account_id bigint primary key references accounts (id),
	body       bytea  not null                        -- PNG, JPEG or WebP; accounts has its type and hash
);
insert into account_logos (account_id, body) select id, logo from accounts where logo is not null;
alter table accounts drop column logo;
