-- What is emptied 90 days later, found by its age.
create index webhook_attempts_answered on webhook_attempts (started_at) where (response_head <> '' or response_body is not null);
create index webhook_events_old_tests on webhook_events (occurred_at) where test = 1 and payload is not null;
