//! What a section could not find out, so that it is not taken for a finding.

use lustra_sdk::serde_json::{Value, from_str};
use lustra_sdk::{Field, runtime};
use serde::Serialize;

/// One thing that could not be found out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// `state …`, `proceeding_type …` or `proceeding …`.
    pub source: String,
    /// Since when: RFC 3339, UTC.
    pub since: Option<String>,
    /// Why, in a few words.
    pub why: String,
}

impl Unread {
    /// As the contract names it beside a section.
    #[must_use]
    pub fn field(&self) -> Field {
        Field {
            name: self.source.clone(),
            value: self.why.clone(),
        }
    }

    /// Says since when: what the stored section says, else now.
    pub fn date(unread: &mut [Self], previous: Option<&str>) {
        let previous: Value = previous
            .and_then(|text| from_str(text).ok())
            .unwrap_or_default();
        let earlier = previous["unread"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        for one in unread {
            let known = earlier
                .iter()
                .find(|known| known["source"] == one.source.as_str());
            let since = known.and_then(|known| known["since"].as_str());
            one.since = Some(since.map_or_else(runtime::now, str::to_owned));
        }
    }
}
