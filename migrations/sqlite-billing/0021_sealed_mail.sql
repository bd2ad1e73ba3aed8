-- Whether the body of a message is encrypted, because it has a secret.
alter table mail add column sealed boolean not null default false;
