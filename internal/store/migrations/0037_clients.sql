-- What candidates of a position are told: for whom the account hires, what the notice says
-- otherwise than the account's, and a logo. '' leaves each to the account.
alter table positions add column client_de text not null default '';  -- described: what kind of company it is
alter table positions add column client_en text not null default '';
alter table positions add column notice    text not null default '';  -- as accounts.notice, only what differs
alter table positions add column logo_type text not null default '';
alter table positions add column logo_hash text not null default '';
update positions set client_de = client_name, client_name = '' where client_kind = 'described';

-- Logos are looked for by their hash, which is in their address.
create index positions_logo on positions (account_id, logo_hash) where logo_hash <> '';

create table position_logos (
	position_id bigint primary key references positions (id),
	body        bytea  not null
);

-- How long results are to be kept is asked at the sign-up. Who waits since before gets the
-- retention of a new account.
alter table signups add column keep_finished_days bigint not null default 180;
