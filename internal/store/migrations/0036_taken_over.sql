-- When answers were given that were taken over from an earlier test of the same person, null
-- for answers of this one.
alter table candidates add column answered_at bigint;
