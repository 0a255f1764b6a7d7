-- All applications of one address: those with a result and the open ones have their index
-- (0036, 0009), those that were withdrawn before the end have this one.
create index candidates_withdrawn_email on candidates (account_id, email_key) where completed_at is null and cancelled_at is not null and erased_at is null;
