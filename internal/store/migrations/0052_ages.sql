-- Of two answers to one item the newer one stands, in whatever order they arrive.
alter table sheets add column ages bytea; -- how old each answer was at saved_at, packed; null: as old as the sheet
