//! Recordings of `nbs`.

use super::{Case, about, case, list};

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    vec![
        case("nbs", "nbs-several.toml", about("99999986", "nbs")),
        case("nbs", "nbs-zero-led.toml", about("00000124", "nbs")),
        case("nbs", "nbs-none.toml", about("99999978", "nbs")),
        case("nbs", "nbs-unknown.toml", about("99999000", "nbs")),
        case("nbs", "list-institutions.toml", list("institutions")),
        case("nbs", "list-psd2-services.toml", list("psd2-services")),
        case("nbs", "list-agents.toml", list("agents")),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    vec![
        case("nbs", "list-institutions-later.toml", list("institutions")),
        case(
            "nbs",
            "list-psd2-services-later.toml",
            list("psd2-services"),
        ),
    ]
}
