//! Recordings of `crp`.

use super::{Case, about, case, list};

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    let of = |file, ico| case("crp", file, about(ico, "crp_projects"));
    vec![
        case("crp", "list-projects.toml", list("projects")),
        of("many.toml", "99999994"),
        of("amount-unknown.toml", "99999986"),
        of("none.toml", "99999978"),
        of("day-unknown.toml", "99999943"),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    vec![case("crp", "list-projects-later.toml", list("projects"))]
}
