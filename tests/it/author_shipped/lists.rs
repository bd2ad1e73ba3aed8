//! Recordings of the connectors that read an operator's list: a listed company, an unlisted one, and the list.

use super::{Case, about, case, list};

/// Connector, scope, dataset, and a company that is on the list.
const LISTS: [(&str, &str, &str, &str); 6] = [
    ("employers", "employer_headcount", "employers", "99999994"),
    ("security-licences", "sbs", "licences", "99999994"),
    (
        "social-enterprises",
        "social_enterprise",
        "enterprises",
        "99999978",
    ),
    (
        "transport-licences",
        "transport_licence",
        "licences",
        "99999994",
    ),
    (
        "travel-agencies",
        "soi_travel_agency",
        "agencies",
        "99999986",
    ),
    (
        "utility-licences",
        "utility_licence",
        "licences",
        "99999994",
    ),
];

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    let of = |(connector, scope, dataset, ico)| {
        [
            case(connector, "listed.toml", about(ico, scope)),
            case(connector, "not-listed.toml", about("99999901", scope)),
            case(connector, "unknown.toml", about("99999000", scope)),
            case(connector, "list.toml", list(dataset)),
        ]
    };
    LISTS.into_iter().flat_map(of).collect()
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    LISTS
        .into_iter()
        .map(|(connector, _, dataset, _)| case(connector, "list-later.toml", list(dataset)))
        .collect()
}
