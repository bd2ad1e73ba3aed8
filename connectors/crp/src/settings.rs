//! The operator's settings.

use lustra_sdk::text::fold;
use lustra_sdk::{Failure, calendar};

/// A fixed day for validating settings.
const ANY_DAY: &str = "2026-01-01";

lustra_sdk::settings! {
    /// What stands before the facts on a project's page.
    pub group Labels {
        /// The number of the project.
        id: Vec<String> = ["ID", "ID projektu"],
        /// The IČO of the recipient.
        recipient_ico: Vec<String> = ["IČO prijímateľa"],
        /// The provider of the aid.
        provider: Vec<String> = ["Poskytovateľ"],
        /// The type of the aid.
        help_type: Vec<String> = ["Typ pomoci", "Typ poskytnutej pomoci"],
        /// The day on which the project was published.
        published_at: Vec<String> = ["Dátum zverejnenia"],
        /// The day on which its contract was signed.
        signed_at: Vec<String> = ["Dátum podpisu", "Dátum podpísania", "Dátum uzavretia"],
        /// The first day of the project.
        start: Vec<String> = ["Dátum začatia", "Dátum začatia projektu"],
        /// The last day of the project.
        end: Vec<String> = ["Dátum ukončenia", "Dátum ukončenia projektu"],
    }
}

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// How far back the first import reads: a date such as 2011-01-01, or a number of days before the first import
        /// such as 365 days. An earlier day than before lets everything be read again.
        since: String = "2011-01-01",
        /// Public address of the register, without a slash at the end. Links in sections begin with it, and links of
        /// the list that lead elsewhere are refused.
        site: String = "https://www.crp.gov.sk",
        /// Path of the list; `{page}` stands for the page, counted from 0.
        list_path: String = "/5-sk/register-projektov/?page={page}",
        /// Value of the header cookie, without which the register gave no pages in 2019. Empty: no header.
        cookie: String = "ys-browserCheck=b%3A1",
        /// Labels of the facts on a project's page. Case, diacritics and punctuation make no difference; any text of a
        /// list will do.
        labels: Labels = Labels::default(),
        /// Texts that stand in place of a missing fact.
        absent: Vec<String> = ["neuvedené", "neuvedený", "neuvedená"],
        /// Projects younger than this number of days are read again.
        reread_days: u16 [0..=3_650] = 60,
        /// Number of days between two such readings.
        reread_every_days: u16 [1..=365] = 7,
        /// Maximum number of pages of the list that are read again.
        reread_pages: u32 [1..] = 50,
        /// A run stops at its cursor after this many minutes, and the next run continues. Must be less than the host's
        /// limit for a run.
        run_minutes: i64 [0..] = 45,
        /// If the newest reading is older than this number of days, sections report that projects are missing.
        stale_after_days: i64 [1..] = 14,
        /// Paths of projects whose pages cannot be read and are left out.
        skip: Vec<String> = Vec::new(),
    }
    check Self::checked;
}

impl Settings {
    fn checked(self) -> Result<Self, Failure> {
        self.first_day(ANY_DAY)?;
        Ok(self)
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
