-- Imports of watch lists: files with companies that an account wants to watch, done part by part by any host.

-- `target` is a JSON object with the webhook, the addresses and the event kinds. `secret` is the encrypted secret of the
-- new webhooks. One host at a time holds the lease and does the next part; `attempt` counts the claims of that part.
-- Imports take turns part by part.
create table watch_import (
    id text collate "C" primary key,
    account_id bigint not null references account (id),
    dry_run boolean not null,
    target text collate "C" not null,
    secret text collate "C" not null,
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
    owner text collate "C",
    lease_until bigint,
    completed_at bigint,
    expires_at bigint
);
create index watch_import_unfinished on watch_import (turn, id) where completed_at is null;
create index watch_import_account on watch_import (account_id) where completed_at is null;
create index watch_import_expires_at on watch_import (expires_at) where expires_at is not null;

-- `lines` is a JSON array of what was read, `results` one of what was done, in the same order.
create table watch_import_part (
    import_id text collate "C" not null references watch_import (id),
    part bigint not null,
    lines text collate "C" not null,
    results text collate "C",
    primary key (import_id, part)
);

-- The line that named a company first. Later lines are duplicates.
create table watch_import_company (
    import_id text collate "C" not null references watch_import (id),
    ico text collate "C" not null,
    line bigint not null,
    primary key (import_id, ico)
);
