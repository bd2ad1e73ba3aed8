//! The operator's settings. The manifest's schema has the same defaults; a test compares them.

use std::collections::BTreeMap;

use lustra_sdk::{Failure, calendar, runtime};

/// The default first date.
pub const SINCE: &str = "2016-01-01";
/// Maximum number of entries in `latest_entries`.
pub const LATEST_ENTRIES: usize = 20;
/// Number of days without a newer issue after which the bulletin counts as unread.
pub const STALE_AFTER_DAYS: i64 = 7;
/// Minutes after which a run stops at its cursor. The host ends a run after 60 minutes and loses the cursor of
/// a first run.
pub const MINUTES_OF_A_RUN: i64 = 45;

/// The date from which a first run reads: the setting `since`, a date or a number of days before `today`.
///
/// # Errors
/// [`Failure::Misconfigured`] for anything else.
pub fn since(today: &str) -> Result<String, Failure> {
    let given: String = runtime::setting("since")?.unwrap_or_else(|| SINCE.to_owned());
    let date = calendar::date_or_days_before(&given, today);
    date.ok_or_else(|| {
        Failure::Misconfigured(format!(
            "the setting since must be a date such as {SINCE} or a number of days such as 120 days, not {given}"
        ))
    })
}

/// Maximum duration of a run, in minutes.
///
/// # Errors
/// [`Failure::Misconfigured`] if it is not a number.
pub fn minutes_of_a_run() -> Result<i64, Failure> {
    Ok(runtime::setting("minutes_of_a_run")?.unwrap_or(MINUTES_OF_A_RUN))
}

/// The settings of the section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Maximum number of entries in `latest_entries`.
    pub latest_entries: usize,
    /// Number of days without a newer issue after which the bulletin counts as unread.
    pub stale_after_days: i64,
    /// Titles of chapters by form code; they take precedence over [`crate::forms`].
    pub sections: BTreeMap<String, String>,
}

impl Shown {
    /// Reads the settings.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for settings of another shape.
    pub fn read() -> Result<Self, Failure> {
        Ok(Self {
            latest_entries: runtime::setting("latest_entries")?.unwrap_or(LATEST_ENTRIES),
            stale_after_days: runtime::setting("stale_after_days")?.unwrap_or(STALE_AFTER_DAYS),
            sections: runtime::setting("sections")?.unwrap_or_default(),
        })
    }
}
