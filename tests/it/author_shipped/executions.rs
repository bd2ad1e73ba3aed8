//! Recordings of `executions`.

use serde_json::json;

use super::{Case, about, case, list};

const SCOPE: &str = "execution_authorizations";

/// First day: two pages, several obligors, a repeated row, an ended authorization, no result, and no source at all.
pub fn first_day() -> Vec<Case> {
    let of = |file, ico| case("executions", file, about(ico, SCOPE));
    let without_source = Case {
        settings: vec![("source".to_owned(), json!("off"))],
        ..of("off.toml", "99999943")
    };
    vec![
        of("two-pages.toml", "99999943"),
        of("several-obligors.toml", "00000124"),
        of("one-twice.toml", "99999927"),
        of("ended.toml", "99999919"),
        of("none.toml", "99999994"),
        of("unknown.toml", "99999000"),
        without_source,
        case(
            "executions",
            "list-authorizations.toml",
            list("authorizations"),
        ),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    vec![case(
        "executions",
        "list-authorizations-later.toml",
        list("authorizations"),
    )]
}
