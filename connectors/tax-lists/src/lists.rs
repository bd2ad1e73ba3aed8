//! The records of each list. A record is an item of the section, unchanged.

pub mod accounts;
pub mod income_tax;
mod owner;
pub mod regulated;
pub mod reliefs;
pub mod vat;

use lustra_sdk::serde_json::Number;
use lustra_sdk::{amount, fingerprint};

pub use owner::{BY_DIC, key_of_dic};

/// An item of one of the section's lists.
pub trait Listed {
    /// The sort key of the newest items: a period, a day, a year.
    fn newest_by(&self) -> String;
}

/// An amount in EUR as a JSON number.
fn number(decimal: Option<&str>) -> Option<Number> {
    decimal.and_then(amount::to_number)
}

/// A mark of fixed length that stands for a text in a key.
fn mark(text: Option<&str>) -> String {
    format!(
        "{:016x}",
        fingerprint(0, text.unwrap_or_default().as_bytes())
    )
}

/// A part of a key.
fn part(text: Option<&str>) -> &str {
    text.unwrap_or("-")
}
