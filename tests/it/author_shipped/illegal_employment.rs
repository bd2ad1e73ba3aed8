//! Recordings of `illegal-employment`.

use serde_json::json;

use super::{Case, about, case, list};

const CONNECTOR: &str = "illegal-employment";
const SCOPE: &str = "illegal_employment";

/// First day: three entries, a number with leading zeros, none, an unknown company, and both sources of the list.
pub fn first_day() -> Vec<Case> {
    let of = |file, ico| case(CONNECTOR, file, about(ico, SCOPE));
    let by_file = Case {
        settings: vec![("source".to_owned(), json!("file"))],
        ..case(CONNECTOR, "list-fines-by-file.toml", list("fines"))
    };
    vec![
        of("several.toml", "99999943"),
        of("zero-led.toml", "00000124"),
        of("none.toml", "99999994"),
        of("unknown.toml", "99999000"),
        case(CONNECTOR, "list-fines.toml", list("fines")),
        by_file,
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    vec![case(CONNECTOR, "list-fines-later.toml", list("fines"))]
}
