-- Which store this is: what a host derives from a store (the name index) must not be taken for that of another.

create table store_identity (
    id text primary key
) strict, without rowid;
insert into store_identity (id) values (lower(hex(randomblob(16))));
