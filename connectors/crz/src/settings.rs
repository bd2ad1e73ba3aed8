//! The operator's settings.

use lustra_sdk::{Failure, calendar};

use crate::calendar::Day;

/// A fixed day for validating settings.
const ANY_DAY: &str = "2026-01-01";

lustra_sdk::settings! {
    /// The meaning of the numbers in `stav`; sources disagree about them.
    pub group States {
        /// Numbers of drafts of contracts.
        draft: Vec<u32> = [1],
        /// Numbers of contracts in force, as far as the register shows.
        published: Vec<u32> = [2],
        /// Numbers of cancelled contracts.
        cancelled: Vec<u32> = [3, 4, 5],
    }
}

lustra_sdk::settings! {
    /// Distinguishes amendments from contracts.
    pub group Amendments {
        /// Numbers in `typ` of amendments.
        types: Vec<u32> = [2],
        /// Numbers in `druh` of amendments.
        kinds: Vec<u32> = Vec::new(),
        /// Prefixes of words in the number or the subject of amendments, in lower case without diacritics.
        words: Vec<String> = ["dodatok"],
    }
}

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// The first day whose contracts are imported: a date such as 2011-01-01, or a number of days before the first
        /// import such as 120 days. An earlier day than before lets everything be read again.
        since: String = "2011-01-01",
        /// Path of a day's file; `{date}` stands for the day.
        export_path: String = "/export/{date}.zip",
        /// Address of a contract's public page; `{id}` stands for its id.
        contract_url: String = "https://www.crz.gov.sk/zmluva/{id}/",
        /// Meaning of the numbers in `stav`; 3 is a cancelled contract in the exports of 2026. A number that is in none
        /// of the lists fails the import.
        states: States = States::default(),
        /// Marks that distinguish amendments from contracts. Each of them is sufficient.
        amendments: Amendments = Amendments::default(),
        /// Numbers in `druh` of orders. Orders count as contracts; a section says how many they are.
        orders: Vec<u32> = [2],
        /// If the last day read is older than this number of days, sections report that days are missing.
        stale_after_days: i64 [1..] = 7,
        /// A run stops at its cursor after this many minutes, and the next run continues. Must be less than the host's
        /// limit for a run.
        run_minutes: i64 [0..] = 45,
        /// Days whose files cannot be read and are left out. Sections name them as unread.
        skip_days: Vec<String> = Vec::new(),
    }
    check Self::checked;
}

impl Settings {
    fn checked(self) -> Result<Self, Failure> {
        self.first_day(ANY_DAY)?;
        self.skipped()?;
        Ok(self)
    }

    /// The skipped days in order.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for an invalid day.
    pub fn skipped(&self) -> Result<Vec<Day>, Failure> {
        let days = self.skip_days.iter().map(|day| day_of("skip_days", day));
        let mut days = days.collect::<Result<Vec<Day>, Failure>>()?;
        days.sort();
        Ok(days)
    }

    /// The first day of an import that starts today.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for an invalid day.
    pub fn first_day(&self, today: &str) -> Result<Day, Failure> {
        let first = calendar::date_or_days_before(&self.since, today);
        first.as_deref().and_then(Day::parse).ok_or_else(|| {
            Failure::Misconfigured(format!(
                "the setting since must be a date such as 2011-01-01 or a number of days such as 120 days, not {}",
                self.since
            ))
        })
    }

    /// True if the first day does not depend on the start of the import.
    #[must_use]
    pub fn begins_on_a_date(&self) -> bool {
        calendar::day(&self.since).is_some()
    }
}

fn day_of(setting: &str, text: &str) -> Result<Day, Failure> {
    Day::parse(text).ok_or_else(|| {
        Failure::Misconfigured(format!(
            "the setting {setting} must have days such as 2011-01-01, and {text} is none"
        ))
    })
}
