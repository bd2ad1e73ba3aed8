//! Recordings of `crz`.

use super::{Case, about, case, list};
use serde_json::json;

/// An import of a few recent days, none of which is final yet.
fn of_six_days(file: &'static str) -> Case {
    Case {
        settings: vec![("since".to_owned(), json!("6 days"))],
        ..case("crz", file, list("contracts"))
    }
}

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    vec![
        of_six_days("list-contracts.toml"),
        case(
            "crz",
            "contracts-many.toml",
            about("99999994", "public_contracts"),
        ),
        case(
            "crz",
            "contracts-amount-unknown.toml",
            about("99999986", "public_contracts"),
        ),
        case(
            "crz",
            "contracts-cancelled.toml",
            about("99999978", "public_contracts"),
        ),
        case(
            "crz",
            "contracts-none.toml",
            about("99999919", "public_contracts"),
        ),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    vec![of_six_days("list-contracts-later.toml")]
}
