-- A word of a candidate who is deleted would be looked for in the whole index: it has no index
-- by candidate, which every live account would pay for. Only the reset of a test world deletes
-- candidates, after all words of its account.
alter table candidate_words drop constraint candidate_words_candidate_id_fkey;
