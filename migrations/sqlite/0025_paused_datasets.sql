-- When an operator paused the imports of a dataset; no host imports it meanwhile.
alter table dataset add column paused_at bigint;

-- What a finished run changed; null if it is not known.
alter table import_run add column added bigint;
alter table import_run add column changed bigint;
alter table import_run add column removed bigint;

-- Earlier programs do not use these columns; they import paused lists too.
insert into schema_change (migration, oldest_program) values (25, 1);
