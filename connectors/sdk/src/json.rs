//! Serializes sections, records and cursors to JSON text.

use serde::Serialize;

use crate::Failure;

/// A value as JSON text, with members in the order of the type's fields.
///
/// # Errors
/// [`Failure::Other`] with the code `not-json` for values that JSON cannot represent, such as a
/// map with keys that are not texts.
pub fn to_json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value)
        .map_err(|error| Failure::Other(("not-json".to_owned(), error.to_string())))
}
