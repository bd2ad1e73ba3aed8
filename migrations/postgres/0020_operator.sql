-- What operators did. `actor` is `cli` or the address of the client. `result` is `done`, `refused` or `failed`.
create table operator_action (
    id bigint generated always as identity primary key,
    at bigint not null,
    actor text collate "C" not null,
    action text collate "C" not null,
    object text collate "C" not null,
    result text collate "C" not null,
    about text collate "C" not null
);
create index operator_action_at on operator_action (at);

-- Lengths of the queues at times that are multiples of one interval.
create table queue_sample (
    at bigint primary key,
    deliveries bigint not null,
    mail bigint not null,
    batches bigint not null,
    events bigint not null
);

-- One row: the newest check of the ledger. `finished_at` is null while it runs; `failure` says why it ended early.
-- `mistakes` is a JSON array.
create table ledger_check (
    id bigint primary key,
    owner text collate "C" not null,
    started_at bigint not null,
    finished_at bigint,
    checked bigint not null,
    planned bigint not null,
    entries bigint not null,
    credits bigint not null,
    mistake_count bigint not null,
    mistakes text collate "C" not null,
    failure text collate "C"
);
