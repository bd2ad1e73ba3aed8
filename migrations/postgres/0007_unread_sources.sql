-- Which sources of a section could not be read, as JSON `[{"source", "why"}]`, where its content has no room to say so.
alter table section add column unread_sources text collate "C";
