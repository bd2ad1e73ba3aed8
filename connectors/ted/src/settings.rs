//! The connector's settings: the query, and the members with values.

use lustra_sdk::{Failure, runtime};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// The query; `{ico}` is replaced by the number.
    pub query: String,
    /// True to count a corrected notice once, in its newest version.
    pub only_latest_versions: bool,
    /// Places of the awarded amount, in order of preference.
    pub values: Vec<Place>,
    /// The place of the estimated amount.
    pub estimate: Place,
    /// The member in which a modification names the modified notice.
    pub modifies: String,
    /// Maximum number of items in `latest`.
    pub latest: usize,
    /// Number of notices on a page.
    pub page_size: usize,
    /// Maximum number of pages.
    pub pages: usize,
    /// The public page of a notice, to which the number is appended.
    pub notice_page: String,
}

/// The members that contain an amount and its currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    pub amount: String,
    pub currency: String,
}

impl Place {
    fn of(amount: &str, currency: &str) -> Self {
        Self {
            amount: amount.to_owned(),
            currency: currency.to_owned(),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        let query =
            "buyer-identifier = {ico} AND buyer-country = SVK SORT BY publication-date DESC";
        Self {
            query: query.to_owned(),
            only_latest_versions: true,
            values: vec![
                Place::of("total-value", "total-value-cur"),
                Place::of("result-value-notice", "result-value-cur-notice"),
            ],
            estimate: Place::of("estimated-value-proc", "estimated-value-cur-proc"),
            modifies: "modification-previous-notice-identifier".to_owned(),
            latest: 25,
            page_size: 100,
            pages: 10,
            notice_page: "https://ted.europa.eu/sk/notice/-/detail/".to_owned(),
        }
    }
}

impl Settings {
    /// Reads the settings, with defaults.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    pub fn read() -> Result<Self, Failure> {
        let default = Self::default();
        Ok(Self {
            query: runtime::setting("query")?.unwrap_or(default.query),
            only_latest_versions: runtime::setting("only_latest_versions")?
                .unwrap_or(default.only_latest_versions),
            values: runtime::setting("values")?.unwrap_or(default.values),
            estimate: runtime::setting("estimate")?.unwrap_or(default.estimate),
            modifies: runtime::setting("modifies")?.unwrap_or(default.modifies),
            latest: runtime::setting("latest")?.unwrap_or(default.latest),
            page_size: runtime::setting("page_size")?.unwrap_or(default.page_size),
            pages: runtime::setting("pages")?.unwrap_or(default.pages),
            notice_page: runtime::setting("notice_page")?.unwrap_or(default.notice_page),
        })
    }

    /// The members to request, each once.
    #[must_use]
    pub fn fields(&self) -> Vec<&str> {
        let always = [
            "publication-number",
            "publication-date",
            "notice-type",
            "form-type",
            "procedure-identifier",
            "notice-title",
            "buyer-identifier",
            "buyer-country",
        ];
        let places = self.values.iter().chain([&self.estimate]);
        let of_places = places.flat_map(|place| [place.amount.as_str(), place.currency.as_str()]);
        let mut fields: Vec<&str> = Vec::new();
        for field in always
            .into_iter()
            .chain([self.modifies.as_str()])
            .chain(of_places)
        {
            if !fields.contains(&field) {
                fields.push(field);
            }
        }
        fields
    }
}
