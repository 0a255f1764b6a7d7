-- used_at says from now on that a link was used, ended_at that another link or a change
-- ended it unused; of older links used_at says either.
alter table user_links add column ended_at bigint;
-- The order of a user's ways back, the earliest first: no clock tells it.
alter table user_links add column place bigint not null default 0;
-- users.totp_at when a way back was made, null for no second factor.
alter table user_links add column totp_at bigint;
update user_links set
	place = (select count(*) from user_links e
		where e.user_id = user_links.user_id and e.purpose = 'restore' and e.created_at <= user_links.created_at),
	totp_at = (select u.totp_at from users u where u.id = user_links.user_id and u.totp_at < user_links.created_at)
where purpose = 'restore';
