-- The address that a candidate was invited at, or has confirmed, where the team has changed it
-- since: a code to the new one proves nobody. Null: the candidate's address is that one; '': it
-- was changed before we wrote this down.
alter table own_results add column proven_email text;

insert into own_results (candidate_id)
select distinct c.id from candidates c join audit_log a on a.candidate_id = c.id
where c.erased_at is null and a.action = 'candidate.corrected' and a.detail like '%email%'
on conflict (candidate_id) do nothing;

update own_results set proven_email = ''
where candidate_id in (select candidate_id from audit_log where action = 'candidate.corrected' and detail like '%email%' and candidate_id is not null);
