-- Whoever signs up again with an address means the new one: of each address one sign-up waits.
delete from signups where token_hash not in (
	select token_hash from (select token_hash, row_number() over (partition by email_key order by created_at desc, token_hash) as place from signups) s where s.place = 1
);
create unique index signups_email on signups (email_key);
