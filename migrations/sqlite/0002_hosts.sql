-- Hosts that share a store share the pace at which registers are asked: who is there, and which upstream asked to be
-- left alone.

create table host (
    id text primary key,
    seen_at integer not null
) strict, without rowid;

create table upstream_hold (
    address text primary key,
    until integer not null
) strict, without rowid;
