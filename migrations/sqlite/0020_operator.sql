-- What operators did. `actor` is `cli` or the address of the client. `result` is `done`, `refused` or `failed`.
create table operator_action (
    id integer primary key autoincrement,
    at bigint not null,
    actor text not null,
    action text not null,
    object text not null,
    result text not null,
    about text not null
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
    owner text not null,
    started_at bigint not null,
    finished_at bigint,
    checked bigint not null,
    planned bigint not null,
    entries bigint not null,
    credits bigint not null,
    mistake_count bigint not null,
    mistakes text not null,
    failure text
);
