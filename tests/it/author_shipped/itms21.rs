//! Recordings of the connector `itms21`.

use super::{Case, about, case, list};

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    let of = |file, ico| case("itms21", file, about(ico, "itms21"));
    vec![
        case("itms21", "list-projects.toml", list("projects")),
        case("itms21", "list-applications.toml", list("applications")),
        case("itms21", "list-irregularities.toml", list("irregularities")),
        case("itms21", "list-procurement.toml", list("procurement")),
        of("many.toml", "99999994"),
        of("partner.toml", "99999986"),
        of("supplier.toml", "99999978"),
        of("detail-blocked.toml", "99999943"),
        of("rejected.toml", "99999951"),
        of("none.toml", "99999919"),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    vec![
        case("itms21", "list-projects-later.toml", list("projects")),
        case(
            "itms21",
            "list-applications-later.toml",
            list("applications"),
        ),
        case(
            "itms21",
            "list-irregularities-later.toml",
            list("irregularities"),
        ),
        case("itms21", "list-procurement-later.toml", list("procurement")),
    ]
}
