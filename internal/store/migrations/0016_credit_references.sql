-- The operator's name of a grant, such as the number of an invoice, null for none. A
-- grant that is repeated under it, because nobody knew whether the first was booked,
-- is booked once.
alter table credit_ledger add column reference text;
create unique index credit_ledger_reference on credit_ledger (account_id, reference) where reference is not null;
