//! Recordings of `commercial-bulletin`.

use super::{Case, about, case, list};

const CONNECTOR: &str = "commercial-bulletin";
const SCOPE: &str = "commercial_bulletin";

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    let of = |file, ico| case(CONNECTOR, file, about(ico, SCOPE));
    vec![
        of("notices-many.toml", "99999994"),
        of("notices-of-a-liquidation.toml", "99999943"),
        of("notices-none.toml", "99999889"),
        of("notices-unknown-company.toml", "99999000"),
        // An IČO that begins with zeros.
        of("register-entries-zero-led.toml", "00000124"),
        case(CONNECTOR, "list-notices.toml", list("notices")),
        case(
            CONNECTOR,
            "list-register-entries.toml",
            list("register-entries"),
        ),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    vec![
        case(CONNECTOR, "list-notices-later.toml", list("notices")),
        case(
            CONNECTOR,
            "list-register-entries-later.toml",
            list("register-entries"),
        ),
    ]
}
