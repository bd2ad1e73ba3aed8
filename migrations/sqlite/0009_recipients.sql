-- Who may be written to, and how often.

-- Addresses that have decided for themselves whether an account may write to them, in small letters. `state`: `asked`
-- (a letter asks for confirmation, nothing else is sent), `confirmed` or `unsubscribed`.
create table recipient (
    account_id bigint not null references account (id),
    address text not null,
    state text not null,
    changed_at bigint not null,
    primary key (account_id, address)
) without rowid;
insert into recipient (account_id, address, state, changed_at)
    select s.account_id, lower(e.address), 'unsubscribed', max(e.ended_at)
    from subscription_email e join subscription s on s.number = e.subscription
    where e.reason = 'unsubscribed' and e.ended_at is not null
    group by s.account_id, lower(e.address);

-- Whether the address has been asked and has not confirmed yet.
alter table subscription_email add column waiting boolean not null default false;

-- How often something was sent within a window of time that began at `since`. `key` names what is counted.
create table sending (
    key text primary key,
    since bigint not null,
    used bigint not null
) without rowid;

-- How often a delivery was sent again within the window that began at `resent_since`.
alter table delivery add column resent bigint not null default 0;
alter table delivery add column resent_since bigint;
