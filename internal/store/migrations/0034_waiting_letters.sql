-- Every page of the dashboard asks whether letters of the account wait for the mail server.
create index letters_again_of on letters (account_id, created_at) where state = 'queued' and attempts > 0;
