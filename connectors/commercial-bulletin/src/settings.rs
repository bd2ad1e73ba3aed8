//! The operator's settings.

use std::collections::BTreeMap;

use lustra_sdk::{Failure, calendar};

lustra_sdk::settings! {
    /// The settings of an import.
    pub struct Import {
        /// From when the first run of each dataset reads the mirror: a date, or a number of days before that run such
        /// as 120 days. Later runs continue where the last one ended.
        since: String = "2016-01-01",
        /// A run stops at its cursor after this many minutes, and the next run continues. Must be less than the host's
        /// limit `run_ms`, because the host ends a longer run and loses the cursor of a first run.
        minutes_of_a_run: i64 [0..=1_000] = 45,
    }
}

lustra_sdk::settings! {
    /// The settings of the section.
    pub struct Shown {
        /// Maximum number of entries in `latest_entries`.
        latest_entries: usize [1..=500] = 20,
        /// If the newest issue of a dataset is older than this number of days, the section reports the dataset as
        /// unread.
        stale_after_days: i64 [1..=3_650] = 7,
        /// Titles of chapters by the codes of forms and of kinds of register entries. They take precedence over the
        /// connector's own titles.
        sections: BTreeMap<String, String> = BTreeMap::new(),
    }
}

impl Import {
    /// The date from which a first run reads that starts today.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] if `since` is neither a date nor a number of days.
    pub fn first_day(&self, today: &str) -> Result<String, Failure> {
        calendar::date_or_days_before(&self.since, today).ok_or_else(|| {
            Failure::Misconfigured(format!(
                "the setting since must be a date such as 2016-01-01 or a number of days such as 120 days, not {}",
                self.since
            ))
        })
    }
}
