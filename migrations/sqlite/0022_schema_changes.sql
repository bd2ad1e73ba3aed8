-- Which programs may use this store, and how large its tables are.

-- The schema of a store is its newest migration, the schema of a program the newest migration that it knows. A row says
-- for one migration which is the oldest program that may use the store once the migration is applied. Every migration
-- after this one inserts its own row: an earlier number if hosts of that schema may run beside the new ones, its own
-- number if they must stop. A migration of the file of credits has the number of a migration of this file, whose row
-- counts for both.
create table schema_change (
    migration bigint primary key,
    oldest_program bigint not null,
    -- The version of the program that applied the migration. Null: not known.
    applied_by text
);
-- Earlier programs do not read this table.
insert into schema_change (migration, oldest_program) values (22, 1);

-- The last measured sizes: `rows` of a table, `bytes` of a database. One host at a time measures, every host shows them.
create table store_size (
    kind text not null,
    name text not null,
    amount bigint not null,
    measured_at bigint not null,
    primary key (kind, name)
);

-- Old rows are found without reading the whole table.
create index subscription_ended_at on subscription (ended_at) where ended_at is not null;
create index api_key_revoked_at on api_key (revoked_at) where revoked_at is not null;
create index api_key_expires_at on api_key (expires_at) where expires_at is not null;
