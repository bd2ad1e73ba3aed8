-- Batches: many look-ups in one request, carried out part by part by whichever hosts have time.
--
-- What changes with every part stands with the part; the batch keeps the sums, so that its progress is one row.

create table batch (
    id text collate "C" primary key,
    account_id bigint not null references account (id),
    kind text collate "C" not null check (kind in ('ico', 'names')),
    total bigint not null,
    parts bigint not null,
    created_at bigint not null,
    started_at bigint,
    completed_at bigint,
    expires_at bigint,
    parts_finished bigint not null default 0,
    parts_given_up bigint not null default 0,
    processed bigint not null default 0,
    found bigint not null default 0,
    not_found bigint not null default 0,
    failed bigint not null default 0
);
create index batch_expires_at on batch (expires_at) where expires_at is not null;

-- `turn` is the order in which parts are taken, over all batches. `attempt` counts the claims: only the newest claim
-- may write. `keys` is a JSON array of what was asked for, `results` has one line of JSON for each of them. The long
-- columns come last, so that reading the others does not walk through them.
create table batch_part (
    batch_id text collate "C" not null references batch (id),
    part bigint not null,
    turn bigint not null,
    items bigint not null,
    attempt bigint not null,
    owner text collate "C",
    lease_until bigint,
    finished_at bigint,
    keys text collate "C" not null,
    results text collate "C",
    primary key (batch_id, part)
);
create index batch_part_unfinished on batch_part (turn, batch_id, part) where finished_at is null;
