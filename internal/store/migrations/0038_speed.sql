-- The candidates of a role profile, and those of a stage, stand in indexes that have no
-- condition: a statement that hides whether somebody was erased can go along no other one,
-- whatever the database knows of the table, and reads the index alone.
drop index candidates_role;
create index candidates_role on candidates (account_id, role_profile, created_at, id, erased_at);
drop index candidates_stage;
create index candidates_stage on candidates (account_id, stage, created_at, id, erased_at);

-- The newest results of one position are found without reading those of others.
create index candidates_position_completed on candidates (account_id, position_id, completed_at, id) where completed_at is not null;
