-- What candidates say about their result, for the team to read. Nothing is changed: what is
-- said instead is another line. The audit log says who has read it.
create table comments (
	id           {id},
	candidate_id bigint not null references candidates (id),
	user_id      bigint not null,            -- who entered it, who may be gone
	author       text   not null,            -- as they were called
	body         text   not null,
	confirmed    text   not null,            -- how it is known that the candidate wrote it
	created_at   bigint not null
);
create index comments_candidate on comments (candidate_id, id);
