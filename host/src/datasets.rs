//! Imports of lists in bulk: runs, their guards and their schedule.
//!
//! A run is a row that a host leases; each batch is committed with its cursor, so that a run goes on where a crash
//! ended it. A snapshot is shown to readers in one step, when it is complete and has passed the guards.

mod bounds;
mod guard;
mod import;
mod marks;
mod worker;

pub use crate::connectors::settings::{Schedule, ScheduleError};
pub use import::{ImportError, Imported, Importer, Progress};
pub use worker::run_scheduled;
