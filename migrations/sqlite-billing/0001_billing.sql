-- Credits: a file of its own, which commits synchronously and has its own turn to write, so that no import is in the
-- way of a charge.
--
-- Times are milliseconds since 1970 (UTC), days are `YYYY-MM-DD`, JSON is text. Text compares by its bytes.

-- Where an account stands. The row is locked by whoever books anything for the account.
create table billing_account (
    account_id integer primary key,
    plan text not null,
    plan_version bigint not null,
    -- Credits of a month and the most of them that roll over, as they were when the period began.
    monthly bigint not null,
    rollover bigint not null,
    -- The day from which the months of this plan are counted, and which of them this is, from 0.
    anchor text not null,
    period bigint not null,
    period_start bigint not null,
    period_end bigint not null,
    last_entry bigint not null,
    last_grant bigint not null,
    balance bigint not null,
    -- Of this period: credits charged, calls beyond the credits, the highest share of which a notice was sent, in percent.
    used bigint not null,
    overage bigint not null,
    noticed bigint not null,
    -- The latest time of anything booked: an account's time never goes back.
    booked_at bigint not null
);
create index billing_account_period_end on billing_account (period_end);

-- A dated amount of credits. `expires_at` null: never. `source` names where it came from; the same is granted once.
create table credit_grant (
    account_id bigint not null,
    grant_no bigint not null,
    kind text not null,
    granted bigint not null,
    remaining bigint not null,
    effective_at bigint not null,
    expires_at bigint,
    source text not null,
    primary key (account_id, grant_no),
    unique (account_id, source)
) without rowid;
create index credit_grant_live on credit_grant (expires_at) where remaining > 0 and expires_at is not null;

-- Everything that was ever booked, never changed. `operation` is what it was booked for, which happens once; what
-- touches several grants is an entry for each, counted by `part`.
create table ledger_entry (
    account_id bigint not null,
    entry_no bigint not null,
    booked_at bigint not null,
    kind text not null,
    grant_no bigint,
    amount bigint not null,
    balance bigint not null,
    operation text not null,
    part bigint not null,
    about text not null,
    primary key (account_id, entry_no),
    unique (account_id, operation, part)
) without rowid;

-- How an account used an endpoint on a day.
create table usage_day (
    account_id bigint not null,
    day text not null,
    endpoint text not null,
    requests bigint not null,
    cached bigint not null,
    credits bigint not null,
    overage bigint not null,
    primary key (account_id, day, endpoint)
) without rowid;

-- Requests in the minute or day that began at `started_at`, of accounts whose plan limits them.
create table rate_window (
    account_id bigint not null,
    span text not null,
    started_at bigint not null,
    used bigint not null,
    primary key (account_id, span)
) without rowid;

-- Who is told when which shares of the credits are used up: JSON arrays of percents and of addresses.
create table billing_threshold (
    account_id integer primary key,
    percents text not null,
    emails text not null
);

-- Messages on their way, one an address. `occasion` names what is told; nobody is told the same twice. `attempt` counts
-- the claims: only the newest may write what became of it.
create table mail (
    id integer primary key,
    occasion text not null,
    recipient text not null,
    subject text not null,
    body text not null,
    created_at bigint not null,
    due_at bigint,
    attempt bigint not null default 0,
    lease_until bigint,
    sent_at bigint,
    failed_at bigint,
    failure text,
    unique (occasion, recipient)
);
create index mail_due_at on mail (due_at) where due_at is not null;
