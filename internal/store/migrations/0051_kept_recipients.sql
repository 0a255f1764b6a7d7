-- The kept letters of a test world are found by the address that they were written to.
alter table kept_letters add column recipient_key text not null default ''; -- the recipient in lower case, as emailKey makes it
update kept_letters set recipient_key = lower(recipient);
create index kept_letters_recipient on kept_letters (account_id, recipient_key, id);
