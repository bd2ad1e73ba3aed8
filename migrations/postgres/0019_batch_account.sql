-- An account lists its newest batches.
create index batch_account on batch (account_id, created_at);
