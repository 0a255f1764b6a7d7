-- The newest results of one position are found without reading those of others.
create index candidates_position_completed on candidates (account_id, position_id, completed_at, id) where completed_at is not null;
