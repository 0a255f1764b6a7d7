-- When answers were given that were taken over from an earlier test of the same person, null
-- for answers of this one.
alter table candidates add column answered_at bigint;
create index candidates_earlier on candidates (account_id, email_key, completed_at) where completed_at is not null and erased_at is null;
