-- The scopes of a batch, separated by commas; null for base data only.
alter table batch add column scopes text;

-- Whether the body of a message is encrypted, because it has a secret.
alter table mail add column sealed boolean not null default false;
