-- Whoever has an address with umlauts in its domain is found by them and in punycode, whichever was
-- typed. They are indexed anew beside the work, and found as it was typed until then.
update candidates set name_key = null where erased_at is null and email_key like '%xn--%';
update chores set next_at = 0 where name = 'index candidates';
