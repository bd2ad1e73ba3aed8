-- When an operator paused the imports of a dataset; no host imports it meanwhile.
alter table dataset add column paused_at bigint;

-- What a finished run changed; null if it is not known.
alter table import_run add column added bigint;
alter table import_run add column changed bigint;
alter table import_run add column removed bigint;
