-- The start: companies, what registers say about them, imported lists, keys and leases.
--
-- Times are milliseconds since 1970 (UTC), JSON is text, dates are `YYYY-MM-DD`. Text compares by its bytes.

-- One base record a company, whichever register gave it.
create table company (
    id integer primary key,
    ico text not null unique,
    name text not null,
    name_key text not null,
    city_key text,
    legal_form text,
    legal_form_code text,
    street text,
    city text,
    postal_code text,
    country text,
    country_code text,
    established_date text,
    terminated_date text,
    status text not null,
    nace_code text,
    nace_description text,
    source_register text not null,
    register_id text,
    details text not null,
    facts text not null,
    preference text not null,
    content_hash text not null,
    connector_version text not null,
    evidence text not null,
    fetched_at bigint not null,
    changed_at bigint not null,
    revision bigint not null unique
);
create index company_name_key on company (name_key);
create index company_register_id on company (register_id) where register_id is not null;

-- Numbers that only grow. The row is locked by whoever takes one until its transaction ends, so that readers who
-- follow the numbers never meet a smaller one later.
create table counter (
    name text primary key,
    value bigint not null
) without rowid;
insert into counter (name, value) values ('company_revision', 0);

-- What a register says about a company beyond the base record. `fetched_at` null: never read, only failed.
create table company_details (
    ico text not null,
    connector text not null,
    register_id text,
    found boolean not null,
    content text,
    content_hash text,
    connector_version text,
    generation bigint,
    fetched_at bigint,
    evidence text,
    failed_at bigint,
    failure text,
    primary key (ico, connector)
);
create index company_details_register_id on company_details (connector, register_id) where register_id is not null;

-- The stored document of one scope of one company. `fetched_at` null: never read, only failed.
create table section (
    ico text not null,
    scope text not null,
    content text,
    content_hash text,
    unread boolean not null,
    connector text not null,
    connector_version text,
    generation bigint,
    fetched_at bigint,
    dirty boolean not null,
    evidence text,
    failed_at bigint,
    failure text,
    primary key (ico, scope)
);

-- One list that a connector imports. `generation` points at the records that readers see.
create table dataset (
    id integer primary key,
    connector text not null,
    dataset text not null,
    generation bigint,
    previous_generation bigint,
    marked_generation bigint,
    last_generation bigint not null default 0,
    list_date text,
    imported_at bigint,
    records bigint not null default 0,
    companies bigint not null default 0,
    cursor text,
    attempted_at bigint,
    failed_at bigint,
    failure text,
    next_run_at bigint,
    unique (connector, dataset)
);
create index dataset_next_run_at on dataset (next_run_at) where next_run_at is not null;

-- One attempt to bring a dataset up to date. `attempt` counts the claims: only the newest claim may write.
create table import_run (
    id integer primary key,
    dataset_id bigint not null references dataset (id),
    kind text not null check (kind in ('snapshot', 'delta')),
    generation bigint not null,
    state text not null check (state in ('running', 'succeeded', 'failed')),
    attempt bigint not null,
    cursor text,
    list_date text,
    started_at bigint not null,
    finished_at bigint,
    records bigint not null default 0,
    companies bigint not null default 0,
    companies_new bigint not null default 0,
    skipped bigint not null default 0,
    notes text,
    progress bigint,
    failure text,
    owner text,
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
    key text not null,
    ico text,
    name text,
    name_key text,
    city text,
    postal_code text,
    content text not null,
    content_hash text not null,
    primary key (dataset_id, generation, key)
);
create index dataset_record_ico on dataset_record (dataset_id, generation, ico, key) where ico is not null;
create index dataset_record_name_key on dataset_record (dataset_id, generation, name_key, key) where name_key is not null;

create table account (
    id integer primary key,
    name text not null unique,
    plan text not null,
    created_at bigint not null
);

-- A key is kept as its hash; the prefix is for people who look for theirs in a list.
create table api_key (
    id integer primary key,
    account_id bigint not null references account (id),
    name text not null,
    prefix text not null,
    hash blob not null unique,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint
);
create index api_key_account on api_key (account_id);

-- Work that one host does at a time.
create table lease (
    name text primary key,
    owner text not null,
    until bigint not null
) without rowid;
