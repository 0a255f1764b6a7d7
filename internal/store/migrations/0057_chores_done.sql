-- When a turn last ended well, whichever server took it: for whoever watches.
alter table chores add column done_at bigint;
