BEGIN TRANSACTION;
CREATE TABLE _sqlx_migrations (version bigint primary key, description text not null, installed_on timestamp not null default current_timestamp, success boolean not null, checksum blob not null, execution_time bigint not null);
INSERT INTO "_sqlx_migrations" VALUES(1,'billing','2025-10-09 08:00:00',1,X'23CEFE2279189605D78EE70449CBED204D38A580BFE64E7436D7F29093A28C688E3108FD18B01A1632284037DAEAA380',1);
CREATE TABLE billing_account (
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
INSERT INTO "billing_account" VALUES(1,'starter',1,100,0,'2025-10-09',0,1759968000000,4000000000000,1,1,100,0,0,0,1760000000000);
CREATE TABLE billing_threshold (
    account_id integer primary key,
    percents text not null,
    emails text not null
);
CREATE TABLE credit_grant (
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
CREATE TABLE ledger_entry (
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
CREATE TABLE mail (
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
CREATE TABLE rate_window (
    account_id bigint not null,
    span text not null,
    started_at bigint not null,
    used bigint not null,
    primary key (account_id, span)
) without rowid;
CREATE TABLE usage_day (
    account_id bigint not null,
    day text not null,
    endpoint text not null,
    requests bigint not null,
    cached bigint not null,
    credits bigint not null,
    overage bigint not null,
    primary key (account_id, day, endpoint)
) without rowid;
CREATE INDEX billing_account_period_end on billing_account (period_end);
CREATE INDEX credit_grant_live on credit_grant (expires_at) where remaining > 0 and expires_at is not null;
CREATE INDEX mail_due_at on mail (due_at) where due_at is not null;
COMMIT;
