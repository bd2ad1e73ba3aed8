-- The sources that were unread when `baseline` was read, as in `unread_sources`: sources that are off or were never imported.
-- A later section is compared with the baseline only if it lacks the same. Null: none, or an earlier version of the host
-- stored the row.
alter table section add column baseline_unread text collate "C";

-- Earlier programs store baselines without their sources, as they did before.
insert into schema_change (migration, oldest_program) values (28, 1);
