-- The connector and its version that read `baseline`, separated by a space. A baseline of another version is not
-- compared. Null: an earlier version of the host stored the row; then they are those of the section.
alter table section add column baseline_by text;
