-- How many people a turn of the retention found due and kept was never counted nor shown: whoever
-- is kept for a reason is not due.
alter table retention_turns drop column kept;
