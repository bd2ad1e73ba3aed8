-- The events that a subscription is told of, by their numbers in the log: clocks of two hosts do not order them.

-- The last number when the subscription was created, and when it ended. A subscription is told of those in between.
-- Null: an earlier version created or ended it; then times are compared.
alter table subscription add column since_seq integer;
alter table subscription add column until_seq integer;
