//! Recordings of `gleif`.

use super::{Case, about, case};

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    let of = |file, ico| case("gleif", file, about(ico, "gleif"));
    vec![
        of("parent-and-top.toml", "99999994"),
        of("bank-codes.toml", "99999986"),
        of("exceptions.toml", "99999943"),
        of("two-records.toml", "99999927"),
        of("parent-not-found.toml", "99999897"),
        of("none-but-a-neighbour.toml", "99999978"),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    Vec::new()
}
