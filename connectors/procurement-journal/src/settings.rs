//! The operator's settings. The manifest's schema has the same defaults; a test compares them.

use std::collections::BTreeSet;

use lustra_sdk::{Failure, date, runtime};
use serde::de::DeserializeOwned;

/// Whose datasets are searched.
pub const PUBLISHER: &str = "https://data.gov.sk/id/legal-subject/31797903";
/// What is searched for.
pub const QUERY: &str = "Vestník";
/// Datasets of one page of the search.
pub const PAGE_SIZE: usize = 100;
/// The host that addresses of files must be on.
pub const HOSTS: [&str; 1] = ["data.slovensko.sk"];
pub const SINCE: &str = "2016";
/// How old the newest issue may be.
pub const STALE_AFTER_DAYS: u32 = 14;
/// Local parts of e-mail addresses that belong to an office and not to a person.
pub const ROLE_ADDRESSES: [&str; 38] = [
    "contact",
    "dispecing",
    "ekonomika",
    "email",
    "fakturacia",
    "faktury",
    "firma",
    "hello",
    "info",
    "kontakt",
    "kontakty",
    "mail",
    "marketing",
    "mesto",
    "obchod",
    "obec",
    "objednavky",
    "obstaravanie",
    "office",
    "podatelna",
    "podpora",
    "ponuky",
    "posta",
    "predaj",
    "recepcia",
    "reklamacie",
    "sales",
    "sekretariat",
    "service",
    "servis",
    "spolocnost",
    "support",
    "tender",
    "tenders",
    "uctaren",
    "verejneobstaravanie",
    "vo",
    "zakazky",
];

/// Which issue is the first that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// How the journal is imported.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Whose datasets are searched: the publisher's address in the catalogue.
    pub publisher: String,
    /// What is searched for.
    pub query: String,
    /// Datasets of one page.
    pub page_size: usize,
    /// Hosts that addresses of files may be on, lower case.
    pub hosts: Vec<String>,
    /// The first issue that is read.
    pub since: Since,
    /// Local parts of e-mail addresses that are kept, lower case.
    pub roles: BTreeSet<String>,
}

impl Settings {
    /// As the operator set it.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for settings of another shape.
    pub fn read() -> Result<Self, Failure> {
        let since = of("since", SINCE.to_owned())?;
        let Some(since) = Since::parse(&since) else {
            return Err(Failure::Misconfigured(
                "the setting since must be a year, a date YYYY-MM-DD or a number of days such as `90 days`"
                    .to_owned(),
            ));
        };
        let page_size = of("page_size", PAGE_SIZE)?;
        if page_size == 0 {
            return Err(Failure::Misconfigured(
                "the setting page_size must be at least 1".to_owned(),
            ));
        }
        let lower = |texts: Vec<String>| texts.into_iter().map(|text| text.to_lowercase());
        let roles = of("role_addresses", ROLE_ADDRESSES.map(str::to_owned).to_vec())?;
        let hosts = of("hosts", HOSTS.map(str::to_owned).to_vec())?;
        Ok(Self {
            publisher: of("publisher", PUBLISHER.to_owned())?,
            query: of("query", QUERY.to_owned())?,
            page_size,
            hosts: lower(hosts).collect(),
            since,
            roles: lower(roles).collect(),
        })
    }
}

/// How many days old the newest issue that was read may be.
///
/// # Errors
/// [`Failure::Misconfigured`] for a setting that is no number.
pub fn stale_after_days() -> Result<u32, Failure> {
    of("stale_after_days", STALE_AFTER_DAYS)
}

fn of<T: DeserializeOwned>(name: &str, default: T) -> Result<T, Failure> {
    Ok(runtime::setting::<T>(name)?.unwrap_or(default))
}
