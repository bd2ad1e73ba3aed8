//! The connector's settings.

use lustra_sdk::{Failure, runtime};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Settings {
    /// Registers whose numbers are an IČO.
    pub authorities: Authorities,
    /// The page of a record for people, without the LEI behind it.
    pub record_page: RecordPage,
}

/// Codes of registration authorities whose numbers are an IČO: by default the Slovak registers of companies, of traders
/// and of associations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Authorities(pub Vec<String>);

impl Default for Authorities {
    fn default() -> Self {
        Self(
            ["RA000526", "RA000670", "RA000527"]
                .map(str::to_owned)
                .into(),
        )
    }
}

/// The page of a record; its default is the one of GLEIF's own search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordPage(pub String);

impl Default for RecordPage {
    fn default() -> Self {
        Self("https://search.gleif.org/#/record/".to_owned())
    }
}

impl Settings {
    /// What the operator gave, else the defaults.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    pub fn read() -> Result<Self, Failure> {
        Ok(Self {
            authorities: runtime::setting("authorities")?.unwrap_or_default(),
            record_page: runtime::setting("record_page")?.unwrap_or_default(),
        })
    }
}
