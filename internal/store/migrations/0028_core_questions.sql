-- What everybody of a position is asked in an interview. A position without such rows
-- asks what the program proposes. The texts of an own question are never changed, and its
-- row stays when it is no longer asked, because ratings refer to it as 'own' and its id.
create table core_questions (
	id          {id},
	account_id  bigint not null references accounts (id), -- the position's
	position_id bigint not null references positions (id),
	place       bigint,                     -- from 1 on, null: no longer asked
	bank        text   not null default '', -- key of a question of the bank, '' for an own one
	ask_de      text   not null default '',
	ask_en      text   not null default '',
	high_de     text   not null default '', -- what points to a high score
	high_en     text   not null default '',
	low_de      text   not null default '',
	low_en      text   not null default ''
);
create index core_questions_position on core_questions (account_id, position_id);
