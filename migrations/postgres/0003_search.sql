-- Which store this is: what a host derives from a store (the name index) must not be taken for that of another.

create table store_identity (
    id text collate "C" primary key
);
insert into store_identity (id) values (replace(gen_random_uuid()::text, '-', ''));
