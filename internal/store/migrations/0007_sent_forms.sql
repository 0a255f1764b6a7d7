-- A form makes a candidate, a key, a webhook or anything else.
alter table sent_forms rename column candidate_id to made_id;
