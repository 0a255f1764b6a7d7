-- In whose name the letters of an account go out, if not in the server's.
create table account_senders (
	account_id     bigint primary key references accounts (id),
	address        text   not null,
	name           text   not null,
	bounce_address text   not null,
	dkim_domain    text   not null, -- '': the server's key signs
	dkim_selector  text   not null,
	dkim_key       bytea            -- sealed; null: the server's
);
