-- What a deleted account has used in the month in which it was deleted, and in the one before:
-- for an invoice that is not written yet. Numbers only.
create table deleted_usage (
	account_id  bigint not null references account_deletions (account_id),
	month       text   not null, -- 2026-11, in the zone of the account
	completions bigint not null,
	taken_over  bigint not null,
	invitations bigint not null,
	letters     bigint not null,
	deliveries  bigint not null,
	people      bigint not null,
	primary key (account_id, month)
);
create index deleted_usage_month on deleted_usage (month, account_id);
