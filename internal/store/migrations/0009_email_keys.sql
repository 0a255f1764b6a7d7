-- Addresses in lower case as Go writes them: SQLite lowers ASCII alone, PostgreSQL by its locale.
alter table candidates  add column email_key text not null default '';
alter table import_rows add column email_key text not null default '';
drop index candidates_open_email;
drop index import_rows_email;

-- Where both texts are ASCII there is one way to lower. Go does the others (Tx.keyAddresses).
update candidates  set email_key = lower(email) where octet_length(email || lower(email)) = 2 * length(email);
update import_rows set email_key = lower(email) where octet_length(email || lower(email)) = 2 * length(email);

create index candidates_open_email on candidates (account_id, email_key) where completed_at is null and cancelled_at is null;
create index import_rows_email     on import_rows (email_key) where candidate_id is null;
