-- What the list of candidates is narrowed to, and what the first page of the dashboard tells.

-- The stage of the newest decision, as the list asks for it; '' while nothing was decided.
alter table candidates add column stage text not null default '';
update candidates set stage = coalesce((
	select d.stage from decisions d where d.candidate_id = candidates.id order by d.id desc limit 1), '')
where id in (select candidate_id from decisions);
-- The candidates of a stage, and below those of a role profile, stand in indexes that have no
-- condition: a statement that hides whether somebody was erased can go along no other one,
-- whatever the database knows of the table, and reads the index alone.
create index candidates_stage on candidates (account_id, stage, created_at, id, erased_at);
-- About how many it is decided, too, is counted from the index alone.
drop index candidates_counted;
create index candidates_counted on candidates (account_id, position_id, status, erased_at, stage) where status <> '';

create index candidates_role on candidates (account_id, role_profile, created_at, id, erased_at);
-- Scores are compared within one role profile only.
drop index candidates_overall;
create index candidates_overall on candidates (account_id, role_profile, overall, id) where overall is not null and erased_at is null;

create index letters_failed on letters (account_id, id) where state = 'failed' and candidate_id is not null;

alter table users add column results_read_at bigint; -- results of tests that were completed by then are not new to the user, null: never said
