-- The statements of the list for people, as candidate_plan.go writes them. To try one, set what
-- it names and paste it:
--
--   psql                   \set account 1   \set word1 '''mia'''   \set pattern1 '''% mia%'''
--   sqlite3, from 3.44 on  .parameter set :account 1   .parameter set :word1 "cast('mia' as blob)"
--
-- :from and :to are times in milliseconds. :word1 is what a word begins with and :behind1 what comes behind all
-- that begin so ('mib'), :pattern1 the same within all words, or '%'. :placekey and :placeid are of the last row
-- of the page before; the first page begins behind '' by name, 101 by score, :to newest first. :open, :standard
-- are 1 for a user who reads all that is not confidential, and the default position.
--
-- Written by: go test ./internal/store -run StandInTheFile -update

-- The counts, where nothing is searched for.
with recursive each_tag (tag) as (
	select (select t.tag from candidate_tags t where t.account_id = :account order by t.tag limit 1)
	union all
	select (select t.tag from candidate_tags t where t.account_id = :account and t.tag > each_tag.tag order by t.tag limit 1)
	from each_tag where each_tag.tag is not null), each_role (role) as (
	select (select c.role_profile from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 order by c.role_profile limit 1)
	union all
	select (select c.role_profile from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.role_profile > each_role.role
		order by c.role_profile limit 1)
	from each_role where each_role.role is not null)
select 0,
	(select count(*) from (
		select 1 from candidates where account_id = :account and erased_at is null and status between 'offen' and 'offen'
			and created_at >= :from and created_at < :to order by status, created_at limit 10001) counted),
	(select count(*) from (
		select 1 from candidates where account_id = :account and erased_at is null and status between 'begonnen' and 'begonnen'
			and created_at >= :from and created_at < :to order by status, created_at limit 10001) counted),
	(select count(*) from (
		select 1 from candidates where account_id = :account and erased_at is null and status between 'abgeschlossen' and 'abgeschlossen'
			and created_at >= :from and created_at < :to order by status, created_at limit 10001) counted),
	'',
	coalesce((select string_agg(tag, '
') from (
		select tag from each_tag where tag is not null limit 200) listed), ''),
	coalesce((select string_agg(role || ' ' || coalesce((select p.name from role_profiles p where p.account_id = :account and 'own-' || cast(p.id as text) = listed.role), ''), '
') from (
		select role from each_role where role is not null limit 200) listed), ''),
	coalesce((select string_agg(cast(id as text) || ' ' || cast(standard as text) || ' ' || name, '
') from (
		select p.id, p.standard, p.name from positions p where p.account_id = :account and p.state <> 'archived' order by p.id desc limit 200) listed), '');

-- The page: newest first.
with page as materialized (
	select c.id as row_id, c.created_at as row_key from candidates c
	where c.account_id = :account and c.erased_at is null
		and (c.created_at, c.id) < (:placekey, :placeid)
		and c.created_at >= :from
	order by row_key desc, row_id desc limit 51)
select id, account_id, coalesce(external_id, ''), name, email, status, language, chose_language <> 0, role_profile, instrument,
		coalesce(invited_by, 0), coalesce(position_id, 0), created_at, started_at, completed_at, answered_at, expires_at, cancelled_at, declined_at, token_hash, token_sealed, scores,
	(select s.body from sheets s where s.candidate_id = candidates.id),
	coalesce((select l.state || ' ' || l.recipient from letters l where l.candidate_id = candidates.id and l.kind = 'invitation' order by l.id desc limit 1), ''),
	coalesce((select string_agg(t.tag, '
') from candidate_tags t where t.candidate_id = candidates.id), ''),
	exists (select 1 from credit_ledger b where b.account_id = candidates.account_id and b.candidate_id = candidates.id
		and b.reason = 'completion' and b.actor <> 'candidate'),
	(select r.scores from results r where r.candidate_id = candidates.id order by r.id desc limit 1),
	coalesce((select p.name from positions p where p.id = candidates.position_id), ''),
	coalesce((select p.invite_days from positions p where p.id = candidates.position_id), 0),
	exists (select 1 from audit_log e where e.candidate_id = candidates.id and e.action || '' = 'candidate.enrolled'), coalesce((select d.stage from decisions d where d.candidate_id = candidates.id order by d.id desc limit 1), ''), 0, 0
from page cross join candidates where candidates.id = page.row_id and page.row_id + 0 = page.row_id order by row_key desc, row_id desc;

-- The page: by name, in one status, of many.
with page as materialized (
	select c.id as row_id, c.name_key as row_key from candidates c
	where c.account_id = :account and c.erased_at is null
		and (c.name_key, c.id) > (:placekey, :placeid)
		and case when c.created_at >= :from and c.created_at < :to and c.status = :status then 1 else 0 end <> 0
	order by row_key, row_id limit 51)
select id, account_id, coalesce(external_id, ''), name, email, status, language, chose_language <> 0, role_profile, instrument,
		coalesce(invited_by, 0), coalesce(position_id, 0), created_at, started_at, completed_at, answered_at, expires_at, cancelled_at, declined_at, token_hash, token_sealed, scores,
	(select s.body from sheets s where s.candidate_id = candidates.id),
	coalesce((select l.state || ' ' || l.recipient from letters l where l.candidate_id = candidates.id and l.kind = 'invitation' order by l.id desc limit 1), ''),
	coalesce((select string_agg(t.tag, '
') from candidate_tags t where t.candidate_id = candidates.id), ''),
	exists (select 1 from credit_ledger b where b.account_id = candidates.account_id and b.candidate_id = candidates.id
		and b.reason = 'completion' and b.actor <> 'candidate'),
	(select r.scores from results r where r.candidate_id = candidates.id order by r.id desc limit 1),
	coalesce((select p.name from positions p where p.id = candidates.position_id), ''),
	coalesce((select p.invite_days from positions p where p.id = candidates.position_id), 0),
	exists (select 1 from audit_log e where e.candidate_id = candidates.id and e.action || '' = 'candidate.enrolled'), coalesce((select d.stage from decisions d where d.candidate_id = candidates.id order by d.id desc limit 1), ''), 0, 0
from page cross join candidates where candidates.id = page.row_id and page.row_id + 0 = page.row_id order by row_key, row_id;

-- The page: by name, in one status, of few.
with few as materialized (
	select c.id as row_id, c.name_key as row_key from candidates c
	where c.account_id = :account and c.erased_at is null
		and c.created_at >= :from and c.created_at < :to
		and c.status = :status),
page as materialized (
	select row_id, row_key from few where (row_key, row_id) > (:placekey, :placeid)
	order by row_key, row_id limit 51)
select id, account_id, coalesce(external_id, ''), name, email, status, language, chose_language <> 0, role_profile, instrument,
		coalesce(invited_by, 0), coalesce(position_id, 0), created_at, started_at, completed_at, answered_at, expires_at, cancelled_at, declined_at, token_hash, token_sealed, scores,
	(select s.body from sheets s where s.candidate_id = candidates.id),
	coalesce((select l.state || ' ' || l.recipient from letters l where l.candidate_id = candidates.id and l.kind = 'invitation' order by l.id desc limit 1), ''),
	coalesce((select string_agg(t.tag, '
') from candidate_tags t where t.candidate_id = candidates.id), ''),
	exists (select 1 from credit_ledger b where b.account_id = candidates.account_id and b.candidate_id = candidates.id
		and b.reason = 'completion' and b.actor <> 'candidate'),
	(select r.scores from results r where r.candidate_id = candidates.id order by r.id desc limit 1),
	coalesce((select p.name from positions p where p.id = candidates.position_id), ''),
	coalesce((select p.invite_days from positions p where p.id = candidates.position_id), 0),
	exists (select 1 from audit_log e where e.candidate_id = candidates.id and e.action || '' = 'candidate.enrolled'), coalesce((select d.stage from decisions d where d.candidate_id = candidates.id order by d.id desc limit 1), ''), 0, 0
from page cross join candidates where candidates.id = page.row_id and page.row_id + 0 = page.row_id order by row_key, row_id;

-- The page: by overall score, of many.
with page as materialized (
	select c.id as row_id, c.overall as row_key from candidates c
	where c.account_id = :account and c.erased_at is null
		and c.overall is not null and (c.overall, c.id) < (:placekey, :placeid)
		and case when c.created_at >= :from and c.created_at < :to then 1 else 0 end <> 0
		and c.role_profile = :role
	order by row_key desc, row_id desc limit 51)
select id, account_id, coalesce(external_id, ''), name, email, status, language, chose_language <> 0, role_profile, instrument,
		coalesce(invited_by, 0), coalesce(position_id, 0), created_at, started_at, completed_at, answered_at, expires_at, cancelled_at, declined_at, token_hash, token_sealed, scores,
	(select s.body from sheets s where s.candidate_id = candidates.id),
	coalesce((select l.state || ' ' || l.recipient from letters l where l.candidate_id = candidates.id and l.kind = 'invitation' order by l.id desc limit 1), ''),
	coalesce((select string_agg(t.tag, '
') from candidate_tags t where t.candidate_id = candidates.id), ''),
	exists (select 1 from credit_ledger b where b.account_id = candidates.account_id and b.candidate_id = candidates.id
		and b.reason = 'completion' and b.actor <> 'candidate'),
	(select r.scores from results r where r.candidate_id = candidates.id order by r.id desc limit 1),
	coalesce((select p.name from positions p where p.id = candidates.position_id), ''),
	coalesce((select p.invite_days from positions p where p.id = candidates.position_id), 0),
	exists (select 1 from audit_log e where e.candidate_id = candidates.id and e.action || '' = 'candidate.enrolled'), coalesce((select d.stage from decisions d where d.candidate_id = candidates.id order by d.id desc limit 1), ''), 0, 0
from page cross join candidates where candidates.id = page.row_id and page.row_id + 0 = page.row_id order by row_key desc, row_id desc;

-- The page: by overall score, of few.
with few as materialized (
	select c.id as row_id, c.overall as row_key from candidates c
	where c.account_id = :account and c.erased_at is null
		and c.created_at >= :from and c.created_at < :to),
page as materialized (
	select row_id, row_key from few where row_key is not null and (row_key, row_id) < (:placekey, :placeid)
	order by row_key desc, row_id desc limit 51)
select id, account_id, coalesce(external_id, ''), name, email, status, language, chose_language <> 0, role_profile, instrument,
		coalesce(invited_by, 0), coalesce(position_id, 0), created_at, started_at, completed_at, answered_at, expires_at, cancelled_at, declined_at, token_hash, token_sealed, scores,
	(select s.body from sheets s where s.candidate_id = candidates.id),
	coalesce((select l.state || ' ' || l.recipient from letters l where l.candidate_id = candidates.id and l.kind = 'invitation' order by l.id desc limit 1), ''),
	coalesce((select string_agg(t.tag, '
') from candidate_tags t where t.candidate_id = candidates.id), ''),
	exists (select 1 from credit_ledger b where b.account_id = candidates.account_id and b.candidate_id = candidates.id
		and b.reason = 'completion' and b.actor <> 'candidate'),
	(select r.scores from results r where r.candidate_id = candidates.id order by r.id desc limit 1),
	coalesce((select p.name from positions p where p.id = candidates.position_id), ''),
	coalesce((select p.invite_days from positions p where p.id = candidates.position_id), 0),
	exists (select 1 from audit_log e where e.candidate_id = candidates.id and e.action || '' = 'candidate.enrolled'), coalesce((select d.stage from decisions d where d.candidate_id = candidates.id order by d.id desc limit 1), ''), 0, 0
from page cross join candidates where candidates.id = page.row_id and page.row_id + 0 = page.row_id order by row_key desc, row_id desc;

-- The counts and the page's ids: one word, newest first.
with recursive each_tag (tag) as (
	select (select t.tag from candidate_tags t where t.account_id = :account order by t.tag limit 1)
	union all
	select (select t.tag from candidate_tags t where t.account_id = :account and t.tag > each_tag.tag order by t.tag limit 1)
	from each_tag where each_tag.tag is not null), each_role (role) as (
	select (select c.role_profile from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 order by c.role_profile limit 1)
	union all
	select (select c.role_profile from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.role_profile > each_role.role
		order by c.role_profile limit 1)
	from each_role where each_role.role is not null),
walked as materialized (select candidate_id from candidate_words where account_id = :account and word >= :word1 and word < :behind1 limit 3001),
hit as materialized (select distinct candidate_id as hit_id from walked order by hit_id),
found as materialized (
	select hit_id, c.created_at as hit_key, c.role_profile as hit_role,
		case when c.erased_at is null and c.created_at >= :from and c.created_at < :to then c.status end as hit_status
	from hit cross join candidates c where c.id = hit_id and hit_id + 0 = hit_id and c.account_id + 0 = :account),
sums as materialized (
	select (select count(*) from walked) as walked_over,
		count(case hit_status when 'offen' then 1 end) as offen,
		count(case hit_status when 'begonnen' then 1 end) as begonnen,
		count(case hit_status when 'abgeschlossen' then 1 end) as abgeschlossen
	from found)
select walked_over, offen, begonnen, abgeschlossen,
	coalesce((select string_agg(cast(hit_id as text), ' ' order by hit_key desc, hit_id desc) from (
		select hit_id, hit_key from found where hit_status is not null
			and (hit_key, hit_id) < (:placekey, :placeid)
		order by hit_key desc, hit_id desc limit 51) listed), ''),
	coalesce((select string_agg(tag, '
') from (
		select tag from each_tag where tag is not null limit 200) listed), ''),
	coalesce((select string_agg(role || ' ' || coalesce((select p.name from role_profiles p where p.account_id = :account and 'own-' || cast(p.id as text) = listed.role), ''), '
') from (
		select role from each_role where role is not null limit 200) listed), ''),
	coalesce((select string_agg(cast(id as text) || ' ' || cast(standard as text) || ' ' || name, '
') from (
		select p.id, p.standard, p.name from positions p where p.account_id = :account and p.state <> 'archived' order by p.id desc limit 200) listed), '')
from sums;

-- The page: one word that many have, newest first.
with page as materialized (
	select c.id as row_id, c.created_at as row_key from candidates c
	where c.account_id = :account and c.erased_at is null
		and (c.created_at, c.id) < (:placekey, :placeid)
		and c.created_at >= :from
		and case when c.words like :pattern1 escape '\' and c.words like :pattern2 escape '\' and c.words like :pattern3 escape '\'
			and c.words like :pattern4 escape '\' and c.words like :pattern5 escape '\' then 1 else 0 end <> 0
	order by row_key desc, row_id desc limit 51)
select id, account_id, coalesce(external_id, ''), name, email, status, language, chose_language <> 0, role_profile, instrument,
		coalesce(invited_by, 0), coalesce(position_id, 0), created_at, started_at, completed_at, answered_at, expires_at, cancelled_at, declined_at, token_hash, token_sealed, scores,
	(select s.body from sheets s where s.candidate_id = candidates.id),
	coalesce((select l.state || ' ' || l.recipient from letters l where l.candidate_id = candidates.id and l.kind = 'invitation' order by l.id desc limit 1), ''),
	coalesce((select string_agg(t.tag, '
') from candidate_tags t where t.candidate_id = candidates.id), ''),
	exists (select 1 from credit_ledger b where b.account_id = candidates.account_id and b.candidate_id = candidates.id
		and b.reason = 'completion' and b.actor <> 'candidate'),
	(select r.scores from results r where r.candidate_id = candidates.id order by r.id desc limit 1),
	coalesce((select p.name from positions p where p.id = candidates.position_id), ''),
	coalesce((select p.invite_days from positions p where p.id = candidates.position_id), 0),
	exists (select 1 from audit_log e where e.candidate_id = candidates.id and e.action || '' = 'candidate.enrolled'), coalesce((select d.stage from decisions d where d.candidate_id = candidates.id order by d.id desc limit 1), ''), 0, 0
from page cross join candidates where candidates.id = page.row_id and page.row_id + 0 = page.row_id order by row_key desc, row_id desc;

-- The counts and the page's ids: two words and a tag, by name, in one status.
with recursive each_tag (tag) as (
	select (select t.tag from candidate_tags t where t.account_id = :account order by t.tag limit 1)
	union all
	select (select t.tag from candidate_tags t where t.account_id = :account and t.tag > each_tag.tag order by t.tag limit 1)
	from each_tag where each_tag.tag is not null), each_role (role) as (
	select (select c.role_profile from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 order by c.role_profile limit 1)
	union all
	select (select c.role_profile from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.role_profile > each_role.role
		order by c.role_profile limit 1)
	from each_role where each_role.role is not null),
sized as materialized (
	select 0 as n, (select count(*) from (select 1 from candidate_words where account_id = :account and word >= :word1 and word < :behind1 limit 10001) counted) as size
	union all
	select 1 as n, (select count(*) from (select 1 from candidate_words where account_id = :account and word >= :word2 and word < :behind2 limit 10001) counted) as size
	union all
	select 2 as n, (select count(*) from (select 1 from candidate_tags where account_id = :account and tag = :tag limit 10001) counted) as size),
smallest as materialized (select n from sized order by size, n limit 1),
walked as materialized (
	select candidate_id from candidate_words where account_id = :account and word >= :word1 and word < :behind1 and (select n from smallest) = 0
	union all
	select candidate_id from candidate_words where account_id = :account and word >= :word2 and word < :behind2 and (select n from smallest) = 1
	union all
	select candidate_id from candidate_tags where account_id = :account and tag = :tag and (select n from smallest) = 2
	limit 10001),
hit as materialized (select distinct candidate_id as hit_id from walked order by hit_id),
found as materialized (
	select hit_id, c.name_key as hit_key, c.role_profile as hit_role,
		case when c.erased_at is null and c.created_at >= :from and c.created_at < :to
		and case when c.words like :pattern1 escape '\' and c.words like :pattern2 escape '\' and c.words like :pattern3 escape '\'
			and c.words like :pattern4 escape '\' and c.words like :pattern5 escape '\' then 1 else 0 end <> 0
		and (select t.candidate_id from candidate_tags t
			where t.account_id = c.account_id and t.tag = :tag and t.candidate_id = c.id limit 1) is not null then c.status end as hit_status
	from hit cross join candidates c where c.id = hit_id and hit_id + 0 = hit_id and c.account_id + 0 = :account),
sums as materialized (
	select (select count(*) from walked) as walked_over,
		count(case hit_status when 'offen' then 1 end) as offen,
		count(case hit_status when 'begonnen' then 1 end) as begonnen,
		count(case hit_status when 'abgeschlossen' then 1 end) as abgeschlossen
	from found)
select walked_over, offen, begonnen, abgeschlossen,
	coalesce((select string_agg(cast(hit_id as text), ' ' order by hit_key, hit_id) from (
		select hit_id, hit_key from found where hit_status is not null and hit_status = :status
			and (hit_key, hit_id) > (:placekey, :placeid)
		order by hit_key, hit_id limit 51) listed), ''),
	coalesce((select string_agg(tag, '
') from (
		select tag from each_tag where tag is not null limit 200) listed), ''),
	coalesce((select string_agg(role || ' ' || coalesce((select p.name from role_profiles p where p.account_id = :account and 'own-' || cast(p.id as text) = listed.role), ''), '
') from (
		select role from each_role where role is not null limit 200) listed), ''),
	coalesce((select string_agg(cast(id as text) || ' ' || cast(standard as text) || ' ' || name, '
') from (
		select p.id, p.standard, p.name from positions p where p.account_id = :account and p.state <> 'archived' order by p.id desc limit 200) listed), '')
from sums;

-- The page: two words and a tag that many have, by name, in one status.
with page as materialized (
	select c.id as row_id, c.name_key as row_key from candidates c
	where c.account_id = :account and c.erased_at is null
		and (c.name_key, c.id) > (:placekey, :placeid)
		and case when c.created_at >= :from and c.created_at < :to and c.status = :status then 1 else 0 end <> 0
		and case when c.words like :pattern1 escape '\' and c.words like :pattern2 escape '\' and c.words like :pattern3 escape '\'
			and c.words like :pattern4 escape '\' and c.words like :pattern5 escape '\' then 1 else 0 end <> 0
		and (select t.candidate_id from candidate_tags t
			where t.account_id = c.account_id and t.tag = :tag and t.candidate_id = c.id limit 1) is not null
	order by row_key, row_id limit 51)
select id, account_id, coalesce(external_id, ''), name, email, status, language, chose_language <> 0, role_profile, instrument,
		coalesce(invited_by, 0), coalesce(position_id, 0), created_at, started_at, completed_at, answered_at, expires_at, cancelled_at, declined_at, token_hash, token_sealed, scores,
	(select s.body from sheets s where s.candidate_id = candidates.id),
	coalesce((select l.state || ' ' || l.recipient from letters l where l.candidate_id = candidates.id and l.kind = 'invitation' order by l.id desc limit 1), ''),
	coalesce((select string_agg(t.tag, '
') from candidate_tags t where t.candidate_id = candidates.id), ''),
	exists (select 1 from credit_ledger b where b.account_id = candidates.account_id and b.candidate_id = candidates.id
		and b.reason = 'completion' and b.actor <> 'candidate'),
	(select r.scores from results r where r.candidate_id = candidates.id order by r.id desc limit 1),
	coalesce((select p.name from positions p where p.id = candidates.position_id), ''),
	coalesce((select p.invite_days from positions p where p.id = candidates.position_id), 0),
	exists (select 1 from audit_log e where e.candidate_id = candidates.id and e.action || '' = 'candidate.enrolled'), coalesce((select d.stage from decisions d where d.candidate_id = candidates.id order by d.id desc limit 1), ''), 0, 0
from page cross join candidates where candidates.id = page.row_id and page.row_id + 0 = page.row_id order by row_key, row_id;

-- The counts and the page's ids: of a position, a role profile, a stage and new results.
with recursive each_tag (tag) as (
	select (select t.tag from candidate_tags t where t.account_id = :account order by t.tag limit 1)
	union all
	select (select t.tag from candidate_tags t where t.account_id = :account and t.tag > each_tag.tag order by t.tag limit 1)
	from each_tag where each_tag.tag is not null), each_role (role) as (
	select (select c.role_profile from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 order by c.role_profile limit 1)
	union all
	select (select c.role_profile from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.role_profile > each_role.role
		order by c.role_profile limit 1)
	from each_role where each_role.role is not null),
sized as materialized (
	select 0 as n, (select count(*) from (select 1 from (select c.id as candidate_id from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.position_id = :position
			union all select c.id from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.position_id is null and (:general <> 0 or (select count(*) from positions p where p.id = :position and p.account_id = :account and p.standard = 1) <> 0)) placed where 0 = 0 limit 3001) counted) as size
	union all
	select 1 as n, (select count(*) from (select 1 from (select c.id as candidate_id from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.role_profile = :role) profiled where 0 = 0 limit 3001) counted) as size
	union all
	select 2 as n, (select count(*) from (select 1 from (select c.id as candidate_id from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.stage = :stage) staged where 0 = 0 limit 3001) counted) as size
	union all
	select 3 as n, (select count(*) from (select 1 from (select t.id as candidate_id from candidates t where t.account_id = :account and t.completed_at is not null and t.erased_at is null
			and t.completed_at > :readto order by t.completed_at desc limit 1000) needing where 0 = 0 limit 3001) counted) as size),
smallest as materialized (select n from sized order by size, n limit 1),
walked as materialized (
	select candidate_id from (select c.id as candidate_id from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.position_id = :position
			union all select c.id from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.position_id is null and (:general <> 0 or (select count(*) from positions p where p.id = :position and p.account_id = :account and p.standard = 1) <> 0)) placed where 0 = 0 and (select n from smallest) = 0
	union all
	select candidate_id from (select c.id as candidate_id from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.role_profile = :role) profiled where 0 = 0 and (select n from smallest) = 1
	union all
	select candidate_id from (select c.id as candidate_id from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.stage = :stage) staged where 0 = 0 and (select n from smallest) = 2
	union all
	select candidate_id from (select t.id as candidate_id from candidates t where t.account_id = :account and t.completed_at is not null and t.erased_at is null
			and t.completed_at > :readto order by t.completed_at desc limit 1000) needing where 0 = 0 and (select n from smallest) = 3
	limit 3001),
hit as materialized (select distinct candidate_id as hit_id from walked order by hit_id),
found as materialized (
	select hit_id, c.created_at as hit_key, c.role_profile as hit_role,
		case when c.erased_at is null and c.created_at >= :from and c.created_at < :to
		and case when c.position_id = :position or c.position_id is null and (:general <> 0 or (select count(*) from positions p where p.id = :position and p.account_id = :account and p.standard = 1) <> 0) then 1 else 0 end <> 0
		and case when c.role_profile = :role then 1 else 0 end <> 0
		and case when c.stage = :stage then 1 else 0 end <> 0
		and case when c.completed_at is not null and c.completed_at > :readto
		and (select a.candidate_id from audit_log a where a.candidate_id = c.id and a.user_id + 0 = :user and a.action || '' in ('report.viewed', 'report.saved', 'report.viewed_before_rating', 'report.opened', 'report.opened_without_rating') limit 1) is null and (c.overall is not null or 0 <> 0) then 1 else 0 end <> 0 then c.status end as hit_status
	from hit cross join candidates c where c.id = hit_id and hit_id + 0 = hit_id and c.account_id + 0 = :account),
sums as materialized (
	select (select count(*) from walked) as walked_over,
		count(case hit_status when 'offen' then 1 end) as offen,
		count(case hit_status when 'begonnen' then 1 end) as begonnen,
		count(case hit_status when 'abgeschlossen' then 1 end) as abgeschlossen
	from found)
select walked_over, offen, begonnen, abgeschlossen,
	coalesce((select string_agg(cast(hit_id as text), ' ' order by hit_key desc, hit_id desc) from (
		select hit_id, hit_key from found where hit_status is not null
			and (hit_key, hit_id) < (:placekey, :placeid)
		order by hit_key desc, hit_id desc limit 51) listed), ''),
	coalesce((select string_agg(tag, '
') from (
		select tag from each_tag where tag is not null limit 200) listed), ''),
	coalesce((select string_agg(role || ' ' || coalesce((select p.name from role_profiles p where p.account_id = :account and 'own-' || cast(p.id as text) = listed.role), ''), '
') from (
		select role from each_role where role is not null limit 200) listed), ''),
	coalesce((select string_agg(cast(id as text) || ' ' || cast(standard as text) || ' ' || name, '
') from (
		select p.id, p.standard, p.name from positions p where p.account_id = :account and p.state <> 'archived' order by p.id desc limit 200) listed), '')
from sums;

-- The page: of a position, a role profile, a stage and new results, of which there are many.
with page as materialized (
	select c.id as row_id, c.created_at as row_key from candidates c
	where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0
		and (c.created_at, c.id) < (:placekey, :placeid)
		and c.created_at >= :from
		and case when c.position_id = :position or c.position_id is null and (:general <> 0 or (select count(*) from positions p where p.id = :position and p.account_id = :account and p.standard = 1) <> 0) then 1 else 0 end <> 0
		and c.role_profile = :role
		and c.stage = :stage
		and case when c.completed_at is not null and c.completed_at > :readto
		and (select a.candidate_id from audit_log a where a.candidate_id = c.id and a.user_id + 0 = :user and a.action || '' in ('report.viewed', 'report.saved', 'report.viewed_before_rating', 'report.opened', 'report.opened_without_rating') limit 1) is null and (c.overall is not null or 0 <> 0) then 1 else 0 end <> 0
	order by row_key desc, row_id desc limit 51)
select id, account_id, coalesce(external_id, ''), name, email, status, language, chose_language <> 0, role_profile, instrument,
		coalesce(invited_by, 0), coalesce(position_id, 0), created_at, started_at, completed_at, answered_at, expires_at, cancelled_at, declined_at, token_hash, token_sealed, scores,
	(select s.body from sheets s where s.candidate_id = candidates.id),
	coalesce((select l.state || ' ' || l.recipient from letters l where l.candidate_id = candidates.id and l.kind = 'invitation' order by l.id desc limit 1), ''),
	coalesce((select string_agg(t.tag, '
') from candidate_tags t where t.candidate_id = candidates.id), ''),
	exists (select 1 from credit_ledger b where b.account_id = candidates.account_id and b.candidate_id = candidates.id
		and b.reason = 'completion' and b.actor <> 'candidate'),
	(select r.scores from results r where r.candidate_id = candidates.id order by r.id desc limit 1),
	coalesce((select p.name from positions p where p.id = candidates.position_id), ''),
	coalesce((select p.invite_days from positions p where p.id = candidates.position_id), 0),
	exists (select 1 from audit_log e where e.candidate_id = candidates.id and e.action || '' = 'candidate.enrolled'), coalesce((select d.stage from decisions d where d.candidate_id = candidates.id order by d.id desc limit 1), ''), 0, 0
from page cross join candidates where candidates.id = page.row_id and page.row_id + 0 = page.row_id order by row_key desc, row_id desc;

-- The counts, of some positions.
with reach as materialized (
	select p.id as reach_id from positions p where p.account_id = :account and p.id + 0 = p.id and (p.confidential = 0 and :open <> 0
				or exists (select 1 from position_members m where m.position_id = p.id and m.user_id = :user))),
reached as materialized (
	select * from (select c.id as reached_id, c.status as reached_status, c.role_profile as reached_role from reach cross join candidates c
		where c.account_id = :account and c.position_id between reach_id and reach_id and case when c.erased_at is null and c.created_at >= :from and c.created_at < :to then 1 else 0 end <> 0 limit 10001) named
	union all
	select * from (select c.id as reached_id, c.status as reached_status, c.role_profile as reached_role from candidates c
		where c.account_id = :account and c.position_id is null and :standard <> 0 and case when c.erased_at is null and c.created_at >= :from and c.created_at < :to then 1 else 0 end <> 0 limit 10001) unnamed)
select (select count(*) from reached),
	(select count(*) from reached where reached_status = 'offen'),
	(select count(*) from reached where reached_status = 'begonnen'),
	(select count(*) from reached where reached_status = 'abgeschlossen'),
	'',
	coalesce((select string_agg(tags, '
') from (
		select distinct (select string_agg(t.tag, '
') from candidate_tags t where t.candidate_id = reached_id) as tags from (select * from reached order by reached_id desc limit 3000) newest limit 1000) listed), ''),
	coalesce((select string_agg(role || ' ' || coalesce((select p.name from role_profiles p where p.account_id = :account and 'own-' || cast(p.id as text) = listed.role), ''), '
') from (
		select distinct reached_role as role from (select * from reached order by reached_id desc limit 3000) newest limit 200) listed), ''),
	coalesce((select string_agg(cast(id as text) || ' ' || cast(standard as text) || ' ' || name, '
') from (
		select p.id, p.standard, p.name from positions p where p.account_id = :account and p.state <> 'archived' and (p.confidential = 0 and :open <> 0
				or exists (select 1 from position_members m where m.position_id = p.id and m.user_id = :user)) order by p.id desc limit 200) listed), '');

-- The page: of some positions that have few.
with reach as materialized (
	select p.id as reach_id from positions p where p.account_id = :account and p.id + 0 = p.id and (p.confidential = 0 and :open <> 0
				or exists (select 1 from position_members m where m.position_id = p.id and m.user_id = :user))),
few as materialized (
	select * from (select c.id as row_id, c.created_at as row_key from reach cross join candidates c
		where c.account_id = :account and c.position_id between reach_id and reach_id and case when c.erased_at is null and c.created_at >= :from and c.created_at < :to then 1 else 0 end <> 0) named
	union all
	select * from (select c.id as row_id, c.created_at as row_key from candidates c
		where c.account_id = :account and c.position_id is null and :standard <> 0 and case when c.erased_at is null and c.created_at >= :from and c.created_at < :to then 1 else 0 end <> 0) unnamed),
page as materialized (
	select row_id, row_key from few where (row_key, row_id) < (:placekey, :placeid)
	order by row_key desc, row_id desc limit 51)
select id, account_id, coalesce(external_id, ''), name, email, status, language, chose_language <> 0, role_profile, instrument,
		coalesce(invited_by, 0), coalesce(position_id, 0), created_at, started_at, completed_at, answered_at, expires_at, cancelled_at, declined_at, token_hash, token_sealed, scores,
	(select s.body from sheets s where s.candidate_id = candidates.id),
	coalesce((select l.state || ' ' || l.recipient from letters l where l.candidate_id = candidates.id and l.kind = 'invitation' order by l.id desc limit 1), ''),
	coalesce((select string_agg(t.tag, '
') from candidate_tags t where t.candidate_id = candidates.id), ''),
	exists (select 1 from credit_ledger b where b.account_id = candidates.account_id and b.candidate_id = candidates.id
		and b.reason = 'completion' and b.actor <> 'candidate'),
	(select r.scores from results r where r.candidate_id = candidates.id order by r.id desc limit 1),
	coalesce((select p.name from positions p where p.id = candidates.position_id), ''),
	coalesce((select p.invite_days from positions p where p.id = candidates.position_id), 0),
	exists (select 1 from audit_log e where e.candidate_id = candidates.id and e.action || '' = 'candidate.enrolled'), coalesce((select d.stage from decisions d where d.candidate_id = candidates.id order by d.id desc limit 1), ''), 0, 0
from page cross join candidates where candidates.id = page.row_id and page.row_id + 0 = page.row_id order by row_key desc, row_id desc;

-- The page: of some positions that have many.
with page as materialized (
	select c.id as row_id, c.created_at as row_key from candidates c
	where c.account_id = :account and c.erased_at is null
		and (c.created_at, c.id) < (:placekey, :placeid)
		and c.created_at >= :from
		and case when c.position_id is null then :standard else (
			select count(*) from positions p where p.id = c.position_id and (p.confidential = 0 and :open <> 0
				or exists (select 1 from position_members m where m.position_id = p.id and m.user_id = :user))) end <> 0
	order by row_key desc, row_id desc limit 51)
select id, account_id, coalesce(external_id, ''), name, email, status, language, chose_language <> 0, role_profile, instrument,
		coalesce(invited_by, 0), coalesce(position_id, 0), created_at, started_at, completed_at, answered_at, expires_at, cancelled_at, declined_at, token_hash, token_sealed, scores,
	(select s.body from sheets s where s.candidate_id = candidates.id),
	coalesce((select l.state || ' ' || l.recipient from letters l where l.candidate_id = candidates.id and l.kind = 'invitation' order by l.id desc limit 1), ''),
	coalesce((select string_agg(t.tag, '
') from candidate_tags t where t.candidate_id = candidates.id), ''),
	exists (select 1 from credit_ledger b where b.account_id = candidates.account_id and b.candidate_id = candidates.id
		and b.reason = 'completion' and b.actor <> 'candidate'),
	(select r.scores from results r where r.candidate_id = candidates.id order by r.id desc limit 1),
	coalesce((select p.name from positions p where p.id = candidates.position_id), ''),
	coalesce((select p.invite_days from positions p where p.id = candidates.position_id), 0),
	exists (select 1 from audit_log e where e.candidate_id = candidates.id and e.action || '' = 'candidate.enrolled'), coalesce((select d.stage from decisions d where d.candidate_id = candidates.id order by d.id desc limit 1), ''), 0, 0
from page cross join candidates where candidates.id = page.row_id and page.row_id + 0 = page.row_id order by row_key desc, row_id desc;

-- The counts and the page's ids: one word, of some positions.
with recursive each_tag (tag) as (
	select (select t.tag from candidate_tags t where t.account_id = :account order by t.tag limit 1)
	union all
	select (select t.tag from candidate_tags t where t.account_id = :account and t.tag > each_tag.tag order by t.tag limit 1)
	from each_tag where each_tag.tag is not null), each_role (role) as (
	select (select c.role_profile from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 order by c.role_profile limit 1)
	union all
	select (select c.role_profile from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.role_profile > each_role.role
		order by c.role_profile limit 1)
	from each_role where each_role.role is not null),
reach as materialized (
	select p.id as reach_id from positions p where p.account_id = :account and p.id + 0 = p.id and (p.confidential = 0 and :open <> 0
				or exists (select 1 from position_members m where m.position_id = p.id and m.user_id = :user))),
sized as materialized (
	select 0 as n, (select count(*) from (select 1 from candidate_words where account_id = :account and word >= :word1 and word < :behind1 limit 3001) counted) as size
	union all
	select 1 as n, (select count(*) from (select 1 from (select c.id as candidate_id from reach cross join candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.position_id between reach_id and reach_id
			union all select c.id from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.position_id is null and :standard <> 0) reachable where 0 = 0 limit 3001) counted) as size),
smallest as materialized (select n from sized order by size, n limit 1),
walked as materialized (
	select candidate_id from candidate_words where account_id = :account and word >= :word1 and word < :behind1 and (select n from smallest) = 0
	union all
	select candidate_id from (select c.id as candidate_id from reach cross join candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.position_id between reach_id and reach_id
			union all select c.id from candidates c where c.account_id = :account and case when c.erased_at is null then 1 else 0 end <> 0 and c.position_id is null and :standard <> 0) reachable where 0 = 0 and (select n from smallest) = 1
	limit 3001),
hit as materialized (select distinct candidate_id as hit_id from walked order by hit_id),
found as materialized (
	select hit_id, c.created_at as hit_key, c.role_profile as hit_role,
		case when c.erased_at is null and c.created_at >= :from and c.created_at < :to
		and case when c.position_id is null then :standard else (
			select count(*) from positions p where p.id = c.position_id and (p.confidential = 0 and :open <> 0
				or exists (select 1 from position_members m where m.position_id = p.id and m.user_id = :user))) end <> 0
		and case when c.words like :pattern1 escape '\' and c.words like :pattern2 escape '\' and c.words like :pattern3 escape '\'
			and c.words like :pattern4 escape '\' and c.words like :pattern5 escape '\' then 1 else 0 end <> 0 then c.status end as hit_status
	from hit cross join candidates c where c.id = hit_id and hit_id + 0 = hit_id and c.account_id + 0 = :account),
sums as materialized (
	select (select count(*) from walked) as walked_over,
		count(case hit_status when 'offen' then 1 end) as offen,
		count(case hit_status when 'begonnen' then 1 end) as begonnen,
		count(case hit_status when 'abgeschlossen' then 1 end) as abgeschlossen
	from found)
select walked_over, offen, begonnen, abgeschlossen,
	coalesce((select string_agg(cast(hit_id as text), ' ' order by hit_key desc, hit_id desc) from (
		select hit_id, hit_key from found where hit_status is not null
			and (hit_key, hit_id) < (:placekey, :placeid)
		order by hit_key desc, hit_id desc limit 51) listed), ''),
	coalesce((select string_agg(tags, '
') from (
		select distinct (select string_agg(t.tag, '
') from candidate_tags t where t.candidate_id = hit_id) as tags from (select * from found where hit_status is not null order by hit_id desc limit 3000) newest limit 1000) listed), ''),
	coalesce((select string_agg(role || ' ' || coalesce((select p.name from role_profiles p where p.account_id = :account and 'own-' || cast(p.id as text) = listed.role), ''), '
') from (
		select distinct hit_role as role from (select * from found where hit_status is not null order by hit_id desc limit 3000) newest limit 200) listed), ''),
	coalesce((select string_agg(cast(id as text) || ' ' || cast(standard as text) || ' ' || name, '
') from (
		select p.id, p.standard, p.name from positions p where p.account_id = :account and p.state <> 'archived' and (p.confidential = 0 and :open <> 0
				or exists (select 1 from position_members m where m.position_id = p.id and m.user_id = :user)) order by p.id desc limit 200) listed), '')
from sums;
