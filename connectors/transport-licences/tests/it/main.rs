//! The connector against canned lists: its reader over fixtures, its imports and its section.

mod fixtures;
mod lookups;
mod manifest;
