-- An Idempotency-Key is kept as its hash (Tx.hashKeys writes those that are there), and of
-- its answer the status and the candidate: it is written again from these. After an erasure
-- the hash alone stays, with status 410, so that the key does not invite the person again.
alter table idempotency_keys drop column body;
