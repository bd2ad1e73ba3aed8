BEGIN TRANSACTION;
CREATE TABLE _sqlx_migrations (version bigint primary key, description text not null, installed_on timestamp not null default current_timestamp, success boolean not null, checksum blob not null, execution_time bigint not null);
INSERT INTO "_sqlx_migrations" VALUES(1,'store','2025-10-09 08:00:00',1,X'214AD6340300EA10F6ECC23C8C06A15825CA524BC3AF169F690FE18C8E14CD56545B0B5D55583C70D0D867583B100890',1);
INSERT INTO "_sqlx_migrations" VALUES(2,'hosts','2025-10-09 08:00:00',1,X'76FD7F425F7B666360A48580DEC74D8121EAD8A113A7E6DB43C7CE33EB5BA4B0388996F25EEF4C8FEF3C6B8743DF4202',1);
INSERT INTO "_sqlx_migrations" VALUES(3,'search','2025-10-09 08:00:00',1,X'D01FE7C6699942E70C3E2012696FB952C747E43B35643349A50E3EDDFAB01EE34A64A2BB43C181F0CF9697B08B05587D',1);
INSERT INTO "_sqlx_migrations" VALUES(4,'batches','2025-10-09 08:00:00',1,X'90AE99F67FD2DF523214701429D98536943B2CF098ED3824C7DA501DE9F239B7DF5874D380377012049B7350584A71A2',1);
INSERT INTO "_sqlx_migrations" VALUES(5,'plans','2025-10-09 08:00:00',1,X'6E4A2D571E6DA2E05A04AD2282EC5422A8A2B0B34270D633E8CDCA9D10F5BC7D72A730B4822E9D1F1E25E86235A7DBD9',1);
CREATE TABLE account (
    id integer primary key,
    name text not null unique,
    plan text not null,
    created_at bigint not null
, plan_version bigint not null default 1, overage boolean not null default false);
INSERT INTO "account" VALUES(1,'acme','starter',1760000000000,1,0);
CREATE TABLE api_key (
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
CREATE TABLE batch (
    id text primary key,
    account_id integer not null references account (id),
    kind text not null check (kind in ('ico', 'names')),
    total integer not null,
    parts integer not null,
    created_at integer not null,
    started_at integer,
    completed_at integer,
    expires_at integer,
    parts_finished integer not null default 0,
    parts_given_up integer not null default 0,
    processed integer not null default 0,
    found integer not null default 0,
    not_found integer not null default 0,
    failed integer not null default 0
) strict;
CREATE TABLE batch_part (
    batch_id text not null references batch (id),
    part integer not null,
    turn integer not null,
    items integer not null,
    attempt integer not null,
    owner text,
    lease_until integer,
    finished_at integer,
    keys text not null,
    results text,
    primary key (batch_id, part)
) strict;
CREATE TABLE company (
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
INSERT INTO "company" VALUES(1,'10000001','Pekáreň','pekaren',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'active',NULL,NULL,'rpo',NULL,'{}','[]','5','hash','1.0.0','[]',1760000000000,1760000000000,1);
CREATE TABLE company_details (
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
CREATE TABLE counter (
    name text primary key,
    value bigint not null
) without rowid;
INSERT INTO "counter" VALUES('company_revision',1);
CREATE TABLE dataset (
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
CREATE TABLE dataset_record (
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
CREATE TABLE host (
    id text primary key,
    seen_at integer not null
) strict, without rowid;
CREATE TABLE import_run (
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
CREATE TABLE lease (
    name text primary key,
    owner text not null,
    until bigint not null
) without rowid;
INSERT INTO "lease" VALUES('kept','host',4000000000000);
CREATE TABLE section (
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
CREATE TABLE store_identity (
    id text primary key
) strict, without rowid;
INSERT INTO "store_identity" VALUES('2b6da24effdb1ee898f890a4d3bb9792');
CREATE TABLE upstream_hold (
    address text primary key,
    until integer not null
) strict, without rowid;
CREATE INDEX company_name_key on company (name_key);
CREATE INDEX company_register_id on company (register_id) where register_id is not null;
CREATE INDEX company_details_register_id on company_details (connector, register_id) where register_id is not null;
CREATE INDEX dataset_next_run_at on dataset (next_run_at) where next_run_at is not null;
CREATE UNIQUE INDEX import_run_running on import_run (dataset_id) where state = 'running';
CREATE INDEX import_run_history on import_run (dataset_id, id);
CREATE INDEX import_run_unswept on import_run (id) where not swept;
CREATE INDEX dataset_record_ico on dataset_record (dataset_id, generation, ico, key) where ico is not null;
CREATE INDEX dataset_record_name_key on dataset_record (dataset_id, generation, name_key, key) where name_key is not null;
CREATE INDEX api_key_account on api_key (account_id);
CREATE INDEX batch_expires_at on batch (expires_at) where expires_at is not null;
CREATE INDEX batch_part_unfinished on batch_part (turn, batch_id, part) where finished_at is null;
COMMIT;
