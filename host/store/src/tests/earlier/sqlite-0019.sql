BEGIN TRANSACTION;
CREATE TABLE _sqlx_migrations (version bigint primary key, description text not null, installed_on timestamp not null default current_timestamp, success boolean not null, checksum blob not null, execution_time bigint not null);
INSERT INTO _sqlx_migrations VALUES(1,'store','2025-10-09 08:00:00',1,X'214ad6340300ea10f6ecc23c8c06a15825ca524bc3af169f690fe18c8e14cd56545b0b5d55583c70d0d867583b100890',1);
INSERT INTO _sqlx_migrations VALUES(2,'hosts','2025-10-09 08:00:00',1,X'76fd7f425f7b666360a48580dec74d8121ead8a113a7e6db43c7ce33eb5ba4b0388996f25eef4c8fef3c6b8743df4202',1);
INSERT INTO _sqlx_migrations VALUES(3,'search','2025-10-09 08:00:00',1,X'd01fe7c6699942e70c3e2012696fb952c747e43b35643349a50e3eddfab01ee34a64a2bb43c181f0cf9697b08b05587d',1);
INSERT INTO _sqlx_migrations VALUES(4,'batches','2025-10-09 08:00:00',1,X'90ae99f67fd2df523214701429d98536943b2cf098ed3824c7da501de9f239b7df5874d380377012049b7350584a71a2',1);
INSERT INTO _sqlx_migrations VALUES(5,'plans','2025-10-09 08:00:00',1,X'6e4a2d571e6da2e05a04ad2282ec5422a8a2b0b34270d633e8cdca9d10f5bc7d72a730b4822e9d1f1e25e86235a7dbd9',1);
INSERT INTO _sqlx_migrations VALUES(6,'notifications','2025-10-09 08:00:00',1,X'79bb740d0c59f91e5a01d2b77674cd52ea75b59640bfa39938d53e72028769367b1cf146b4a073c1ba8628a1ae08080c',1);
INSERT INTO _sqlx_migrations VALUES(7,'unread sources','2025-10-09 08:00:00',1,X'a5ba9af118ac08d884f4207f01d473bf2bfcd76a73847f6f1e59b4aabaf962426cc4c913be071ef92ce966ae2b5b4bb6',1);
INSERT INTO _sqlx_migrations VALUES(8,'letters','2025-10-09 08:00:00',1,X'cce1e7e85306b00086f081f5aa4b0bddf3e41e397f75d7d25672eab422f2680c76430a54613d525bd191eb8dbffd21b5',1);
INSERT INTO _sqlx_migrations VALUES(9,'recipients','2025-10-09 08:00:00',1,X'2709c2fde4e19d9c58345864ff0f6ca33ad5594707e2d2fae322125f13c784c463251f7cc46c063ac56acc6ca217a871',1);
INSERT INTO _sqlx_migrations VALUES(10,'idempotency','2025-10-09 08:00:00',1,X'44ea45a698d97c90cf374d814d8f6f5a23b06b5f9a4e7a48d93bc87859f8b22d05133df5f0e87ef92685588048297689',1);
INSERT INTO _sqlx_migrations VALUES(11,'sentinel','2025-10-09 08:00:00',1,X'0d12fde8df61439503847cc00212eaaf0b054825eb94c2ddc09477a39e5a3eb5b7e8dedf7e0996a1b885340a0d68651b',1);
INSERT INTO _sqlx_migrations VALUES(12,'subscription positions','2025-10-09 08:00:00',1,X'f598b1e084664e3768b66320a492e250fb42eda380113fc98f6e031633dc0bbd648213900f6a9323c8506e4a2db9051a',1);
INSERT INTO _sqlx_migrations VALUES(13,'failure kinds','2025-10-09 08:00:00',1,X'd696510088b36d9beeb416c510be50cf96116154a6704fd0b0f1a8fa3ff71d6c3277a247a142e26de12c16366cea6403',1);
INSERT INTO _sqlx_migrations VALUES(14,'owners','2025-10-09 08:00:00',1,X'bd05ee589c6a2512c6c695336ba62f90e450120aace61a5811dd346684c8143ad0e2c9607a7057efade21cfdc8b444a2',1);
INSERT INTO _sqlx_migrations VALUES(15,'baseline by','2025-10-09 08:00:00',1,X'f2bb461e8daa5a59340134cb9ff0b30a1a40f6527231f8ac4c2e8483992975d4e100e69e20a6a473543d5b4e61616ae8',1);
INSERT INTO _sqlx_migrations VALUES(17,'watch imports','2025-10-09 08:00:00',1,X'a51bc7b351f5a874ef4d0e129d736c9cc3ac644fe16c4185fb3ce225cb62724cee557939ab439df46d219e4f12523bb2',1);
INSERT INTO _sqlx_migrations VALUES(18,'source states','2025-10-09 08:00:00',1,X'cfc4fb8e8cd3004203c84610ddecfe0ebbd9899dc3c35368e0edb9be9804ac8ebf102cbc224d01bdca3cff072bf68e71',1);
INSERT INTO _sqlx_migrations VALUES(19,'batch account','2025-10-09 08:00:00',1,X'cbcecf2bb592c6b064fdc6cd1ea66dbae6fe1fd9d259f12162ba222ed8785330ac4499395ca8e7e7ed66ddc5eb795fca',1);
CREATE TABLE account (
    id integer primary key,
    name text not null unique,
    plan text not null,
    created_at bigint not null
, plan_version bigint not null default 1, overage boolean not null default false, language text not null default 'sk');
INSERT INTO account VALUES(1,'acme','starter',1760000000000,1,0,'sk');
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
, manage boolean not null default false, scopes text, addresses text, former_hash blob, former_ends_at bigint);
CREATE TABLE attempt (
    delivery bigint not null references delivery (number),
    attempt bigint not null,
    at bigint not null,
    duration_ms bigint not null,
    outcome text not null,
    status bigint,
    answer text,
    next_at bigint,
    primary key (delivery, attempt)
) without rowid;
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
CREATE TABLE change (
    id integer primary key,
    ico text not null,
    connector text not null,
    scope text,
    field text not null,
    path text not null,
    op text not null,
    old text,
    new text,
    detected_at bigint not null
);
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
INSERT INTO company VALUES(1,'10000001','Pekáreň','pekaren',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'active',NULL,NULL,'rpo',NULL,'{}','[]','5','hash','1.0.0','[]',1760000000000,1760000000000,1);
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
    failure text, failure_kind text,
    primary key (ico, connector)
);
CREATE TABLE counter (
    name text primary key,
    value bigint not null
) without rowid;
INSERT INTO counter VALUES('company_revision',1);
INSERT INTO counter VALUES('event_seq',0);
INSERT INTO counter VALUES('event_swept',0);
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
    next_run_at bigint, failure_kind text,
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
CREATE TABLE delivery (
    number integer primary key,
    id text not null unique,
    event bigint not null references event (number),
    subscription bigint not null references subscription (number),
    channel text not null,
    target text not null,
    endpoint text not null,
    state text not null,
    attempts bigint not null default 0,
    round bigint not null default 0,
    due_at bigint,
    lease bigint not null default 0,
    leased boolean not null default false,
    created_at bigint not null,
    finished_at bigint, letter text, resent bigint not null default 0, resent_since bigint,
    unique (event, subscription, channel, target)
);
CREATE TABLE endpoint (
    key text primary key,
    due_at bigint,
    resting_until bigint
) without rowid;
CREATE TABLE event (
    number integer primary key,
    id text not null unique,
    seq bigint unique,
    ico text not null,
    kind text not null,
    scope text,
    content text not null,
    payload text,
    detected_at bigint not null
, reading text);
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
, failure_kind text);
CREATE TABLE lease (
    name text primary key,
    owner text not null,
    until bigint not null
) without rowid;
INSERT INTO lease VALUES('kept','host',4000000000000);
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
    failure text, baseline text, unread_sources text, failure_kind text, baseline_by text,
    primary key (ico, scope)
);
CREATE TABLE store_identity (
    id text primary key
) strict, without rowid;
INSERT INTO store_identity VALUES('1808a60cdb39c5584a8196877fa0be87');
CREATE TABLE subscription (
    number integer primary key,
    id text not null unique,
    account_id bigint not null references account (id),
    ico text not null,
    active boolean not null,
    kinds text,
    webhook_url text,
    webhook_state text,
    webhook_reason text,
    secret text not null,
    former_secret text,
    former_secret_until bigint,
    had_webhook boolean not null,
    failing_since bigint,
    failed_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    ended_at bigint
, since_seq integer, until_seq integer);
INSERT INTO subscription VALUES(1,'sub_1',1,'10000001',1,NULL,'https://example.test/hook','active',NULL,'sealed',NULL,NULL,1,1760000000000,NULL,1760000000000,1760000000000,NULL,NULL,NULL);
CREATE TABLE subscription_email (
    number integer primary key,
    subscription bigint not null references subscription (number),
    address text not null,
    ended_at bigint,
    reason text, waiting boolean not null default false,
    unique (subscription, address)
);
CREATE TABLE upstream_hold (
    address text primary key,
    until integer not null
) strict, without rowid;
CREATE TABLE watch (
    ico text primary key,
    due_at bigint not null,
    attempt bigint not null default 0
) without rowid;
CREATE TABLE recipient (
    account_id bigint not null references account (id),
    address text not null,
    state text not null,
    changed_at bigint not null,
    primary key (account_id, address)
) without rowid;
CREATE TABLE sending (
    key text primary key,
    since bigint not null,
    used bigint not null
) without rowid;
CREATE TABLE idempotency_key (
    account_id integer not null references account (id),
    key text not null,
    -- SHA-256 of the endpoint and of what was asked: another request with the same key is refused.
    request text not null,
    -- What the first request made: the id of a batch or of a subscription.
    subject text not null,
    -- What was answered: `batch`, or what became of the subscription.
    outcome text not null,
    expires_at integer not null, sealed text,
    primary key (account_id, key)
) strict, without rowid;
CREATE TABLE sentinel (
    connector text not null,
    -- A scope, or empty for the company itself.
    scope text not null,
    ico text not null,
    -- The version that read it: another one may read other members.
    version text not null,
    -- Names of members with a value in the last good reading, a line each.
    members text not null,
    checked_at integer not null,
    -- What is wrong; null where nothing is.
    problem text,
    problem_since integer,
    primary key (connector, scope, ico)
) strict, without rowid;
CREATE TABLE account_member (
    id integer primary key autoincrement,
    account_id bigint not null references account (id),
    email text not null,
    name text not null,
    -- `owner`, `developer`, `billing` or `read`.
    role text not null,
    -- `invited`, then `active` from the first sign-in.
    state text not null,
    created_at bigint not null,
    joined_at bigint,
    unique (account_id, email)
);
INSERT INTO account_member VALUES(1,1,'jana@firma.sk','Jana','owner','active',1760000000000,NULL);
CREATE TABLE sign_in_link (
    digest blob primary key,
    member_id bigint not null references account_member (id) on delete cascade,
    created_at bigint not null,
    expires_at bigint not null
);
INSERT INTO sign_in_link VALUES(X'01',1,1760000000000,1760000900000);
CREATE TABLE web_session (
    digest blob primary key,
    member_id bigint references account_member (id) on delete cascade,
    key_id bigint references api_key (id) on delete cascade,
    created_at bigint not null,
    last_seen_at bigint not null,
    expires_at bigint not null,
    check ((member_id is null) <> (key_id is null))
);
INSERT INTO web_session VALUES(X'01',1,NULL,1760000000000,1760000000000,1762000000000);
CREATE TABLE watch_import (
    id text primary key,
    account_id bigint not null references account (id),
    dry_run boolean not null,
    target text not null,
    secret text not null,
    lines bigint not null,
    parts bigint not null,
    created_at bigint not null,
    turn bigint not null,
    parts_finished bigint not null default 0,
    processed bigint not null default 0,
    created bigint not null default 0,
    updated bigint not null default 0,
    unchanged bigint not null default 0,
    rejected bigint not null default 0,
    attempt bigint not null default 0,
    owner text,
    lease_until bigint,
    completed_at bigint,
    expires_at bigint
);
INSERT INTO watch_import VALUES('imp_1',1,0,'{}','sealed',1,1,1760000000000,1,0,0,0,0,0,0,0,NULL,NULL,NULL,NULL);
CREATE TABLE watch_import_part (
    import_id text not null references watch_import (id),
    part bigint not null,
    lines text not null,
    results text,
    primary key (import_id, part)
);
INSERT INTO watch_import_part VALUES('imp_1',0,'[]',NULL);
CREATE TABLE watch_import_company (
    import_id text not null references watch_import (id),
    ico text not null,
    line bigint not null,
    primary key (import_id, ico)
);
INSERT INTO watch_import_company VALUES('imp_1','10000001',1);
CREATE TABLE source_state (
    source text not null,
    -- A state of `/v1/status`, or `late`.
    state text not null,
    -- Code of the reason when the state began.
    reason text,
    -- The scope or dataset that the reason is about.
    part text,
    from_at bigint not null,
    to_at bigint,
    -- The state that followed. Null with `to_at`: it was not recorded.
    next_state text,
    primary key (source, from_at)
);
INSERT INTO source_state VALUES('rpo','degraded','unavailable',NULL,1760000000000,1760000600000,'operational');
CREATE TABLE source_state_recording (
    id bigint primary key,
    since bigint not null,
    seen_at bigint not null
);
INSERT INTO source_state_recording VALUES(1,1760000000000,1760000600000);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('account_member',1);
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
CREATE INDEX change_ico on change (ico, id);
CREATE INDEX change_detected_at on change (detected_at);
CREATE INDEX event_unnumbered on event (number) where seq is null;
CREATE INDEX event_ico on event (ico, seq) where seq is not null;
CREATE INDEX event_detected_at on event (detected_at);
CREATE UNIQUE INDEX subscription_active on subscription (account_id, ico) where active;
CREATE INDEX subscription_ico on subscription (ico);
CREATE INDEX subscription_account on subscription (account_id, number);
CREATE INDEX subscription_account_ico on subscription (account_id, ico);
CREATE INDEX subscription_failing on subscription (failing_since) where failing_since is not null;
CREATE INDEX watch_due_at on watch (due_at);
CREATE INDEX delivery_due on delivery (endpoint, due_at, number) where due_at is not null;
CREATE INDEX delivery_subscription on delivery (subscription, number);
CREATE INDEX endpoint_due_at on endpoint (due_at) where due_at is not null;
CREATE INDEX event_reading on event (reading);
CREATE INDEX idempotency_key_expires_at on idempotency_key (expires_at);
CREATE UNIQUE INDEX api_key_former_hash on api_key (former_hash);
CREATE INDEX account_member_email on account_member (email);
CREATE INDEX sign_in_link_member on sign_in_link (member_id);
CREATE INDEX sign_in_link_expires_at on sign_in_link (expires_at);
CREATE INDEX web_session_member on web_session (member_id);
CREATE INDEX web_session_key on web_session (key_id);
CREATE INDEX web_session_expires_at on web_session (expires_at);
CREATE INDEX watch_import_unfinished on watch_import (turn, id) where completed_at is null;
CREATE INDEX watch_import_account on watch_import (account_id) where completed_at is null;
CREATE INDEX watch_import_expires_at on watch_import (expires_at) where expires_at is not null;
CREATE UNIQUE INDEX source_state_current on source_state (source) where to_at is null;
CREATE INDEX source_state_ended on source_state (to_at);
CREATE INDEX batch_account on batch (account_id, created_at);
COMMIT;
