//! The operator's settings. The manifest's schema has the same defaults; a test compares them.

use lustra_sdk::{Failure, runtime};
use serde::{Deserialize, Serialize};

/// How many percent of the licences that were in force may be gone from a new list.
pub const MOST_VANISHED_PERCENT: u64 = 20;

/// What the members of a row of the list of payment services are called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Psd2Members {
    pub id: String,
    pub country: String,
    pub service: String,
    pub date_from: String,
    pub date_to: String,
}

impl Default for Psd2Members {
    fn default() -> Self {
        Self {
            id: "id".to_owned(),
            country: "country".to_owned(),
            service: "service".to_owned(),
            date_from: "date_from".to_owned(),
            date_to: "date_to".to_owned(),
        }
    }
}

impl Psd2Members {
    /// As the operator set them.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    pub fn of_settings() -> Result<Self, Failure> {
        Ok(runtime::setting("psd2_members")?.unwrap_or_default())
    }
}

/// How many percent of the licences that were in force may be gone from a new list, as the operator set it.
///
/// # Errors
/// [`Failure::Misconfigured`] for a setting of another shape.
pub fn most_vanished_percent() -> Result<u64, Failure> {
    Ok(runtime::setting("most_vanished_percent")?.unwrap_or(MOST_VANISHED_PERCENT))
}
