-- What users of the team heard in an interview, and how clearly it showed what the
-- position requires. A line per question; which questions there are, the guide knows.
create table ratings (
	candidate_id bigint not null references candidates (id),
	user_id      bigint not null,            -- who may be gone
	author       text   not null,            -- as they were called
	question     text   not null,            -- its key
	mark         bigint,                     -- 1 to 5, 0: not asked or not to be judged, null: not marked yet
	note         text   not null default '',
	saved_at     bigint not null,
	primary key (candidate_id, user_id, question)
);
