//! Bulk imports of lists: runs, guards and schedule.
//!
//! A run is a row that a host leases. Each batch is committed together with its cursor, so a run resumes where
//! a crash interrupted it. A snapshot becomes visible in one step, once it is complete and has passed the
//! guards.

mod bounds;
mod error;
mod guard;
mod import;
mod marks;
mod progress;
mod worker;

pub use crate::connectors::settings::{Schedule, ScheduleError};
pub use error::ImportError;
pub use import::{ImportPreview, Importer, PreviewError};
pub use progress::{Imported, Progress};
pub use worker::run_scheduled;
