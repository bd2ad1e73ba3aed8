//! Recordings of `uvo`.

use serde_json::json;

use super::{Case, about, case, list};

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    let of = |file, ico, scope| case("uvo", file, about(ico, scope));
    let without_selector = Case {
        settings: vec![("suppliers".to_owned(), json!({}))],
        ..of("supplier-selector-unknown.toml", "99999994", "reges")
    };
    vec![
        of("debarred-active.toml", "99999986", "debarred"),
        of("debarred-twice.toml", "99999901", "debarred"),
        of("debarred-none.toml", "99999897", "debarred"),
        of("supplier-renewed.toml", "99999986", "reges"),
        of("supplier-struck-off.toml", "99999978", "reges"),
        of("supplier-none.toml", "99999943", "reges"),
        without_selector,
        of(
            "authority-utility.toml",
            "99999986",
            "contracting_authority",
        ),
        of("authority-twice.toml", "00000124", "contracting_authority"),
        of("authority-none.toml", "99999994", "contracting_authority"),
        of("references-on-two-pages.toml", "99999994", "uvo_references"),
        of("references-few.toml", "00000124", "uvo_references"),
        of("references-of-two.toml", "99999889", "uvo_references"),
        of("references-none.toml", "99999943", "uvo_references"),
        case("uvo", "list-debarred.toml", list("debarred")),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    vec![case("uvo", "list-debarred-later.toml", list("debarred"))]
}
