-- One letter for each reading that differs, in the account's language.

-- The reading that raised an event: events of one reading have the same. Null for events of earlier versions.
alter table event add column reading text;
create index event_reading on event (reading);

-- The events that a letter announces, as a JSON array of their numbers; null for webhooks, which announce one.
alter table delivery add column letter text;

-- The language of letters: `sk` or `en`.
alter table account add column language text not null default 'sk';
