-- The table is in the file of credits.

-- Earlier programs delete usage without adding it there; the check of the ledger reports that as a mistake. They delete
-- only what is older than the setting `retention.usage_days`.
insert into schema_change (migration, oldest_program) values (27, 1);
