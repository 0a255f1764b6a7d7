-- What a key may do, and of which position only: keys of before may do everything.
alter table api_keys add column scope       text not null default 'all';         -- typus.KeyScope
alter table api_keys add column position_id bigint references positions (id);    -- null: of every position
