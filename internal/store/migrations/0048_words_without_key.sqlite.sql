-- A word of a candidate who is deleted would be looked for in the whole index: it has no index
-- by candidate, which every live account would pay for. Only the reset of a test world deletes
-- candidates, after all words of its account.
create table words_without_key (
	account_id   bigint not null,
	word         bytea  not null,
	candidate_id bigint not null,
	primary key (account_id, word, candidate_id)
);
insert into words_without_key (account_id, word, candidate_id) select account_id, word, candidate_id from candidate_words order by account_id, word, candidate_id;
drop table candidate_words;
alter table words_without_key rename to candidate_words;
