-- Deliveries lose their foreign keys on PostgreSQL only, where each check is a query of its own. This migration exists so
-- that both kinds of store have the same number.
insert into schema_change (migration, oldest_program) values (26, 1);
