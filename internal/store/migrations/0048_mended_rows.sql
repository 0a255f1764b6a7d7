-- Rows of a preview that somebody has mended, which outlive that the file is read anew;
-- and how the file was read, to be read the same way again (roster.Reading).
alter table import_rows add column mended bigint not null default 0;
alter table imports     add column reading text not null default '';
