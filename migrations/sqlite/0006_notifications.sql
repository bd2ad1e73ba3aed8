-- Changes, the events they raise, who wants to be told, and what was sent.

-- What a section looked like before sources of it could not be read: the next complete one is compared with this.
alter table section add column baseline text;

-- A difference between two readings of a register. `old` and `new` are JSON; `op` is a JSON Patch word, or `rebaseline`
-- where another version of the connector read it, so that nobody is told.
create table change (
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
create index change_ico on change (ico, id);
create index change_detected_at on change (detected_at);

-- What is told. An event waits without `seq` until the fan-out has numbered it; numbers are given under the lock of the
-- counter, so that readers who follow them never meet a smaller one later. `payload` is what every attempt sends.
create table event (
    number integer primary key,
    id text not null unique,
    seq bigint unique,
    ico text not null,
    kind text not null,
    scope text,
    content text not null,
    payload text,
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
);
create unique index subscription_active on subscription (account_id, ico) where active;
create index subscription_ico on subscription (ico);
create index subscription_account on subscription (account_id, number);
create index subscription_account_ico on subscription (account_id, ico);
create index subscription_failing on subscription (failing_since) where failing_since is not null;

create table subscription_email (
    number integer primary key,
    subscription bigint not null references subscription (number),
    address text not null,
    ended_at bigint,
    reason text,
    unique (subscription, address)
);

-- Companies with an active subscription, and when their parts are looked at next. A claim moves `due_at` to its end.
create table watch (
    ico text primary key,
    due_at bigint not null,
    attempt bigint not null default 0
) without rowid;
create index watch_due_at on watch (due_at);

-- One event on its way to one target. `due_at`: when it is tried, or its claim ends; null where nothing is to be done.
create table delivery (
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
    outcome text not null,
    status bigint,
    answer text,
    next_at bigint,
    primary key (delivery, attempt)
) without rowid;

-- The hosts that deliveries go to, one queue each: when the next is due, and until when the host is left
-- alone.
create table endpoint (
    key text primary key,
    due_at bigint,
    resting_until bigint
) without rowid;
create index endpoint_due_at on endpoint (due_at) where due_at is not null;
