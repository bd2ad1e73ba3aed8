-- Hosts that share a store share the pace at which registers are asked: who is there, and which upstream asked to be
-- left alone.

create table host (
    id text collate "C" primary key,
    seen_at bigint not null
);

create table upstream_hold (
    address text collate "C" primary key,
    until bigint not null
);
