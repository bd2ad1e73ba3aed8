//! The operator's settings. The manifest's schema has the same defaults; a test compares them.

use lustra_sdk::serde::de::DeserializeOwned;
use lustra_sdk::text::fold;
use lustra_sdk::{Failure, calendar, runtime};
use serde::{Deserialize, Serialize};

/// For settings that are only looked at.
const ANY_DAY: &str = "2026-01-01";

/// What stands before the facts on a project's page. Case, diacritics and punctuation make no difference; of several
/// texts any will do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Labels {
    pub id: Vec<String>,
    /// The recipient's IČO.
    pub recipient_ico: Vec<String>,
    /// Who gives the aid.
    pub provider: Vec<String>,
    /// The type of the aid.
    pub help_type: Vec<String>,
    /// When the project was published.
    pub published_at: Vec<String>,
    /// When its contract was signed.
    pub signed_at: Vec<String>,
    pub start: Vec<String>,
    pub end: Vec<String>,
}

impl Default for Labels {
    fn default() -> Self {
        let of = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Self {
            id: of(&["ID", "ID projektu"]),
            recipient_ico: of(&["IČO prijímateľa"]),
            provider: of(&["Poskytovateľ"]),
            help_type: of(&["Typ pomoci", "Typ poskytnutej pomoci"]),
            published_at: of(&["Dátum zverejnenia"]),
            signed_at: of(&["Dátum podpisu", "Dátum podpísania", "Dátum uzavretia"]),
            start: of(&["Dátum začatia", "Dátum začatia projektu"]),
            end: of(&["Dátum ukončenia", "Dátum ukončenia projektu"]),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// How far back projects are read at first: `YYYY-MM-DD`, or `365 days` before the first import.
    pub since: String,
    /// Where the register is for people, without a slash at the end; links in sections begin so.
    pub site: String,
    /// The path of the list; `{page}` stands for the page, counted from 0.
    pub list_path: String,
    /// What is sent as the header `cookie`; empty: nothing.
    pub cookie: String,
    /// What stands before the facts on a project's page.
    pub labels: Labels,
    /// What stands in place of a fact that is not there.
    pub absent: Vec<String>,
    /// Projects that are younger are read again, once in `reread_every_days`.
    pub reread_days: u16,
    /// How many days lie between two such readings.
    pub reread_every_days: u16,
    /// Maximum number of pages of the list that contain them.
    pub reread_pages: u32,
    /// A run stops at its cursor after this many minutes.
    pub run_minutes: i64,
    /// When the newest reading is older, the section says so.
    pub stale_after_days: i64,
    /// Paths of projects whose pages cannot be read and are left out.
    pub skip: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            since: "2011-01-01".to_owned(),
            site: "https://www.crp.gov.sk".to_owned(),
            list_path: "/5-sk/register-projektov/?page={page}".to_owned(),
            cookie: "ys-browserCheck=b%3A1".to_owned(),
            labels: Labels::default(),
            absent: ["neuvedené", "neuvedený", "neuvedená"]
                .map(str::to_owned)
                .to_vec(),
            reread_days: 60,
            reread_every_days: 7,
            reread_pages: 50,
            run_minutes: 45,
            stale_after_days: 14,
            skip: Vec::new(),
        }
    }
}

impl Settings {
    /// As the operator set them.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for settings of another shape.
    pub fn read() -> Result<Self, Failure> {
        let default = Self::default();
        let settings = Self {
            since: or("since", default.since)?,
            site: or("site", default.site)?,
            list_path: or("list_path", default.list_path)?,
            cookie: or("cookie", default.cookie)?,
            labels: or("labels", default.labels)?,
            absent: or("absent", default.absent)?,
            reread_days: or("reread_days", default.reread_days)?,
            reread_every_days: or("reread_every_days", default.reread_every_days)?,
            reread_pages: or("reread_pages", default.reread_pages)?,
            run_minutes: or("run_minutes", default.run_minutes)?,
            stale_after_days: or("stale_after_days", default.stale_after_days)?,
            skip: or("skip", default.skip)?,
        };
        settings.first_day(ANY_DAY)?;
        Ok(settings)
    }

    /// The day back to which a reading goes that begins today.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for what is no day.
    pub fn first_day(&self, today: &str) -> Result<String, Failure> {
        calendar::date_or_days_before(&self.since, today).ok_or_else(|| {
            Failure::Misconfigured(format!(
                "the setting since must be a date such as 2011-01-01 or a number of days such as 365 days, not {}",
                self.since
            ))
        })
    }

    /// Whether that day is the same whenever the reading begins.
    #[must_use]
    pub fn begins_on_a_date(&self) -> bool {
        calendar::day(&self.since).is_some()
    }

    /// True if a value means that there is none.
    #[must_use]
    pub fn is_absent(&self, value: &str) -> bool {
        let folded = fold(value);
        folded.is_empty() || self.absent.iter().any(|word| fold(word) == folded)
    }
}

fn or<T: DeserializeOwned>(name: &str, default: T) -> Result<T, Failure> {
    Ok(runtime::setting(name)?.unwrap_or(default))
}
