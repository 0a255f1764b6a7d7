-- A test world is an account of its own, the child of the account that tries its connection
-- in it (decision 0070). Its users are its parent's. What is stored of it is the machine's
-- time; what people see of it is so much later.
alter table accounts add column parent_id bigint references accounts (id); -- the account whose test world this is, null: it is live
alter table accounts add column ahead     bigint not null default 0;       -- milliseconds that a world's clock is ahead
create unique index accounts_world on accounts (parent_id) where parent_id is not null;
