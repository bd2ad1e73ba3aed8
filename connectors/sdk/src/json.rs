//! Writing JSON: sections, records and cursors are texts of it.

use serde::Serialize;

use crate::Failure;

/// A value as JSON text, with the members in the order in which the type has them.
///
/// # Errors
/// [`Failure::Other`] with the code `not-json` for what JSON cannot hold, such as a map whose keys are no texts.
pub fn to_json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value)
        .map_err(|error| Failure::Other(("not-json".to_owned(), error.to_string())))
}
