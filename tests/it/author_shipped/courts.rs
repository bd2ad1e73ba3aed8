//! Recordings of `courts`.

use super::{Case, about, case};

/// First day: several pages, more pages than are read, and each form in which the number is shown.
pub fn first_day() -> Vec<Case> {
    let of = |file, ico| case("courts", file, about(ico, "court_decisions"));
    vec![
        of("three-pages.toml", "99999994"),
        of("more-than-is-read.toml", "99999986"),
        of("garbled.toml", "99999978"),
        of("none.toml", "99999960"),
        of("representative.toml", "99999943"),
        of("number-with-spaces.toml", "00000124"),
        of("number-split.toml", "99999927"),
        of("other-numbers.toml", "99999901"),
        of("without-a-passage.toml", "99999897"),
        of("number-of-a-contract.toml", "99999889"),
        of("unknown.toml", "99999000"),
    ]
}

/// Empty, because there are no lists.
pub fn later_day() -> Vec<Case> {
    Vec::new()
}
