//! Bulk imports of lists: runs, plausibility guards and the schedule.
//!
//! A run is a database row that a host leases. Each batch is committed together with its cursor, so a run resumes where
//! a crash stopped it. A snapshot is published in one step, when it is complete and has passed the guards.

mod bounds;
mod guard;
mod import;
mod marks;
mod worker;

pub use crate::connectors::settings::{Schedule, ScheduleError};
pub use import::{ImportError, Imported, Importer, Progress};
pub use worker::run_scheduled;
