-- An own role profile that nobody is to be invited for any more. Its versions stay, because
-- results rest on them.
alter table role_profiles add column archived_at bigint;  -- null while it is offered
