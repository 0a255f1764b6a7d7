-- Whom a backup must not bring back is listed as soon as they are erased.
create index candidates_erased on candidates (erased_at, id) where erased_at is not null;
