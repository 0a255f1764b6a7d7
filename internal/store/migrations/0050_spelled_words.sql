-- Names are found as every keyboard can write them, umlauts with two letters or one, and
-- without their spaces. Candidates are indexed anew beside the work, and found by their former
-- words until then, those with umlauts by one letter for each.
update candidates set name_key = null where erased_at is null;
update chores set next_at = 0 where name = 'index candidates';
