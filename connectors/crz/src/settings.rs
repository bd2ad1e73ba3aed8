//! The operator's settings. The manifest's schema has the same defaults; a test compares them.

use lustra_sdk::{Failure, calendar, runtime};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::calendar::Day;

/// A fixed day for validating settings.
const ANY_DAY: &str = "2026-01-01";

/// The meaning of the numbers in `stav`; sources disagree about them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct States {
    pub draft: Vec<u32>,
    /// In force, as far as the register shows.
    pub published: Vec<u32>,
    pub cancelled: Vec<u32>,
}

impl Default for States {
    fn default() -> Self {
        Self {
            draft: vec![1],
            published: vec![2],
            cancelled: vec![3, 4, 5],
        }
    }
}

/// Distinguishes amendments from contracts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Amendments {
    /// Numbers in `typ`.
    pub types: Vec<u32>,
    /// Numbers in `druh`.
    pub kinds: Vec<u32>,
    /// Prefixes of words in the number or the subject, in lower case without diacritics.
    pub words: Vec<String>,
}

impl Default for Amendments {
    fn default() -> Self {
        Self {
            types: vec![2],
            kinds: Vec::new(),
            words: vec!["dodatok".to_owned()],
        }
    }
}

/// All settings of the connector.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// The first imported day: `YYYY-MM-DD`, or `120 days` before the first import.
    pub since: String,
    /// The path of a day's file; `{date}` is replaced by the day.
    pub export_path: String,
    /// The public page of a contract; `{id}` is replaced by its id.
    pub contract_url: String,
    /// The meaning of the states.
    pub states: States,
    /// Distinguishes amendments from contracts.
    pub amendments: Amendments,
    /// Numbers in `druh` of orders, which count as contracts.
    pub orders: Vec<u32>,
    /// If the last day read is older, the section reports missing days.
    pub stale_after_days: i64,
    /// A run stops at its cursor after this many minutes.
    pub run_minutes: i64,
    /// Days with unreadable files that the operator chose to skip.
    pub skip_days: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            since: "2011-01-01".to_owned(),
            export_path: "/export/{date}.zip".to_owned(),
            contract_url: "https://www.crz.gov.sk/zmluva/{id}/".to_owned(),
            states: States::default(),
            amendments: Amendments::default(),
            orders: vec![2],
            stale_after_days: 7,
            run_minutes: 45,
            skip_days: Vec::new(),
        }
    }
}

impl Settings {
    /// Reads the settings.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for settings of another shape.
    pub fn read() -> Result<Self, Failure> {
        let default = Self::default();
        let settings = Self {
            since: or("since", default.since)?,
            export_path: or("export_path", default.export_path)?,
            contract_url: or("contract_url", default.contract_url)?,
            states: or("states", default.states)?,
            amendments: or("amendments", default.amendments)?,
            orders: or("orders", default.orders)?,
            stale_after_days: or("stale_after_days", default.stale_after_days)?,
            run_minutes: or("run_minutes", default.run_minutes)?,
            skip_days: or("skip_days", default.skip_days)?,
        };
        settings.first_day(ANY_DAY)?;
        settings.skipped()?;
        Ok(settings)
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

fn or<T: DeserializeOwned>(name: &str, default: T) -> Result<T, Failure> {
    Ok(runtime::setting(name)?.unwrap_or(default))
}

fn day_of(setting: &str, text: &str) -> Result<Day, Failure> {
    Day::parse(text).ok_or_else(|| {
        Failure::Misconfigured(format!(
            "the setting {setting} must have days such as 2011-01-01, and {text} is none"
        ))
    })
}
