-- Nobody is sorted by a result that should not be interpreted. SQLite reads the bytes
-- of the scores as text, PostgreSQL as hexadecimal digits.
update candidates set overall = null
where overall is not null and (cast(scores as text) like '%response_quality_doubtful%'
	or cast(scores as text) like '%726573706f6e73655f7175616c6974795f646f75627466756c%');
