-- Recorded states of sources, for the incidents of the status page. A row is a state from `from_at` to `to_at`; null
-- means that the source still has it.
create table source_state (
    source text collate "C" not null,
    -- A state of `/v1/status`, or `late`.
    state text collate "C" not null,
    -- Code of the reason when the state began.
    reason text collate "C",
    -- The scope or dataset that the reason is about.
    part text collate "C",
    from_at bigint not null,
    to_at bigint,
    -- The state that followed. Null with `to_at`: it was not recorded.
    next_state text collate "C",
    primary key (source, from_at)
);
create unique index source_state_current on source_state (source) where to_at is null;
create index source_state_ended on source_state (to_at);

-- One row: since when and until when states are recorded.
create table source_state_recording (
    id bigint primary key,
    since bigint not null,
    seen_at bigint not null
);
