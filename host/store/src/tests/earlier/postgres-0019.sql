SELECT pg_catalog.set_config('search_path', '', false);
CREATE TABLE public._sqlx_migrations (
    version bigint NOT NULL,
    description text NOT NULL,
    installed_on timestamp with time zone DEFAULT now() NOT NULL,
    success boolean NOT NULL,
    checksum bytea NOT NULL,
    execution_time bigint NOT NULL
);
CREATE TABLE public.account (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    plan text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    plan_version bigint DEFAULT 1 NOT NULL,
    overage boolean DEFAULT false NOT NULL,
    language text DEFAULT 'sk'::text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE public.account ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.account_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.account_member (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    joined_at bigint
);
ALTER TABLE public.account_member ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.account_member_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.api_key (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    prefix text NOT NULL COLLATE pg_catalog."C",
    hash bytea NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    manage boolean DEFAULT false NOT NULL,
    scopes text COLLATE pg_catalog."C",
    addresses text COLLATE pg_catalog."C",
    former_hash bytea,
    former_ends_at bigint
);
ALTER TABLE public.api_key ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.api_key_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.attempt (
    delivery bigint NOT NULL,
    attempt bigint NOT NULL,
    at bigint NOT NULL,
    duration_ms bigint NOT NULL,
    outcome text NOT NULL COLLATE pg_catalog."C",
    status bigint,
    answer text COLLATE pg_catalog."C",
    next_at bigint
);
CREATE TABLE public.batch (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    total bigint NOT NULL,
    parts bigint NOT NULL,
    created_at bigint NOT NULL,
    started_at bigint,
    completed_at bigint,
    expires_at bigint,
    parts_finished bigint DEFAULT 0 NOT NULL,
    parts_given_up bigint DEFAULT 0 NOT NULL,
    processed bigint DEFAULT 0 NOT NULL,
    found bigint DEFAULT 0 NOT NULL,
    not_found bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    CONSTRAINT batch_kind_check CHECK ((kind = ANY (ARRAY['ico'::text, 'names'::text])))
);
CREATE TABLE public.batch_part (
    batch_id text NOT NULL COLLATE pg_catalog."C",
    part bigint NOT NULL,
    turn bigint NOT NULL,
    items bigint NOT NULL,
    attempt bigint NOT NULL,
    owner text COLLATE pg_catalog."C",
    lease_until bigint,
    finished_at bigint,
    keys text NOT NULL COLLATE pg_catalog."C",
    results text COLLATE pg_catalog."C"
);
CREATE TABLE public.billing_account (
    account_id bigint NOT NULL,
    plan text NOT NULL COLLATE pg_catalog."C",
    plan_version bigint NOT NULL,
    monthly bigint NOT NULL,
    rollover bigint NOT NULL,
    anchor text NOT NULL COLLATE pg_catalog."C",
    period bigint NOT NULL,
    period_start bigint NOT NULL,
    period_end bigint NOT NULL,
    last_entry bigint NOT NULL,
    last_grant bigint NOT NULL,
    balance bigint NOT NULL,
    used bigint NOT NULL,
    overage bigint NOT NULL,
    noticed bigint NOT NULL,
    booked_at bigint NOT NULL
);
CREATE TABLE public.billing_threshold (
    account_id bigint NOT NULL,
    percents text NOT NULL COLLATE pg_catalog."C",
    emails text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.change (
    id bigint NOT NULL,
    ico text NOT NULL COLLATE pg_catalog."C",
    connector text NOT NULL COLLATE pg_catalog."C",
    scope text COLLATE pg_catalog."C",
    field text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL COLLATE pg_catalog."C",
    op text NOT NULL COLLATE pg_catalog."C",
    old text COLLATE pg_catalog."C",
    new text COLLATE pg_catalog."C",
    detected_at bigint NOT NULL
);
ALTER TABLE public.change ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.company (
    id bigint NOT NULL,
    ico text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    name_key text NOT NULL COLLATE pg_catalog."C",
    city_key text COLLATE pg_catalog."C",
    legal_form text COLLATE pg_catalog."C",
    legal_form_code text COLLATE pg_catalog."C",
    street text COLLATE pg_catalog."C",
    city text COLLATE pg_catalog."C",
    postal_code text COLLATE pg_catalog."C",
    country text COLLATE pg_catalog."C",
    country_code text COLLATE pg_catalog."C",
    established_date text COLLATE pg_catalog."C",
    terminated_date text COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    nace_code text COLLATE pg_catalog."C",
    nace_description text COLLATE pg_catalog."C",
    source_register text NOT NULL COLLATE pg_catalog."C",
    register_id text COLLATE pg_catalog."C",
    details text NOT NULL COLLATE pg_catalog."C",
    facts text NOT NULL COLLATE pg_catalog."C",
    preference text NOT NULL COLLATE pg_catalog."C",
    content_hash text NOT NULL COLLATE pg_catalog."C",
    connector_version text NOT NULL COLLATE pg_catalog."C",
    evidence text NOT NULL COLLATE pg_catalog."C",
    fetched_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    revision bigint NOT NULL
);
CREATE TABLE public.company_details (
    ico text NOT NULL COLLATE pg_catalog."C",
    connector text NOT NULL COLLATE pg_catalog."C",
    register_id text COLLATE pg_catalog."C",
    found boolean NOT NULL,
    content text COLLATE pg_catalog."C",
    content_hash text COLLATE pg_catalog."C",
    connector_version text COLLATE pg_catalog."C",
    generation bigint,
    fetched_at bigint,
    evidence text COLLATE pg_catalog."C",
    failed_at bigint,
    failure text COLLATE pg_catalog."C",
    failure_kind text COLLATE pg_catalog."C"
);
ALTER TABLE public.company ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.company_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.counter (
    name text NOT NULL COLLATE pg_catalog."C",
    value bigint NOT NULL
);
CREATE TABLE public.credit_grant (
    account_id bigint NOT NULL,
    grant_no bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    granted bigint NOT NULL,
    remaining bigint NOT NULL,
    effective_at bigint NOT NULL,
    expires_at bigint,
    source text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.dataset (
    id bigint NOT NULL,
    connector text NOT NULL COLLATE pg_catalog."C",
    dataset text NOT NULL COLLATE pg_catalog."C",
    generation bigint,
    previous_generation bigint,
    marked_generation bigint,
    last_generation bigint DEFAULT 0 NOT NULL,
    list_date text COLLATE pg_catalog."C",
    imported_at bigint,
    records bigint DEFAULT 0 NOT NULL,
    companies bigint DEFAULT 0 NOT NULL,
    cursor text COLLATE pg_catalog."C",
    attempted_at bigint,
    failed_at bigint,
    failure text COLLATE pg_catalog."C",
    next_run_at bigint,
    failure_kind text COLLATE pg_catalog."C"
);
ALTER TABLE public.dataset ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.dataset_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.dataset_record (
    dataset_id bigint NOT NULL,
    generation bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    ico text COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    name_key text COLLATE pg_catalog."C",
    city text COLLATE pg_catalog."C",
    postal_code text COLLATE pg_catalog."C",
    content text NOT NULL COLLATE pg_catalog."C",
    content_hash text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.delivery (
    number bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    event bigint NOT NULL,
    subscription bigint NOT NULL,
    channel text NOT NULL COLLATE pg_catalog."C",
    target text NOT NULL COLLATE pg_catalog."C",
    endpoint text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    attempts bigint DEFAULT 0 NOT NULL,
    round bigint DEFAULT 0 NOT NULL,
    due_at bigint,
    lease bigint DEFAULT 0 NOT NULL,
    leased boolean DEFAULT false NOT NULL,
    created_at bigint NOT NULL,
    finished_at bigint,
    letter text COLLATE pg_catalog."C",
    resent bigint DEFAULT 0 NOT NULL,
    resent_since bigint
);
ALTER TABLE public.delivery ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.delivery_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.endpoint (
    key text NOT NULL COLLATE pg_catalog."C",
    due_at bigint,
    resting_until bigint
);
CREATE TABLE public.event (
    number bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    seq bigint,
    ico text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    scope text COLLATE pg_catalog."C",
    content text NOT NULL COLLATE pg_catalog."C",
    payload text COLLATE pg_catalog."C",
    detected_at bigint NOT NULL,
    reading text COLLATE pg_catalog."C"
);
ALTER TABLE public.event ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.event_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.host (
    id text NOT NULL COLLATE pg_catalog."C",
    seen_at bigint NOT NULL
);
CREATE TABLE public.idempotency_key (
    account_id bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    request text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    outcome text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL,
    sealed text COLLATE pg_catalog."C"
);
CREATE TABLE public.import_run (
    id bigint NOT NULL,
    dataset_id bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    generation bigint NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    attempt bigint NOT NULL,
    cursor text COLLATE pg_catalog."C",
    list_date text COLLATE pg_catalog."C",
    started_at bigint NOT NULL,
    finished_at bigint,
    records bigint DEFAULT 0 NOT NULL,
    companies bigint DEFAULT 0 NOT NULL,
    companies_new bigint DEFAULT 0 NOT NULL,
    skipped bigint DEFAULT 0 NOT NULL,
    notes text COLLATE pg_catalog."C",
    progress bigint,
    failure text COLLATE pg_catalog."C",
    owner text COLLATE pg_catalog."C",
    lease_until bigint,
    swept boolean DEFAULT false NOT NULL,
    failure_kind text COLLATE pg_catalog."C",
    CONSTRAINT import_run_kind_check CHECK ((kind = ANY (ARRAY['snapshot'::text, 'delta'::text]))),
    CONSTRAINT import_run_state_check CHECK ((state = ANY (ARRAY['running'::text, 'succeeded'::text, 'failed'::text])))
);
ALTER TABLE public.import_run ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.import_run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.lease (
    name text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    until bigint NOT NULL
);
CREATE TABLE public.ledger_entry (
    account_id bigint NOT NULL,
    entry_no bigint NOT NULL,
    booked_at bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    grant_no bigint,
    amount bigint NOT NULL,
    balance bigint NOT NULL,
    operation text NOT NULL COLLATE pg_catalog."C",
    part bigint NOT NULL,
    about text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.mail (
    id bigint NOT NULL,
    occasion text NOT NULL COLLATE pg_catalog."C",
    recipient text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    due_at bigint,
    attempt bigint DEFAULT 0 NOT NULL,
    lease_until bigint,
    sent_at bigint,
    failed_at bigint,
    failure text COLLATE pg_catalog."C"
);
ALTER TABLE public.mail ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.mail_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.rate_window (
    account_id bigint NOT NULL,
    span text NOT NULL COLLATE pg_catalog."C",
    started_at bigint NOT NULL,
    used bigint NOT NULL
);
CREATE TABLE public.recipient (
    account_id bigint NOT NULL,
    address text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    changed_at bigint NOT NULL
);
CREATE TABLE public.section (
    ico text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    content text COLLATE pg_catalog."C",
    content_hash text COLLATE pg_catalog."C",
    unread boolean NOT NULL,
    connector text NOT NULL COLLATE pg_catalog."C",
    connector_version text COLLATE pg_catalog."C",
    generation bigint,
    fetched_at bigint,
    dirty boolean NOT NULL,
    evidence text COLLATE pg_catalog."C",
    failed_at bigint,
    failure text COLLATE pg_catalog."C",
    baseline text COLLATE pg_catalog."C",
    unread_sources text COLLATE pg_catalog."C",
    failure_kind text COLLATE pg_catalog."C",
    baseline_by text
);
CREATE TABLE public.sending (
    key text NOT NULL COLLATE pg_catalog."C",
    since bigint NOT NULL,
    used bigint NOT NULL
);
CREATE TABLE public.sentinel (
    connector text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    ico text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL,
    members text NOT NULL,
    checked_at bigint NOT NULL,
    problem text,
    problem_since bigint
);
CREATE TABLE public.sign_in_link (
    digest bytea NOT NULL,
    member_id bigint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.source_state (
    source text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    reason text COLLATE pg_catalog."C",
    part text COLLATE pg_catalog."C",
    from_at bigint NOT NULL,
    to_at bigint,
    next_state text COLLATE pg_catalog."C"
);
CREATE TABLE public.source_state_recording (
    id bigint NOT NULL,
    since bigint NOT NULL,
    seen_at bigint NOT NULL
);
CREATE TABLE public.store_identity (
    id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.subscription (
    number bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    account_id bigint NOT NULL,
    ico text NOT NULL COLLATE pg_catalog."C",
    active boolean NOT NULL,
    kinds text COLLATE pg_catalog."C",
    webhook_url text COLLATE pg_catalog."C",
    webhook_state text COLLATE pg_catalog."C",
    webhook_reason text COLLATE pg_catalog."C",
    secret text NOT NULL COLLATE pg_catalog."C",
    former_secret text COLLATE pg_catalog."C",
    former_secret_until bigint,
    had_webhook boolean NOT NULL,
    failing_since bigint,
    failed_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    ended_at bigint,
    since_seq bigint,
    until_seq bigint
);
CREATE TABLE public.subscription_email (
    number bigint NOT NULL,
    subscription bigint NOT NULL,
    address text NOT NULL COLLATE pg_catalog."C",
    ended_at bigint,
    reason text COLLATE pg_catalog."C",
    waiting boolean DEFAULT false NOT NULL
);
ALTER TABLE public.subscription_email ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.subscription_email_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE public.subscription ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.subscription_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.upstream_hold (
    address text NOT NULL COLLATE pg_catalog."C",
    until bigint NOT NULL
);
CREATE TABLE public.usage_day (
    account_id bigint NOT NULL,
    day text NOT NULL COLLATE pg_catalog."C",
    endpoint text NOT NULL COLLATE pg_catalog."C",
    requests bigint NOT NULL,
    cached bigint NOT NULL,
    credits bigint NOT NULL,
    overage bigint NOT NULL
);
CREATE TABLE public.watch (
    ico text NOT NULL COLLATE pg_catalog."C",
    due_at bigint NOT NULL,
    attempt bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.watch_import (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id bigint NOT NULL,
    dry_run boolean NOT NULL,
    target text NOT NULL COLLATE pg_catalog."C",
    secret text NOT NULL COLLATE pg_catalog."C",
    lines bigint NOT NULL,
    parts bigint NOT NULL,
    created_at bigint NOT NULL,
    turn bigint NOT NULL,
    parts_finished bigint DEFAULT 0 NOT NULL,
    processed bigint DEFAULT 0 NOT NULL,
    created bigint DEFAULT 0 NOT NULL,
    updated bigint DEFAULT 0 NOT NULL,
    unchanged bigint DEFAULT 0 NOT NULL,
    rejected bigint DEFAULT 0 NOT NULL,
    attempt bigint DEFAULT 0 NOT NULL,
    owner text COLLATE pg_catalog."C",
    lease_until bigint,
    completed_at bigint,
    expires_at bigint
);
CREATE TABLE public.watch_import_company (
    import_id text NOT NULL COLLATE pg_catalog."C",
    ico text NOT NULL COLLATE pg_catalog."C",
    line bigint NOT NULL
);
CREATE TABLE public.watch_import_part (
    import_id text NOT NULL COLLATE pg_catalog."C",
    part bigint NOT NULL,
    lines text NOT NULL COLLATE pg_catalog."C",
    results text COLLATE pg_catalog."C"
);
CREATE TABLE public.web_session (
    digest bytea NOT NULL,
    member_id bigint,
    key_id bigint,
    created_at bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    CONSTRAINT web_session_check CHECK (((member_id IS NULL) <> (key_id IS NULL)))
);
INSERT INTO public._sqlx_migrations VALUES (1, 'store', '2025-10-09 08:00:00+00', true, '\xf2209004d761e5c62d78082590f8839b3e63f0413a1e1df16151dce34460e54f0b1a74248dc5898966cd01af9b44141f', 1);
INSERT INTO public._sqlx_migrations VALUES (2, 'hosts', '2025-10-09 08:00:00+00', true, '\x6d4fb0eec6a9ceb5e8a4a41e3e24afe1a5b12ed12f9bb052e00cbf4f97794eac765da1da46ae945ab84c6811a45de613', 1);
INSERT INTO public._sqlx_migrations VALUES (3, 'search', '2025-10-09 08:00:00+00', true, '\x7c64fb0f22fd82e1ed055a7da7eb5667cb0fb68d2e9b2ed9441dcd3a8d75aa92f5c3396388909646b3415963628c20b0', 1);
INSERT INTO public._sqlx_migrations VALUES (4, 'batches', '2025-10-09 08:00:00+00', true, '\xa783ea6d428e3dce45e0f43e1601e6e01bde2ad1f488aff456fac76190c27fb616a515f250a7fd4b82d60c743e09d19b', 1);
INSERT INTO public._sqlx_migrations VALUES (5, 'billing', '2025-10-09 08:00:00+00', true, '\x7149c4c03b0ce8864e4cfdb1ca99503e2344cc7f647f9c798c92cb85cf8da1c610c3cc5a5b61afc76f9a472a7aa9794e', 1);
INSERT INTO public._sqlx_migrations VALUES (6, 'notifications', '2025-10-09 08:00:00+00', true, '\xe1fc67337c5df3f391537a6b9004ac8a4377c0a296d91654b2a1283be3a738ea2e6ee17c0f04d1098af089cb512c7189', 1);
INSERT INTO public._sqlx_migrations VALUES (7, 'unread sources', '2025-10-09 08:00:00+00', true, '\x934f18f0ae998f45d3c8344ecf3aeaeb3b37e0370fcefaf09a4e40a5e2f5ca11885c537c383e56dc84a124bd909311b5', 1);
INSERT INTO public._sqlx_migrations VALUES (8, 'letters', '2025-10-09 08:00:00+00', true, '\x3ecf3947c57c752cb91f8e457acb1d198311c0d6d408b6c318076093a42708204a31c46f3de8efeadcb22bb06260bcb7', 1);
INSERT INTO public._sqlx_migrations VALUES (9, 'recipients', '2025-10-09 08:00:00+00', true, '\xec76d8f2e15229ab5bb2f0bba2b56a6149540e22340aa253e6f30c727cb56f3075c3fd19aca08e9659eda87eaee1c228', 1);
INSERT INTO public._sqlx_migrations VALUES (10, 'idempotency', '2025-10-09 08:00:00+00', true, '\xd4caf09fa00b9f2bcd7204764bfb0d636cfe3873400ce4ae5e44f7f38c48229ef1231228e693e83d6a2660f128a10aa6', 1);
INSERT INTO public._sqlx_migrations VALUES (11, 'sentinel', '2025-10-09 08:00:00+00', true, '\xe9a147cfb95353ee886d0d4aefc4ba923a97054a074db365f3c448afe887f62f8e82633f684f3ae0a5fdb48979a3a9b2', 1);
INSERT INTO public._sqlx_migrations VALUES (12, 'subscription positions', '2025-10-09 08:00:00+00', true, '\x2b21c38c447b80e06768d507512e8c926bcc8345ec25eedf5145b55dc6a2191df15e4b7968c5e7f91758ca241676a27d', 1);
INSERT INTO public._sqlx_migrations VALUES (13, 'failure kinds', '2025-10-09 08:00:00+00', true, '\x9090feb93afc2505f5a7e4ef2cf2bedc95be1c82ef1d3af9b4953bb964d756aee7a7901f242ce7e0dfd86b89fca18455', 1);
INSERT INTO public._sqlx_migrations VALUES (14, 'owners', '2025-10-09 08:00:00+00', true, '\x68223e87b65b6c1ead8df9b0d3e93f1d62a5567b1793e59aebfc4e442071240eade76f450cc570b301865fbc8b765994', 1);
INSERT INTO public._sqlx_migrations VALUES (15, 'baseline by', '2025-10-09 08:00:00+00', true, '\xf2bb461e8daa5a59340134cb9ff0b30a1a40f6527231f8ac4c2e8483992975d4e100e69e20a6a473543d5b4e61616ae8', 1);
INSERT INTO public._sqlx_migrations VALUES (17, 'watch imports', '2025-10-09 08:00:00+00', true, '\x73c1dbdf2ce09000cf1e6434322bbae17a03025fe3d0a70e6f8c8aac270d446df1ce9db6ca4cae2e365e64f4f1a86964', 1);
INSERT INTO public._sqlx_migrations VALUES (18, 'source states', '2025-10-09 08:00:00+00', true, '\x72bbe2252765bc09e69a8778810305d23765f324dafa015fe3954d7a3f98bb3118a930835e2f7c73c2c027ba4f141981', 1);
INSERT INTO public._sqlx_migrations VALUES (19, 'batch account', '2025-10-09 08:00:00+00', true, '\xcbcecf2bb592c6b064fdc6cd1ea66dbae6fe1fd9d259f12162ba222ed8785330ac4499395ca8e7e7ed66ddc5eb795fca', 1);
INSERT INTO public.account OVERRIDING SYSTEM VALUE VALUES (1, 'acme', 'starter', 1760000000000, 1, false, 'sk');
INSERT INTO public.account_member OVERRIDING SYSTEM VALUE VALUES (1, 1, 'jana@firma.sk', 'Jana', 'owner', 'active', 1760000000000, NULL);
INSERT INTO public.billing_account VALUES (1, 'starter', 1, 100, 0, '2025-10-09', 0, 1759968000000, 4000000000000, 1, 1, 100, 0, 0, 0, 1760000000000);
INSERT INTO public.company OVERRIDING SYSTEM VALUE VALUES (1, '10000001', 'Pekáreň', 'pekaren', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'active', NULL, NULL, 'rpo', NULL, '{}', '[]', '5', 'hash', '1.0.0', '[]', 1760000000000, 1760000000000, 1);
INSERT INTO public.counter VALUES ('event_seq', 0);
INSERT INTO public.counter VALUES ('event_swept', 0);
INSERT INTO public.counter VALUES ('company_revision', 1);
INSERT INTO public.lease VALUES ('kept', 'host', 4000000000000);
INSERT INTO public.sign_in_link VALUES ('\x01', 1, 1760000000000, 1760000900000);
INSERT INTO public.source_state VALUES ('rpo', 'degraded', 'unavailable', NULL, 1760000000000, 1760000600000, 'operational');
INSERT INTO public.source_state_recording VALUES (1, 1760000000000, 1760000600000);
INSERT INTO public.store_identity VALUES ('f957c69905384d86ad690dd28b673319');
INSERT INTO public.subscription OVERRIDING SYSTEM VALUE VALUES (1, 'sub_1', 1, '10000001', true, NULL, 'https://example.test/hook', 'active', NULL, 'sealed', NULL, NULL, true, 1760000000000, NULL, 1760000000000, 1760000000000, NULL, NULL, NULL);
INSERT INTO public.watch_import VALUES ('imp_1', 1, false, '{}', 'sealed', 1, 1, 1760000000000, 1, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.watch_import_company VALUES ('imp_1', '10000001', 1);
INSERT INTO public.watch_import_part VALUES ('imp_1', 0, '[]', NULL);
INSERT INTO public.web_session VALUES ('\x01', 1, NULL, 1760000000000, 1760000000000, 1762000000000);
SELECT pg_catalog.setval('public.account_id_seq', 1, true);
SELECT pg_catalog.setval('public.account_member_id_seq', 1, true);
SELECT pg_catalog.setval('public.api_key_id_seq', 1, false);
SELECT pg_catalog.setval('public.change_id_seq', 1, false);
SELECT pg_catalog.setval('public.company_id_seq', 1, true);
SELECT pg_catalog.setval('public.dataset_id_seq', 1, false);
SELECT pg_catalog.setval('public.delivery_number_seq', 1, false);
SELECT pg_catalog.setval('public.event_number_seq', 1, false);
SELECT pg_catalog.setval('public.import_run_id_seq', 1, false);
SELECT pg_catalog.setval('public.mail_id_seq', 1, false);
SELECT pg_catalog.setval('public.subscription_email_number_seq', 1, false);
SELECT pg_catalog.setval('public.subscription_number_seq', 1, true);
ALTER TABLE ONLY public._sqlx_migrations
    ADD CONSTRAINT _sqlx_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.account_member
    ADD CONSTRAINT account_member_account_id_email_key UNIQUE (account_id, email);
ALTER TABLE ONLY public.account_member
    ADD CONSTRAINT account_member_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_name_key UNIQUE (name);
ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.attempt
    ADD CONSTRAINT attempt_pkey PRIMARY KEY (delivery, attempt);
ALTER TABLE ONLY public.batch_part
    ADD CONSTRAINT batch_part_pkey PRIMARY KEY (batch_id, part);
ALTER TABLE ONLY public.batch
    ADD CONSTRAINT batch_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.billing_account
    ADD CONSTRAINT billing_account_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.billing_threshold
    ADD CONSTRAINT billing_threshold_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.change
    ADD CONSTRAINT change_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.company_details
    ADD CONSTRAINT company_details_pkey PRIMARY KEY (ico, connector);
ALTER TABLE ONLY public.company
    ADD CONSTRAINT company_ico_key UNIQUE (ico);
ALTER TABLE ONLY public.company
    ADD CONSTRAINT company_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.company
    ADD CONSTRAINT company_revision_key UNIQUE (revision);
ALTER TABLE ONLY public.counter
    ADD CONSTRAINT counter_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.credit_grant
    ADD CONSTRAINT credit_grant_account_id_source_key UNIQUE (account_id, source);
ALTER TABLE ONLY public.credit_grant
    ADD CONSTRAINT credit_grant_pkey PRIMARY KEY (account_id, grant_no);
ALTER TABLE ONLY public.dataset
    ADD CONSTRAINT dataset_connector_dataset_key UNIQUE (connector, dataset);
ALTER TABLE ONLY public.dataset
    ADD CONSTRAINT dataset_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.dataset_record
    ADD CONSTRAINT dataset_record_pkey PRIMARY KEY (dataset_id, generation, key);
ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_event_subscription_channel_target_key UNIQUE (event, subscription, channel, target);
ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_id_key UNIQUE (id);
ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.endpoint
    ADD CONSTRAINT endpoint_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_id_key UNIQUE (id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_seq_key UNIQUE (seq);
ALTER TABLE ONLY public.host
    ADD CONSTRAINT host_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.idempotency_key
    ADD CONSTRAINT idempotency_key_pkey PRIMARY KEY (account_id, key);
ALTER TABLE ONLY public.import_run
    ADD CONSTRAINT import_run_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lease
    ADD CONSTRAINT lease_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.ledger_entry
    ADD CONSTRAINT ledger_entry_account_id_operation_part_key UNIQUE (account_id, operation, part);
ALTER TABLE ONLY public.ledger_entry
    ADD CONSTRAINT ledger_entry_pkey PRIMARY KEY (account_id, entry_no);
ALTER TABLE ONLY public.mail
    ADD CONSTRAINT mail_occasion_recipient_key UNIQUE (occasion, recipient);
ALTER TABLE ONLY public.mail
    ADD CONSTRAINT mail_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rate_window
    ADD CONSTRAINT rate_window_pkey PRIMARY KEY (account_id, span);
ALTER TABLE ONLY public.recipient
    ADD CONSTRAINT recipient_pkey PRIMARY KEY (account_id, address);
ALTER TABLE ONLY public.section
    ADD CONSTRAINT section_pkey PRIMARY KEY (ico, scope);
ALTER TABLE ONLY public.sending
    ADD CONSTRAINT sending_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.sentinel
    ADD CONSTRAINT sentinel_pkey PRIMARY KEY (connector, scope, ico);
ALTER TABLE ONLY public.sign_in_link
    ADD CONSTRAINT sign_in_link_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.source_state
    ADD CONSTRAINT source_state_pkey PRIMARY KEY (source, from_at);
ALTER TABLE ONLY public.source_state_recording
    ADD CONSTRAINT source_state_recording_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.store_identity
    ADD CONSTRAINT store_identity_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.subscription_email
    ADD CONSTRAINT subscription_email_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.subscription_email
    ADD CONSTRAINT subscription_email_subscription_address_key UNIQUE (subscription, address);
ALTER TABLE ONLY public.subscription
    ADD CONSTRAINT subscription_id_key UNIQUE (id);
ALTER TABLE ONLY public.subscription
    ADD CONSTRAINT subscription_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.upstream_hold
    ADD CONSTRAINT upstream_hold_pkey PRIMARY KEY (address);
ALTER TABLE ONLY public.usage_day
    ADD CONSTRAINT usage_day_pkey PRIMARY KEY (account_id, day, endpoint);
ALTER TABLE ONLY public.watch_import_company
    ADD CONSTRAINT watch_import_company_pkey PRIMARY KEY (import_id, ico);
ALTER TABLE ONLY public.watch_import_part
    ADD CONSTRAINT watch_import_part_pkey PRIMARY KEY (import_id, part);
ALTER TABLE ONLY public.watch_import
    ADD CONSTRAINT watch_import_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.watch
    ADD CONSTRAINT watch_pkey PRIMARY KEY (ico);
ALTER TABLE ONLY public.web_session
    ADD CONSTRAINT web_session_pkey PRIMARY KEY (digest);
CREATE INDEX account_member_email ON public.account_member USING btree (email);
CREATE INDEX api_key_account ON public.api_key USING btree (account_id);
CREATE UNIQUE INDEX api_key_former_hash ON public.api_key USING btree (former_hash);
CREATE INDEX batch_account ON public.batch USING btree (account_id, created_at);
CREATE INDEX batch_expires_at ON public.batch USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX batch_part_unfinished ON public.batch_part USING btree (turn, batch_id, part) WHERE (finished_at IS NULL);
CREATE INDEX billing_account_period_end ON public.billing_account USING btree (period_end);
CREATE INDEX change_detected_at ON public.change USING btree (detected_at);
CREATE INDEX change_ico ON public.change USING btree (ico, id);
CREATE INDEX company_details_register_id ON public.company_details USING btree (connector, register_id) WHERE (register_id IS NOT NULL);
CREATE INDEX company_name_key ON public.company USING btree (name_key);
CREATE INDEX company_register_id ON public.company USING btree (register_id) WHERE (register_id IS NOT NULL);
CREATE INDEX credit_grant_live ON public.credit_grant USING btree (expires_at) WHERE ((remaining > 0) AND (expires_at IS NOT NULL));
CREATE INDEX dataset_next_run_at ON public.dataset USING btree (next_run_at) WHERE (next_run_at IS NOT NULL);
CREATE INDEX dataset_record_ico ON public.dataset_record USING btree (dataset_id, generation, ico, key) WHERE (ico IS NOT NULL);
CREATE INDEX dataset_record_name_key ON public.dataset_record USING btree (dataset_id, generation, name_key, key) WHERE (name_key IS NOT NULL);
CREATE INDEX delivery_due ON public.delivery USING btree (endpoint, due_at, number) WHERE (due_at IS NOT NULL);
CREATE INDEX delivery_subscription ON public.delivery USING btree (subscription, number);
CREATE INDEX endpoint_due_at ON public.endpoint USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX event_detected_at ON public.event USING btree (detected_at);
CREATE INDEX event_ico ON public.event USING btree (ico, seq) WHERE (seq IS NOT NULL);
CREATE INDEX event_reading ON public.event USING btree (reading);
CREATE INDEX event_unnumbered ON public.event USING btree (number) WHERE (seq IS NULL);
CREATE INDEX idempotency_key_expires_at ON public.idempotency_key USING btree (expires_at);
CREATE INDEX import_run_history ON public.import_run USING btree (dataset_id, id);
CREATE UNIQUE INDEX import_run_running ON public.import_run USING btree (dataset_id) WHERE (state = 'running'::text);
CREATE INDEX import_run_unswept ON public.import_run USING btree (id) WHERE (NOT swept);
CREATE INDEX mail_due_at ON public.mail USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX sign_in_link_expires_at ON public.sign_in_link USING btree (expires_at);
CREATE INDEX sign_in_link_member ON public.sign_in_link USING btree (member_id);
CREATE UNIQUE INDEX source_state_current ON public.source_state USING btree (source) WHERE (to_at IS NULL);
CREATE INDEX source_state_ended ON public.source_state USING btree (to_at);
CREATE INDEX subscription_account ON public.subscription USING btree (account_id, number);
CREATE INDEX subscription_account_ico ON public.subscription USING btree (account_id, ico);
CREATE UNIQUE INDEX subscription_active ON public.subscription USING btree (account_id, ico) WHERE active;
CREATE INDEX subscription_failing ON public.subscription USING btree (failing_since) WHERE (failing_since IS NOT NULL);
CREATE INDEX subscription_ico ON public.subscription USING btree (ico);
CREATE INDEX watch_due_at ON public.watch USING btree (due_at);
CREATE INDEX watch_import_account ON public.watch_import USING btree (account_id) WHERE (completed_at IS NULL);
CREATE INDEX watch_import_expires_at ON public.watch_import USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX watch_import_unfinished ON public.watch_import USING btree (turn, id) WHERE (completed_at IS NULL);
CREATE INDEX web_session_expires_at ON public.web_session USING btree (expires_at);
CREATE INDEX web_session_key ON public.web_session USING btree (key_id);
CREATE INDEX web_session_member ON public.web_session USING btree (member_id);
ALTER TABLE ONLY public.account_member
    ADD CONSTRAINT account_member_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.attempt
    ADD CONSTRAINT attempt_delivery_fkey FOREIGN KEY (delivery) REFERENCES public.delivery(number);
ALTER TABLE ONLY public.batch
    ADD CONSTRAINT batch_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.batch_part
    ADD CONSTRAINT batch_part_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES public.batch(id);
ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_event_fkey FOREIGN KEY (event) REFERENCES public.event(number);
ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT delivery_subscription_fkey FOREIGN KEY (subscription) REFERENCES public.subscription(number);
ALTER TABLE ONLY public.idempotency_key
    ADD CONSTRAINT idempotency_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.import_run
    ADD CONSTRAINT import_run_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES public.dataset(id);
ALTER TABLE ONLY public.recipient
    ADD CONSTRAINT recipient_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.sign_in_link
    ADD CONSTRAINT sign_in_link_member_id_fkey FOREIGN KEY (member_id) REFERENCES public.account_member(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.subscription
    ADD CONSTRAINT subscription_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.subscription_email
    ADD CONSTRAINT subscription_email_subscription_fkey FOREIGN KEY (subscription) REFERENCES public.subscription(number);
ALTER TABLE ONLY public.watch_import
    ADD CONSTRAINT watch_import_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.watch_import_company
    ADD CONSTRAINT watch_import_company_import_id_fkey FOREIGN KEY (import_id) REFERENCES public.watch_import(id);
ALTER TABLE ONLY public.watch_import_part
    ADD CONSTRAINT watch_import_part_import_id_fkey FOREIGN KEY (import_id) REFERENCES public.watch_import(id);
ALTER TABLE ONLY public.web_session
    ADD CONSTRAINT web_session_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.api_key(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.web_session
    ADD CONSTRAINT web_session_member_id_fkey FOREIGN KEY (member_id) REFERENCES public.account_member(id) ON DELETE CASCADE;
