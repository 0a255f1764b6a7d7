-- A text is dropped some days after the last candidate who acknowledged it is gone:
-- used_at is when somebody last did, to the day.
alter table notices rename column created_at to used_at;
create index candidates_notice on candidates (notice_version) where notice_version is not null;
update candidates set notice_version = null, notice_language = null, notice_at = null where erased_at is not null;
-- Drafts of ratings go with the user who wrote them.
create index ratings_user on ratings (user_id);
