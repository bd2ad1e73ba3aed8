//! Recordings of `rpvs`.

use super::{Case, about, case};

/// Recordings of the first day.
pub fn first_day() -> Vec<Case> {
    let of = |file, ico| case("rpvs", file, about(ico, "rpvs"));
    vec![
        of("partner-with-many-owners.toml", "99999994"),
        of("partner-twice.toml", "99999919"),
        of("partner-stored-with-spaces.toml", "00000124"),
        of("erased-after-a-fine.toml", "99999978"),
        of("no-partner.toml", "99999943"),
    ]
}

/// Imports of a later day.
pub fn later_day() -> Vec<Case> {
    Vec::new()
}
