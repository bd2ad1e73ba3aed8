-- Requests that a client may send again. The row is written in the transaction that carries the first request out, so
-- that the key is known exactly when its effect is there.

create table idempotency_key (
    account_id bigint not null references account (id),
    key text collate "C" not null,
    -- SHA-256 of the endpoint and of what was asked: another request with the same key is refused.
    request text collate "C" not null,
    -- What the first request made: the id of a batch or of a subscription.
    subject text collate "C" not null,
    -- What was answered: `batch`, or what became of the subscription.
    outcome text collate "C" not null,
    expires_at bigint not null,
    primary key (account_id, key)
);
create index idempotency_key_expires_at on idempotency_key (expires_at);
