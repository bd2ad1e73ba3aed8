-- The scopes of a batch, separated by commas; null for base data only.
alter table batch add column scopes text;
