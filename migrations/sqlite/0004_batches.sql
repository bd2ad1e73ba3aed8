-- Batches: many look-ups in one request, carried out part by part by whichever hosts have time.
--
-- What changes with every part stands with the part; the batch keeps the sums, so that its progress is one row.

create table batch (
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
create index batch_expires_at on batch (expires_at) where expires_at is not null;

-- `turn` is the order in which parts are taken, over all batches. `attempt` counts the claims: only the newest claim
-- may write. `keys` is a JSON array of what was asked for, `results` has one line of JSON for each of them. The long
-- columns come last, so that reading the others does not walk through them.
create table batch_part (
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
create index batch_part_unfinished on batch_part (turn, batch_id, part) where finished_at is null;
