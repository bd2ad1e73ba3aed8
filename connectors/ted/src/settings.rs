//! The operator's settings: the query, and the members with values.

use serde::{Deserialize, Serialize};

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// The query in TED's language; `{ico}` stands for the number. It is assumed that buyers' numbers can be
        /// searched; what is found is compared again. The query must sort by the day, newest first.
        query: String = "buyer-identifier = {ico} AND buyer-country = SVK SORT BY publication-date DESC",
        /// True to count a corrected notice once, in its newest version.
        only_latest_versions: bool = true,
        /// Members of a result with the awarded amount, in order of preference. In other notices they are estimates.
        /// TED refuses queries with names that it does not know.
        values: Vec<Place> = [
            Place::of("total-value", "total-value-cur"),
            Place::of("result-value-notice", "result-value-cur-notice"),
        ],
        /// Members of a notice with the estimated amount.
        estimate: Place = Place::of("estimated-value-proc", "estimated-value-cur-proc"),
        /// The member of a modification that names the modified notice.
        modifies: String = "modification-previous-notice-identifier",
        /// Maximum number of notices in latest.
        latest: usize [1..=100] = 25,
        /// Number of notices requested at once.
        page_size: usize [1..=250] = 100,
        /// Maximum number of pages read for a company. With more notices their values are not added up.
        pages: usize [1..=15] = 10,
        /// Address of a notice's public page, to which the number is appended.
        notice_page: String = "https://ted.europa.eu/sk/notice/-/detail/",
    }
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

#[cfg(not(target_family = "wasm"))]
impl lustra_sdk::settings::SettingType for Place {
    fn shape() -> lustra_sdk::settings::Shape {
        lustra_sdk::settings::Shape::Type("object")
    }
}

impl Settings {
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
