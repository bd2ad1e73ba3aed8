//! Recordings of `ted`.

use super::{Case, about, case};

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    let of = |file, ico| case("ted", file, about(ico, "ted_tenders"));
    vec![
        of("an-award.toml", "99999994"),
        of("several.toml", "99999986"),
        of("decimal-text.toml", "00000124"),
        of("with-other-companies.toml", "99999889"),
        of("none.toml", "99999943"),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    Vec::new()
}
