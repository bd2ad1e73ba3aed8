-- What the owner of an account manages: limits of keys, the people of the account, and their sessions.

-- Whether the key may manage keys, people and the plan of its account. Existing keys may not.
alter table api_key add column manage boolean not null default false;
-- Scopes that the key may request, separated by spaces. Null: every scope of the plan.
alter table api_key add column scopes text;
-- Client networks that may use the key, in CIDR form, separated by spaces. Null: every address.
alter table api_key add column addresses text;
-- SHA-256 of the secret before the last rotation, valid until `former_ends_at`.
alter table api_key add column former_hash blob;
alter table api_key add column former_ends_at bigint;
create unique index api_key_former_hash on api_key (former_hash);

-- The answer of the first request where it has a secret, encrypted with the key of the webhook secrets.
alter table idempotency_key add column sealed text;

-- A person of an account. The address is in lower case.
create table account_member (
    id integer primary key autoincrement,
    account_id bigint not null references account (id),
    email text not null,
    name text not null,
    -- `owner`, `developer`, `billing` or `read`.
    role text not null,
    -- `invited`, then `active` from the first sign-in.
    state text not null,
    created_at bigint not null,
    joined_at bigint,
    unique (account_id, email)
);
create index account_member_email on account_member (email);

-- A link that signs a member in once. Only the digest of its token is stored.
create table sign_in_link (
    digest blob primary key,
    member_id bigint not null references account_member (id) on delete cascade,
    created_at bigint not null,
    expires_at bigint not null
);
create index sign_in_link_member on sign_in_link (member_id);
create index sign_in_link_expires_at on sign_in_link (expires_at);

-- A browser that is signed in, by a member's link or by a key. Only the digest of its token is stored.
create table web_session (
    digest blob primary key,
    member_id bigint references account_member (id) on delete cascade,
    key_id bigint references api_key (id) on delete cascade,
    created_at bigint not null,
    last_seen_at bigint not null,
    expires_at bigint not null,
    check ((member_id is null) <> (key_id is null))
);
create index web_session_member on web_session (member_id);
create index web_session_key on web_session (key_id);
create index web_session_expires_at on web_session (expires_at);
