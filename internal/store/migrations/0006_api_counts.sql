-- Counts of calls by their age, for forgetting them.
create index api_calls_day on api_calls (day);
