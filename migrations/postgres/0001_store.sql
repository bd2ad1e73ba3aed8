-- The start: companies, what registers say about them, imported lists, keys and leases.
--
-- Times are milliseconds since 1970 (UTC), JSON is text, dates are `YYYY-MM-DD`. Text compares by its
-- bytes (collate "C"), as SQLite does, so that ranges and orders are the same whatever the locale of the database.

-- One base record a company, whichever register gave it.
create table company (
    id bigint generated always as identity primary key,
    ico text collate "C" not null unique,
    name text collate "C" not null,
    name_key text collate "C" not null,
    city_key text collate "C",
    legal_form text collate "C",
    legal_form_code text collate "C",
    street text collate "C",
    city text collate "C",
    postal_code text collate "C",
    country text collate "C",
    country_code text collate "C",
    established_date text collate "C",
    terminated_date text collate "C",
    status text collate "C" not null,
    nace_code text collate "C",
    nace_description text collate "C",
    source_register text collate "C" not null,
    register_id text collate "C",
    details text collate "C" not null,
    facts text collate "C" not null,
    preference text collate "C" not null,
    content_hash text collate "C" not null,
    connector_version text collate "C" not null,
    evidence text collate "C" not null,
    fetched_at bigint not null,
    changed_at bigint not null,
    revision bigint not null unique
);
create index company_name_key on company (name_key);
create index company_register_id on company (register_id) where register_id is not null;

-- Numbers that only grow. The row is locked by whoever takes one until its transaction ends, so that readers who
-- follow the numbers never meet a smaller one later.
create table counter (
    name text collate "C" primary key,
    value bigint not null
);
insert into counter (name, value) values ('company_revision', 0);

-- What a register says about a company beyond the base record. `fetched_at` null: never read, only failed.
create table company_details (
    ico text collate "C" not null,
    connector text collate "C" not null,
    register_id text collate "C",
    found boolean not null,
    content text collate "C",
    content_hash text collate "C",
    connector_version text collate "C",
    generation bigint,
    fetched_at bigint,
    evidence text collate "C",
    failed_at bigint,
    failure text collate "C",
    primary key (ico, connector)
);
create index company_details_register_id on company_details (connector, register_id) where register_id is not null;

-- The stored document of one scope of one company. `fetched_at` null: never read, only failed.
create table section (
    ico text collate "C" not null,
    scope text collate "C" not null,
    content text collate "C",
    content_hash text collate "C",
    unread boolean not null,
    connector text collate "C" not null,
    connector_version text collate "C",
    generation bigint,
    fetched_at bigint,
    dirty boolean not null,
    evidence text collate "C",
    failed_at bigint,
    failure text collate "C",
    primary key (ico, scope)
);

-- One list that a connector imports. `generation` points at the records that readers see.
create table dataset (
    id bigint generated always as identity primary key,
    connector text collate "C" not null,
    dataset text collate "C" not null,
    generation bigint,
    previous_generation bigint,
    marked_generation bigint,
    last_generation bigint not null default 0,
    list_date text collate "C",
    imported_at bigint,
    records bigint not null default 0,
    companies bigint not null default 0,
    cursor text collate "C",
    attempted_at bigint,
    failed_at bigint,
    failure text collate "C",
    next_run_at bigint,
    unique (connector, dataset)
);
create index dataset_next_run_at on dataset (next_run_at) where next_run_at is not null;

-- One attempt to bring a dataset up to date. `attempt` counts the claims: only the newest claim may write.
create table import_run (
    id bigint generated always as identity primary key,
    dataset_id bigint not null references dataset (id),
    kind text collate "C" not null check (kind in ('snapshot', 'delta')),
    generation bigint not null,
    state text collate "C" not null check (state in ('running', 'succeeded', 'failed')),
    attempt bigint not null,
    cursor text collate "C",
    list_date text collate "C",
    started_at bigint not null,
    finished_at bigint,
    records bigint not null default 0,
    companies bigint not null default 0,
    companies_new bigint not null default 0,
    skipped bigint not null default 0,
    notes text collate "C",
    progress bigint,
    failure text collate "C",
    owner text collate "C",
    lease_until bigint,
    swept boolean not null default false
);
create unique index import_run_running on import_run (dataset_id) where state = 'running';
create index import_run_history on import_run (dataset_id, id);
create index import_run_unswept on import_run (id) where not swept;

-- The records of every generation of every dataset. The indexes end with the key, the order of every answer: else
-- SQLite prefers to walk the whole list in that order.
create table dataset_record (
    dataset_id bigint not null,
    generation bigint not null,
    key text collate "C" not null,
    ico text collate "C",
    name text collate "C",
    name_key text collate "C",
    city text collate "C",
    postal_code text collate "C",
    content text collate "C" not null,
    content_hash text collate "C" not null,
    primary key (dataset_id, generation, key)
);
create index dataset_record_ico on dataset_record (dataset_id, generation, ico, key) where ico is not null;
create index dataset_record_name_key on dataset_record (dataset_id, generation, name_key, key) where name_key is not null;

create table account (
    id bigint generated always as identity primary key,
    name text collate "C" not null unique,
    plan text collate "C" not null,
    created_at bigint not null
);

-- A key is kept as its hash; the prefix is for people who look for theirs in a list.
create table api_key (
    id bigint generated always as identity primary key,
    account_id bigint not null references account (id),
    name text collate "C" not null,
    prefix text collate "C" not null,
    hash bytea not null unique,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint
);
create index api_key_account on api_key (account_id);

-- Work that one host does at a time.
create table lease (
    name text collate "C" primary key,
    owner text collate "C" not null,
    until bigint not null
);
