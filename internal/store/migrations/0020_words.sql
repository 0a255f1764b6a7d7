-- Of an address the parts are indexed, no longer the whole and not what ends its domain;
-- candidates are indexed anew beside the work, and found by their former words until then.
update candidates set name_key = null where erased_at is null;
