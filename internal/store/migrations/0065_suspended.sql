-- The operator has suspended an account: nothing is done for it, and everything of it stays.
alter table accounts add column suspended_at bigint;
alter table accounts add column suspended_reason text not null default ''; -- for its owners and admins
