-- What the daily check of known companies last read of each source, and what is wrong with it since when.

create table sentinel (
    connector text not null,
    -- A scope, or empty for the company itself.
    scope text not null,
    ico text not null,
    -- The version that read it: another one may read other members.
    version text not null,
    -- Names of members with a value in the last good reading, a line each.
    members text not null,
    checked_at integer not null,
    -- What is wrong; null where nothing is.
    problem text,
    problem_since integer,
    primary key (connector, scope, ico)
) strict, without rowid;
