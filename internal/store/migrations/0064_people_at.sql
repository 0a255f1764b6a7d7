-- When the people of a deleted account were counted: at the end of the month, or when its deletion
-- began. Null: before this was kept.
alter table deleted_usage add column people_at bigint;
