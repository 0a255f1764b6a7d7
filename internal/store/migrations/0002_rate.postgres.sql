-- The requests of each key in the last minute, counted over all servers. Not
-- logged: after a crash of the database it is empty, which costs nobody anything.
-- On SQLite the one server counts in its memory.
create unlogged table rate_log (
	key_id bigint   primary key,
	at     bigint[] not null,        -- accepted requests, unix microseconds, ascending
	ok     boolean  not null         -- whether the newest request was accepted
) with (fillfactor = 50);            -- room to update in place
