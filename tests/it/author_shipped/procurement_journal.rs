//! Recordings of `procurement-journal`.

use super::{Case, about, case, list};

const ID: &str = "procurement-journal";

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    vec![
        case(
            ID,
            "procurement-many.toml",
            about("99999994", "procurement"),
        ),
        case(
            ID,
            "procurement-none.toml",
            about("99999978", "procurement"),
        ),
        case(ID, "contacts-buyer.toml", about("00000124", "contacts")),
        case(ID, "contacts-person.toml", about("99999960", "contacts")),
        case(ID, "list-notices.toml", list("notices")),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    vec![case(ID, "list-notices-later.toml", list("notices"))]
}
