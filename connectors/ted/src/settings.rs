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
        values: Vec<AmountMembers> = [
            AmountMembers::of("total-value", "total-value-cur"),
            AmountMembers::of("result-value-notice", "result-value-cur-notice"),
        ],
        /// Members of a notice with the estimated amount.
        estimate: AmountMembers = AmountMembers::of("estimated-value-proc", "estimated-value-cur-proc"),
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
pub struct AmountMembers {
    pub amount: String,
    pub currency: String,
}

impl AmountMembers {
    fn of(amount: &str, currency: &str) -> Self {
        Self {
            amount: amount.to_owned(),
            currency: currency.to_owned(),
        }
    }
}

#[cfg(not(target_family = "wasm"))]
impl lustra_sdk::settings::SettingType for AmountMembers {
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
        let pairs = self.values.iter().chain([&self.estimate]);
        let members = pairs.flat_map(|pair| [pair.amount.as_str(), pair.currency.as_str()]);
        let mut fields: Vec<&str> = Vec::new();
        for field in always
            .into_iter()
            .chain([self.modifies.as_str()])
            .chain(members)
        {
            if !fields.contains(&field) {
                fields.push(field);
            }
        }
        fields
    }
}
