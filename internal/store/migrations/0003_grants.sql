-- Every completion asks for the newest grant of its account; without an index of
-- the grants alone that walks back over all completions since.
create index credit_ledger_grants on credit_ledger (account_id, id) where reason = 'grant';
