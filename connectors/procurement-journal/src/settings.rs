//! The operator's settings.

use std::collections::BTreeSet;

use lustra_sdk::{Failure, date};
use serde::{Deserialize, Serialize};

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// Address of the publisher in the portal's catalogue, whose datasets are searched.
        publisher: String = "https://data.gov.sk/id/legal-subject/31797903",
        /// Text that is searched for among them.
        query: String = "Vestník",
        /// Number of datasets on a page of the search.
        page_size: usize [1..=1_000] = 100,
        /// Hosts of files that the search may return. Their paths are requested from the upstream.
        hosts: Vec<String> = ["data.slovensko.sk"],
        /// The first issue that is read: the first one of a year, the first one published on a date or later, or the
        /// first one published at most a number of days ago such as 90 days. It applies to the first import only; the
        /// whole history takes several runs.
        since: Since = Since::Year(2016),
        /// If the newest issue read is older than this number of days, both sections report the journal as unread.
        stale_after_days: u32 [1..=3_650] = 14,
        /// Local parts of e-mail addresses that are stored: names of offices. Any other address may belong to a person.
        role_addresses: BTreeSet<String> = [
            "contact", "dispecing", "ekonomika", "email", "fakturacia", "faktury", "firma", "hello", "info",
            "kontakt", "kontakty", "mail", "marketing", "mesto", "obchod", "obec", "objednavky",
            "obstaravanie", "office", "podatelna", "podpora", "ponuky", "posta", "predaj", "recepcia",
            "reklamacie", "sales", "sekretariat", "service", "servis", "spolocnost", "support", "tender",
            "tenders", "uctaren", "verejneobstaravanie", "vo", "zakazky",
        ],
    }
    check Self::checked;
}

impl Settings {
    /// Converts hosts and local parts to lower case.
    fn checked(mut self) -> Result<Self, Failure> {
        let lower = |text: String| text.to_lowercase();
        self.hosts = self.hosts.into_iter().map(lower).collect();
        self.role_addresses = self.role_addresses.into_iter().map(lower).collect();
        Ok(self)
    }
}

/// Which issue is the first that is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Since {
    /// The first of a year.
    Year(u32),
    /// The first that was published on a day or later: `YYYY-MM-DD`.
    Date(String),
    /// The first issue published at most this many days ago.
    Days(u32),
}

impl Since {
    /// Reads `2016`, `2024-05-01` or `90 days`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(days) = text.strip_suffix(" days") {
            return days.parse().ok().map(Self::Days);
        }
        if text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().ok().map(Self::Year);
        }
        date::parse(text)
            .filter(|date| date == text)
            .map(Self::Date)
    }
}

impl TryFrom<String> for Since {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
            .ok_or("a year, a date YYYY-MM-DD or a number of days such as `90 days` is required")
    }
}

impl From<Since> for String {
    fn from(since: Since) -> Self {
        match since {
            Since::Year(year) => year.to_string(),
            Since::Date(date) => date,
            Since::Days(days) => format!("{days} days"),
        }
    }
}

#[cfg(not(target_family = "wasm"))]
impl lustra_sdk::settings::SettingType for Since {
    fn shape() -> lustra_sdk::settings::Shape {
        <String as lustra_sdk::settings::SettingType>::shape()
    }
}
