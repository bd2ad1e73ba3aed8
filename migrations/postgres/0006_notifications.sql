-- Changes, the events they raise, who wants to be told, and what was sent.

-- What a section looked like before sources of it could not be read: the next complete one is compared with this.
alter table section add column baseline text collate "C";

-- A difference between two readings of a register. `old` and `new` are JSON; `op` is a JSON Patch word, or `rebaseline`
-- where another version of the connector read it, so that nobody is told.
create table change (
    id bigint generated always as identity primary key,
    ico text collate "C" not null,
    connector text collate "C" not null,
    scope text collate "C",
    field text collate "C" not null,
    path text collate "C" not null,
    op text collate "C" not null,
    old text collate "C",
    new text collate "C",
    detected_at bigint not null
);
create index change_ico on change (ico, id);
create index change_detected_at on change (detected_at);

-- What is told. An event waits without `seq` until the fan-out has numbered it; numbers are given under the lock of the
-- counter, so that readers who follow them never meet a smaller one later. `payload` is what every attempt sends.
create table event (
    number bigint generated always as identity primary key,
    id text collate "C" not null unique,
    seq bigint unique,
    ico text collate "C" not null,
    kind text collate "C" not null,
    scope text collate "C",
    content text collate "C" not null,
    payload text collate "C",
    detected_at bigint not null
);
create index event_unnumbered on event (number) where seq is null;
create index event_ico on event (ico, seq) where seq is not null;
create index event_detected_at on event (detected_at);
insert into counter (name, value) values ('event_seq', 0), ('event_swept', 0);

-- Who wants to be told about a company. `kinds` is null for every kind, else names between commas, with one at both
-- ends. `secret` is encrypted. `webhook_state`: `active`, `paused` or `ended`. Every attempt from
-- `failing_since` to `failed_at`, the last one, has failed.
create table subscription (
    number bigint generated always as identity primary key,
    id text collate "C" not null unique,
    account_id bigint not null references account (id),
    ico text collate "C" not null,
    active boolean not null,
    kinds text collate "C",
    webhook_url text collate "C",
    webhook_state text collate "C",
    webhook_reason text collate "C",
    secret text collate "C" not null,
    former_secret text collate "C",
    former_secret_until bigint,
    had_webhook boolean not null,
    failing_since bigint,
    failed_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    ended_at bigint
);
create unique index subscription_active on subscription (account_id, ico) where active;
create index subscription_ico on subscription (ico);
create index subscription_account on subscription (account_id, number);
create index subscription_account_ico on subscription (account_id, ico);
create index subscription_failing on subscription (failing_since) where failing_since is not null;

create table subscription_email (
    number bigint generated always as identity primary key,
    subscription bigint not null references subscription (number),
    address text collate "C" not null,
    ended_at bigint,
    reason text collate "C",
    unique (subscription, address)
);

-- Companies with an active subscription, and when their parts are looked at next. A claim moves `due_at` to its end.
create table watch (
    ico text collate "C" primary key,
    due_at bigint not null,
    attempt bigint not null default 0
);
create index watch_due_at on watch (due_at);

-- One event on its way to one target. `due_at`: when it is tried, or its claim ends; null where nothing is to be done.
create table delivery (
    number bigint generated always as identity primary key,
    id text collate "C" not null unique,
    event bigint not null references event (number),
    subscription bigint not null references subscription (number),
    channel text collate "C" not null,
    target text collate "C" not null,
    endpoint text collate "C" not null,
    state text collate "C" not null,
    attempts bigint not null default 0,
    round bigint not null default 0,
    due_at bigint,
    lease bigint not null default 0,
    leased boolean not null default false,
    created_at bigint not null,
    finished_at bigint,
    unique (event, subscription, channel, target)
);
create index delivery_due on delivery (endpoint, due_at, number) where due_at is not null;
create index delivery_subscription on delivery (subscription, number);

-- One try of a delivery.
create table attempt (
    delivery bigint not null references delivery (number),
    attempt bigint not null,
    at bigint not null,
    duration_ms bigint not null,
    outcome text collate "C" not null,
    status bigint,
    answer text collate "C",
    next_at bigint,
    primary key (delivery, attempt)
);

-- The hosts that deliveries go to, one queue each: when the next is due, and until when the host is left
-- alone.
create table endpoint (
    key text collate "C" primary key,
    due_at bigint,
    resting_until bigint
);
create index endpoint_due_at on endpoint (due_at) where due_at is not null;
